// The contract of all layers that drop or disturb: off outside of training, repeated by their
// seeds, right on average.
#include <cornu/cornu.h>

#include <cmath>
#include <set>

#include "../../catch.h"
#include "../../support/contract.h"
#include "../../support/temporary.h"

namespace dropout_contract_test {

using namespace cornu;
using test::equals;
using test::error_of;
using test::has;
using test::identical;

namespace {

using Make = std::function<std::shared_ptr<Layer>(int64_t seed)>;

const Call training{.training = true};

// What all of them promise for inputs of this shape.
void check_noise(const Make& make, const Shape& shape) {
  test::check_layer([&] { return make(1); }, {.input = shape, .output = shape});
  test::check_layer([&] { return make(1); },
                    {.input = shape, .output = shape, .training = true, .random = true});
  const Tensor x = ops::full(shape, 2.0);
  const auto layer = make(1);
  const Tensor first = (*layer)(x, training), second = (*layer)(x, training);
  CHECK(!identical(first, second));
  CHECK(identical((*make(1))(x, training), first));
  CHECK(!identical((*make(2))(x, training), first));
  CHECK(identical((*layer)(x), x));
  // Compiled, each call draws anew, and as the eager ones.
  const auto inner = make(1), eager = make(1);
  Function step([&](const Nest& in) { return (*inner)(in.tensor(), training); });
  for (int i = 0; i < 4; ++i)
    CHECK(test::difference(step(Nest(x)).tensor(), (*eager)(x, training)) < 1e-6);
  CHECK(step.report().replays == 2);
  // A mask goes through.
  if (shape.rank() != 3) return;
  const Tensor mask = ops::cast(ops::ones({shape[0], shape[1]}), DType::boolean);
  CHECK((*layer)(x.with_mask(mask), training).mask());
}

// The gradient of a layer that multiplies is its factors.
void check_gradient(const Make& make, const Shape& shape) {
  const Tensor x = ops::full(shape, 2.0);
  GradientTape tape;
  tape.watch(x);
  const Tensor y = (*make(3))(x, training);
  CHECK(test::difference(tape.gradient(y, x), y / 2.0) < 1e-6);
}

}  // namespace

TEST_CASE("Dropout keeps the contract of noise") {
  const Make make = [](int64_t seed) {
    return layers::Dropout({.rate = 0.4, .seed = seed}).shared();
  };
  check_noise(make, {4, 6, 5});
  check_gradient(make, {4, 6, 5});
}

TEST_CASE("GaussianDropout keeps the contract of noise") {
  const Make make = [](int64_t seed) {
    return layers::GaussianDropout({.rate = 0.4, .seed = seed}).shared();
  };
  check_noise(make, {4, 6, 5});
  check_gradient(make, {4, 6, 5});
}

TEST_CASE("GaussianNoise and AlphaDropout keep the contract of noise") {
  check_noise(
      [](int64_t seed) { return layers::GaussianNoise({.stddev = 0.4, .seed = seed}).shared(); },
      {4, 6, 5});
  check_noise(
      [](int64_t seed) { return layers::AlphaDropout({.rate = 0.4, .seed = seed}).shared(); },
      {4, 6, 5});
}

TEST_CASE("SpatialDropout keeps the contract of noise in one, two and three dimensions") {
  check_noise(
      [](int64_t seed) { return layers::SpatialDropout1D({.rate = 0.4, .seed = seed}).shared(); },
      {4, 3, 8});
  check_noise(
      [](int64_t seed) { return layers::SpatialDropout2D({.rate = 0.4, .seed = seed}).shared(); },
      {4, 3, 2, 8});
  check_noise(
      [](int64_t seed) { return layers::SpatialDropout3D({.rate = 0.4, .seed = seed}).shared(); },
      {4, 2, 2, 2, 8});
}

TEST_CASE("SpatialDropout drops whole feature maps") {
  layers::SpatialDropout2D layer({.rate = 0.5, .seed = 5});
  const Tensor y = layer(ops::ones({4, 3, 3, 16}), training);
  const Tensor lowest = ops::min(y, {1, 2}), highest = ops::max(y, {1, 2});
  CHECK(identical(lowest, highest));
  std::set<double> values;
  for (double v : highest.to_vector<double>()) values.insert(v);
  CHECK(values == std::set<double>{0, 2});
  layers::SpatialDropout2D first({.rate = 0.5, .data_format = "channels_first", .seed = 5});
  const Tensor z = first(ops::ones({4, 16, 3, 3}), training);
  CHECK(identical(ops::min(z, {2, 3}), ops::max(z, {2, 3})));
}

TEST_CASE("noise keeps the mean, and has the variance that its option says") {
  const Tensor ones = ops::ones({200, 200});
  const auto moments = [&](const std::shared_ptr<Layer>& layer) {
    const Tensor y = (*layer)(ones, training);
    return std::pair(ops::mean(y).item(), ops::var(y).item());
  };
  const auto dropout = moments(layers::Dropout({.rate = 0.25, .seed = 1}).shared());
  CHECK(dropout.first == Approx(1).margin(0.01));
  CHECK(dropout.second == Approx(1 / 3.0).margin(0.01));
  const auto gaussian = moments(layers::GaussianDropout({.rate = 0.2, .seed = 1}).shared());
  CHECK(gaussian.first == Approx(1).margin(0.01));
  CHECK(gaussian.second == Approx(0.25).margin(0.01));
  const auto noise = moments(layers::GaussianNoise({.stddev = 0.5, .seed = 1}).shared());
  CHECK(noise.first == Approx(1).margin(0.01));
  CHECK(noise.second == Approx(0.25).margin(0.01));
  // AlphaDropout keeps mean 0 and variance 1.
  const Tensor x = random::normal({200, 200}, 0, 1, 3);
  const Tensor y = layers::AlphaDropout({.rate = 0.3, .seed = 1})(x, training);
  CHECK(ops::mean(y).item() == Approx(0).margin(0.03));
  CHECK(ops::var(y).item() == Approx(1).margin(0.05));
}

TEST_CASE("noise_shape makes places share a draw") {
  layers::Dropout layer({.rate = 0.5, .noise_shape = Shape{Shape::unknown, 1, 6}, .seed = 4});
  const Tensor y = layer(ops::ones({3, 5, 6}), training);
  CHECK(identical(ops::min(y, 1), ops::max(y, 1)));
  CHECK(ops::min(y).item() == 0);
}

TEST_CASE("rates of 0 and 1 are the input and nothing") {
  const Tensor x = ops::full({3, 4}, 3.0);
  CHECK(identical(layers::Dropout({.rate = 0})(x, training), x));
  CHECK(ops::max(layers::Dropout({.rate = 1})(x, training)).item() == 0);
  CHECK(identical(layers::GaussianNoise({.stddev = 0})(x, training), x));
}

TEST_CASE("a rate outside of [0, 1] is an error that says it") {
  CHECK(has(error_of([] { layers::Dropout({.rate = 1.5}); }), "1.5"));
  CHECK(has(error_of([] { layers::SpatialDropout1D({.rate = -0.5}); }), "-0.5"));
  CHECK(has(error_of([] { layers::AlphaDropout({.rate = 2}); }), "2"));
  CHECK(has(error_of([] { layers::GaussianNoise({.stddev = -1}); }), "stddev"));
  CHECK_THROWS_AS(layers::SpatialDropout2D({.rate = 0.5})(ops::ones({2, 3}), training), ShapeError);
}

}  // namespace dropout_contract_test
