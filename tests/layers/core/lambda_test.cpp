// Lambda and Identity.
#include <cornu/framework/ops/ops.h>
#include <cornu/layers/core/identity.h>
#include <cornu/layers/core/lambda.h>

#include "../../catch.h"
#include "../../support/layer_check.h"

namespace lambda_test {

using namespace cornu;
using test::check_layer;

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

TEST_CASE("Lambda tells functions of several inputs from those of one") {
  const Tensor a = ops::ones({2}), b = ops::ones({2});
  const layers::Lambda sum(
      {.function = [](const Nest& x) { return x[0].tensor() + 2 * x[1].tensor(); }});
  CHECK(sum({a, b}).tensor().to_vector<float>() == std::vector<float>{3, 3});
  const layers::Lambda product([](const std::vector<Tensor>& x) { return 3 * x[0] * x[1]; });
  CHECK(product({a, b}).tensor().to_vector<float>() == std::vector<float>{3, 3});
  const layers::Lambda by_value([](std::vector<Tensor> x) { return x[0] - x[1]; });
  CHECK(by_value({a, b}).tensor().to_vector<float>() == std::vector<float>{0, 0});
  const layers::Lambda swapped({.function = [](const Nest& x) -> Nest { return {x[1], x[0]}; }});
  CHECK(swapped({a, b}).size() == 2);
  const layers::Lambda twice({.function = [](const Tensor& x) { return 2 * x; }});
  CHECK(twice(a).to_vector<float>() == std::vector<float>{2, 2});
  const layers::Lambda any({.function = [](const auto& x) { return x + 1; }});
  CHECK(any(a).to_vector<float>() == std::vector<float>{2, 2});
}

TEST_CASE("Lambda runs no code of files") {
  CHECK_THROWS_AS(layers::Lambda({.function = "lambda_test>missing"}), ValueError);
  const Value code =
      Value::Dict{{"class_name", "__lambda__"}, {"config", Value::Dict{{"code", "4wEAAAA="}}}};
  CHECK_THROWS_WITH(layers::LambdaLayer::from_config({{"name", "half"}, {"function", code}}),
                    Catch::Contains("Lambda 'half'") && Catch::Contains("register_function"));
}

}  // namespace lambda_test
