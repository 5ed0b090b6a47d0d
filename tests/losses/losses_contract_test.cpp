// The contract of all losses: values of samples, reductions, weights, masks, gradients, configs and
// files. Expected values are those of Keras.
#include <cornu/cornu.h>

#include <cmath>

#include "../catch.h"
#include "../support/contract.h"
#include "../support/gradient_check.h"

namespace losses_contract_test {

using namespace cornu;
using test::equals;
using test::error_of;
using test::has;

namespace {

using Values = std::vector<double>;
using Make = std::function<std::shared_ptr<Loss>(const std::string& reduction, DType dtype)>;

struct Case {
  Tensor y_true, y_pred;
  Values samples;  // the loss of each
};

Case yes_or_no(Values samples) {
  return {Tensor::from({0.0f, 1.0f, 1.0f, 0.0f, 1.0f, 0.0f}, {2, 3}),
          Tensor::from({0.1f, 0.8f, 0.4f, 0.6f, 0.9f, 0.2f}, {2, 3}), std::move(samples)};
}

Case classes(Values samples, bool sparse = false) {
  const Tensor y = Tensor(std::vector<int32_t>{0, 1, 2, 1, 2, 0});
  const Tensor scores = Tensor::from({0.7f, 0.2f, 0.1f, 0.2f, 0.3f, 0.5f, 0.1f, 0.1f, 0.8f, 0.2f,
                                      0.6f, 0.2f, 0.1f, 0.5f, 0.4f, 0.9f, 0.05f, 0.05f},
                                     {6, 3});
  return {sparse ? y : ops::one_hot(y, 3), scores, std::move(samples)};
}

Case numbers(Values samples) {
  return {Tensor::from({1.0f, 2.0f, 3.0f, 4.5f, 0.5f, -1.0f, 2.0f, 2.0f}, {4, 2}),
          Tensor::from({1.5f, 2.0f, 2.0f, 5.0f, 0.25f, -1.5f, 3.0f, 1.0f}, {4, 2}),
          std::move(samples)};
}

// Which predictions a loss has a derivative at.
enum class Slope : uint8_t { smooth, corners };

void check_loss(const Make& make, const Case& c, Slope slope = Slope::smooth) {
  constexpr double tolerance = 2e-5;
  INFO(make("none", DType::float32)->name());
  const Tensor samples = (*make("none", DType::float32))(c.y_true, c.y_pred);
  CHECK(equals(samples, c.samples, tolerance));
  double sum = 0;
  for (double v : c.samples) sum += v;
  const auto n = static_cast<double>(c.samples.size());
  CHECK((*make("sum", DType::float32))(c.y_true, c.y_pred).item() ==
        Approx(sum).epsilon(tolerance));
  CHECK((*make("sum_over_batch_size", DType::float32))(c.y_true, c.y_pred).item() ==
        Approx(sum / n).epsilon(tolerance));
  CHECK((*make("mean", DType::float32))(c.y_true, c.y_pred).item() ==
        Approx(sum / n).epsilon(tolerance));

  if (c.samples.size() > 1) {
    std::vector<float> weights;
    double weighted = 0, total = 0;
    for (size_t i = 0; i < c.samples.size(); ++i) {
      weights.push_back(0.5f * static_cast<float>(i));
      weighted += weights[i] * c.samples[i];
      total += weights[i];
    }
    const Tensor w(weights);
    CHECK((*make("sum", DType::float32))(c.y_true, c.y_pred, w).item() ==
          Approx(weighted).epsilon(tolerance));
    CHECK((*make("sum_over_batch_size", DType::float32))(c.y_true, c.y_pred, w).item() ==
          Approx(weighted / n).epsilon(tolerance));
    CHECK((*make("mean_with_sample_weight", DType::float32))(c.y_true, c.y_pred, w).item() ==
          Approx(weighted / total).epsilon(tolerance));
    // A mask leaves out what it excludes, of the mean as well.
    std::vector<float> flags(c.samples.size(), 1);
    flags[0] = 0;
    const Tensor masked = c.y_pred.with_mask(ops::cast(Tensor(flags), DType::boolean));
    CHECK((*make("sum_over_batch_size", DType::float32))(c.y_true, masked).item() ==
          Approx((sum - c.samples[0]) / (n - 1)).epsilon(tolerance));
  }

  const auto loss = make("sum_over_batch_size", DType::float32);
  const auto copy = test::remade<Loss>(*loss);
  CHECK((*copy)(c.y_true, c.y_pred).item() == (*loss)(c.y_true, c.y_pred).item());
  Function step([&](const Nest& in) {
    GradientTape tape;
    tape.watch(in[1].tensor());
    const Tensor value = (*loss)(in[0], in[1]);
    return Nest{value, tape.gradient(value, in[1].tensor())};
  });
  Nest first, last;
  for (int i = 0; i < 4; ++i) (i == 0 ? first : last) = step(Nest{c.y_true, c.y_pred});
  CHECK(test::difference(last[0].tensor(), first[0].tensor()) < tolerance);
  CHECK(test::difference(last[1].tensor(), first[1].tensor()) < tolerance);
  if (slope == Slope::corners) return;
  const auto wide = make("sum_over_batch_size", DType::float64);
  CHECK(
      test::gradient_error([&](const std::vector<Tensor>& in) { return (*wide)(c.y_true, in[0]); },
                           {ops::cast(c.y_pred, DType::float64)}) < 1e-5);
}

template <class Handle>
Make of(typename Handle::Config config = {}) {
  return [config](const std::string& reduction, DType dtype) -> std::shared_ptr<Loss> {
    auto c = config;
    c.reduction = reduction;
    c.dtype = dtype;
    return Handle(c).shared();
  };
}

}  // namespace

TEST_CASE("losses of numbers keep a loss's contract") {
  check_loss(of<losses::MeanSquaredError>(), numbers({0.125, 0.625, 0.15625, 1}));
  check_loss(of<losses::MeanAbsoluteError>(), numbers({0.25, 0.75, 0.375, 1}), Slope::corners);
  check_loss(of<losses::MeanAbsolutePercentageError>(), numbers({25, 22.2222233, 50, 50}),
             Slope::corners);
  check_loss(of<losses::MeanSquaredLogarithmicError>(),
             numbers({0.0248965, 0.045166, 0.0166206, 0.1235815}));
  check_loss(of<losses::LogCosh>(), numbers({0.0600573, 0.2769477, 0.0755222, 0.4337808}));
  check_loss(of<losses::Huber>(), numbers({0.0625, 0.3125, 0.078125, 0.5}));
}

TEST_CASE("Poisson keeps a loss's contract") {
  Case c = numbers({0.8541203, -1.1609561, 1.0188409, 0.9013876});
  c.y_true = ops::absolute(c.y_true);
  c.y_pred = ops::absolute(c.y_pred);
  check_loss(of<losses::Poisson>(), c);
}

TEST_CASE("losses of yes and no keep a loss's contract") {
  check_loss(of<losses::BinaryCrossentropy>(), yes_or_no({0.4149316, 0.4149316}));
  check_loss(of<losses::BinaryFocalCrossentropy>(), yes_or_no({0.1132813, 0.1132813}));
  check_loss(of<losses::BinaryFocalCrossentropy>(
                 {.apply_class_balancing = true, .alpha = 0.4, .gamma = 3}),
             yes_or_no({0.0266483, 0.0399548}));
  check_loss(of<losses::Hinge>(), yes_or_no({0.6333333, 0.9666667}));
  check_loss(of<losses::SquaredHinge>(), yes_or_no({0.5366667, 1.3366668}));
}

TEST_CASE("losses of regions keep a loss's contract") {
  check_loss(of<losses::Tversky>(), yes_or_no({0.3}));
  check_loss(of<losses::Dice>(), yes_or_no({0.3}));
}

TEST_CASE("losses of classes keep a loss's contract") {
  check_loss(of<losses::CategoricalHinge>(), classes({0.5, 1.2, 0.3, 0.6, 1.1, 0.15}));
  check_loss(of<losses::CategoricalFocalCrossentropy>(),
             classes({0.0080252, 0.1474867, 0.0022314, 0.020433, 0.0824662, 0.0002634}));
  check_loss(of<losses::KLDivergence>(),
             classes({0.3566721, 1.2039698, 0.2231408, 0.5108228, 0.9162878, 0.1053579}),
             Slope::corners);
  check_loss(of<losses::CosineSimilarity>(),
             classes({-0.9525794, -0.4866643, -0.9847319, -0.904534, -0.6172134, -0.9969277}));
  check_loss(of<losses::CategoricalCrossentropy>({.label_smoothing = 0.1}),
             classes({0.4632974, 1.2004609, 0.361773, 0.5840665, 0.9550624, 0.298052}));
  check_loss(of<losses::CategoricalGeneralizedCrossEntropy>(),
             classes({0.3266799, 0.9045548, 0.2111456, 0.4508066, 0.7350889, 0.1026335}, true),
             Slope::corners);
}

TEST_CASE("Circle pulls classes together") {
  const Tensor labels = Tensor(std::vector<int32_t>{0, 0, 1, 1, 2});
  Tensor e = Tensor::from(
      {1.0f, 0.0f, 0.5f, 0.9f, 0.1f, 0.4f, -0.5f, 1.0f, 0.0f, -0.4f, 0.8f, 0.2f, 0.0f, 0.0f, 1.0f},
      {5, 3});
  e = e / ops::sqrt(ops::sum(ops::square(e), -1, true));
  losses::Circle loss({.gamma = 20, .margin = 0.25, .reduction = "none"});
  CHECK(equals((*loss)(labels, e), {1.8014643, 1.2961211, 0.508472, 0.5449696, 0}, 1e-4));
  test::remade<Loss>(*loss);
  // A step along the gradient lowers it.
  losses::Circle sum({.gamma = 20, .margin = 0.25, .reduction = "sum"});
  GradientTape tape;
  tape.watch(e);
  const Tensor before = (*sum)(labels, e);
  const Tensor after = (*sum)(labels, e - tape.gradient(before, e) * 1e-4);
  CHECK(after.item() < before.item());
}

TEST_CASE("logits and probabilities give one loss") {
  const Tensor z = Tensor::from({-1.0f, 0.5f, 2.0f, -0.25f}, {2, 2});
  const Tensor y = Tensor::from({0.0f, 1.0f, 1.0f, 0.0f}, {2, 2});
  CHECK(losses::BinaryCrossentropy({.from_logits = true})(y, z).item() ==
        Approx(losses::BinaryCrossentropy()(y, ops::sigmoid(z)).item()).epsilon(1e-5));
  CHECK(losses::BinaryFocalCrossentropy({.from_logits = true})(y, z).item() ==
        Approx(losses::BinaryFocalCrossentropy()(y, ops::sigmoid(z)).item()).epsilon(1e-5));
  CHECK(losses::CategoricalCrossentropy({.from_logits = true})(y, z).item() ==
        Approx(losses::CategoricalCrossentropy()(y, ops::softmax(z)).item()).epsilon(1e-5));
  // Far out, where probabilities are 0 and 1.
  CHECK(losses::BinaryCrossentropy({.from_logits = true})(y, z * 100.0).item() ==
        Approx((0 + 0 + 0 + 0) / 4.0).margin(1e-6));
  CHECK(losses::BinaryCrossentropy({.from_logits = true})(y, z * -100.0).item() ==
        Approx((100 + 50 + 200 + 25) / 4.0));
}

TEST_CASE("losses compute in the dtype they are given") {
  const Tensor y = ops::ones({2, 2}), p = ops::zeros({2, 2});
  CHECK(losses::MeanSquaredError({.dtype = DType::float64})(y, p).dtype() == DType::float64);
  CHECK(losses::Hinge({.dtype = DType::float16})(y, p).dtype() == DType::float16);
  CHECK(losses::Huber()(y, p).dtype() == DType::float32);
}

TEST_CASE("losses say what is wrong") {
  CHECK(has(error_of([] { losses::Hinge({.reduction = "average"}); }), "average"));
  const std::string shapes = error_of([] {
    losses::Poisson()(ops::ones({2, 3}), ops::ones({2, 4}));
  });
  CHECK(has(shapes, "(2, 3)"));
  CHECK(has(shapes, "(2, 4)"));
  CHECK(has(shapes, "poisson"));
  CHECK(
      has(error_of([] { make_by_name("keras.losses", "categorical_hing"); }), "categorical_hinge"));
  CHECK_THROWS_AS(losses::LogCosh()(ops::ones({2, 3}), ops::ones({2, 3}), ops::ones({5})),
                  ShapeError);
}

}  // namespace losses_contract_test
