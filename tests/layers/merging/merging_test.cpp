// Add, Average, Concatenate, Maximum, Minimum, Multiply, Subtract.
#include <cornu/framework/ops/core/cast.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/layers/merging/add.h>
#include <cornu/layers/merging/average.h>
#include <cornu/layers/merging/concatenate.h>
#include <cornu/layers/merging/dot.h>
#include <cornu/layers/merging/maximum.h>
#include <cornu/layers/merging/minimum.h>
#include <cornu/layers/merging/multiply.h>
#include <cornu/layers/merging/subtract.h>

#include "../../catch.h"
#include "../../support/layer_check.h"

namespace merging_test {

using namespace cornu;
using test::check_layer;

TEMPLATE_TEST_CASE("merges keep a layer's contract", "", layers::Add, layers::Average,
                   layers::Maximum, layers::Minimum, layers::Multiply, layers::Subtract) {
  check_layer<TestType>({}, {.inputs = {{2, 3}, {2, 3}}, .output = {2, 3}});
  check_layer<TestType>({}, {.inputs = {{2, 4, 3}, {2, 3}}, .output = {2, 4, 3}});
}

TEST_CASE("Concatenate keeps a layer's contract") {
  check_layer<layers::Concatenate>({}, {.inputs = {{2, 3}, {2, 1}}, .output = {2, 4}});
  check_layer<layers::Concatenate>({.axis = 1},
                                   {.inputs = {{2, 3, 2}, {2, 1, 2}}, .output = {2, 4, 2}});
}

TEST_CASE("merges combine masks") {
  const auto masked = [](std::initializer_list<int> real) {
    Tensor x = Tensor::from({1.0f, 2.0f, 3.0f}, {1, 3, 1});
    x.set_mask(ops::cast(Tensor::from(real, {1, 3}), DType::boolean));
    return x;
  };
  const Nest both = {masked({1, 0, 0}), masked({1, 1, 0})};
  CHECK(layers::Add()(both).tensor().mask().to_vector<int32_t>() == std::vector<int32_t>{1, 1, 0});
  CHECK(layers::Concatenate({.axis = 1})(both).tensor().mask().to_vector<int32_t>() ==
        std::vector<int32_t>{1, 0, 0, 1, 1, 0});
  const Nest one = {masked({1, 0, 0}), Tensor::from({1.0f, 2.0f, 3.0f}, {1, 3, 1})};
  CHECK_FALSE(layers::Add()(one).tensor().mask());
}

TEST_CASE("merges combine the masks that compute_masks is given") {
  const auto mask = [](std::initializer_list<int> real) {
    return ops::cast(Tensor::from(real, {1, 3}), DType::boolean);
  };
  const Tensor x = ops::ones({1, 3, 2}), first = mask({1, 0, 1}), second = mask({1, 1, 0});
  const auto found = [&](Layer& layer, const std::vector<Tensor>& masks) {
    const std::vector<Tensor> out = layer.compute_masks({x, x}, masks);
    REQUIRE(out.size() == 1);
    return out[0] ? out[0].to_vector<int32_t>() : std::vector<int32_t>{};
  };
  // Values of Keras 3.15.1.
  CHECK(found(*layers::Add(), {first, second}) == std::vector<int32_t>{1, 1, 1});
  CHECK(found(*layers::Maximum(), {first, second}) == std::vector<int32_t>{1, 1, 1});
  CHECK(found(*layers::Average(), {first, Tensor()}).empty());
  CHECK(found(*layers::Multiply(), {}).empty());
  CHECK(found(*layers::Concatenate({.axis = 1}), {first, second}) ==
        std::vector<int32_t>{1, 0, 1, 1, 1, 0});
  CHECK(found(*layers::Concatenate({.axis = 1}), {first, Tensor()}) ==
        std::vector<int32_t>{1, 0, 1, 1, 1, 1});
  CHECK(found(*layers::Concatenate(), {first, mask({0, 0, 1})}) == std::vector<int32_t>{1, 0, 1});
  CHECK(found(*layers::Dot({.axes = 1}), {first, second}).empty());
  CHECK_THROWS_WITH(layers::Add()->compute_masks({x, x}, {first}),
                    Catch::Contains("a mask for each of 2 inputs, found 1"));
}

TEST_CASE("merges say what is wrong") {
  const Tensor a = Tensor::from({1.0f, 2.0f}, {1, 2}), b = Tensor::from({1.0f, 2.0f, 3.0f}, {1, 3});
  CHECK_THROWS_AS(layers::Add()(a), ShapeError);
  CHECK_THROWS_WITH(layers::Add()(Nest{a, b}), Catch::Contains("(1, 2), (1, 3) do not fit"));
  CHECK_THROWS_AS(layers::Subtract()(Nest{a, a, a}), ShapeError);
  CHECK_THROWS_AS(layers::Concatenate({.axis = 0})(Nest{a, b}), ShapeError);
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

}  // namespace merging_test
