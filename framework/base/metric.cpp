// The state of metrics.
#include "metric.h"

#include "../ops/core/cast.h"
#include "../ops/elementwise.h"
#include "../ops/numpy/creation.h"
#include "../ops/numpy/joining.h"
#include "../ops/numpy/manipulation.h"
#include "../ops/numpy/reduction.h"
#include "../ops/operators.h"
#include "loss.h"
#include "samplewise.h"

namespace cornu {
namespace {

Tensor listed(std::initializer_list<double> numbers) {
  return numbers.size() == 0 ? Tensor() : ops::array(numbers);
}

}  // namespace

Metric::Metric(std::string name, DType dtype) : name_(std::move(name)), dtype_(dtype) {}

void Metric::update_state(std::initializer_list<double> y_true,
                          std::initializer_list<double> y_pred,
                          std::initializer_list<double> sample_weight) {
  update_state(listed(y_true), listed(y_pred), listed(sample_weight));
}

void Metric::update_state(std::initializer_list<double> y_true, const Tensor& y_pred,
                          const Tensor& sample_weight) {
  update_state(listed(y_true), y_pred, sample_weight);
}

Variable Metric::add_variable(const Tensor& initial, const std::string& name) {
  Variable v(initial, {.name = name, .trainable = false});
  v.set_path(name_ + "/" + name);
  variables_.push_back(v);
  initial_.push_back(v.value());
  return v;
}

Variable Metric::add_variable(VariableOptions options) {
  if (!options.initializer) throw ValueError("add_variable: the initializer is empty.");
  return add_variable((*options.initializer)(options.shape, options.dtype.value_or(dtype_)),
                      options.name);
}

Tensor Metric::result() {
  std::vector<Tensor> figures;
  for (const auto& [name, value] : results())
    figures.push_back(ops::reshape(ops::cast(value, dtype_), {-1}));
  if (figures.empty())
    throw StateError("Metric '" + name_ +
                     "' overrides neither result nor, for several figures, results.");
  return ops::concatenate(figures);
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
  const std::vector<Variable> state = variables();
  const StatelessScope scope(state, metric_variables, "metric_variables");
  update_state(y_true, y_pred, sample_weight);
  return scope.values_of(state);
}

Tensor Metric::stateless_result(const StateValues& metric_variables) {
  const StatelessScope scope(variables(), metric_variables, "metric_variables");
  return result();
}

std::vector<Tensor> Metric::stateless_reset_state() {
  const StatelessScope scope;
  reset_state();
  return scope.values_of(variables());
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
