// The state of metrics.
#include "metric.h"

#include "../ops/core/cast.h"
#include "../ops/elementwise.h"
#include "../ops/numpy/creation.h"
#include "../ops/numpy/reduction.h"
#include "../ops/operators.h"
#include "loss.h"
#include "samplewise.h"

namespace cornu {

Metric::Metric(std::string name, DType dtype) : name_(std::move(name)), dtype_(dtype) {}

Variable Metric::add_variable(const Tensor& initial, const std::string& name) {
  Variable v(initial, {.name = name, .trainable = false});
  v.set_path(name_ + "/" + name);
  variables_.push_back(v);
  initial_.push_back(v.value());
  return v;
}

Tensor Metric::result() {
  throw StateError("Metric '" + name_ +
                   "' overrides neither result nor, for several figures, results.");
}

void Metric::reset_state() {
  for (size_t i = 0; i < variables_.size(); ++i) variables_[i].assign(initial_[i]);
}

Tensor Metric::operator()(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) {
  try {
    update_state(y_true, y_pred, sample_weight);
  } catch (const ShapeError& e) {
    rethrow_unfit(e, name_, y_true, y_pred);
  }
  return result();
}

std::vector<Tensor> Metric::stateless_update_state(const StateValues& metric_variables,
                                                   const Tensor& y_true, const Tensor& y_pred,
                                                   const Tensor& sample_weight) {
  const StatelessScope scope(variables_, metric_variables, "metric_variables");
  update_state(y_true, y_pred, sample_weight);
  return scope.values_of(variables_);
}

Tensor Metric::stateless_result(const StateValues& metric_variables) {
  const StatelessScope scope(variables_, metric_variables, "metric_variables");
  return result();
}

std::vector<Tensor> Metric::stateless_reset_state() {
  const StatelessScope scope;
  reset_state();
  return scope.values_of(variables_);
}

FunctionMetric::FunctionMetric(Function function, std::string name, std::string function_name)
    : Metric(std::move(name)),
      function_(std::move(function)),
      function_name_(std::move(function_name)) {
  total_ = add_variable(ops::zeros({}), "total");
  count_ = add_variable(ops::zeros({}), "count");
}

void FunctionMetric::update_state(const Tensor& y_true, const Tensor& y_pred,
                                  const Tensor& sample_weight) {
  const Tensor values = function_(y_true, y_pred);
  const Tensor weight =
      apply_mask(sample_weight, y_pred ? y_pred.mask() : Tensor(), dtype(), false);
  if (weight) {
    const WeightedSums sums = samplewise_sums(values, weight, dtype());
    total_.assign_add(sums.values);
    count_.assign_add(sums.weights);
  } else if (values.size() > 0) {
    // Each sample counts once, however many values it has.
    const auto samples = static_cast<double>(values.rank() ? values.shape()[0] : 1);
    total_.assign_add(ops::mean(ops::cast(values, dtype())) * Tensor(samples));
    count_.assign_add(Tensor(samples));
  }
}

Tensor FunctionMetric::result() {
  return fused([](Expr t, Expr n) { return expr::select(expr::equal(n, 0.0), 0.0, t / n); }, total_,
               count_);
}

Value::Dict FunctionMetric::get_config() const { detail::throw_nameless(module); }

void metrics::register_function(const std::string& registered_name,
                                FunctionMetric::Function function) {
  cornu::register_function(Metric::module, registered_name, [=] {
    return std::make_shared<FunctionMetric>(
        function, registered_name.substr(registered_name.find('>') + 1), registered_name);
  });
}

}  // namespace cornu
