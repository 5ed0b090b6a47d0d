// MeanMetricWrapper: the mean of a function of targets and predictions.
#pragma once
#include <functional>

#include "mean_of.h"

namespace cornu::metrics {

/// The option `fn`: a function of y_true and y_pred, or the name of one of Keras's, perhaps with
/// options: `MetricFunction("huber", {{"delta", 2.0}})`.
class MetricFunction {
 public:
  /// A value for each sample.
  using Function = std::function<Tensor(const Tensor& y_true, const Tensor& y_pred)>;
  /// The function that Keras calls `name`, with options by name. An unknown name throws when it is
  /// used.
  MetricFunction(const char* name, Value::Dict options = {})
      : name_(name), options_(std::move(options)) {}
  /// The same.
  MetricFunction(std::string name, Value::Dict options = {})
      : name_(std::move(name)), options_(std::move(options)) {}
  /// A C++ function, which cannot be saved.
  template <class F>
  requires std::is_invocable_r_v<Tensor, F, const Tensor&, const Tensor&> MetricFunction(F f)
      : function_(std::move(f)) {}

  /// "" where it is a C++ function.
  const std::string& name() const { return name_; }
  const Value::Dict& options() const { return options_; }  ///< by name; empty for a C++ function
  const Function& function() const { return function_; }   ///< empty for a name

 private:
  std::string name_;
  Value::Dict options_;
  Function function_;
};

/// Options of MeanMetricWrapper, as in Keras.
struct MeanMetricWrapperConfig {
  Required<MetricFunction> fn;  ///< function of y_true and y_pred, or the name of a loss or metric
  /// Name of the metric in logs.
  std::string name = "mean_metric_wrapper";
  OptionalDType dtype = {};  ///< dtype of the state and of the result; none: float32
};

/// The mean over samples of fn(y_true, y_pred). In files the function stands by its name and its
/// options beside the metric's, as in Keras.
class MeanMetricWrapperMetric
    : public MetricOf<MeanMetricWrapperMetric, MeanMetricWrapperConfig, MeanOf> {
 public:
  /// Takes the function over. A name that is unknown shows when it is used: `values` throws
  /// ValueError.
  explicit MeanMetricWrapperMetric(MeanMetricWrapperConfig c);
  /// What the function returns.
  Tensor values(const Tensor& y_true, const Tensor& y_pred) override;
  /// Throws StateError where the function is a C++ function.
  Value::Dict get_config() const override;
  /// What is neither `fn` nor `name` nor `dtype` is an option of the function. Throws ValueError
  /// for a missing or wrong `fn`.
  static std::shared_ptr<MeanMetricWrapperMetric> from_config(const Value::Dict& dict);
};

/// A shared MeanMetricWrapperMetric, made from its options.
using MeanMetricWrapper = Ref<MeanMetricWrapperMetric>;

}  // namespace cornu::metrics

namespace cornu::detail {
template <>
struct OptionCodec<metrics::MetricFunction> {
  /// Throws StateError for a C++ function.
  static Value encode(const metrics::MetricFunction& v);
  static metrics::MetricFunction decode(const Value& v);
};
}  // namespace cornu::detail

namespace cornu {
extern template class MetricOf<metrics::MeanMetricWrapperMetric, metrics::MeanMetricWrapperConfig,
                               metrics::MeanOf>;
}
