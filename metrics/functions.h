// Metrics as functions: the value of each sample, not averaged.
#pragma once
#include <string>

#include "../losses/functions.h"
#include "binary_accuracy.h"
#include "categorical_accuracy.h"
#include "concordance_correlation.h"
#include "pearson_correlation.h"
#include "sparse_categorical_accuracy.h"
#include "sparse_top_k_categorical_accuracy.h"
#include "top_k_categorical_accuracy.h"

namespace cornu::metrics {

// keras.metrics.binary_accuracy and the others that are no losses: what the class of that name
// averages. Options are the class's: top_k_categorical_accuracy(y_true, y_pred, {.k = 3}); of these
// `name` means nothing here. Values are float32, of correlations what y_pred is, unless `dtype` is
// given.

// Those that are losses: see losses/functions.h.
using losses::binary_crossentropy;
using losses::binary_focal_crossentropy;
using losses::categorical_crossentropy;
using losses::categorical_focal_crossentropy;
using losses::categorical_hinge;
using losses::hinge;
using losses::huber;
using losses::kl_divergence;
using losses::log_cosh;
using losses::mean_absolute_error;
using losses::mean_absolute_percentage_error;
using losses::mean_squared_error;
using losses::mean_squared_logarithmic_error;
using losses::poisson;
using losses::sparse_categorical_crossentropy;
using losses::squared_hinge;

/// 1 where y_true equals 1 and y_pred is above the threshold, or 0 and it is not; else 0: the shape
/// of y_pred.
Tensor binary_accuracy(const Tensor& y_true, const Tensor& y_pred,
                       BinaryAccuracyConfig options = {});
/// 1 where the largest of y_pred is at the place of the largest of y_true, else 0: the shape of
/// y_pred without the classes.
Tensor categorical_accuracy(const Tensor& y_true, const Tensor& y_pred,
                            CategoricalAccuracyConfig options = {});
/// 1 where the largest of y_pred is at the class y_true, else 0: the shape of y_pred without the
/// classes.
Tensor sparse_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred,
                                   SparseCategoricalAccuracyConfig options = {});
/// 1 where the class of the largest of y_true is among the k largest of y_pred, else 0: the shape
/// of y_pred without the classes.
Tensor top_k_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred,
                                  TopKCategoricalAccuracyConfig options = {});
/// 1 where the class y_true is among the k largest of y_pred (or its first k, with
/// from_sorted_ids), else 0: the shape of y_pred without the classes.
Tensor sparse_top_k_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred,
                                         SparseTopKCategoricalAccuracyConfig options = {});
/// PearsonCorrelation of each sample: the shape of y_pred without `axis`.
Tensor pearson_correlation(const Tensor& y_true, const Tensor& y_pred,
                           PearsonCorrelationConfig options = {});
/// ConcordanceCorrelation of each sample: the shape of y_pred without `axis`.
Tensor concordance_correlation(const Tensor& y_true, const Tensor& y_pred,
                               ConcordanceCorrelationConfig options = {});

/// @{
/// The name of the function, by which compile takes it: `.metrics = {metrics::binary_accuracy}` is
/// `.metrics = {"binary_accuracy"}`.
inline const char* binary_accuracy(FunctionName) { return "binary_accuracy"; }
inline const char* categorical_accuracy(FunctionName) { return "categorical_accuracy"; }
inline const char* sparse_categorical_accuracy(FunctionName) {
  return "sparse_categorical_accuracy";
}
inline const char* top_k_categorical_accuracy(FunctionName) { return "top_k_categorical_accuracy"; }
inline const char* sparse_top_k_categorical_accuracy(FunctionName) {
  return "sparse_top_k_categorical_accuracy";
}
inline const char* pearson_correlation(FunctionName) { return "pearson_correlation"; }
inline const char* concordance_correlation(FunctionName) { return "concordance_correlation"; }
/// @}

/// The function that keras.metrics or keras.losses calls `name` ("categorical_accuracy",
/// "mean_squared_error", "mse", ...), with options by name. Throws ValueError with a did-you-mean
/// for another name, and for options that it does not have.
Tensor evaluate(const std::string& name, const Tensor& y_true, const Tensor& y_pred,
                const Value::Dict& options = {});

}  // namespace cornu::metrics
