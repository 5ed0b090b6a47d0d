// Tests of Keras's other names: aliases of classes, and layers as functions.
#include <catch.h>
#include <cornu/framework/constraints/constraints.h>
#include <cornu/framework/initializers/initializers.h>
#include <cornu/framework/model/functional.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/framework/regularizers/regularizers.h>
#include <cornu/layers/convolutional/conv.h>
#include <cornu/layers/convolutional/conv_transpose.h>
#include <cornu/layers/convolutional/separable_conv.h>
#include <cornu/layers/merging/add.h>
#include <cornu/layers/merging/average.h>
#include <cornu/layers/merging/concatenate.h>
#include <cornu/layers/merging/dot.h>
#include <cornu/layers/merging/maximum.h>
#include <cornu/layers/merging/minimum.h>
#include <cornu/layers/merging/multiply.h>
#include <cornu/layers/merging/subtract.h>
#include <cornu/layers/pooling/average_pooling.h>
#include <cornu/layers/pooling/global_average_pooling.h>
#include <cornu/layers/pooling/global_max_pooling.h>
#include <cornu/layers/pooling/max_pooling.h>
#include <cornu/losses/functions.h>
#include <cornu/metrics/functions.h>

namespace names_test {

using namespace cornu;

namespace {

template <class A, class B>
constexpr bool same = std::is_same_v<A, B>;

std::vector<double> values(const Tensor& x) { return x.to_vector<double>(); }

}  // namespace

TEST_CASE("Aliases are the classes") {
  using namespace layers;
  STATIC_REQUIRE(same<MaxPool1D, MaxPooling1D> && same<MaxPool2D, MaxPooling2D> &&
                 same<MaxPool3D, MaxPooling3D>);
  STATIC_REQUIRE(same<AvgPool1D, AveragePooling1D> && same<AvgPool2D, AveragePooling2D> &&
                 same<AvgPool3D, AveragePooling3D>);
  STATIC_REQUIRE(same<GlobalMaxPool1D, GlobalMaxPooling1D> &&
                 same<GlobalMaxPool2D, GlobalMaxPooling2D> &&
                 same<GlobalMaxPool3D, GlobalMaxPooling3D>);
  STATIC_REQUIRE(same<GlobalAvgPool1D, GlobalAveragePooling1D> &&
                 same<GlobalAvgPool2D, GlobalAveragePooling2D> &&
                 same<GlobalAvgPool3D, GlobalAveragePooling3D>);
  STATIC_REQUIRE(same<Convolution1D, Conv1D> && same<Convolution2D, Conv2D> &&
                 same<Convolution3D, Conv3D>);
  STATIC_REQUIRE(same<Convolution1DTranspose, Conv1DTranspose> &&
                 same<Convolution2DTranspose, Conv2DTranspose> &&
                 same<Convolution3DTranspose, Conv3DTranspose>);
  STATIC_REQUIRE(same<SeparableConvolution1D, SeparableConv1D> &&
                 same<SeparableConvolution2D, SeparableConv2D>);
  STATIC_REQUIRE(same<initializers::he_normal, initializers::HeNormal> &&
                 same<initializers::stft, initializers::STFT>);
  STATIC_REQUIRE(same<constraints::max_norm, constraints::MaxNorm> &&
                 same<constraints::non_neg, constraints::NonNeg>);
}

TEST_CASE("Layers as functions compute what the layers do") {
  const Tensor a = Tensor::from<float>({1, 2, 3, 4}, {2, 2});
  const Tensor b = Tensor::from<float>({5, 1, 2, 8}, {2, 2});
  CHECK(values(layers::add({a, b})) == std::vector<double>{6, 3, 5, 12});
  CHECK(values(layers::subtract({a, b})) == std::vector<double>{-4, 1, 1, -4});
  CHECK(values(layers::multiply({a, b})) == std::vector<double>{5, 2, 6, 32});
  CHECK(values(layers::average({a, b})) == std::vector<double>{3, 1.5, 2.5, 6});
  CHECK(values(layers::maximum({a, b})) == std::vector<double>{5, 2, 3, 8});
  CHECK(values(layers::minimum({a, b})) == std::vector<double>{1, 1, 2, 4});
  CHECK(values(layers::concatenate({a, b}, {.axis = 1})) ==
        std::vector<double>{1, 2, 5, 1, 3, 4, 2, 8});
  CHECK(values(layers::dot({a, b}, {.axes = 1})) == std::vector<double>{7, 38});
  // In graphs they are layers, with a name of the user's if there is one.
  const Input x({2}), y({2});
  Functional model(Nest{x, y}, layers::add({x, y}, {.name = "sum"}));
  CHECK(model.get_layer("sum")->base_name() == "add");
}

TEST_CASE("Regularizers take their factors as in Keras") {
  const Tensor x = Tensor::from<float>({1, -2}, {2});
  CHECK((*regularizers::l1(0.5))(x).item() == 1.5);
  CHECK((*regularizers::l2(0.5))(x).item() == 2.5);
  CHECK((*regularizers::l1_l2(0.5, 0.5))(x).item() == 4);
  CHECK(regularizers::get("l2")->get_config().size() == 1);
}

TEST_CASE("Regularizers and constraints take their options by place or by name") {
  const Tensor x = Tensor::from<float>({1, -2}, {2});
  CHECK(regularizers::L2(0.5)(x).item() == 2.5);
  CHECK(regularizers::l2({.l2 = 0.5})(x).item() == 2.5);
  CHECK(regularizers::L1(1)(x).item() == 3);
  CHECK(regularizers::l1({.l1 = 0.5})(x).item() == 1.5);
  CHECK(regularizers::L1L2(0.5)(x).item() == 1.5);
  CHECK(regularizers::L1L2(0.5, 0.5)(x).item() == 4);
  CHECK(regularizers::l1_l2({.l2 = 0.5})(x).item() == 2.5);
  const Tensor w = Tensor::from<float>({3, 1, 4, 0.5}, {2, 2});
  const regularizers::OrthogonalRegularizer named({.factor = 0.1, .mode = "columns"});
  CHECK(regularizers::orthogonal_regularizer(0.1, "columns")(w).item() == named(w).item());
  const auto norm = [](const Tensor& t) {
    return values(ops::round(ops::norm(t, std::nullopt, 0) * 1000));
  };
  CHECK(norm(constraints::MaxNorm(0.5)(w)) == std::vector<double>{500, 500});
  CHECK(norm(constraints::max_norm({.max_value = 2})(w)) == std::vector<double>{2000, 1118});
  CHECK(values(constraints::max_norm(0.5, 1)(w)) ==
        values(constraints::MaxNorm({.max_value = 0.5, .axis = 1})(w)));
  CHECK(values(constraints::MinMaxNorm(0.5, 2, 0.5, 1)(w)) ==
        values(constraints::min_max_norm(
            {.min_value = 0.5, .max_value = 2, .rate = 0.5, .axis = 1})(w)));
  CHECK(values(constraints::UnitNorm(1)(w)) == values(constraints::unit_norm({.axis = 1})(w)));
  // A number alone is no regularizer.
  STATIC_REQUIRE(!std::is_convertible_v<double, regularizers::L2>);
}

TEST_CASE("Losses are metrics' functions too") {
  const Tensor t = Tensor::from<float>({1, 2}, {1, 2}), p = Tensor::from<float>({2, 4}, {1, 2});
  CHECK(values(metrics::mean_squared_error(t, p)) == values(losses::mean_squared_error(t, p)));
}

}  // namespace names_test
