// Metrics as functions: the value of each sample, not averaged.
#pragma once
#include <string>

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

Tensor binary_accuracy(const Tensor& y_true, const Tensor& y_pred,
                       BinaryAccuracyConfig options = {});
Tensor categorical_accuracy(const Tensor& y_true, const Tensor& y_pred,
                            CategoricalAccuracyConfig options = {});
Tensor sparse_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred,
                                   SparseCategoricalAccuracyConfig options = {});
Tensor top_k_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred,
                                  TopKCategoricalAccuracyConfig options = {});
Tensor sparse_top_k_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred,
                                         SparseTopKCategoricalAccuracyConfig options = {});
Tensor pearson_correlation(const Tensor& y_true, const Tensor& y_pred,
                           PearsonCorrelationConfig options = {});
Tensor concordance_correlation(const Tensor& y_true, const Tensor& y_pred,
                               ConcordanceCorrelationConfig options = {});

/// The function that keras.metrics or keras.losses calls `name` ("categorical_accuracy",
/// "mean_squared_error", "mse", ...), with options by name. Throws ValueError with a did-you-mean
/// for another name, and for options that it does not have.
Tensor evaluate(const std::string& name, const Tensor& y_true, const Tensor& y_pred,
                const Value::Dict& options = {});

}  // namespace cornu::metrics
