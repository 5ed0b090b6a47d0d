// The contract of learning rate schedules: formulas, configs, tensors as numbers, and what an
// optimizer makes of them.
#include <cornu/cornu.h>

#include <cmath>

#include "../catch.h"
#include "../support/contract.h"
#include "../support/temporary.h"

namespace schedules_contract_test {

using namespace cornu;
using namespace cornu::optimizers::schedules;
using test::error_of;
using test::has;

namespace {

using Formula = std::function<double(double step)>;

void check_schedule(const std::shared_ptr<LearningRateSchedule>& schedule, const Formula& formula) {
  INFO(serialize(*schedule).kind());
  const auto copy = test::remade<LearningRateSchedule>(*schedule);
  Function compiled([&](const Nest& step) { return Nest((*schedule)(step.tensor())); });
  for (const int64_t step : {0, 1, 5, 9, 10, 11, 15, 20, 29, 30, 31, 64, 100, 1000}) {
    INFO("step " << step);
    const double expected = formula(static_cast<double>(step));
    CHECK(schedule->at(step) == Approx(expected).epsilon(2e-5).margin(1e-7));
    CHECK(copy->at(step) == schedule->at(step));
    const Tensor by_tensor = (*schedule)(Tensor(step));
    CHECK(by_tensor.dtype() == DType::float32);
    CHECK(by_tensor.item() == Approx(expected).epsilon(2e-5).margin(1e-7));
    CHECK(compiled(Nest(Tensor::from({step}, {}))).tensor().item() ==
          Approx(expected).epsilon(2e-5).margin(1e-7));
  }
  // In an optimizer the rate is that of the steps done.
  optimizers::SGD sgd({.learning_rate = Choice<LearningRateSchedule>(schedule)});
  Variable w(ops::zeros({1}));
  double at = 0;
  for (int step = 0; step < 12; ++step) {
    CHECK(sgd->learning_rate() == Approx(formula(step)).epsilon(2e-5).margin(1e-7));
    sgd->apply({ops::ones({1})}, {w});
    at -= formula(step);
    CHECK(w.value().item() == Approx(at).epsilon(1e-4).margin(1e-6));
  }
  CHECK_THROWS_AS(sgd->set_learning_rate(1), StateError);
}

}  // namespace

TEST_CASE("ExponentialDecay keeps a schedule's contract") {
  check_schedule(
      ExponentialDecay({.initial_learning_rate = 0.5, .decay_steps = 10, .decay_rate = 0.8})
          .shared(),
      [](double t) { return 0.5 * std::pow(0.8, t / 10); });
  check_schedule(
      ExponentialDecay(
          {.initial_learning_rate = 0.5, .decay_steps = 10, .decay_rate = 0.8, .staircase = true})
          .shared(),
      [](double t) { return 0.5 * std::pow(0.8, std::floor(t / 10)); });
}

TEST_CASE("InverseTimeDecay keeps a schedule's contract") {
  check_schedule(
      InverseTimeDecay({.initial_learning_rate = 0.5, .decay_steps = 10, .decay_rate = 0.8})
          .shared(),
      [](double t) { return 0.5 / (1 + 0.8 * t / 10); });
  check_schedule(
      InverseTimeDecay(
          {.initial_learning_rate = 0.5, .decay_steps = 10, .decay_rate = 0.8, .staircase = true})
          .shared(),
      [](double t) { return 0.5 / (1 + 0.8 * std::floor(t / 10)); });
}

TEST_CASE("PolynomialDecay keeps a schedule's contract") {
  const auto formula = [](double t, double steps, double power) {
    return (0.5 - 0.1) * std::pow(1 - t / steps, power) + 0.1;
  };
  check_schedule(
      PolynomialDecay(
          {.initial_learning_rate = 0.5, .decay_steps = 30, .end_learning_rate = 0.1, .power = 2})
          .shared(),
      [&](double t) { return formula(std::min(t, 30.0), 30, 2); });
  check_schedule(PolynomialDecay({.initial_learning_rate = 0.5,
                                  .decay_steps = 30,
                                  .end_learning_rate = 0.1,
                                  .cycle = true})
                     .shared(),
                 [&](double t) { return formula(t, 30 * std::max(1.0, std::ceil(t / 30)), 1); });
}

TEST_CASE("PiecewiseConstantDecay keeps a schedule's contract") {
  const std::vector<Number> boundaries = {10, 30}, values = {0.5, 0.25, 0.125};
  check_schedule(PiecewiseConstantDecay({.boundaries = boundaries, .values = values}).shared(),
                 [](double t) { return t <= 10   ? 0.5
                                       : t <= 30 ? 0.25
                                                 : 0.125; });
}

TEST_CASE("CosineDecay keeps a schedule's contract") {
  const auto cosine = [](double share) { return 0.5 * (1 + std::cos(M_PI * share)); };
  check_schedule(
      CosineDecay({.initial_learning_rate = 0.5, .decay_steps = 30, .alpha = 0.2}).shared(),
      [&](double t) { return 0.5 * (0.8 * cosine(std::min(t, 30.0) / 30) + 0.2); });
  check_schedule(
      CosineDecay(
          {.initial_learning_rate = 0, .decay_steps = 30, .warmup_target = 0.5, .warmup_steps = 10})
          .shared(),
      [&](double t) { return t < 10 ? 0.5 * t / 10 : 0.5 * cosine(std::min(t - 10, 30.0) / 30); });
}

TEST_CASE("CosineDecayRestarts keeps a schedule's contract") {
  // Periods of 10, 20, 40, ... steps, each beginning at 0.8 of the one before.
  check_schedule(
      CosineDecayRestarts(
          {.initial_learning_rate = 0.5, .first_decay_steps = 10, .m_mul = 0.8, .alpha = 0.1})
          .shared(),
      [](double t) {
        double begin = 0, length = 10, height = 1;
        while (t >= begin + length) {
          begin += length;
          length *= 2;
          height *= 0.8;
        }
        const double share = (t - begin) / length;
        return 0.5 * (0.9 * 0.5 * height * (1 + std::cos(M_PI * share)) + 0.1);
      });
}

TEST_CASE("a schedule in a compiled model goes on from a file") {
  Sequential model({Input({2}), layers::Dense({.units = 1, .kernel_initializer = "ones"})});
  model.compile({.optimizer = optimizers::Adam(
                     {.learning_rate = ExponentialDecay(
                          {.initial_learning_rate = 0.1, .decay_steps = 2, .decay_rate = 0.5})}),
                 .loss = "mse"});
  const Tensor x = ops::ones({4, 2}), y = ops::zeros({4, 1});
  const FitOptions twice{
      .batch_size = 2, .epochs = 2, .verbose = Verbose::silent, .shuffle = false};
  model.fit(x, y, twice);
  const test::TemporaryFolder folder;
  model.save((folder / "m.keras").string());
  const auto loaded = load_model((folder / "m.keras").string());
  CHECK(loaded->optimizer()->learning_rate() == Approx(0.1 * 0.25));
  model.fit(x, y, twice);
  loaded->fit(x, y, twice);
  CHECK(test::identical(loaded->get_weights()[0], model.get_weights()[0]));
}

TEST_CASE("schedules say what is wrong") {
  const std::vector<Number> one = {1}, two = {1, 2}, three = {1, 2, 3};
  CHECK_THROWS_AS(PiecewiseConstantDecay({.boundaries = one, .values = three}), ValueError);
  CHECK_THROWS_AS(PiecewiseConstantDecay({.boundaries = two, .values = two}), ValueError);
  CHECK(has(error_of([] { CosineDecay({.initial_learning_rate = 1, .decay_steps = 0}); }),
            "decay_steps"));
}

}  // namespace schedules_contract_test
