// The contract of initializers, constraints and regularizers: distributions, seeds, formulas,
// configs, and what they do to the weights of a layer.
#include <cornu/cornu.h>

#include <cmath>

#include "../../catch.h"
#include "../../support/contract.h"
#include "../../support/gradient_check.h"

namespace weights_contract_test {

using namespace cornu;
using test::equals;
using test::error_of;
using test::has;
using test::identical;

namespace {

using Make = std::function<std::shared_ptr<Initializer>(std::optional<int64_t> seed)>;

// A random initializer for (400, 300): its standard deviation, and a bound (or 0) of its values.
void check_random(const Make& make, double deviation, double bound) {
  const Shape shape{400, 300};
  const auto initializer = make(3);
  const Tensor x = (*initializer)(shape, DType::float32);
  CHECK(x.shape() == shape);
  CHECK(ops::mean(x).item() == Approx(0).margin(0.02 * deviation));
  CHECK(ops::std(x).item() == Approx(deviation).epsilon(0.01));
  if (bound > 0) CHECK(ops::max(ops::absolute(x)).item() <= bound * (1 + 1e-6));
  CHECK(identical((*make(3))(shape, DType::float32), x));
  CHECK(!identical((*make(4))(shape, DType::float32), x));
  CHECK((*make(3))(Shape{2, 2}, DType::float16).dtype() == DType::float16);
  const auto copy = test::remade<Initializer>(*initializer);
  CHECK(identical((*copy)(shape, DType::float32), x));
  // Without a seed each object draws for itself.
  CHECK(!identical((*make({}))(Shape{8, 8}, DType::float32),
                   (*make({}))(Shape{8, 8}, DType::float32)));
}

Tensor matrix() { return Tensor::from({3.0f, -0.5f, 0.0f, 4.0f, 1.0f, 0.25f}, {2, 3}); }

}  // namespace

TEST_CASE("initializers by the number of inputs and outputs have their variances") {
  const double in = 400, out = 300, mean = 350;
  // A normal distribution cut at two deviations, widened to the variance wanted.
  const auto cut = [](double deviation) { return 2 * deviation / 0.87962566103423978; };
  check_random([](auto seed) { return initializers::GlorotNormal({.seed = seed}).shared(); },
               std::sqrt(1 / mean), cut(std::sqrt(1 / mean)));
  check_random([](auto seed) { return initializers::GlorotUniform({.seed = seed}).shared(); },
               std::sqrt(1 / mean), std::sqrt(3 / mean));
  check_random([](auto seed) { return initializers::HeNormal({.seed = seed}).shared(); },
               std::sqrt(2 / in), cut(std::sqrt(2 / in)));
  check_random([](auto seed) { return initializers::HeUniform({.seed = seed}).shared(); },
               std::sqrt(2 / in), std::sqrt(6 / in));
  check_random([](auto seed) { return initializers::LecunNormal({.seed = seed}).shared(); },
               std::sqrt(1 / in), cut(std::sqrt(1 / in)));
  check_random([](auto seed) { return initializers::LecunUniform({.seed = seed}).shared(); },
               std::sqrt(1 / in), std::sqrt(3 / in));
  check_random(
      [](auto seed) {
        return initializers::VarianceScaling({.scale = 3,
                                              .mode = "fan_out",
                                              .distribution = "untruncated_normal",
                                              .seed = seed})
            .shared();
      },
      std::sqrt(3 / out), 0);
}

TEST_CASE("initializers with a distribution of their own have it") {
  check_random(
      [](auto seed) { return initializers::RandomNormal({.stddev = 0.2, .seed = seed}).shared(); },
      0.2, 0);
  check_random(
      [](auto seed) {
        return initializers::RandomUniform({.minval = -0.3, .maxval = 0.3, .seed = seed}).shared();
      },
      0.3 / std::sqrt(3), 0.3);
  check_random(
      [](auto seed) {
        return initializers::TruncatedNormal({.stddev = 0.2, .seed = seed}).shared();
      },
      0.2 * 0.87962566103423978, 0.4);
}

TEST_CASE("the receptive field of a convolution counts with its inputs") {
  const Tensor x = initializers::HeNormal({.seed = 1})(Shape{5, 5, 16, 32}, DType::float32);
  CHECK(ops::std(x).item() == Approx(std::sqrt(2.0 / (5 * 5 * 16))).epsilon(0.02));
}

TEST_CASE("Constant, Ones, Zeros, Identity and Orthogonal") {
  CHECK(equals(initializers::Constant({.value = 2.5})(Shape{2, 2}, DType::float32),
               {2.5, 2.5, 2.5, 2.5}));
  CHECK(initializers::Constant({.value = 3})(Shape{2}, DType::int32).dtype() == DType::int32);
  CHECK(equals(initializers::Ones()(Shape{3}, DType::float32), {1, 1, 1}));
  CHECK(equals(initializers::Zeros()(Shape{3}, DType::float32), {0, 0, 0}));
  const Tensor q = initializers::Orthogonal({.gain = 2, .seed = 5})(Shape{6, 4}, DType::float32);
  CHECK(test::difference(ops::matmul(ops::transpose(q), q), ops::eye(4) * 4.0) < 1e-5);
  test::remade<Initializer>(*initializers::Constant({.value = 2.5}));
  test::remade<Initializer>(*initializers::Ones());
}

TEST_CASE("STFT makes the waves of Keras") {
  const Tensor real = initializers::STFT({.side = "real"})(Shape{4, 1, 3}, DType::float32);
  constexpr double h = 0.7071068;
  CHECK(equals(real, {0, 0, 0, h, 0, -h, h, -h, h, 0, 0, 0}));
  initializers::STFT imaginary({.side = "imag", .window = "hamming", .scaling = "spectrum"});
  CHECK(equals(imaginary(Shape{4, 1, 3}, DType::float32),
               {0, 0, 0, 0, -0.4529412, 0, 0, 0, 0, 0, 0.0470588, 0}));
  test::remade<Initializer>(*imaginary);
  CHECK(has(error_of([] { initializers::STFT({.side = "both"}); }), "both"));
  CHECK_THROWS_AS(initializers::STFT()(Shape{4, 3}, DType::float32), ShapeError);
}

TEST_CASE("constraints bring weights into their range, and leave those that are in it") {
  CHECK(equals(constraints::NonNeg()(matrix()), {3, 0, 0, 4, 1, 0.25}));
  // Norms of the columns: 5, sqrt(1.25), 0.25.
  const Tensor bounded = constraints::MaxNorm({.max_value = 2})(matrix());
  CHECK(equals(bounded, {1.2, -0.5, 0, 1.6, 1, 0.25}));
  CHECK(test::difference(constraints::MaxNorm({.max_value = 2})(bounded), bounded) < 1e-6);
  const double n = std::sqrt(1.25);
  CHECK(equals(constraints::UnitNorm()(matrix()), {0.6, -0.5 / n, 0, 0.8, 1 / n, 1}));
  CHECK(equals(constraints::MinMaxNorm({.min_value = 0.5, .max_value = 1})(matrix()),
               {0.6, -0.5 / n, 0, 0.8, 1 / n, 0.5}));
  // Half of the way.
  CHECK(equals(constraints::MinMaxNorm({.min_value = 0, .max_value = 1, .rate = 0.5})(matrix()),
               {1.8, -0.5 * (0.5 + 0.5 / n), 0, 2.4, 0.5 + 0.5 / n, 0.25}));
  CHECK(equals(ops::sum(ops::square(constraints::UnitNorm({.axis = 1})(matrix())), 1), {1, 1}));
}

TEST_CASE("configs of constraints and regularizers make the same") {
  test::remade<Constraint>(*constraints::NonNeg());
  test::remade<Constraint>(*constraints::MaxNorm({.max_value = 3, .axis = {0, 1}}));
  test::remade<Constraint>(*constraints::MinMaxNorm({.min_value = 0.25, .rate = 0.5, .axis = 1}));
  test::remade<Constraint>(*constraints::UnitNorm({.axis = {0, 1, 2}}));
  test::remade<Regularizer>(*regularizers::L1({.l1 = 0.5}));
  test::remade<Regularizer>(*regularizers::L2({.l2 = 0.25}));
  test::remade<Regularizer>(*regularizers::L1L2({.l1 = 0.5, .l2 = 0.25}));
}

TEST_CASE("regularizers are sums of sizes and squares, with their gradients") {
  const double sizes = 8.75, squares = 9 + 0.25 + 16 + 1 + 0.0625;
  CHECK(regularizers::L1({.l1 = 0.5})(matrix()).item() == Approx(0.5 * sizes));
  CHECK(regularizers::L2({.l2 = 0.25})(matrix()).item() == Approx(0.25 * squares));
  CHECK(regularizers::L1L2({.l1 = 0.5, .l2 = 0.25})(matrix()).item() ==
        Approx(0.5 * sizes + 0.25 * squares));
  const Tensor x = test::noise({3, 4});
  CHECK(test::gradient_error(
            [](const std::vector<Tensor>& in) {
              return regularizers::L1L2({.l1 = 0.5, .l2 = 0.25})(in[0]);
            },
            {x}) < 1e-6);
}

TEST_CASE("a layer's weights begin, cost and stay as its options say") {
  Sequential model(
      {Input({3}),
       layers::Dense({.units = 4,
                      .kernel_initializer = initializers::RandomNormal({.stddev = 5, .seed = 2}),
                      .bias_initializer = initializers::Constant({.value = -1}),
                      .kernel_regularizer = regularizers::L1({.l1 = 0.1}),
                      .kernel_constraint = constraints::UnitNorm(),
                      .bias_constraint = constraints::NonNeg()})});
  CHECK(equals(model.get_weights()[1], {-1, -1, -1, -1}));
  const double penalty = 0.1 * ops::sum(ops::absolute(model.get_weights()[0])).item();
  REQUIRE(model.losses().size() == 1);
  CHECK(model.losses()[0].item() == Approx(penalty));
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.01}), .loss = "mse"});
  const Tensor x = ops::ones({2, 3});
  CHECK(model.evaluate(x, model.predict(x, {.verbose = Verbose::silent}),
                       {.verbose = Verbose::silent})["loss"] == Approx(penalty).epsilon(1e-4));
  model.fit(x, ops::zeros({2, 4}), {.verbose = Verbose::silent});
  CHECK(equals(ops::sum(ops::square(model.get_weights()[0]), 0), {1, 1, 1, 1}, 1e-4));
  CHECK(ops::min(model.get_weights()[1]).item() >= 0);
}

TEST_CASE("unknown names are answered with the nearest known one") {
  CHECK(has(error_of([] { layers::Dense({.units = 1, .kernel_initializer = "glorot_unifrom"}); }),
            "glorot_uniform"));
  CHECK(
      has(error_of([] { layers::Dense({.units = 1, .kernel_constraint = "nonneg"}); }), "non_neg"));
  CHECK(has(error_of([] { layers::Dense({.units = 1, .kernel_regularizer = "l3"}); }), "l3"));
  CHECK_THROWS_AS(initializers::VarianceScaling({.scale = -1}), ValueError);
  CHECK_THROWS_AS(initializers::VarianceScaling({.mode = "fan"}), ValueError);
}

}  // namespace weights_contract_test
