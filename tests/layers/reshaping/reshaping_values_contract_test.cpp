// Layers that move, repeat and cut elements, and activations: against ops, and undone by each
// other.
#include <cornu/cornu.h>

#include <cmath>

#include "../../catch.h"
#include "../../support/contract.h"
#include "../../support/gradient_check.h"

namespace reshaping_values_contract_test {

using namespace cornu;
using test::difference;
using test::equals;
using test::error_of;
using test::has;
using test::identical;

namespace {

Tensor waves(const Shape& shape, int seed = 1) {
  return ops::cast(test::noise(shape, -1, 1, seed), DType::float32);
}

// The shape of the output where batch and steps are not known.
Shape inferred(const AnyLayer& layer, const Shape& input) {
  return layer->compute_output_shape(input);
}

constexpr int64_t any = Shape::unknown;

}  // namespace

TEST_CASE("cropping undoes zero padding, in one, two and three dimensions") {
  const Tensor x1 = waves({2, 4, 3}), x2 = waves({2, 3, 4, 2}), x3 = waves({1, 2, 3, 2, 2});
  layers::ZeroPadding1D pad1({.padding = {1, 2}});
  layers::Cropping1D crop1({.cropping = {1, 2}});
  CHECK(pad1(x1).shape() == Shape{2, 7, 3});
  CHECK(identical(crop1(pad1(x1)), x1));
  CHECK(ops::sum(ops::absolute(pad1(x1))).item() == Approx(ops::sum(ops::absolute(x1)).item()));
  layers::ZeroPadding2D pad2({.padding = {{1, 0}, {2, 3}}});
  layers::Cropping2D crop2({.cropping = {{1, 0}, {2, 3}}});
  CHECK(pad2(x2).shape() == Shape{2, 4, 9, 2});
  CHECK(identical(crop2(pad2(x2)), x2));
  layers::ZeroPadding3D pad3({.padding = 2});
  layers::Cropping3D crop3({.cropping = 2});
  CHECK(pad3(x3).shape() == Shape{1, 6, 7, 6, 2});
  CHECK(identical(crop3(pad3(x3)), x3));
}

TEST_CASE("upsampling repeats, and pooling of the same size undoes it") {
  const Tensor x = waves({2, 3, 4, 2});
  layers::UpSampling2D up({.size = {2, 3}});
  CHECK(up(x).shape() == Shape{2, 6, 12, 2});
  CHECK(identical(layers::MaxPooling2D({.pool_size = {2, 3}})(up(x)), x));
  CHECK(identical(layers::UpSampling1D({.size = 3})(x[0]), ops::repeat(x[0], 3, 1)));
  const Tensor smooth =
      layers::UpSampling2D({.size = 2, .interpolation = "bilinear"})(ops::full({1, 2, 2, 1}, 3.0));
  CHECK(difference(smooth, ops::full({1, 4, 4, 1}, 3.0)) < 1e-6);
  CHECK(has(error_of([] { layers::UpSampling2D({.interpolation = "cubist"}); }), "cubist"));
}

TEST_CASE("Reshape, Flatten, Permute and RepeatVector move elements in their order") {
  const Tensor x = waves({2, 3, 4});
  CHECK(identical(layers::Flatten()(x), ops::reshape(x, {2, 12})));
  CHECK(identical(layers::Reshape({.target_shape = Shape{2, -1}})(x), ops::reshape(x, {2, 2, 6})));
  CHECK(identical(layers::Permute({.dims = std::vector<int64_t>{2, 1}})(x),
                  ops::transpose(x, std::vector<int64_t>{0, 2, 1})));
  const Tensor y = layers::RepeatVector({.n = 3})(waves({2, 4}));
  CHECK(y.shape() == Shape{2, 3, 4});
  CHECK(identical(ops::take(y, Tensor(2), 1), waves({2, 4})));
  // Channels first: they go to the end before the rest is flattened.
  layers::Flatten first({.data_format = "channels_first"});
  CHECK(
      identical(first(x), ops::reshape(ops::transpose(x, std::vector<int64_t>{0, 2, 1}), {2, 12})));
}

TEST_CASE("shapes are inferred where the batch or the steps are not known") {
  CHECK(inferred(layers::Flatten(), {any, 3, 4}) == Shape{any, 12});
  CHECK(inferred(layers::Reshape({.target_shape = Shape{-1, 2}}), {any, 3, 4}) == Shape{any, 6, 2});
  CHECK(inferred(layers::Permute({.dims = std::vector<int64_t>{2, 1}}), {any, any, 4}) ==
        Shape{any, 4, any});
  CHECK(inferred(layers::ZeroPadding1D({.padding = 2}), {any, 5, 3}) == Shape{any, 9, 3});
  CHECK(inferred(layers::Cropping1D({.cropping = 1}), {any, 5, 3}) == Shape{any, 3, 3});
  CHECK(inferred(layers::UpSampling1D({.size = 2}), {any, 5, 3}) == Shape{any, 10, 3});
  CHECK(inferred(layers::RepeatVector({.n = 7}), {any, 3}) == Shape{any, 7, 3});
}

TEST_CASE("activation layers are the functions of their names") {
  const Tensor x = waves({3, 5}) * 3.0;
  CHECK(identical(layers::ReLU()(x), ops::relu(x)));
  CHECK(difference(layers::ReLU({.max_value = 1.0, .negative_slope = 0.5, .threshold = 0.25})(x),
                   ops::where(ops::greater_equal(x, 1.0), 1.0,
                              ops::where(ops::greater_equal(x, 0.25), x, (x - 0.25) * 0.5))) <
        1e-6);
  CHECK(difference(layers::LeakyReLU({.negative_slope = 0.2})(x), ops::maximum(x, x * 0.2)) < 1e-6);
  CHECK(difference(layers::ELU({.alpha = 0.5})(x),
                   ops::where(ops::greater(x, 0.0), x, (ops::exp(x) - 1.0) * 0.5)) < 1e-6);
  const Tensor s = layers::Softmax()(x);
  CHECK(difference(ops::sum(s, -1), ops::ones({3})) < 1e-6);
  CHECK(difference(ops::log(s) - x,
                   ops::broadcast_to(ops::take(ops::log(s) - x, Tensor::from({0}, {1}), 1),
                                     {3, 5})) < 1e-4);
  layers::PReLU learned({.alpha_initializer = initializers::Constant({.value = 0.3})});
  CHECK(difference(learned(x), ops::maximum(x, x * 0.3)) < 1e-6);
}

TEST_CASE("Softmax leaves out what its mask excludes") {
  const Tensor x = Tensor::from({1.0f, 2.0f, 3.0f}, {1, 3});
  const Tensor mask = ops::cast(Tensor::from({1, 0, 1}, {1, 3}), DType::boolean);
  const double a = std::exp(1.0), c = std::exp(3.0);
  CHECK(equals(layers::Softmax()(x, {.mask = mask}), {a / (a + c), 0, c / (a + c)}));
}

TEST_CASE("each activation by name is its op, and its gradient fits") {
  const Tensor x = test::noise({2, 6}, -3, 3, 4);
  for (const char* name :
       {"relu",        "relu6",       "sigmoid",     "tanh",        "softplus",    "softsign",
        "silu",        "gelu",        "selu",        "elu",         "exponential", "hard_sigmoid",
        "hard_silu",   "leaky_relu",  "log_softmax", "softmax",     "mish",        "celu",
        "glu",         "log_sigmoid", "hard_tanh",   "tanh_shrink", "soft_shrink", "squareplus",
        "sparse_plus", "linear"}) {
    INFO(name);
    const PolicyScope policy("float64");
    layers::Activation layer({.activation = name});
    test::remade<Layer>(*layer);
    const Tensor y = layer(x);
    CHECK(y.dtype() == DType::float64);
    for (double v : y.to_vector<double>()) CHECK(std::isfinite(v));
    CHECK(test::gradient_error([&](const std::vector<Tensor>& in) { return layer(in[0]); }, {x}) <
          1e-5);
    layers::Dense dense(
        {.units = 6, .activation = name, .use_bias = false, .kernel_initializer = "identity"});
    CHECK(difference(dense(x), y) < 1e-12);
  }
}

TEST_CASE("layers that move elements say what does not fit") {
  const Tensor x = waves({2, 3, 4});
  const std::string message = error_of([&] { layers::Reshape({.target_shape = Shape{5, 2}})(x); });
  CHECK(has(message, "(5, 2)"));
  CHECK(has(error_of([] { layers::Permute({.dims = std::vector<int64_t>{1, 1}}); }), "dims"));
  CHECK_THROWS_AS(layers::Cropping1D({.cropping = 2})(x), Error);
  CHECK_THROWS_AS(layers::RepeatVector({.n = 2})(x), ShapeError);
  CHECK_THROWS_AS(layers::ZeroPadding2D()(x), ShapeError);
  CHECK(has(error_of([] { layers::Activation({.activation = "rellu"}); }), "relu"));
}

}  // namespace reshaping_values_contract_test
