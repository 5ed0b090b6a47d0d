// GPT-2 against KerasHub, and generation with and without a cache.
#include <cornu/cornu.h>

#include <set>

#include "../../catch.h"
#include "../../paths.h"
#include "../../support/golden_json.h"
#include "../../support/temporary.h"

namespace gpt2_test {

using namespace cornu;
using applications::GPT2CausalLM;
using test::entry;

namespace {

const applications::GPT2Config tiny = {.vocabulary_size = 23,
                                       .num_layers = 2,
                                       .num_heads = 2,
                                       .hidden_dim = 8,
                                       .intermediate_dim = 12,
                                       .max_sequence_length = 16};

std::vector<int64_t> integers(const Value& list) {
  std::vector<int64_t> result;
  for (const Value& number : list.get<Value::List>()) result.push_back(number.get<int64_t>());
  return result;
}

void load(GPT2CausalLM& model) {
  model.backbone->load_weights(test::source_path("tests/data/keras_gpt2.weights.h5"));
}

Tensor as_rows(const std::vector<int64_t>& values, int64_t rows) {
  return ops::reshape(
      ops::cast(Tensor::from(values, {static_cast<int64_t>(values.size())}), DType::int32),
      {rows, -1});
}

}  // namespace

TEST_CASE("GPT-2 reads KerasHub's weights and gives its numbers") {
  const Value golden = test::golden_file("language.json");
  GPT2CausalLM model(tiny);
  load(model);
  const Nest inputs{{"token_ids", as_rows(integers(entry(golden, "token_ids")), 2)},
                    {"padding_mask", as_rows(integers(entry(golden, "padding_mask")), 2)}};
  const Tensor hidden = model.backbone(inputs).tensor();
  const Tensor expected = test::golden_tensor(entry(golden, "hidden"));
  CHECK(ops::max(ops::abs(hidden - expected)).item() < 1e-5);
}

TEST_CASE("Generation with a cache writes what it writes without, and what KerasHub writes") {
  const Value golden = test::golden_file("language.json");
  GPT2CausalLM model(tiny);
  load(model);
  const auto prompt = integers(entry(golden, "prompt")), answer = integers(entry(golden, "answer"));
  CHECK(model.generate(prompt, {.max_length = 12}) == answer);
  CHECK(model.generate(prompt, {.max_length = 12, .use_cache = false}) == answer);
  CHECK(model.generate(prompt, {.max_length = 9}) ==
        std::vector<int64_t>(answer.begin(), answer.begin() + 9));
}

TEST_CASE("Weights that come to a model count in its next texts") {
  GPT2CausalLM model(tiny);
  load(model);
  const std::vector<int64_t> prompt = {1, 2};
  const auto write = [&](bool use_cache) {
    return model.generate(prompt,
                          {.sampler = samplers::Random(), .seed = 7, .use_cache = use_cache});
  };
  const auto before = write(true);
  for (const auto& layer : model.backbone->layers())
    if (auto* block = dynamic_cast<layers::TransformerDecoderLayer*>(layer.get()))
      block->feedforward_output_dense->enable_lora(4);
  // Their product is zero until they are trained.
  CHECK(write(true) == before);
  for (Variable weight : model.weights())
    if (weight.name().starts_with("lora_kernel"))
      weight.assign(ops::sin(ops::reshape(ops::arange(weight.shape().numel(), DType::float32) * 3,
                                          weight.shape())) *
                    4);
  const auto after = write(true);
  CHECK(after != before);
  CHECK(after == write(false));
}

TEST_CASE("Logits with a cache are those without, whatever was in it before") {
  GPT2CausalLM model(tiny);
  load(model);
  const std::vector<int32_t> ids = {3, 1, 4, 1, 5, 9, 2, 6};
  const Tensor all = model(Tensor::from(ids, {1, 8}));
  std::vector<Tensor> cache = model.make_cache(1, 12);
  const Tensor first =
      model.call_with_cache(Tensor::from(std::vector<int32_t>{3, 1, 4}, {1, 3}), cache, Tensor(0));
  const Tensor second = model.call_with_cache(
      Tensor::from(std::vector<int32_t>{1, 5, 9, 2, 6}, {1, 5}), cache, Tensor(3));
  CHECK(ops::max(ops::abs(ops::concatenate({first, second}, 1) - all)).item() < 1e-5);
}

TEST_CASE("Generation stops where it is told to, and repeats by its seed") {
  GPT2CausalLM model(tiny);
  load(model);
  const std::vector<int64_t> prompt = {1, 2};
  const auto whole = model.generate(prompt);
  const auto stopped = model.generate(prompt, {.stop = {whole[4]}});
  CHECK(stopped.back() == whole[4]);
  CHECK(stopped.size() <= 5);
  std::vector<int64_t> seen;
  auto on_token = [&](int64_t id) {
    seen.push_back(id);
    return seen.size() < 3;
  };
  CHECK(model.generate(prompt, {.on_token = on_token}).size() == 5);
  CHECK(seen == std::vector<int64_t>(whole.begin() + 2, whole.begin() + 5));

  const applications::GenerateOptions drawn{
      .sampler = samplers::TopP(0.9), .temperature = 1.5, .seed = 4};
  CHECK(model.generate(prompt, drawn) == model.generate(prompt, drawn));
  CHECK(model.generate(prompt, {.sampler = samplers::TopK(1), .seed = 4}) == whole);
  const auto varied = model.generate(prompt, {.repetition_penalty = 1e6});
  auto distinct = [](const std::vector<int64_t>& ids) {
    return std::set<int64_t>(ids.begin(), ids.end()).size();
  };
  CHECK(distinct(varied) > distinct(whole));
}

TEST_CASE("Samplers draw from the tokens that they should, as often as those are likely") {
  const std::vector<double> probabilities = {0.1, 0.4, 0.2, 0.3};
  std::vector<int> counts(4), top_k(4), top_p(4);
  for (int i = 0; i < 1000; ++i) {
    const double draw = (i + 0.5) / 1000;
    ++counts[static_cast<size_t>(samplers::Random()(probabilities, draw))];
    ++top_k[static_cast<size_t>(samplers::TopK(2)(probabilities, draw))];
    ++top_p[static_cast<size_t>(samplers::TopP(0.75)(probabilities, draw))];
  }
  CHECK(counts == std::vector<int>{100, 400, 200, 300});
  CHECK(top_k == std::vector<int>{0, 571, 0, 429});
  CHECK(top_p == std::vector<int>{0, 444, 222, 334});
  CHECK(samplers::Greedy()(probabilities, 0.99) == 1);
  CHECK_THROWS_AS(samplers::TopK(0), ValueError);
  CHECK_THROWS_AS(samplers::TopP(0), ValueError);
}

TEST_CASE("Errors of generation say what is wrong") {
  GPT2CausalLM model(tiny);
  CHECK_THROWS_WITH(model.generate({}), test::contains("no tokens"));
  CHECK_THROWS_WITH(model.generate({23}), test::contains("0 to 22"));
  CHECK_THROWS_WITH(model.generate({1}, {.max_length = 17}), test::contains("takes 16"));
  CHECK_THROWS_WITH(model.generate({1}, {.temperature = 0}), test::contains("temperature"));
  CHECK_THROWS_WITH(GPT2CausalLM({.num_heads = 5, .hidden_dim = 8}), test::contains("num_heads"));
}

TEST_CASE("A GPT-2 trains, and a file keeps it") {
  const test::TemporaryFolder folder;
  GPT2CausalLM model(tiny);
  const Tensor ids = random::randint({8, 6}, 0, 23, 3);
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.01}),
                 .loss = losses::SparseCategoricalCrossentropy({.from_logits = true})});
  const History history = model.fit(ids, ids, {.epochs = 20, .verbose = Verbose::silent});
  CHECK(history["loss"].back() < 0.9 * history["loss"].front());
  const std::string path = (folder / "gpt2.keras").string();
  model.save(path);
  auto same = load_model<GPT2CausalLM>(path);
  CHECK(ops::max(ops::abs((*same)(ids)-model(ids))).item() == 0);
  CHECK(same->generate({1, 2}) == model.generate({1, 2}));
}

}  // namespace gpt2_test
