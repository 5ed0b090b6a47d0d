// Metric: a figure that is collected over the batches of an epoch.
#pragma once
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "../config/config.h"
#include "../dispatch/stateless_scope.h"
#include "initializer.h"
#include "saveable.h"

namespace cornu {

/// Base of all metrics. A subclass makes its state with add_variable, and overrides update_state
/// and result (or results).
class Metric : public Configurable, public Saveable {
 public:
  static constexpr const char* module = "keras.metrics";  ///< where names are looked up
  /// `dtype` is that of the state and of the result.
  explicit Metric(std::string name, DType dtype = DType::float32);

  /// Takes in a batch. Metrics of values only (Mean, Sum) read `y_true` as the values.
  virtual void update_state(const Tensor& y_true, const Tensor& y_pred = {},
                            const Tensor& sample_weight = {}) = 0;
  /// @{
  /// The same of numbers in braces, a tensor of rank 1 each: `update_state({1, 0}, {0.9, 0.2})`.
  void update_state(std::initializer_list<double> y_true, std::initializer_list<double> y_pred = {},
                    std::initializer_list<double> sample_weight = {});
  void update_state(std::initializer_list<double> y_true, const Tensor& y_pred,
                    const Tensor& sample_weight = {});
  /// @}
  /// The figure over everything taken in since the last reset: a scalar, or an array of several
  /// figures. By default the figures of `results`, one after the other: (n). Throws StateError
  /// where there are none.
  virtual Tensor result();
  /// For a metric whose figures have names of their own, which stand in the logs as they are: those
  /// names and figures, as the dictionary that `result` of such a metric returns in Keras. By
  /// default there are none, and the metric is `result` under its name. In what a step returns,
  /// `{metric.name(), metric.result()}` stands for all of them.
  virtual std::vector<std::pair<std::string, Tensor>> results() { return {}; }
  /// Sets all state to its initial value.
  virtual void reset_state();
  /// update_state on this batch, then the result so far.
  Tensor operator()(const Tensor& y_true, const Tensor& y_pred = {},
                    const Tensor& sample_weight = {});

  /// @{
  /// The same as functions of values: the state's are given and returned in the order of
  /// `variables`, and the metric does not change. Throw ValueError or ShapeError for values that do
  /// not fit.
  std::vector<Tensor> stateless_update_state(const StateValues& metric_variables,
                                             const Tensor& y_true, const Tensor& y_pred = {},
                                             const Tensor& sample_weight = {});
  Tensor stateless_result(const StateValues& metric_variables);
  std::vector<Tensor> stateless_reset_state();
  /// @}

  /// `name` and `dtype`, as Keras's base class.
  Value::Dict get_config() const override { return {{"name", name_}, {"dtype", dtype_}}; }

  const std::string& name() const { return name_; }  ///< key in the logs
  void set_name(const std::string& name) {
    name_ = name;
  }                                       ///< renames it, as compile does for outputs by name
  DType dtype() const { return dtype_; }  ///< of state and result
  /// State in the order in which it was made.
  virtual std::vector<Variable> variables() const { return variables_; }
  /// The metrics that this one consists of, as that of compile's metrics; else none.
  virtual std::vector<std::shared_ptr<Metric>> metrics() const { return {}; }

 protected:
  /// Options of add_variable.
  struct VariableOptions {
    Shape shape = {};                           ///< all sizes known
    Choice<Initializer> initializer = "zeros";  ///< values at the beginning and after each reset
    OptionalDType dtype = {};                   ///< default: the metric's
    std::string name = "variable";              ///< last part of its path
  };
  /// A variable of the state.
  Variable add_variable(VariableOptions options);
  /// Options of add_weight.
  using WeightOptions = VariableOptions;
  /// add_variable by its other name.
  Variable add_weight(WeightOptions options) { return add_variable(std::move(options)); }
  /// A variable that begins as (and is reset to) `initial`.
  Variable add_variable(const Tensor& initial, const std::string& name);

 private:
  std::string name_;
  DType dtype_;
  std::vector<Variable> variables_;
  std::vector<Tensor> initial_;
};

/// Base of a metric with options, among them `name` and `dtype` (float32 without a value).
template <class Self, class C, class Base = Metric>
class MetricOf : public Base {
 public:
  using Config = C;  ///< the options
  /// Takes the options over.
  explicit MetricOf(C c)
      : Base(c.name, c.dtype ? *c.dtype : DType::float32), config(std::move(c)) {}
  /// With the name and the dtype that are in use.
  Value::Dict get_config() const override {
    Value::Dict dict = to_dict(config);
    for (auto& [key, value] : dict) {
      if (key == "name") value = this->name();
      if (key == "dtype") value = this->dtype();
    }
    return dict;
  }
  /// A metric from its config. Throws ValueError for missing, unknown or wrong options.
  static std::shared_ptr<Self> from_config(const Value::Dict& dict) {
    return std::make_shared<Self>(from_dict<C>(dict));
  }
  C config;  ///< as given
};

/// A metric that is the mean of a function of y_true and y_pred over the samples. It can be saved
/// when the function has a name; see metrics::register_function.
class FunctionMetric : public Metric {
 public:
  /// Returns a value for each sample.
  using Function = std::function<Tensor(const Tensor& y_true, const Tensor& y_pred)>;
  /// "lambda" is what Keras calls a function without a name.
  explicit FunctionMetric(Function function, std::string name = "lambda",
                          std::string function_name = "");
  /// The same of values in braces.
  using Metric::update_state;
  void update_state(const Tensor& y_true, const Tensor& y_pred,
                    const Tensor& sample_weight) override;
  Tensor result() override;
  bool is_function() const override { return true; }
  std::string function_name() const override { return function_name_; }
  /// Throws StateError.
  Value::Dict get_config() const override;

 private:
  Function function_;
  std::string function_name_;
  Variable total_, count_;
};

namespace metrics {
/// The metric of this name, or this one; null for none. Throws ValueError with a did-you-mean.
inline Choice<Metric> get(const Choice<Metric>& identifier) { return identifier; }
/// The metric as {module, class_name, config, registered_name}.
inline Value serialize(const Metric& metric) { return cornu::serialize(metric); }
/// The same of what refers to one: a handle, a shared pointer, what get gives.
template <detail::Referring<Metric> R>
Value serialize(const R& metric) {
  return cornu::serialize(detail::referred<Metric>(metric));
}
/// The metric that serialize described. Throws ValueError.
inline Choice<Metric> deserialize(const Value& config) {
  return detail::OptionCodec<Choice<Metric>>::decode(config);
}
/// Makes a function known under "package>name": `.metrics = "package>name"` calls it, and files
/// keep the name. Throws ValueError for a name of another form.
void register_function(const std::string& registered_name, FunctionMetric::Function function);
}  // namespace metrics

}  // namespace cornu
