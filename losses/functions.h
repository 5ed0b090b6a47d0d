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
// unless `dtype` is given. Those of Keras's functions may stand without names too, in its order:
// binary_crossentropy(y_true, y_pred, true, 0.1). `circle` is in circle.h.

namespace detail {
/// A number, of which options in braces are none, whatever their names.
template <class T>
concept Real = std::is_arithmetic_v<T> && !std::same_as<T, bool>;
}  // namespace detail

/// BinaryCrossentropy of each sample: the shape of y_pred without `axis`.
Tensor binary_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                           BinaryCrossentropyConfig options = {});
/// The same in Keras's order.
template <std::same_as<bool> B>
Tensor binary_crossentropy(const Tensor& y_true, const Tensor& y_pred, B from_logits,
                           double label_smoothing = 0, int64_t axis = -1) {
  return binary_crossentropy(y_true, y_pred,
                             BinaryCrossentropyConfig{from_logits, label_smoothing, axis});
}
/// BinaryFocalCrossentropy of each sample: the shape of y_pred without `axis`.
Tensor binary_focal_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                                 BinaryFocalCrossentropyConfig options = {});
/// The same in Keras's order.
template <std::same_as<bool> B>
Tensor binary_focal_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                                 B apply_class_balancing, double alpha = 0.25, double gamma = 2,
                                 bool from_logits = false, double label_smoothing = 0,
                                 int64_t axis = -1) {
  return binary_focal_crossentropy(
      y_true, y_pred,
      BinaryFocalCrossentropyConfig{apply_class_balancing, alpha, gamma, from_logits,
                                    label_smoothing, axis});
}
/// CategoricalCrossentropy of each sample: the shape of y_pred without the classes.
Tensor categorical_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                                CategoricalCrossentropyConfig options = {});
/// The same in Keras's order.
template <std::same_as<bool> B>
Tensor categorical_crossentropy(const Tensor& y_true, const Tensor& y_pred, B from_logits,
                                double label_smoothing = 0, int64_t axis = -1) {
  return categorical_crossentropy(
      y_true, y_pred, CategoricalCrossentropyConfig{from_logits, label_smoothing, axis});
}
/// CategoricalFocalCrossentropy of each sample: the shape of y_pred without the classes.
Tensor categorical_focal_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                                      CategoricalFocalCrossentropyConfig options = {});
/// The same in Keras's order; `alpha` is a number or a list of them.
template <class A>
requires(detail::Real<A> || std::same_as<A, std::vector<double>>) Tensor
    categorical_focal_crossentropy(const Tensor& y_true, const Tensor& y_pred, const A& alpha,
                                   double gamma = 2, bool from_logits = false,
                                   double label_smoothing = 0, int64_t axis = -1) {
  return categorical_focal_crossentropy(
      y_true, y_pred,
      CategoricalFocalCrossentropyConfig{alpha, gamma, from_logits, label_smoothing, axis});
}
/// CategoricalGeneralizedCrossEntropy of each sample: the shape of y_pred without the classes.
Tensor categorical_generalized_cross_entropy(const Tensor& y_true, const Tensor& y_pred,
                                             CategoricalGeneralizedCrossEntropyConfig options = {});
/// The same in Keras's order.
template <detail::Real Q>
Tensor categorical_generalized_cross_entropy(const Tensor& y_true, const Tensor& y_pred, Q q) {
  return categorical_generalized_cross_entropy(
      y_true, y_pred, CategoricalGeneralizedCrossEntropyConfig{static_cast<double>(q)});
}
/// CategoricalHinge of each sample: the shape of y_pred without its last axis, the classes.
Tensor categorical_hinge(const Tensor& y_true, const Tensor& y_pred,
                         CategoricalHingeConfig options = {});
/// CosineSimilarity of each pair of vectors: the shape of y_pred without `axis`.
Tensor cosine_similarity(const Tensor& y_true, const Tensor& y_pred,
                         CosineSimilarityConfig options = {});
