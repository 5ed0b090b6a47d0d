// KerasHub opens the language models that are saved here, and computes what they do. Needs a Python
// with KerasHub (CORNU_PYTHON, or python3): without one, the test says so and passes.
#include <cornu/cornu.h>
#include <cornu/framework/io/npy_tensor.h>

#include "../../framework/saving/python.h"
#include "../../support/temporary.h"
#include "catch.h"
#include "support/skip.h"

namespace keras_hub_test {

using namespace cornu;
using namespace cornu::test;
using namespace cornu::applications;

namespace {

Tensor ids() { return Tensor::from<int32_t>({1, 2, 3, 4, 5, 6, 7, 8, 3, 2}, {2, 5}); }
Tensor ones() { return ops::ones_like(ids()); }
Tensor zeros() { return ops::zeros_like(ids()); }

/// Saves a model with its inputs, and the output of that name; "" for its only one.
void keep(const TemporaryFolder& folder, const std::string& name, Model& model,
          const Nest::Dict& inputs, const Nest& outputs, const std::string& output = "") {
  model.save(folder / (name + ".keras"));
  for (const auto& [input, value] : inputs)
    save_npy(folder / (name + "." + input + ".npy"), value.tensor());
  save_npy(folder / (name + ".npy"), output.empty() ? outputs.tensor() : outputs[output].tensor());
}

template <class Head>
void keep_decoder(const TemporaryFolder& folder, const std::string& name, Head& model) {
  const Nest::Dict inputs{{"token_ids", ids()}, {"padding_mask", ones()}};
  keep(folder, name + "_lm", model, inputs, model(ids()));
  keep(folder, name, *model.backbone, inputs, (*model.backbone)(Nest::dict(inputs)));
}

}  // namespace

TEST_CASE("KerasHub opens saved language models and computes what they do") {
  const std::string python = python_for("keras_hub.py", "KerasHub");
  if (python.empty()) {
    test::skip("there is no Python with KerasHub");
    return;
  }
  const TemporaryFolder folder;
  GPT2CausalLM gpt2({.vocabulary_size = 11,
                     .num_layers = 2,
                     .num_heads = 2,
                     .hidden_dim = 16,
                     .intermediate_dim = 24,
                     .max_sequence_length = 12});
  keep_decoder(folder, "gpt2", gpt2);
  LlamaCausalLM llama({.vocabulary_size = 11,
                       .num_layers = 2,
                       .num_query_heads = 4,
                       .hidden_dim = 16,
                       .intermediate_dim = 24,
                       .num_key_value_heads = 2});
  keep_decoder(folder, "llama", llama);
  MistralCausalLM mistral({.vocabulary_size = 11,
                           .num_layers = 2,
                           .num_query_heads = 4,
                           .hidden_dim = 16,
                           .intermediate_dim = 24,
                           .num_key_value_heads = 2,
                           .sliding_window = 3});
  keep_decoder(folder, "mistral", mistral);

  BertMaskedLM bert({.vocabulary_size = 11,
                     .num_layers = 2,
                     .num_heads = 2,
                     .hidden_dim = 16,
                     .intermediate_dim = 24,
                     .max_sequence_length = 8});
  Nest::Dict texts{{"token_ids", ids()}, {"segment_ids", zeros()}, {"padding_mask", ones()}};
  keep(folder, "bert", *bert.backbone, texts, bert.backbone(Nest::dict(texts)), "sequence_output");
  texts.emplace_back("mask_positions", Tensor::from<int32_t>({1, 3, 0, 2}, {2, 2}));
  keep(folder, "bert_lm", bert, texts, bert(Nest::dict(texts)));

  const auto t5 = T5Backbone({.vocabulary_size = 11,
                              .num_layers = 2,
                              .num_heads = 2,
                              .hidden_dim = 16,
                              .intermediate_dim = 24});
  const Nest::Dict both{{"encoder_token_ids", ids()},
                        {"encoder_padding_mask", ones()},
                        {"decoder_token_ids", ids()},
                        {"decoder_padding_mask", ones()}};
  keep(folder, "t5", *t5, both, (*t5)(Nest::dict(both)), "decoder_sequence_output");

  const auto report = folder / "report.txt";
  const int status = run_script(python, "keras_hub.py", "check " + quote(folder.path()), report);
  INFO(slurp(report));
  CHECK(status == 0);
}

}  // namespace keras_hub_test
