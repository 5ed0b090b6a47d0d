// Functions by way of the classes.
#include "functions.h"

#include <fmt/core.h>

namespace cornu::losses {
namespace {

DType value_type(const Tensor& y_pred) {
  return is_float(y_pred.dtype()) ? y_pred.dtype() : DType::float32;
}

template <class L>
Tensor values(typename L::Config options, const Tensor& y_true, const Tensor& y_pred) {
  if (!options.dtype) options.dtype = value_type(y_pred);
  L loss(std::move(options));
  return static_cast<Loss&>(loss).values(y_true, y_pred);
}

}  // namespace

Tensor binary_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                           BinaryCrossentropyConfig options) {
  return values<BinaryCrossentropyLoss>(std::move(options), y_true, y_pred);
}

Tensor binary_focal_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                                 BinaryFocalCrossentropyConfig options) {
  return values<BinaryFocalCrossentropyLoss>(std::move(options), y_true, y_pred);
}

Tensor categorical_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                                CategoricalCrossentropyConfig options) {
  return values<CategoricalCrossentropyLoss>(std::move(options), y_true, y_pred);
}

Tensor categorical_focal_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                                      CategoricalFocalCrossentropyConfig options) {
  return values<CategoricalFocalCrossentropyLoss>(std::move(options), y_true, y_pred);
}

Tensor categorical_generalized_cross_entropy(const Tensor& y_true, const Tensor& y_pred,
                                             CategoricalGeneralizedCrossEntropyConfig options) {
  return values<CategoricalGeneralizedCrossEntropyLoss>(std::move(options), y_true, y_pred);
}

Tensor categorical_hinge(const Tensor& y_true, const Tensor& y_pred,
                         CategoricalHingeConfig options) {
  return values<CategoricalHingeLoss>(std::move(options), y_true, y_pred);
}

Tensor cosine_similarity(const Tensor& y_true, const Tensor& y_pred,
                         CosineSimilarityConfig options) {
  return values<CosineSimilarityLoss>(std::move(options), y_true, y_pred);
}

Tensor ctc(const Tensor& y_true, const Tensor& y_pred, CTCConfig options) {
  return values<CTCLoss>(std::move(options), y_true, y_pred);
}

Tensor dice(const Tensor& y_true, const Tensor& y_pred, DiceConfig options) {
  return values<DiceLoss>(std::move(options), y_true, y_pred);
}

Tensor hinge(const Tensor& y_true, const Tensor& y_pred, HingeConfig options) {
  return values<HingeLoss>(std::move(options), y_true, y_pred);
}

Tensor huber(const Tensor& y_true, const Tensor& y_pred, HuberConfig options) {
  return values<HuberLoss>(std::move(options), y_true, y_pred);
}

Tensor kl_divergence(const Tensor& y_true, const Tensor& y_pred, KLDivergenceConfig options) {
  return values<KLDivergenceLoss>(std::move(options), y_true, y_pred);
}

Tensor log_cosh(const Tensor& y_true, const Tensor& y_pred, LogCoshConfig options) {
  return values<LogCoshLoss>(std::move(options), y_true, y_pred);
}

Tensor mean_absolute_error(const Tensor& y_true, const Tensor& y_pred,
                           MeanAbsoluteErrorConfig options) {
  return values<MeanAbsoluteErrorLoss>(std::move(options), y_true, y_pred);
}

Tensor mean_absolute_percentage_error(const Tensor& y_true, const Tensor& y_pred,
                                      MeanAbsolutePercentageErrorConfig options) {
  return values<MeanAbsolutePercentageErrorLoss>(std::move(options), y_true, y_pred);
}

Tensor mean_squared_error(const Tensor& y_true, const Tensor& y_pred,
                          MeanSquaredErrorConfig options) {
  return values<MeanSquaredErrorLoss>(std::move(options), y_true, y_pred);
}

Tensor mean_squared_logarithmic_error(const Tensor& y_true, const Tensor& y_pred,
                                      MeanSquaredLogarithmicErrorConfig options) {
  return values<MeanSquaredLogarithmicErrorLoss>(std::move(options), y_true, y_pred);
}

Tensor poisson(const Tensor& y_true, const Tensor& y_pred, PoissonConfig options) {
  return values<PoissonLoss>(std::move(options), y_true, y_pred);
}

Tensor sparse_categorical_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                                       SparseCategoricalCrossentropyConfig options) {
  return values<SparseCategoricalCrossentropyLoss>(std::move(options), y_true, y_pred);
}

Tensor squared_hinge(const Tensor& y_true, const Tensor& y_pred, SquaredHingeConfig options) {
  return values<SquaredHingeLoss>(std::move(options), y_true, y_pred);
}

Tensor tversky(const Tensor& y_true, const Tensor& y_pred, TverskyConfig options) {
  return values<TverskyLoss>(std::move(options), y_true, y_pred);
}

Tensor evaluate(const std::string& name, const Tensor& y_true, const Tensor& y_pred,
                const Value::Dict& options) {
  const ClassInfo* info = catalog().find_by_name(Loss::module, name);
  if (!info)
    throw ValueError(fmt::format("There is no loss function '{}'.{}", name,
                                 did_you_mean(name, catalog().names(Loss::module))));
  Value::Dict config = options;
  if (!cornu::detail::find(config, "dtype")) config.emplace_back("dtype", value_type(y_pred));
  const auto loss = std::dynamic_pointer_cast<Loss>(info->make(config));
  return loss->values(y_true, y_pred);
}

}  // namespace cornu::losses
