// Llama and Mistral against KerasHub: hidden states, generation and beam search.
#include <cornu/cornu.h>

#include "../../catch.h"
#include "../../paths.h"
#include "../../support/golden_json.h"
#include "../../support/layer_check.h"
#include "../../support/temporary.h"

namespace llama_test {

using namespace cornu;
using applications::LlamaCausalLM;
using applications::LlamaConfig;
using applications::MistralCausalLM;
using test::difference;
using test::entry;
using test::golden_tensor;
using Ids = std::vector<int64_t>;

namespace {

const LlamaConfig tiny = {.vocabulary_size = 19,
                          .num_layers = 2,
                          .num_query_heads = 4,
                          .hidden_dim = 8,
                          .intermediate_dim = 12,
                          .num_key_value_heads = 2,
                          .rope_max_wavelength = 100};

const Value& golden() {
  static const Value file = test::golden_file("backbones.json");
  return file;
}

std::string file(const char* name) { return test::source_path(std::string("tests/data/") + name); }

Tensor integers(const char* name) {
  return ops::cast(golden_tensor(entry(golden(), name)), DType::int32);
}

Nest inputs() {
  return Nest{{"token_ids", integers("token_ids")}, {"padding_mask", integers("padding_mask")}};
}

Ids ids_of(const Value& list) {
  Ids result;
  for (const Value& id : list.get<Value::List>()) result.push_back(id.get<int64_t>());
  return result;
}

std::vector<Ids> lists_of(const Value& lists) {
  std::vector<Ids> result;
  for (const Value& list : lists.get<Value::List>()) result.push_back(ids_of(list));
  return result;
}

// Of tokens that no padding follows in its row: KerasHub's head has no mask of its own.
double row_difference(const Tensor& a, const Tensor& b) {
  return difference(ops::take(a, Tensor(0), 0), ops::take(b, Tensor(0), 0));
}

}  // namespace

TEST_CASE("Llama reads KerasHub's weights and gives its numbers") {
  const Value& expected = entry(golden(), "llama");
  const auto backbone = applications::LlamaBackbone(tiny);
  backbone->load_weights(file("keras_llama.weights.h5"));
  CHECK(difference((*backbone)(inputs()).tensor(), golden_tensor(entry(expected, "hidden"))) <
        1e-5);

  const auto model = load_model<LlamaCausalLM>(file("keras_llama_lm.keras"), {.compile = false});
  CHECK(difference(model->backbone(inputs()).tensor(), golden_tensor(entry(expected, "hidden"))) <
        1e-5);
  CHECK(row_difference((*model)(integers("token_ids")), golden_tensor(entry(expected, "logits"))) <
        1e-5);
}

TEST_CASE("Llama 3.1's frequencies and tied vectors are those of KerasHub") {
  LlamaConfig config = tiny;
  config.num_query_heads = 2;
  config.num_key_value_heads = 1;
  config.rope_max_wavelength = 10000;
  config.rope_frequency_adjustment_factor = 8;
  config.rope_low_freq_factor = 1;
  config.rope_high_freq_factor = 4;
  config.rope_pretraining_sequence_length = 64;
  config.tie_word_embeddings = true;
  LlamaCausalLM model(config);
  const Value& expected = entry(golden(), "llama_stretched");
  std::vector<Tensor> weights;
  for (const Value& weight : entry(expected, "weights").get<Value::List>())
    weights.push_back(golden_tensor(weight));
  model.backbone->set_weights(weights);
  CHECK(row_difference(model(integers("token_ids")), golden_tensor(entry(expected, "logits"))) <
        1e-5);
}

TEST_CASE("Llama writes what KerasHub's writes, several prompts at a time") {
  const Value& expected = entry(golden(), "llama");
  const auto model = load_model<LlamaCausalLM>(file("keras_llama_lm.keras"), {.compile = false});
  const auto prompts = lists_of(entry(expected, "prompts"));
  for (const bool use_cache : {true, false})
    CHECK(model->generate_batch(prompts, {.max_length = 14, .use_cache = use_cache}) ==
          lists_of(entry(expected, "answers")));
  for (const Value& search : entry(expected, "searches").get<Value::List>()) {
    const Value& stop = entry(search, "stop");
    const applications::GenerateOptions options{
        .max_length = 14,
        .sampler = samplers::Beam(entry(search, "num_beams").get<int64_t>()),
        .temperature = detail::from_value<double>(entry(search, "temperature")),
        .stop = stop.is_null() ? Ids() : ids_of(stop)};
    CHECK(model->generate_batch(prompts, options) == lists_of(entry(search, "answers")));
  }
}

TEST_CASE("Mistral reads a file of KerasHub's and gives its numbers") {
  const Value& expected = entry(golden(), "mistral");
  const auto backbone = load_model(file("keras_mistral.keras"));
  CHECK(difference((*backbone)(inputs()).tensor(), golden_tensor(entry(expected, "hidden"))) <
        1e-5);

  MistralCausalLM model({.vocabulary_size = 19,
                         .num_layers = 2,
                         .num_query_heads = 4,
                         .hidden_dim = 8,
                         .intermediate_dim = 12,
                         .num_key_value_heads = 2,
                         .rope_max_wavelength = 100,
                         .sliding_window = 4,
                         .head_dim = 4});
  model.backbone->load_weights(file("keras_mistral.keras"));
  const auto prompts = lists_of(entry(entry(golden(), "llama"), "prompts"));
  for (const bool use_cache : {true, false})
    CHECK(model.generate_batch(prompts, {.max_length = 14, .use_cache = use_cache}) ==
          lists_of(entry(expected, "answers")));
}

TEST_CASE("Llama and Mistral train, and files keep them") {
  const test::TemporaryFolder folder;
  const Tensor ids = random::randint({8, 6}, 0, 19, 3);
  const auto check = [&]<class M>(M& model) {
    model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.02}),
                   .loss = losses::SparseCategoricalCrossentropy({.from_logits = true})});
    const History history = model.fit(ids, ids, {.epochs = 20, .verbose = Verbose::silent});
    CHECK(history["loss"].back() < 0.9 * history["loss"].front());
    const std::string whole = (folder / "whole.keras").string(),
                      part = (folder / "part.keras").string();
    model.save(whole);
    const auto same = load_model<M>(whole);
    CHECK(difference((*same)(ids), model(ids)) == 0);
    CHECK(same->generate({1, 2}, {.max_length = 9}) == model.generate({1, 2}, {.max_length = 9}));
    model.backbone->save(part);
    const auto backbone = load_model(part);
    CHECK(backbone->base_name() == model.backbone->base_name());
    const Nest all{{"token_ids", ids}, {"padding_mask", ops::ones_like(ids)}};
    CHECK(difference((*backbone)(all).tensor(), model.backbone(all).tensor()) == 0);
    const auto clone = clone_model(*backbone);
    CHECK(clone->count_params() == backbone->count_params());
  };
  LlamaCausalLM llama(tiny);
  check(llama);
  MistralCausalLM mistral({.vocabulary_size = 19,
                           .num_layers = 2,
                           .num_query_heads = 4,
                           .hidden_dim = 8,
                           .intermediate_dim = 12,
                           .num_key_value_heads = 2,
                           .sliding_window = 3,
                           .dropout = 0.1});
  check(mistral);
}

