// Identity, Lambda, ReversibleEmbedding, PReLU, Dot.
#include <cornu/framework/ops/ops.h>
#include <cornu/layers/activations/prelu.h>
#include <cornu/layers/core/embedding.h>
#include <cornu/layers/core/identity.h>
#include <cornu/layers/core/lambda.h>
#include <cornu/layers/core/reversible_embedding.h>
#include <cornu/layers/merging/dot.h>

#include "../catch.h"
#include "../support/layer_check.h"

using namespace cornu;
using test::check_layer;
using test::difference;

TEST_CASE("Identity returns what it is given") {
  check_layer<layers::Identity>({}, {.input = {2, 3}, .output = {2, 3}});
  const Tensor x = Tensor::from({1.0f, 2.0f}, {1, 2});
  CHECK(layers::Identity()(Nest{x, Nest{x, x}}).structure() == "[*, [*, *]]");
}

TEST_CASE("Lambda calls functions by name") {
  layers::register_function("lambda_test>scaled", [](const Nest& x, const Call& call) -> Nest {
    const Value* factor = call.find("factor");
    return x.tensor() * (factor ? factor->number() : 1.0);
  });
  check_layer<layers::Lambda>({.function = "lambda_test>scaled"},
                              {.input = {2, 3}, .output = {2, 3}});
  const Tensor x = Tensor::from({1.0f, -2.0f}, {1, 2});
  layers::Lambda scaled(
      {.function = "lambda_test>scaled", .arguments = Value::Dict{{"factor", 3}}});
  CHECK(scaled(x).to_vector<float>() == std::vector<float>{3, -6});
  const auto copy = std::dynamic_pointer_cast<Layer>(deserialize(serialize(*scaled)));
  CHECK((*copy)(x).to_vector<float>() == std::vector<float>{3, -6});
  CHECK(layers::Lambda({.function = "relu"})(x).to_vector<float>() == std::vector<float>{1, 0});
  layers::Lambda own({.function = [](const Tensor& t) { return t + 1.0; }});
  CHECK(own(x).to_vector<float>() == std::vector<float>{2, -1});
  CHECK_THROWS_AS(serialize(*own), StateError);
}

TEST_CASE("Lambda runs no code of files") {
  CHECK_THROWS_AS(layers::Lambda({.function = "lambda_test>missing"}), ValueError);
  const Value code =
      Value::Dict{{"class_name", "__lambda__"}, {"config", Value::Dict{{"code", "4wEAAAA="}}}};
  CHECK_THROWS_WITH(layers::LambdaLayer::from_config({{"name", "half"}, {"function", code}}),
                    Catch::Contains("Lambda 'half'") && Catch::Contains("register_function"));
}

TEST_CASE("ReversibleEmbedding projects back") {
  layers::ReversibleEmbedding embedding({.input_dim = 3, .output_dim = 2, .mask_zero = true});
  const Tensor rows = Tensor::from(std::vector<int32_t>{2, 0}, {1, 2});
  embedding->ensure_built(rows);
  embedding->set_weights({Tensor::from({1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f}, {3, 2})});
  const Tensor y = embedding(rows);
  CHECK(y.to_vector<float>() == std::vector<float>{5, 6, 1, 2});
  CHECK(y.mask().to_vector<float>() == std::vector<float>{1, 0});
  const Call reverse{.extra = {{"reverse", true}}};
  const Tensor x = Tensor::from({1.0f, -1.0f}, {1, 2});
  CHECK(embedding(x, reverse).to_vector<float>() == std::vector<float>{-1, -1, -1});

  layers::ReversibleEmbedding own(
      {.input_dim = 3, .output_dim = 2, .tie_weights = false, .logit_soft_cap = 2.0});
  own->build_from_config({{"shapes_dict", Value::Dict()}});
  REQUIRE(own->weights().size() == 2);
  CHECK(own->reverse_embeddings.shape() == Shape{2, 3});
  own->set_weights(
      {own->get_weights()[0], Tensor::from({9.0f, 0.0f, 1.0f, 0.0f, 9.0f, 0.0f}, {2, 3})});
  const std::vector<float> logits = own(x, reverse).to_vector<float>();
  CHECK(logits[0] == Approx(2 * std::tanh(4.5)));
  CHECK(logits[2] == Approx(2 * std::tanh(0.5)));
}

TEST_CASE("an embedding builds without an input") {
  layers::Embedding embedding({.input_dim = 3, .output_dim = 2});
  embedding->build_from_config({{"shapes_dict", Value::Dict()}});
  CHECK(embedding->weights().size() == 1);
}

TEST_CASE("PReLU keeps a layer's contract") {
  check_layer<layers::PReLU>({.alpha_initializer = "ones"},
                             {.input = {2, 5}, .output = {2, 5}, .weights = 1});
  check_layer<layers::PReLU>({.shared_axes = std::vector<int64_t>{1}},
                             {.input = {2, 3, 4}, .output = {2, 3, 4}, .weights = 1});
  CHECK_THROWS_AS(layers::PReLU({.shared_axes = std::vector<int64_t>{2}})(ops::zeros({2, 3})),
                  ValueError);
}

TEST_CASE("Dot multiplies along axes") {
  check_layer<layers::Dot>({.axes = 1}, {.inputs = {{2, 3}, {2, 3}}, .output = {2, 1}});
  check_layer<layers::Dot>({.axes = Axes{1, 2}, .normalize = true},
                           {.inputs = {{2, 3, 2}, {2, 4, 3}}, .output = {2, 2, 4}});
  check_layer<layers::Dot>({.axes = -1},
                           {.inputs = {{2, 2, 3}, {2, 2, 4, 3}}, .output = {2, 2, 2, 4}});
  layers::Dot dot({.axes = Axes{2, 1}});
  CHECK_THROWS_AS(dot({ops::zeros({2, 3, 4}), ops::zeros({2, 3})}), ShapeError);
  CHECK_THROWS_AS(layers::Dot({.axes = 0})({ops::zeros({2, 3}), ops::zeros({2, 3})}), ValueError);
}
