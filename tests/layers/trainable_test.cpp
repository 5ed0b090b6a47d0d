// Which weights of layers with layers inside train, as in Keras: a frozen layer has none that do,
// however those inside of it stand, and setting `trainable` reaches all of them.
#include <cornu/cornu.h>

#include <algorithm>

#include "../catch.h"
#include "../support/contract.h"
#include "../support/option_cases.h"
#include "../support/temporary.h"

namespace trainable_test {

using namespace cornu;
using test::option_numbers;

namespace {

size_t trained(const Layer& layer) { return layer.trainable_weights().size(); }
size_t fixed(const Layer& layer) { return layer.non_trainable_weights().size(); }

// The counts while `inner`, which has `own` weights that train, and the layer are frozen and freed.
void check_switches(Layer& outer, Layer& inner, size_t all, size_t own, size_t never = 0) {
  REQUIRE(trained(outer) == all);
  CHECK(fixed(outer) == never);
  inner.set_trainable(false);
  CHECK(trained(inner) == 0);
  CHECK(trained(outer) == all - own);
  CHECK(fixed(outer) == never + own);
  outer.set_trainable(false);
  CHECK(trained(outer) == 0);
  CHECK(fixed(outer) == never + all);
  inner.set_trainable(true);
  CHECK(trained(inner) == own);
  CHECK(trained(outer) == 0);
  outer.set_trainable(true);
  CHECK(trained(outer) == all);
  CHECK(trained(inner) == own);
}

}  // namespace

TEST_CASE("layers inside of others are frozen alone and with them") {
  const Tensor x = option_numbers({2, 3, 4}, 1);
  SECTION("Bidirectional") {
    const layers::Bidirectional layer({.layer = layers::GRU({.units = 2})});
    layer(x);
    check_switches(*layer, *layer->forward_layer, 6, 3);
    check_switches(*layer, *layer->backward_layer, 6, 3);
  }
  SECTION("TimeDistributed") {
    const layers::TimeDistributed layer({.layer = layers::Dense({.units = 2})});
    layer(x);
    check_switches(*layer, *layer->layer, 2, 2);
  }
  SECTION("LSTM") {
    const layers::LSTM layer({.units = 2});
    layer(x);
    check_switches(*layer, *layer->cell, 3, 3);
  }
  SECTION("RNN of several cells") {
    const layers::SimpleRNNCell second({.units = 2});
    const layers::RNN layer({.cell = layers::Cells{layers::LSTMCell({.units = 3}), second}});
    layer(x);
    check_switches(*layer, *second, 6, 3);
  }
  SECTION("SpectralNormalization") {
    const layers::SpectralNormalization layer({.layer = layers::Dense({.units = 2})});
    layer(x);
    CHECK(trained(*layer) == 2);
    CHECK(fixed(*layer) == 1);
    layer->set_trainable(false);
    CHECK(trained(*layer) == 0);
    CHECK(fixed(*layer) == 3);
  }
  SECTION("MultiHeadAttention") {
    const layers::MultiHeadAttention layer({.num_heads = 2, .key_dim = 2});
    layer(x, x);
    check_switches(*layer, *layer->query_dense, 8, 2);
    check_switches(*layer, *layer->output_dense, 8, 2);
  }
  SECTION("a model in a model") {
    const auto inner =
        make<Sequential>({layers::Dense({.units = 3}), layers::BatchNormalization()});
    const auto outer = make<Sequential>({Input({4}), inner, layers::Dense({.units = 1})});
    check_switches(*outer, *inner, 6, 4, 2);
  }
}

TEST_CASE("a layer that is made frozen keeps that in files") {
  const Tensor x = option_numbers({3, 4}, 2);
  Sequential model({Input({4}), layers::Dense({.units = 3, .trainable = false}),
                    layers::BatchNormalization({.trainable = false}), layers::PReLU(),
                    layers::Dense({.units = 1})});
  CHECK(trained(model) == 3);
  CHECK(fixed(model) == 6);
  const test::TemporaryFolder folder;
  model.save((folder / "m.keras").string());
  const auto loaded = load_model((folder / "m.keras").string());
  CHECK(trained(*loaded) == 3);
  CHECK(fixed(*loaded) == 6);
  CHECK(test::identical((*loaded)(x, {.training = true}), model(x, {.training = true})));
  CHECK_FALSE(loaded->layers()[0]->trainable());
  CHECK(loaded->layers()[2]->trainable());
}

TEST_CASE("an optimizer moves what trains, and the weights behind keep their values") {
  const Tensor x = option_numbers({3, 4, 2}, 3), y = option_numbers({3, 1}, 4);
  const layers::Bidirectional both({.layer = layers::GRU({.units = 2})});
  Sequential model({Input({4, 2}), both, layers::Dense({.units = 1})});
  both->forward_layer->set_trainable(false);
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.1}), .loss = "mse"});
  const std::vector<Tensor> before = model.get_weights();
  model.train_on_batch(x, y);
  const std::vector<Tensor> after = model.get_weights();
  REQUIRE(after.size() == 8);
  for (size_t i = 0; i < after.size(); ++i) {
    INFO(model.weights()[i].path());
    const bool frozen = model.weights()[i].path().find("forward") != std::string::npos;
    CHECK(frozen == (i < 3));
    CHECK(test::identical(after[i], before[i]) == frozen);
  }
}

}  // namespace trainable_test