TEST_CASE("A file of Llama's has its dtypes, and its backbone where KerasHub has it") {
  const test::TemporaryFolder folder;
  const std::string path = (folder / "llama.keras").string();
  {
    const PolicyScope scope("mixed_bfloat16");
    LlamaCausalLM model(tiny);
    const Value::Dict config = model.get_config();
    CHECK(entry(entry(config, "backbone"), "registered_name").get<std::string>() ==
          "keras_hub>LlamaBackbone");
    model.save(path);
  }
  const auto same = load_model<LlamaCausalLM>(path);
  const auto block = same->backbone->get_layer("transformer_layer_0");
  CHECK(block->compute_dtype() == DType::bfloat16);
  CHECK(block->variable_dtype() == DType::float32);
}

TEST_CASE("Wrong options of Llama and Mistral are errors that say so") {
  LlamaConfig config = tiny;
  config.num_key_value_heads = 3;
  CHECK_THROWS_WITH(applications::LlamaBackbone(config),
                    test::contains("multiple of num_key_value_heads"));
  config = tiny;
  config.hidden_dim = 10;
  CHECK_THROWS_WITH(applications::LlamaBackbone(config),
                    test::contains("multiple of num_query_heads"));
  config.hidden_dim = 12;
  CHECK_THROWS_WITH(applications::LlamaBackbone(config), test::contains("even head_dim, found 3"));
  config = tiny;
  config.rope_low_freq_factor = 1;
  CHECK_THROWS_WITH(applications::LlamaBackbone(config), test::contains("go together, found 1"));
  LlamaCausalLM model(tiny);
  CHECK_THROWS_WITH(model.generate({1}), test::contains("give max_length"));
  CHECK_THROWS_WITH(applications::MistralBackbone({.vocabulary_size = 19,
                                                   .num_layers = 1,
                                                   .num_query_heads = 2,
                                                   .hidden_dim = 8,
                                                   .intermediate_dim = 8,
                                                   .num_key_value_heads = 2,
                                                   .sliding_window = 0}),
                    test::contains("sliding_window"));
}

}  // namespace llama_test
