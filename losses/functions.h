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

/// BinaryCrossentropy of each sample: the shape of y_pred without `axis`.
Tensor binary_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                           BinaryCrossentropyConfig options = {});
/// BinaryFocalCrossentropy of each sample: the shape of y_pred without `axis`.
Tensor binary_focal_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                                 BinaryFocalCrossentropyConfig options = {});
/// CategoricalCrossentropy of each sample: the shape of y_pred without the classes.
Tensor categorical_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                                CategoricalCrossentropyConfig options = {});
/// CategoricalFocalCrossentropy of each sample: the shape of y_pred without the classes.
Tensor categorical_focal_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                                      CategoricalFocalCrossentropyConfig options = {});
/// CategoricalGeneralizedCrossEntropy of each sample: the shape of y_pred without the classes.
Tensor categorical_generalized_cross_entropy(const Tensor& y_true, const Tensor& y_pred,
                                             CategoricalGeneralizedCrossEntropyConfig options = {});
/// CategoricalHinge of each sample: the shape of y_pred without its last axis, the classes.
Tensor categorical_hinge(const Tensor& y_true, const Tensor& y_pred,
                         CategoricalHingeConfig options = {});
/// CosineSimilarity of each pair of vectors: the shape of y_pred without `axis`.
Tensor cosine_similarity(const Tensor& y_true, const Tensor& y_pred,
                         CosineSimilarityConfig options = {});
/// CTC of each sequence: (batch).
Tensor ctc(const Tensor& y_true, const Tensor& y_pred, CTCConfig options = {});
/// Dice of each region: the shape of y_pred without `axis`; a scalar by default.
Tensor dice(const Tensor& y_true, const Tensor& y_pred, DiceConfig options = {});
/// Hinge of each sample: the shape of y_pred without its last axis.
Tensor hinge(const Tensor& y_true, const Tensor& y_pred, HingeConfig options = {});
/// Huber of each sample: the shape of y_pred without its last axis.
Tensor huber(const Tensor& y_true, const Tensor& y_pred, HuberConfig options = {});
/// KLDivergence of each sample: the shape of y_pred without its last axis.
Tensor kl_divergence(const Tensor& y_true, const Tensor& y_pred, KLDivergenceConfig options = {});
/// LogCosh of each sample: the shape of y_pred without its last axis.
Tensor log_cosh(const Tensor& y_true, const Tensor& y_pred, LogCoshConfig options = {});
/// MeanAbsoluteError of each sample: the shape of y_pred without its last axis.
Tensor mean_absolute_error(const Tensor& y_true, const Tensor& y_pred,
                           MeanAbsoluteErrorConfig options = {});
/// MeanAbsolutePercentageError of each sample: the shape of y_pred without its last axis.
Tensor mean_absolute_percentage_error(const Tensor& y_true, const Tensor& y_pred,
                                      MeanAbsolutePercentageErrorConfig options = {});
/// MeanSquaredError of each sample: the shape of y_pred without its last axis.
Tensor mean_squared_error(const Tensor& y_true, const Tensor& y_pred,
                          MeanSquaredErrorConfig options = {});
/// MeanSquaredLogarithmicError of each sample: the shape of y_pred without its last axis.
Tensor mean_squared_logarithmic_error(const Tensor& y_true, const Tensor& y_pred,
                                      MeanSquaredLogarithmicErrorConfig options = {});
/// Poisson of each sample: the shape of y_pred without its last axis.
Tensor poisson(const Tensor& y_true, const Tensor& y_pred, PoissonConfig options = {});
/// SparseCategoricalCrossentropy of each sample: the shape of y_pred without the classes. With
/// ignore_class the mask leaves out the samples of that class.
Tensor sparse_categorical_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                                       SparseCategoricalCrossentropyConfig options = {});
/// SquaredHinge of each sample: the shape of y_pred without its last axis.
Tensor squared_hinge(const Tensor& y_true, const Tensor& y_pred, SquaredHingeConfig options = {});
/// Tversky of each region: the shape of y_pred without `axis`; a scalar by default.
Tensor tversky(const Tensor& y_true, const Tensor& y_pred, TverskyConfig options = {});

/// The function that Keras calls `name` ("mean_squared_error", "mse", ...), with options by name.
/// Throws ValueError with a did-you-mean for another name, and for options that it does not have.
Tensor evaluate(const std::string& name, const Tensor& y_true, const Tensor& y_pred,
                const Value::Dict& options = {});

}  // namespace cornu::losses
