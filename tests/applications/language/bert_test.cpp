// BERT against KerasHub.
#include <cornu/cornu.h>

#include "../../catch.h"
#include "../../paths.h"
#include "../../support/golden_json.h"
#include "../../support/layer_check.h"
#include "../../support/temporary.h"

namespace bert_test {

using namespace cornu;
using applications::BertMaskedLM;
using test::difference;
using test::entry;
using test::golden_tensor;

namespace {

const applications::BertConfig tiny = {.vocabulary_size = 19,
                                       .num_layers = 2,
                                       .num_heads = 2,
                                       .hidden_dim = 8,
                                       .intermediate_dim = 12,
                                       .max_sequence_length = 16};

std::string file() { return test::source_path("tests/data/keras_bert_lm.keras"); }

Tensor integers(const Value& dict, const char* name) {
  return ops::cast(golden_tensor(entry(dict, name)), DType::int32);
}

Nest text(const Value& golden) {
  return Nest{{"token_ids", integers(golden, "token_ids")},
              {"segment_ids", integers(entry(golden, "bert"), "segment_ids")},
              {"padding_mask", integers(golden, "padding_mask")}};
}

Nest with_gaps(const Nest& text, const Tensor& places) {
  Nest::Dict all = text.entries();
  all.emplace_back("mask_positions", places);
  return Nest::dict(all);
}

}  // namespace

TEST_CASE("BERT reads KerasHub's files and gives its numbers") {
  const Value golden = test::golden_file("backbones.json");
  const Value& expected = entry(golden, "bert");
  const auto model = load_model<BertMaskedLM>(file(), {.compile = false});
  const Nest found = model->backbone(text(golden));
  for (const char* name : {"sequence_output", "pooled_output"})
    CHECK(difference(found[name].tensor(), golden_tensor(entry(expected, name))) < 1e-5);
  const Tensor logits =
      (*model)(with_gaps(text(golden), integers(expected, "mask_positions"))).tensor();
  CHECK(difference(logits, golden_tensor(entry(expected, "logits"))) < 1e-5);

  // The same file, into a model that there is.
  BertMaskedLM fresh(tiny);
  fresh.load_weights(file());
  CHECK(difference(fresh.backbone(text(golden))["pooled_output"].tensor(),
                   golden_tensor(entry(expected, "pooled_output"))) < 1e-5);
}

TEST_CASE("BERT learns to fill gaps, and files keep it") {
  const test::TemporaryFolder folder;
  applications::BertConfig config = tiny;
  config.dropout = 0;
  BertMaskedLM model(config);
  const Tensor ids = random::randint({8, 6}, 0, 19, 3);
  const Tensor places = random::randint({8, 2}, 0, 6, 4);
  const Nest given = with_gaps(Nest{{"token_ids", ids},
                                    {"segment_ids", ops::zeros_like(ids)},
                                    {"padding_mask", ops::ones_like(ids)}},
                               places);
  const Tensor missing = ops::take_along_axis(ids, places, 1);
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.02}),
                 .loss = losses::SparseCategoricalCrossentropy({.from_logits = true})});
  const History history = model.fit(given, missing, {.epochs = 20, .verbose = Verbose::silent});
  CHECK(history["loss"].back() < 0.9 * history["loss"].front());

  const std::string whole = (folder / "whole.keras").string();
  const std::string part = (folder / "part.keras").string();
  model.save(whole);
  CHECK(difference((*load_model(whole))(given).tensor(), model(given).tensor()) == 0);
  model.backbone->save(part);
  const auto backbone = load_model(part);
  CHECK(backbone->base_name() == "bert_backbone");
  CHECK(backbone->count_params() == model.backbone->count_params());
}

TEST_CASE("What is wrong about a BERT is said") {
  applications::BertConfig config = tiny;
  config.num_heads = 3;
  CHECK_THROWS_WITH(applications::BertBackbone(config), test::contains("multiple of num_heads"));
  BertMaskedLM model(tiny);
  const Tensor ids = ops::zeros({1, 4}, DType::int32);
  CHECK_THROWS_WITH(model(Nest{{"token_ids", ids}}), test::contains("segment_ids"));
}

}  // namespace bert_test
