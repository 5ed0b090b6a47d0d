// Functions by way of the classes.
#include "functions.h"

#include "../framework/ops/core/cast.h"
#include "../framework/ops/operators.h"
#include "../losses/functions.h"

namespace cornu::metrics {
namespace {

/// Correlations are as exact as the predictions, unless `dtype` says otherwise; what only counts
/// is float32.
Tensor in_type(const Tensor& values, OptionalDType dtype) {
  if (dtype) return ops::cast(values, *dtype);
  return is_float(values.dtype()) ? values : ops::cast(values, DType::float32);
}

template <class M>
Tensor values(typename M::Config options, const Tensor& y_true, const Tensor& y_pred) {
  const OptionalDType dtype = options.dtype;
  M metric(std::move(options));
  return in_type(static_cast<MeanOf&>(metric).values(y_true, y_pred), dtype);
}

}  // namespace

Tensor binary_accuracy(const Tensor& y_true, const Tensor& y_pred, BinaryAccuracyConfig options) {
  return values<BinaryAccuracyMetric>(std::move(options), y_true, y_pred);
}

Tensor categorical_accuracy(const Tensor& y_true, const Tensor& y_pred,
                            CategoricalAccuracyConfig options) {
  return values<CategoricalAccuracyMetric>(std::move(options), y_true, y_pred);
}

Tensor sparse_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred,
                                   SparseCategoricalAccuracyConfig options) {
  return values<SparseCategoricalAccuracyMetric>(std::move(options), y_true, y_pred);
}

Tensor top_k_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred,
                                  TopKCategoricalAccuracyConfig options) {
  return values<TopKCategoricalAccuracyMetric>(std::move(options), y_true, y_pred);
}

Tensor sparse_top_k_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred,
                                         SparseTopKCategoricalAccuracyConfig options) {
  return values<SparseTopKCategoricalAccuracyMetric>(std::move(options), y_true, y_pred);
}

Tensor pearson_correlation(const Tensor& y_true, const Tensor& y_pred,
                           PearsonCorrelationConfig options) {
  return values<PearsonCorrelationMetric>(std::move(options), y_true, y_pred);
}

Tensor concordance_correlation(const Tensor& y_true, const Tensor& y_pred,
                               ConcordanceCorrelationConfig options) {
  return values<ConcordanceCorrelationMetric>(std::move(options), y_true, y_pred);
}

Tensor evaluate(const std::string& name, const Tensor& y_true, const Tensor& y_pred,
                const Value::Dict& options) {
  // Losses come first: of metrics of the same name the function is the loss.
  if (catalog().find_by_name(Loss::module, name))
    return losses::evaluate(name, y_true, y_pred, options);
  if (const ClassInfo* info = catalog().find_by_name(Metric::module, name)) {
    const auto metric = std::dynamic_pointer_cast<MeanOf>(info->make(options));
    if (metric)
      return in_type(metric->values(y_true, y_pred), detail::find(options, "dtype")
                                                         ? std::optional(metric->dtype())
                                                         : std::nullopt);
  }
  throw ValueError(
      "There is no loss or metric function '" + name + "'." +
      did_you_mean(name, {"binary_accuracy", "categorical_accuracy", "sparse_categorical_accuracy",
                          "top_k_categorical_accuracy", "sparse_top_k_categorical_accuracy",
                          "pearson_correlation", "concordance_correlation", "mean_squared_error",
                          "mean_absolute_error", "binary_crossentropy", "categorical_crossentropy",
                          "sparse_categorical_crossentropy"}));
}

}  // namespace cornu::metrics
