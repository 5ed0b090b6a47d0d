// T5 against KerasHub.
#include <cornu/cornu.h>

#include "../../catch.h"
#include "../../paths.h"
#include "../../support/golden_json.h"
#include "../../support/layer_check.h"
#include "../../support/temporary.h"

namespace t5_test {

using namespace cornu;
using test::difference;
using test::entry;
using test::golden_tensor;

namespace {

const applications::T5Config tiny = {.vocabulary_size = 19,
                                     .num_layers = 2,
                                     .num_heads = 2,
                                     .hidden_dim = 8,
                                     .intermediate_dim = 12,
                                     .key_value_dim = 3,
                                     .activation = "gelu"};

std::string file() { return test::source_path("tests/data/keras_t5.keras"); }

Nest texts(const Value& golden) {
  Nest::Dict result;
  for (const char* name :
       {"encoder_token_ids", "encoder_padding_mask", "decoder_token_ids", "decoder_padding_mask"})
    result.emplace_back(name, ops::cast(golden_tensor(entry(golden, name)), DType::int32));
  return Nest::dict(result);
}

}  // namespace

TEST_CASE("T5 reads KerasHub's files and gives its numbers") {
  const Value golden = test::golden_file("backbones.json");
  const Value& expected = entry(golden, "t5");
  const auto fresh = applications::T5Backbone(tiny);
  fresh->load_weights(file());
  for (const Handle<Model>& model : {load_model(file()), Handle<Model>(fresh)}) {
    const Nest found = model(texts(expected));
    for (const char* name : {"encoder_sequence_output", "decoder_sequence_output"})
      CHECK(difference(found[name].tensor(), golden_tensor(entry(expected, name))) < 1e-5);
  }
}

TEST_CASE("T5 trains, and a file keeps it") {
  const test::TemporaryFolder folder;
  applications::T5Config config = tiny;
  config.dropout = 0;
  config.use_gated_activation = false;
  const auto backbone = applications::T5Backbone(config);
  const Tensor ids = random::randint({8, 6}, 0, 19, 3), mask = ops::ones_like(ids);
  const Nest given{{"encoder_token_ids", ids},
                   {"encoder_padding_mask", mask},
                   {"decoder_token_ids", ids},
                   {"decoder_padding_mask", mask}};
  const Nest outputs = backbone->outputs();
  Functional model(backbone->inputs(),
                   layers::Dense({.units = 19})(outputs["decoder_sequence_output"].tensor()));
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.01}),
                 .loss = losses::SparseCategoricalCrossentropy({.from_logits = true})});
  const History history = model.fit(given, ids, {.epochs = 20, .verbose = Verbose::silent});
  CHECK(history["loss"].back() < 0.9 * history["loss"].front());
  const std::string path = (folder / "t5.keras").string();
  backbone->save(path);
  const auto same = load_model(path);
  CHECK(same->base_name() == "t5_backbone");
  CHECK(difference(same(given)["decoder_sequence_output"].tensor(),
                   (*backbone)(given)["decoder_sequence_output"].tensor()) == 0);
  CHECK(clone_model(*backbone)->count_params() == backbone->count_params());
}

TEST_CASE("Wrong options of T5 are errors that say so") {
  applications::T5Config config = tiny;
  config.key_value_dim = {};
  config.num_heads = 3;
  CHECK_THROWS_WITH(applications::T5Backbone(config), test::contains("multiple of num_heads"));
}

}  // namespace t5_test
