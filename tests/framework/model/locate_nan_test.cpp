// locate_nan and TerminateOnNaN's `locate`: which operation first gave NaN or infinity.
#include <cornu/callbacks/terminate_on_nan.h>
#include <cornu/framework/model/locate_nan.h>
#include <cornu/framework/ops/elementwise.h>
#include <cornu/framework/ops/numpy/indexing.h>
#include <cornu/framework/ops/numpy/reduction.h>
#include <cornu/optimizers/sgd.h>

#include "model_support.h"

namespace locate_nan_test {

using namespace cornu;
using namespace cornu::test;

namespace {

// A dense layer, then a function.
class Odd : public Model {
 public:
  using Function = std::function<Tensor(const Tensor&)>;
  explicit Odd(Function f, const DTypePolicy& policy = "float32")
      : inner(make<Inner>(std::move(f))) {
    set_base("odd", true, policy);
    inner->set_dtype_policy(policy);
    track("inner", inner);
    track("out", out);
  }
  Tensor call(const Tensor& x, const Call&) override { return out((*inner)(x)); }

  class Inner : public Layer {
   public:
    explicit Inner(Function f) : f_(std::move(f)) {}
    void build(const Shape& input) override {
      scale = add_weight({.name = "scale", .shape = {input.back()}, .initializer = "ones"});
    }
    Tensor call(const Tensor& x, const Call&) override { return f_(ops::multiply(x, scale)); }
    Variable scale;

   private:
    Function f_;
  };
  std::shared_ptr<Inner> inner;
  layers::Dense out = layers::Dense({.units = 1});
};

const Tensor zeros_and_ones = Tensor::from({0.f, 1.f, 1.f, 0.f, 1.f, 1.f, 1.f, 1.f}, {4, 2});
const Tensor targets = Tensor::from({1.f, 0.f, 2.f, 1.f}, {4, 1});

std::optional<NaNReport> located(Model& model, const Tensor& x, LossOption loss = "mse",
                                 const Tensor& y = targets) {
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.01}), .loss = std::move(loss)});
  const auto report = locate_nan(model, x, y);
  if (report) UNSCOPED_INFO(report->str());
  return report;
}

}  // namespace

TEST_CASE("a finite step has no report") {
  Odd model([](const Tensor& x) { return ops::tanh(x); });
  CHECK_FALSE(located(model, zeros_and_ones));
}

TEST_CASE("locate_nan names the logarithm of zero, in every precision") {
  for (const char* policy : {"float32", "float16", "mixed_float16", "bfloat16"}) {
    Odd model([](const Tensor& x) { return ops::log(x); }, policy);
    const auto report = located(model, zeros_and_ones);
    REQUIRE(report);
    CHECK(report->op == "log");
    CHECK(report->phase == "forward");
    CHECK_THAT(report->layer, has("inner"));
    REQUIRE(report->inputs.size() == 1);
    CHECK(report->inputs[0].least == 0);
    CHECK(report->inputs[0].most == 1);
    CHECK(report->inputs[0].nan + report->inputs[0].infinite == 0);
    CHECK(report->result.infinite == 2);
    CHECK_FALSE(report->given);
  }
}

TEST_CASE("locate_nan names a derivative that is infinite") {
  for (const char* policy : {"float32", "float16"}) {
    Odd model([](const Tensor& x) { return ops::sqrt(x); }, policy);
    const auto report = located(model, zeros_and_ones);
    REQUIRE(report);
    CHECK_THAT(report->op, has("gradient of sqrt"));
    CHECK(report->phase == "backward");
    CHECK_THAT(report->layer, has("inner"));
  }
}

TEST_CASE("locate_nan names a division by zero and an overflow in a layer") {
  for (const char* policy : {"float32", "float16"}) {
    Odd division([](const Tensor& x) { return ops::divide(x, x); }, policy);
    auto report = located(division, zeros_and_ones);
    REQUIRE(report);
    CHECK(report->op == "true_divide");
    CHECK(report->phase == "forward");
    CHECK(report->result.nan == 2);
    Odd overflow([](const Tensor& x) { return ops::exp(ops::multiply(x, Tensor(100.0))); }, policy);
    report = located(overflow, zeros_and_ones);
    REQUIRE(report);
    CHECK((report->op == "exp" || report->op == "round_float16"));
    CHECK(report->phase == "forward");
    CHECK(report->inputs[0].most == 100);
  }
}

