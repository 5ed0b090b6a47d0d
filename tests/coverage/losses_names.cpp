// Made by tools/coverage/generate.py: a line of use for each name of Keras, which is compiled
// and linked, not run.
// clang-format off
#include <cornu/cornu.h>

#include "arguments.h"

namespace cornu::test::coverage {

void keras_losses_Loss() { class Mine : public losses::Loss {}; }
void keras_losses_BinaryCrossentropy() { (void)losses::BinaryCrossentropy(); }
static_assert(in_order<losses::BinaryCrossentropy>({"from_logits", "label_smoothing", "axis", "reduction"}));
void keras_losses_BinaryFocalCrossentropy() { (void)losses::BinaryFocalCrossentropy(); }
static_assert(in_order<losses::BinaryFocalCrossentropy>({"apply_class_balancing", "alpha", "gamma", "from_logits"}));
void keras_losses_CTC() { (void)losses::CTC(); }
static_assert(in_order<losses::CTC>({"reduction", "name", "dtype"}));
void keras_losses_CategoricalCrossentropy() { (void)losses::CategoricalCrossentropy(); }
static_assert(in_order<losses::CategoricalCrossentropy>({"from_logits", "label_smoothing", "axis", "reduction"}));
void keras_losses_CategoricalFocalCrossentropy() { (void)losses::CategoricalFocalCrossentropy(); }
static_assert(in_order<losses::CategoricalFocalCrossentropy>({"alpha", "gamma", "from_logits", "label_smoothing"}));
void keras_losses_CategoricalGeneralizedCrossEntropy() { (void)losses::CategoricalGeneralizedCrossEntropy(); }
static_assert(in_order<losses::CategoricalGeneralizedCrossEntropy>({"q", "reduction", "name", "dtype"}));
void keras_losses_CategoricalHinge() { (void)losses::CategoricalHinge(); }
static_assert(in_order<losses::CategoricalHinge>({"reduction", "name", "dtype"}));
void keras_losses_Circle() { (void)losses::Circle(); }
static_assert(in_order<losses::Circle>({"gamma", "margin", "remove_diagonal", "reduction"}));
void keras_losses_CosineSimilarity() { (void)losses::CosineSimilarity(); }
static_assert(in_order<losses::CosineSimilarity>({"axis", "reduction", "name", "dtype"}));
void keras_losses_Dice() { (void)losses::Dice(); }
static_assert(in_order<losses::Dice>({"reduction", "name", "axis", "dtype"}));
void keras_losses_Hinge() { (void)losses::Hinge(); }
static_assert(in_order<losses::Hinge>({"reduction", "name", "dtype"}));
void keras_losses_Huber() { (void)losses::Huber(); }
static_assert(in_order<losses::Huber>({"delta", "reduction", "name", "dtype"}));
void keras_losses_KLDivergence() { (void)losses::KLDivergence(); }
static_assert(in_order<losses::KLDivergence>({"reduction", "name", "dtype"}));
void keras_losses_LogCosh() { (void)losses::LogCosh(); }
static_assert(in_order<losses::LogCosh>({"reduction", "name", "dtype"}));
void keras_losses_MeanAbsoluteError() { (void)losses::MeanAbsoluteError(); }
static_assert(in_order<losses::MeanAbsoluteError>({"reduction", "name", "dtype"}));
void keras_losses_MeanAbsolutePercentageError() { (void)losses::MeanAbsolutePercentageError(); }
static_assert(in_order<losses::MeanAbsolutePercentageError>({"reduction", "name", "dtype"}));
void keras_losses_MeanSquaredError() { (void)losses::MeanSquaredError(); }
static_assert(in_order<losses::MeanSquaredError>({"reduction", "name", "dtype"}));
void keras_losses_MeanSquaredLogarithmicError() { (void)losses::MeanSquaredLogarithmicError(); }
static_assert(in_order<losses::MeanSquaredLogarithmicError>({"reduction", "name", "dtype"}));
void keras_losses_Poisson() { (void)losses::Poisson(); }
static_assert(in_order<losses::Poisson>({"reduction", "name", "dtype"}));
void keras_losses_SparseCategoricalCrossentropy() { (void)losses::SparseCategoricalCrossentropy(); }
static_assert(in_order<losses::SparseCategoricalCrossentropy>({"from_logits", "ignore_class", "reduction", "axis"}));
void keras_losses_SquaredHinge() { (void)losses::SquaredHinge(); }
static_assert(in_order<losses::SquaredHinge>({"reduction", "name", "dtype"}));
void keras_losses_Tversky() { (void)losses::Tversky(); }
static_assert(in_order<losses::Tversky>({"alpha", "beta", "reduction", "name"}));
void keras_losses_binary_crossentropy() { (void)losses::binary_crossentropy(y_true, y_pred); }
void keras_losses_binary_focal_crossentropy() { (void)losses::binary_focal_crossentropy(y_true, y_pred); }
void keras_losses_categorical_crossentropy() { (void)losses::categorical_crossentropy(y_true, y_pred); }
void keras_losses_categorical_focal_crossentropy() { (void)losses::categorical_focal_crossentropy(y_true, y_pred); }
void keras_losses_categorical_generalized_cross_entropy() { (void)losses::categorical_generalized_cross_entropy(y_true, y_pred, {.q = q}); }
void keras_losses_categorical_hinge() { (void)losses::categorical_hinge(y_true, y_pred); }
void keras_losses_circle() { (void)losses::circle(y_true, y_pred); }
void keras_losses_cosine_similarity() { (void)losses::cosine_similarity(y_true, y_pred); }
void keras_losses_ctc() { (void)losses::ctc(y_true, y_pred); }
void keras_losses_deserialize() { (void)losses::deserialize(name); }
void keras_losses_dice() { (void)losses::dice(y_true, y_pred); }
void keras_losses_get() { (void)losses::get("mse"); }
void keras_losses_hinge() { (void)losses::hinge(y_true, y_pred); }
void keras_losses_huber() { (void)losses::huber(y_true, y_pred); }
void keras_losses_kl_divergence() { (void)losses::kl_divergence(y_true, y_pred); }
void keras_losses_log_cosh() { (void)losses::log_cosh(y_true, y_pred); }
void keras_losses_mean_absolute_error() { (void)losses::mean_absolute_error(y_true, y_pred); }
void keras_losses_mean_absolute_percentage_error() { (void)losses::mean_absolute_percentage_error(y_true, y_pred); }
void keras_losses_mean_squared_error() { (void)losses::mean_squared_error(y_true, y_pred); }
void keras_losses_mean_squared_logarithmic_error() { (void)losses::mean_squared_logarithmic_error(y_true, y_pred); }
void keras_losses_poisson() { (void)losses::poisson(y_true, y_pred); }
void keras_losses_serialize() { (void)losses::serialize(*losses::MeanSquaredError()); }
void keras_losses_sparse_categorical_crossentropy() { (void)losses::sparse_categorical_crossentropy(y_true, y_pred); }
void keras_losses_squared_hinge() { (void)losses::squared_hinge(y_true, y_pred); }
void keras_losses_tversky() { (void)losses::tversky(y_true, y_pred); }

}  // namespace cornu::test::coverage
