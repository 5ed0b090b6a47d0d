// Metrics with each of their options against Keras: on data of all ranks and types, with weights of
// all shapes and masks, run in every way in which a metric runs.
#include <cornu/cornu.h>
#include <cornu/framework/config/json.h>

#include "../support/contract.h"
#include "../support/golden_json.h"
#include "../support/pattern.h"

namespace metric_options_test {

using namespace cornu;
using test::entry;
using test::find_entry;
using test::matches_golden;

namespace {

struct Step {
  Tensor y_true, y_pred, weight;
  const Value* golden = nullptr;
  double tolerance = 0;  // by the least exact of the types
};

double tolerance_of(DType dtype) {
  return dtype == DType::bfloat16 ? 2e-2 : dtype == DType::float16 ? 3e-3 : 2e-5;
}

Step read_step(const Value& golden, DType of_metric) {
  Step step{test::pattern_at(golden, "y"), test::pattern_at(golden, "p"),
            test::pattern_at(golden, "w"), &golden, tolerance_of(of_metric)};
  Tensor& masked = step.y_pred ? step.y_pred : step.y_true;
  if (const Tensor mask = test::pattern_at(golden, "m"))
    masked.set_mask(ops::cast(mask, DType::boolean));
  for (const Tensor& t : {step.y_true, step.y_pred, step.weight})
    if (t) step.tolerance = std::max(step.tolerance, tolerance_of(t.dtype()));
  return step;
}

void update(Metric& metric, const Step& s) { metric.update_state(s.y_true, s.y_pred, s.weight); }

// Eagerly, twice: a reset metric is as good as a new one.
void check_eager(Metric& metric, const std::vector<Step>& steps) {
  for (int round = 0; round < 2; ++round) {
    INFO("round " << round);
    for (const Step& s : steps) {
      update(metric, s);
      CHECK(matches_golden(metric.result(), *s.golden, s.tolerance));
    }
    metric.reset_state();
  }
}

// As a function of its state.
void check_stateless(Metric& metric, const std::vector<Step>& steps) {
  std::vector<Tensor> state = metric.stateless_reset_state();
  for (const Step& s : steps) {
    state = metric.stateless_update_state(state, s.y_true, s.y_pred, s.weight);
    CHECK(matches_golden(metric.stateless_result(state), *s.golden, s.tolerance));
  }
  for (const Variable& v : metric.variables())
    CHECK(test::difference(v.value(), ops::zeros(v.shape(), v.dtype())) == 0);
}

// By plans, one for each form of the arguments.
void check_compiled(Metric& metric, const std::vector<Step>& steps) {
  Function function([&](const Nest& given) {
    const auto& list = given.list();
    metric.update_state(list[0].tensor(), list.size() > 1 ? list[1].tensor() : Tensor(),
                        list.size() > 2 ? list[2].tensor() : Tensor());
    return Nest(metric.result());
  });
  for (int round = 0; round < 3; ++round) {
    INFO("compiled, round " << round);
    for (const Step& s : steps) {
      Nest::List given = {s.y_true};
      if (s.y_pred) given.push_back(s.y_pred);
      if (s.weight && !s.y_pred) given.push_back(s.weight);
      if (s.weight && s.y_pred) given.push_back(s.weight);
      CHECK(matches_golden(function(Nest(given)).tensor(), *s.golden, s.tolerance));
    }
    metric.reset_state();
  }
}

// State that another metric of the same options takes over after the first step.
void check_moved(Metric& first, Metric& second, const std::vector<Step>& steps) {
  update(first, steps[0]);
  update(second, steps[0]);
  second.reset_state();
  for (size_t i = 0; i < first.variables().size(); ++i)
    Variable(second.variables()[i]).assign(first.variables()[i].value());
  for (size_t i = 1; i < steps.size(); ++i) update(second, steps[i]);
  CHECK(matches_golden(second.result(), *steps.back().golden, steps.back().tolerance));
}

void check_case(const Value& recorded) {
  const ClassInfo* const info =
      catalog().find("keras.metrics", entry(recorded, "class").get<std::string>());
  REQUIRE(info);
  const auto& config = entry(recorded, "config").get<Value::Dict>();
  const auto make = [&] { return std::dynamic_pointer_cast<Metric>(info->make(config)); };
  const auto metric = make();
  REQUIRE(metric);
  std::vector<Step> steps;
  bool masked = false;
  for (const Value& s : entry(recorded, "steps").get<Value::List>()) {
    steps.push_back(read_step(s, metric->dtype()));
    masked |= find_entry(s, "m") != nullptr;
  }
  check_eager(*metric, steps);
  check_stateless(*metric, steps);
  // A mask is a property of a tensor that goes into a function by its values alone.
  if (!masked) check_compiled(*make(), steps);
  const auto copy = test::remade<Metric>(*metric);
  CHECK(copy->dtype() == metric->dtype());
  check_moved(*metric, *copy, steps);
}

}  // namespace

TEST_CASE("metrics with each of their options agree with Keras in every way of running") {
  for (const char* file : {"metric_options.json", "metric_shapes.json", "metric_counts.json"}) {
    const Value cases = test::golden_file(file);
    for (const Value& recorded : cases.get<Value::List>()) {
      INFO(cornu::to_json(recorded));
      try {
        check_case(recorded);
      } catch (const Error& e) {
        FAIL_CHECK(e.what());
      }
    }
  }
}

}  // namespace metric_options_test