TEST_CASE("locate_nan looks into losses, and their derivatives") {
  const auto loss_of = [](const Tensor& y, const auto& f) {
    Odd model([](const Tensor& x) { return x; });
    return located(model, zeros_and_ones, LossOption(f), y);
  };
  auto report = loss_of(targets, [](const Tensor& y, const Tensor& p) {
    return ops::log(ops::multiply(ops::square(p), y));
  });
  REQUIRE(report);
  CHECK(report->op == "log");
  CHECK(report->phase == "loss");
  CHECK(report->layer.empty());
  report = loss_of(ops::zeros({4, 1}), [](const Tensor& y, const Tensor& p) {
    return ops::divide(ops::multiply(p, y), y);
  });
  REQUIRE(report);
  CHECK(report->op == "true_divide");
  report = loss_of(targets, [](const Tensor&, const Tensor& p) {
    return ops::exp(ops::add(ops::square(p), Tensor(1000.0)));
  });
  REQUIRE(report);
  CHECK(report->op == "exp");
  report = loss_of(targets, [](const Tensor& y, const Tensor& p) {
    return ops::sqrt(ops::multiply(ops::square(ops::subtract(p, y)), Tensor(0.0)));
  });
  REQUIRE(report);
  CHECK_THAT(report->op, has("gradient of sqrt"));
  CHECK(report->phase == "backward");
}

TEST_CASE("what is masked away is not blamed") {
  Odd model([](const Tensor& x) {
    // The infinity of the first is not used, that of the second is.
    const Tensor hidden = ops::log(ops::multiply(x, Tensor(0.0)));
    const Tensor kept = ops::where(ops::equal(hidden, hidden), x, hidden);
    return ops::add(ops::stop_gradient(kept), ops::reciprocal(x));
  });
  const auto report = located(model, zeros_and_ones);
  REQUIRE(report);
  CHECK(report->op == "reciprocal");
}

TEST_CASE("data that are no numbers are said to be so") {
  Odd model([](const Tensor& x) { return ops::tanh(x); });
  const auto report = located(model, zeros_and_ones * Tensor(NAN));
  REQUIRE(report);
  CHECK(report->given);
  CHECK_THAT(report->str(), has("not finite to begin with"));
}

TEST_CASE("an overflow that a loss scale skips is none") {
  Odd model([](const Tensor& x) { return ops::multiply(x, Tensor(40.0)); }, "mixed_float16");
  // Gradients times 32768 are beyond 65504.
  CHECK_FALSE(located(model, zeros_and_ones, "mse", targets * Tensor(100.0)));
}

TEST_CASE("locate_nan puts the state back") {
  Odd model([](const Tensor& x) { return ops::sqrt(x); });
  model.compile({.optimizer = "adam", .loss = "mse"});
  model.fit(zeros_and_ones + Tensor(1.0), targets, {.epochs = 2, .verbose = Verbose::silent});
  const auto state = [&] {
    std::vector<float> numbers;
    for (const Tensor& t : model.get_weights())
      for (float v : floats(t)) numbers.push_back(v);
    for (const Variable& v : model.optimizer()->variables())
      for (float f : v.value().to_vector<float>()) numbers.push_back(f);
    for (const auto& [name, value] : model.get_metrics_result())
      numbers.push_back(static_cast<float>(value.item()));
    return numbers;
  };
  const std::vector<float> before = state();
  REQUIRE(locate_nan(model, zeros_and_ones, targets));
  CHECK(state() == before);
}

namespace {

// Ten samples, of which the seventh has a zero.
Tensor samples() {
  std::vector<float> values(20, 0.5f);
  values[12] = 0;
  return Tensor::from(values, {10, 2});
}

struct Watched {
  std::optional<NaNReport> report;
  int64_t steps = 0;
};

Watched watched(const Odd::Function& f, int64_t per_execution = 1, bool eager = false) {
  Odd model(f);
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.01}),
                 .loss = "mse",
                 .run_eagerly = eager,
                 .steps_per_execution = per_execution});
  const callbacks::TerminateOnNaN nan({.locate = true});
  model.fit(samples(), ops::ones({10, 1}),
            {.batch_size = 2,
             .epochs = 2,
             .verbose = Verbose::silent,
             .callbacks = {nan},
             .shuffle = false});
  return {nan->report()};
}

}  // namespace

TEST_CASE("TerminateOnNaN locates the step of fit and its operation") {
  for (bool eager : {false, true})
    for (int64_t group : {1, 3}) {
      auto found = watched([](const Tensor& x) { return ops::log(x); }, group, eager);
      REQUIRE(found.report);
      CHECK(found.report->op == "log");
      CHECK(found.report->step == 3);
      // The loss of this step is finite; its gradient spoils the weights for the next.
      found = watched([](const Tensor& x) { return ops::sqrt(x); }, group, eager);
      REQUIRE(found.report);
      CHECK_THAT(found.report->op, has("gradient of sqrt"));
      CHECK(found.report->step == 3);
    }
  CHECK_FALSE(watched([](const Tensor& x) { return ops::tanh(x); }).report);
}

TEST_CASE("the error of TerminateOnNaN has the report") {
  Odd model([](const Tensor& x) { return ops::log(x); });
  model.compile({.optimizer = "sgd", .loss = "mse"});
  CHECK_THROWS_WITH(
      model.fit(samples(), ops::ones({10, 1}),
                {.batch_size = 2,
                 .verbose = Verbose::silent,
                 .callbacks = {callbacks::TerminateOnNaN({.raise_error = true, .locate = true})}}),
      has("that of log (forward, layer "));
}

}  // namespace locate_nan_test