/// The same in Keras's order.
template <WholeNumber T>
Tensor cosine_similarity(const Tensor& y_true, const Tensor& y_pred, T axis) {
  return cosine_similarity(y_true, y_pred, CosineSimilarityConfig{static_cast<int64_t>(axis)});
}
/// CTC of each sequence: (batch).
Tensor ctc(const Tensor& y_true, const Tensor& y_pred, CTCConfig options = {});
/// Dice of each region: the shape of y_pred without `axis`; a scalar by default.
Tensor dice(const Tensor& y_true, const Tensor& y_pred, DiceConfig options = {});
/// The same in Keras's order: one axis, a list of them, or std::nullopt for all.
template <std::convertible_to<RegionAxes> A>
requires(!std::convertible_to<A, DiceConfig>) Tensor
    dice(const Tensor& y_true, const Tensor& y_pred, const A& axis) {
  return dice(y_true, y_pred, DiceConfig{.axis = axis});
}
/// Hinge of each sample: the shape of y_pred without its last axis.
Tensor hinge(const Tensor& y_true, const Tensor& y_pred, HingeConfig options = {});
/// Huber of each sample: the shape of y_pred without its last axis.
Tensor huber(const Tensor& y_true, const Tensor& y_pred, HuberConfig options = {});
/// The same in Keras's order.
template <detail::Real T>
Tensor huber(const Tensor& y_true, const Tensor& y_pred, T delta) {
  return huber(y_true, y_pred, HuberConfig{static_cast<double>(delta)});
}
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
/// The same in Keras's order.
template <std::same_as<bool> B>
Tensor sparse_categorical_crossentropy(const Tensor& y_true, const Tensor& y_pred, B from_logits,
                                       std::optional<int64_t> ignore_class = {},
                                       int64_t axis = -1) {
  return sparse_categorical_crossentropy(
      y_true, y_pred,
      SparseCategoricalCrossentropyConfig{
          .from_logits = from_logits, .ignore_class = ignore_class, .axis = axis});
}
/// SquaredHinge of each sample: the shape of y_pred without its last axis.
Tensor squared_hinge(const Tensor& y_true, const Tensor& y_pred, SquaredHingeConfig options = {});
/// Tversky of each region: the shape of y_pred without `axis`; a scalar by default.
Tensor tversky(const Tensor& y_true, const Tensor& y_pred, TverskyConfig options = {});
/// The same in Keras's order.
template <detail::Real T>
Tensor tversky(const Tensor& y_true, const Tensor& y_pred, T alpha, double beta = 0.5,
               const RegionAxes& axis = {}) {
  return tversky(y_true, y_pred,
                 TverskyConfig{.alpha = static_cast<double>(alpha), .beta = beta, .axis = axis});
}

/// @{
/// The name of the function, by which compile takes it: `.loss = losses::mean_squared_error` is
/// `.loss = "mean_squared_error"`.
inline const char* binary_crossentropy(FunctionName) { return "binary_crossentropy"; }
inline const char* binary_focal_crossentropy(FunctionName) { return "binary_focal_crossentropy"; }
inline const char* categorical_crossentropy(FunctionName) { return "categorical_crossentropy"; }
inline const char* categorical_focal_crossentropy(FunctionName) {
  return "categorical_focal_crossentropy";
}
inline const char* categorical_generalized_cross_entropy(FunctionName) {
  return "categorical_generalized_cross_entropy";
}
inline const char* categorical_hinge(FunctionName) { return "categorical_hinge"; }
inline const char* cosine_similarity(FunctionName) { return "cosine_similarity"; }
inline const char* ctc(FunctionName) { return "ctc"; }
inline const char* dice(FunctionName) { return "dice"; }
inline const char* hinge(FunctionName) { return "hinge"; }
inline const char* huber(FunctionName) { return "huber"; }
inline const char* kl_divergence(FunctionName) { return "kl_divergence"; }
inline const char* log_cosh(FunctionName) { return "log_cosh"; }
inline const char* mean_absolute_error(FunctionName) { return "mean_absolute_error"; }
inline const char* mean_absolute_percentage_error(FunctionName) {
  return "mean_absolute_percentage_error";
}
inline const char* mean_squared_error(FunctionName) { return "mean_squared_error"; }
inline const char* mean_squared_logarithmic_error(FunctionName) {
  return "mean_squared_logarithmic_error";
}
inline const char* poisson(FunctionName) { return "poisson"; }
inline const char* sparse_categorical_crossentropy(FunctionName) {
  return "sparse_categorical_crossentropy";
}
inline const char* squared_hinge(FunctionName) { return "squared_hinge"; }
inline const char* tversky(FunctionName) { return "tversky"; }
/// @}

/// The function that Keras calls `name` ("mean_squared_error", "mse", ...), with options by name.
/// Throws ValueError with a did-you-mean for another name, and for options that it does not have.
Tensor evaluate(const std::string& name, const Tensor& y_true, const Tensor& y_pred,
                const Value::Dict& options = {});

}  // namespace cornu::losses
