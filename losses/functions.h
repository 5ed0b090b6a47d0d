// Losses as functions: the value of each sample, neither weighted nor reduced.
#pragma once
#include <string>

#include "binary_crossentropy.h"
#include "binary_focal_crossentropy.h"
#include "categorical_crossentropy.h"
#include "categorical_focal_crossentropy.h"
#include "categorical_generalized_cross_entropy.h"
#include "categorical_hinge.h"
#include "circle.h"
#include "cosine_similarity.h"
#include "ctc.h"
#include "dice.h"
#include "hinge.h"
#include "huber.h"
#include "kl_divergence.h"
#include "log_cosh.h"
#include "mean_absolute_error.h"
#include "mean_absolute_percentage_error.h"
#include "mean_squared_error.h"
#include "mean_squared_logarithmic_error.h"
#include "poisson.h"
#include "sparse_categorical_crossentropy.h"
#include "squared_hinge.h"
#include "tversky.h"

namespace cornu::losses {

// keras.losses.mean_squared_error and the others: what the class of that name has for each sample.
// Options are the class's: binary_crossentropy(y_true, y_pred, {.from_logits = true}); of these
// `reduction` and `name` mean nothing here. Values have y_pred's dtype (float32 for integers)
// unless `dtype` is given. `circle` is in circle.h.

Tensor binary_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                           BinaryCrossentropyConfig options = {});
Tensor binary_focal_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                                 BinaryFocalCrossentropyConfig options = {});
Tensor categorical_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                                CategoricalCrossentropyConfig options = {});
Tensor categorical_focal_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                                      CategoricalFocalCrossentropyConfig options = {});
Tensor categorical_generalized_cross_entropy(const Tensor& y_true, const Tensor& y_pred,
                                             CategoricalGeneralizedCrossEntropyConfig options = {});
Tensor categorical_hinge(const Tensor& y_true, const Tensor& y_pred,
                         CategoricalHingeConfig options = {});
Tensor cosine_similarity(const Tensor& y_true, const Tensor& y_pred,
                         CosineSimilarityConfig options = {});
Tensor ctc(const Tensor& y_true, const Tensor& y_pred, CTCConfig options = {});
Tensor dice(const Tensor& y_true, const Tensor& y_pred, DiceConfig options = {});
Tensor hinge(const Tensor& y_true, const Tensor& y_pred, HingeConfig options = {});
Tensor huber(const Tensor& y_true, const Tensor& y_pred, HuberConfig options = {});
Tensor kl_divergence(const Tensor& y_true, const Tensor& y_pred, KLDivergenceConfig options = {});
Tensor log_cosh(const Tensor& y_true, const Tensor& y_pred, LogCoshConfig options = {});
Tensor mean_absolute_error(const Tensor& y_true, const Tensor& y_pred,
                           MeanAbsoluteErrorConfig options = {});
Tensor mean_absolute_percentage_error(const Tensor& y_true, const Tensor& y_pred,
                                      MeanAbsolutePercentageErrorConfig options = {});
Tensor mean_squared_error(const Tensor& y_true, const Tensor& y_pred,
                          MeanSquaredErrorConfig options = {});
Tensor mean_squared_logarithmic_error(const Tensor& y_true, const Tensor& y_pred,
                                      MeanSquaredLogarithmicErrorConfig options = {});
Tensor poisson(const Tensor& y_true, const Tensor& y_pred, PoissonConfig options = {});
Tensor sparse_categorical_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                                       SparseCategoricalCrossentropyConfig options = {});
Tensor squared_hinge(const Tensor& y_true, const Tensor& y_pred, SquaredHingeConfig options = {});
Tensor tversky(const Tensor& y_true, const Tensor& y_pred, TverskyConfig options = {});

/// The function that Keras calls `name` ("mean_squared_error", "mse", ...), with options by name.
/// Throws ValueError with a did-you-mean for another name, and for options that it does not have.
Tensor evaluate(const std::string& name, const Tensor& y_true, const Tensor& y_pred,
                const Value::Dict& options = {});

}  // namespace cornu::losses
