// Made by tools/coverage/generate.py: a line of use for each name of Keras, which is compiled
// and linked, not run.
// clang-format off
#include <cornu/cornu.h>

#include "arguments.h"

namespace cornu::test::coverage {

void keras_metrics_Metric() { class Mine : public metrics::Metric {}; }
void keras_metrics_binary_crossentropy() { (void)metrics::binary_crossentropy(y_true, y_pred); }
void keras_metrics_binary_focal_crossentropy() { (void)metrics::binary_focal_crossentropy(y_true, y_pred); }
void keras_metrics_categorical_crossentropy() { (void)metrics::categorical_crossentropy(y_true, y_pred); }
void keras_metrics_categorical_focal_crossentropy() { (void)metrics::categorical_focal_crossentropy(y_true, y_pred); }
void keras_metrics_categorical_hinge() { (void)metrics::categorical_hinge(y_true, y_pred); }
void keras_metrics_hinge() { (void)metrics::hinge(y_true, y_pred); }
void keras_metrics_huber() { (void)metrics::huber(y_true, y_pred); }
void keras_metrics_kl_divergence() { (void)metrics::kl_divergence(y_true, y_pred); }
void keras_metrics_log_cosh() { (void)metrics::log_cosh(y_true, y_pred); }
void keras_metrics_mean_absolute_error() { (void)metrics::mean_absolute_error(y_true, y_pred); }
void keras_metrics_mean_absolute_percentage_error() { (void)metrics::mean_absolute_percentage_error(y_true, y_pred); }
void keras_metrics_mean_squared_error() { (void)metrics::mean_squared_error(y_true, y_pred); }
void keras_metrics_mean_squared_logarithmic_error() { (void)metrics::mean_squared_logarithmic_error(y_true, y_pred); }
void keras_metrics_poisson() { (void)metrics::poisson(y_true, y_pred); }
void keras_metrics_sparse_categorical_crossentropy() { (void)metrics::sparse_categorical_crossentropy(y_true, y_pred); }
void keras_metrics_squared_hinge() { (void)metrics::squared_hinge(y_true, y_pred); }
void keras_metrics_AUC() { (void)metrics::AUC(); }
static_assert(in_order<metrics::AUC>({"num_thresholds", "curve", "summation_method", "name"}));
void keras_metrics_Accuracy() { (void)metrics::Accuracy(); }
static_assert(in_order<metrics::Accuracy>({"name", "dtype"}));
void keras_metrics_BinaryAccuracy() { (void)metrics::BinaryAccuracy(); }
static_assert(in_order<metrics::BinaryAccuracy>({"name", "dtype", "threshold"}));
void keras_metrics_BinaryCrossentropy() { (void)metrics::BinaryCrossentropy(); }
static_assert(in_order<metrics::BinaryCrossentropy>({"name", "dtype", "from_logits", "label_smoothing"}));
void keras_metrics_BinaryIoU() { (void)metrics::BinaryIoU(); }
static_assert(in_order<metrics::BinaryIoU>({"target_class_ids", "threshold", "name", "dtype"}));
void keras_metrics_CategoricalAccuracy() { (void)metrics::CategoricalAccuracy(); }
static_assert(in_order<metrics::CategoricalAccuracy>({"name", "dtype"}));
void keras_metrics_CategoricalCrossentropy() { (void)metrics::CategoricalCrossentropy(); }
static_assert(in_order<metrics::CategoricalCrossentropy>({"name", "dtype", "from_logits", "label_smoothing"}));
void keras_metrics_CategoricalHinge() { (void)metrics::CategoricalHinge(); }
static_assert(in_order<metrics::CategoricalHinge>({"name", "dtype"}));
void keras_metrics_ConcordanceCorrelation() { (void)metrics::ConcordanceCorrelation(); }
static_assert(in_order<metrics::ConcordanceCorrelation>({"name", "dtype", "axis"}));
void keras_metrics_CosineSimilarity() { (void)metrics::CosineSimilarity(); }
static_assert(in_order<metrics::CosineSimilarity>({"name", "dtype", "axis"}));
void keras_metrics_F1Score() { (void)metrics::F1Score(); }
static_assert(in_order<metrics::F1Score>({"average", "threshold", "name", "dtype"}));
void keras_metrics_FBetaScore() { (void)metrics::FBetaScore(); }
static_assert(in_order<metrics::FBetaScore>({"average", "beta", "threshold", "name"}));
void keras_metrics_FalseNegatives() { (void)metrics::FalseNegatives(); }
static_assert(in_order<metrics::FalseNegatives>({"thresholds", "name", "dtype"}));
void keras_metrics_FalsePositives() { (void)metrics::FalsePositives(); }
static_assert(in_order<metrics::FalsePositives>({"thresholds", "name", "dtype"}));
void keras_metrics_Hinge() { (void)metrics::Hinge(); }
static_assert(in_order<metrics::Hinge>({"name", "dtype"}));
void keras_metrics_IoU() { (void)metrics::IoU({.num_classes = 2, .target_class_ids = std::vector<int64_t>{0, 1}}); }
static_assert(in_order<metrics::IoU>({"num_classes", "target_class_ids", "name", "dtype"}));
void keras_metrics_KLDivergence() { (void)metrics::KLDivergence(); }
static_assert(in_order<metrics::KLDivergence>({"name", "dtype"}));
void keras_metrics_LogCoshError() { (void)metrics::LogCoshError(); }
static_assert(in_order<metrics::LogCoshError>({"name", "dtype"}));
void keras_metrics_Mean() { (void)metrics::Mean(); }
static_assert(in_order<metrics::Mean>({"name", "dtype"}));
void keras_metrics_MeanAbsoluteError() { (void)metrics::MeanAbsoluteError(); }
static_assert(in_order<metrics::MeanAbsoluteError>({"name", "dtype"}));
void keras_metrics_MeanAbsolutePercentageError() { (void)metrics::MeanAbsolutePercentageError(); }
static_assert(in_order<metrics::MeanAbsolutePercentageError>({"name", "dtype"}));
void keras_metrics_MeanIoU() { (void)metrics::MeanIoU({.num_classes = num_classes}); }
static_assert(in_order<metrics::MeanIoU>({"num_classes", "name", "dtype", "ignore_class"}));
void keras_metrics_MeanMetricWrapper() { (void)metrics::MeanMetricWrapper({.fn = [](const Tensor& y_true, const Tensor& y_pred) { return y_true - y_pred; }}); }
static_assert(in_order<metrics::MeanMetricWrapper>({"fn", "name", "dtype"}));
void keras_metrics_MeanSquaredError() { (void)metrics::MeanSquaredError(); }
static_assert(in_order<metrics::MeanSquaredError>({"name", "dtype"}));
void keras_metrics_MeanSquaredLogarithmicError() { (void)metrics::MeanSquaredLogarithmicError(); }
static_assert(in_order<metrics::MeanSquaredLogarithmicError>({"name", "dtype"}));
void keras_metrics_OneHotIoU() { (void)metrics::OneHotIoU({.num_classes = 2, .target_class_ids = std::vector<int64_t>{0, 1}}); }
static_assert(in_order<metrics::OneHotIoU>({"num_classes", "target_class_ids", "name", "dtype"}));
void keras_metrics_OneHotMeanIoU() { (void)metrics::OneHotMeanIoU({.num_classes = num_classes}); }
static_assert(in_order<metrics::OneHotMeanIoU>({"num_classes", "name", "dtype", "ignore_class"}));
void keras_metrics_PearsonCorrelation() { (void)metrics::PearsonCorrelation(); }
static_assert(in_order<metrics::PearsonCorrelation>({"name", "dtype", "axis"}));
void keras_metrics_Poisson() { (void)metrics::Poisson(); }
static_assert(in_order<metrics::Poisson>({"name", "dtype"}));
void keras_metrics_Precision() { (void)metrics::Precision(); }
static_assert(in_order<metrics::Precision>({"thresholds", "top_k", "class_id", "name"}));
void keras_metrics_PrecisionAtRecall() { (void)metrics::PrecisionAtRecall({.recall = recall}); }
static_assert(in_order<metrics::PrecisionAtRecall>({"recall", "num_thresholds", "class_id", "name"}));
void keras_metrics_R2Score() { (void)metrics::R2Score(); }
static_assert(in_order<metrics::R2Score>({"class_aggregation", "num_regressors", "name", "dtype"}));
void keras_metrics_Recall() { (void)metrics::Recall(); }
static_assert(in_order<metrics::Recall>({"thresholds", "top_k", "class_id", "name"}));
void keras_metrics_RecallAtPrecision() { (void)metrics::RecallAtPrecision({.precision = precision}); }
static_assert(in_order<metrics::RecallAtPrecision>({"precision", "num_thresholds", "class_id", "name"}));
void keras_metrics_RootMeanSquaredError() { (void)metrics::RootMeanSquaredError(); }
static_assert(in_order<metrics::RootMeanSquaredError>({"name", "dtype"}));
void keras_metrics_SensitivityAtSpecificity() { (void)metrics::SensitivityAtSpecificity({.specificity = specificity}); }
static_assert(in_order<metrics::SensitivityAtSpecificity>({"specificity", "num_thresholds", "class_id", "name"}));
void keras_metrics_SparseCategoricalAccuracy() { (void)metrics::SparseCategoricalAccuracy(); }
static_assert(in_order<metrics::SparseCategoricalAccuracy>({"name", "dtype"}));
void keras_metrics_SparseCategoricalCrossentropy() { (void)metrics::SparseCategoricalCrossentropy(); }
static_assert(in_order<metrics::SparseCategoricalCrossentropy>({"name", "dtype", "from_logits", "ignore_class"}));
void keras_metrics_SparseTopKCategoricalAccuracy() { (void)metrics::SparseTopKCategoricalAccuracy(); }
static_assert(in_order<metrics::SparseTopKCategoricalAccuracy>({"k", "name", "dtype", "from_sorted_ids"}));
void keras_metrics_SpecificityAtSensitivity() { (void)metrics::SpecificityAtSensitivity({.sensitivity = sensitivity}); }
static_assert(in_order<metrics::SpecificityAtSensitivity>({"sensitivity", "num_thresholds", "class_id", "name"}));
void keras_metrics_SquaredHinge() { (void)metrics::SquaredHinge(); }
static_assert(in_order<metrics::SquaredHinge>({"name", "dtype"}));
void keras_metrics_Sum() { (void)metrics::Sum(); }
static_assert(in_order<metrics::Sum>({"name", "dtype"}));
void keras_metrics_TopKCategoricalAccuracy() { (void)metrics::TopKCategoricalAccuracy(); }
static_assert(in_order<metrics::TopKCategoricalAccuracy>({"k", "name", "dtype"}));
void keras_metrics_TrueNegatives() { (void)metrics::TrueNegatives(); }
static_assert(in_order<metrics::TrueNegatives>({"thresholds", "name", "dtype"}));
void keras_metrics_TruePositives() { (void)metrics::TruePositives(); }
static_assert(in_order<metrics::TruePositives>({"thresholds", "name", "dtype"}));
void keras_metrics_binary_accuracy() { (void)metrics::binary_accuracy(y_true, y_pred); }
void keras_metrics_categorical_accuracy() { (void)metrics::categorical_accuracy(y_true, y_pred); }
void keras_metrics_concordance_correlation() { (void)metrics::concordance_correlation(y_true, y_pred); }
void keras_metrics_deserialize() { (void)metrics::deserialize(config); }
void keras_metrics_get() { (void)metrics::get("accuracy"); }
void keras_metrics_pearson_correlation() { (void)metrics::pearson_correlation(y_true, y_pred); }
void keras_metrics_serialize() { (void)metrics::serialize(*metrics::Accuracy()); }
void keras_metrics_sparse_categorical_accuracy() { (void)metrics::sparse_categorical_accuracy(y_true, y_pred); }
void keras_metrics_sparse_top_k_categorical_accuracy() { (void)metrics::sparse_top_k_categorical_accuracy(y_true, y_pred); }
void keras_metrics_top_k_categorical_accuracy() { (void)metrics::top_k_categorical_accuracy(y_true, y_pred); }

}  // namespace cornu::test::coverage
