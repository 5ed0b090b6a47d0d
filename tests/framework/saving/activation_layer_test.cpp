// Layers as activations: part of the layer that applies them, in use and in files.
#include <catch.h>
#include <cornu/cornu.h>

#include "../../support/temporary.h"

namespace activation_layer_test {

using namespace cornu;
using namespace cornu::test;

namespace {

const Tensor x = Tensor::from({1.0f, -2.0f, -3.0f, 4.0f}, {2, 2});

std::vector<float> values(const Tensor& t) { return t.to_vector<float>(); }

}  // namespace

TEST_CASE("A layer is applied as an activation, and saved with its layer") {
  const TemporaryFolder folder;
  const layers::LeakyReLU leaky({.negative_slope = 0.5});
  Sequential model({Input({2}), layers::Dense({.units = 2, .activation = leaky}),
                    layers::Activation({.activation = layers::ReLU({.max_value = 3.0})})});
  model.set_weights({Tensor::from({1.0f, 0.0f, 0.0f, 1.0f}, {2, 2}), ops::zeros({2})});
  const std::vector<float> expected = {1, 0, 0, 3};
  CHECK(values(model(x)) == expected);
  CHECK(model.layers()[0]->sublayers().size() == 1);
  CHECK(model.layers()[0]->sublayers()[0] == leaky.shared());
  for (const char* name : {"m.keras", "m.h5"}) {
    INFO(name);
    model.save(folder / name);
    const auto again = load_model(folder / name);
    CHECK(values((*again)(x)) == expected);
    CHECK(again->to_json() == model.to_json());
  }
}

TEST_CASE("An activation's weights are its layer's") {
  const TemporaryFolder folder;
  const auto make = [] {
    return std::make_shared<Sequential>(std::vector<AnyLayer>{
        Input({2}),
        layers::Dense({.units = 2, .activation = layers::PReLU({.alpha_initializer = "ones"})})});
  };
  const auto model = make();
  REQUIRE(model->get_weights().size() == 3);
  model->set_weights({Tensor::from({1.0f, 0.0f, 0.0f, 1.0f}, {2, 2}), ops::zeros({2}),
                      Tensor::from({0.25f, 0.5f}, {2})});
  CHECK(values((*model)(x)) == std::vector<float>{1, -1, -0.75f, 4});
  model->save_weights(folder / "m.weights.h5");
  const auto other = make();
  other->load_weights(folder / "m.weights.h5");
  CHECK(values((*other)(x)) == std::vector<float>{1, -1, -0.75f, 4});
  model->compile({.optimizer = "sgd", .loss = "mse"});
  model->fit(x, ops::zeros({2, 2}), {.epochs = 1, .verbose = Verbose::silent});
  CHECK(values(model->get_weights()[2]) != std::vector<float>{0.25f, 0.5f});
}

TEST_CASE("A layer that is an activation in two places is one layer after loading") {
  const TemporaryFolder folder;
  const layers::PReLU shared;
  const Input input({2});
  const Tensor first = layers::Dense({.units = 2, .activation = shared})(input);
  Functional model(input, shared(layers::Dense({.units = 2, .activation = shared})(first)));
  const size_t weights = model.get_weights().size();
  CHECK(weights == 5);
  model.save(folder / "m.keras");
  const auto again = load_model(folder / "m.keras");
  CHECK(again->get_weights().size() == weights);
  CHECK(values((*again)(x)) == values(model(x)));
}

TEST_CASE("Activations that are no layer of a model are refused") {
  CHECK_THROWS_AS(Activation(std::shared_ptr<Layer>()), ValueError);
  CHECK_FALSE(Activation("relu").layer());
  const layers::Dense plain({.units = 1, .activation = [](const Tensor& t) { return t * 2.0; }});
  CHECK_THROWS_WITH(plain->get_config(), contains("register_activation"));
}

}  // namespace activation_layer_test
