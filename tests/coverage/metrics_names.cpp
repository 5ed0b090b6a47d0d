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
void keras_metrics_Accuracy() { (void)metrics::Accuracy(); }
void keras_metrics_BinaryAccuracy() { (void)metrics::BinaryAccuracy(); }
void keras_metrics_BinaryCrossentropy() { (void)metrics::BinaryCrossentropy(); }
void keras_metrics_BinaryIoU() { (void)metrics::BinaryIoU(); }
void keras_metrics_CategoricalAccuracy() { (void)metrics::CategoricalAccuracy(); }
void keras_metrics_CategoricalCrossentropy() { (void)metrics::CategoricalCrossentropy(); }
void keras_metrics_CategoricalHinge() { (void)metrics::CategoricalHinge(); }
void keras_metrics_ConcordanceCorrelation() { (void)metrics::ConcordanceCorrelation(); }
void keras_metrics_CosineSimilarity() { (void)metrics::CosineSimilarity(); }
void keras_metrics_F1Score() { (void)metrics::F1Score(); }
void keras_metrics_FBetaScore() { (void)metrics::FBetaScore(); }
void keras_metrics_FalseNegatives() { (void)metrics::FalseNegatives(); }
void keras_metrics_FalsePositives() { (void)metrics::FalsePositives(); }
void keras_metrics_Hinge() { (void)metrics::Hinge(); }
void keras_metrics_IoU() { (void)metrics::IoU({.num_classes = 2, .target_class_ids = std::vector<int64_t>{0, 1}}); }
void keras_metrics_KLDivergence() { (void)metrics::KLDivergence(); }
void keras_metrics_LogCoshError() { (void)metrics::LogCoshError(); }
void keras_metrics_Mean() { (void)metrics::Mean(); }
void keras_metrics_MeanAbsoluteError() { (void)metrics::MeanAbsoluteError(); }
void keras_metrics_MeanAbsolutePercentageError() { (void)metrics::MeanAbsolutePercentageError(); }
void keras_metrics_MeanIoU() { (void)metrics::MeanIoU({.num_classes = num_classes}); }
void keras_metrics_MeanMetricWrapper() { (void)metrics::MeanMetricWrapper({.fn = [](const Tensor& y_true, const Tensor& y_pred) { return y_true - y_pred; }}); }
void keras_metrics_MeanSquaredError() { (void)metrics::MeanSquaredError(); }
void keras_metrics_MeanSquaredLogarithmicError() { (void)metrics::MeanSquaredLogarithmicError(); }
void keras_metrics_OneHotIoU() { (void)metrics::OneHotIoU({.num_classes = 2, .target_class_ids = std::vector<int64_t>{0, 1}}); }
void keras_metrics_OneHotMeanIoU() { (void)metrics::OneHotMeanIoU({.num_classes = num_classes}); }
void keras_metrics_PearsonCorrelation() { (void)metrics::PearsonCorrelation(); }
void keras_metrics_Poisson() { (void)metrics::Poisson(); }
void keras_metrics_Precision() { (void)metrics::Precision(); }
void keras_metrics_PrecisionAtRecall() { (void)metrics::PrecisionAtRecall({.recall = recall}); }
void keras_metrics_R2Score() { (void)metrics::R2Score(); }
void keras_metrics_Recall() { (void)metrics::Recall(); }
void keras_metrics_RecallAtPrecision() { (void)metrics::RecallAtPrecision({.precision = precision}); }
void keras_metrics_RootMeanSquaredError() { (void)metrics::RootMeanSquaredError(); }
void keras_metrics_SensitivityAtSpecificity() { (void)metrics::SensitivityAtSpecificity({.specificity = specificity}); }
void keras_metrics_SparseCategoricalAccuracy() { (void)metrics::SparseCategoricalAccuracy(); }
void keras_metrics_SparseCategoricalCrossentropy() { (void)metrics::SparseCategoricalCrossentropy(); }
void keras_metrics_SparseTopKCategoricalAccuracy() { (void)metrics::SparseTopKCategoricalAccuracy(); }
void keras_metrics_SpecificityAtSensitivity() { (void)metrics::SpecificityAtSensitivity({.sensitivity = sensitivity}); }
void keras_metrics_SquaredHinge() { (void)metrics::SquaredHinge(); }
void keras_metrics_Sum() { (void)metrics::Sum(); }
void keras_metrics_TopKCategoricalAccuracy() { (void)metrics::TopKCategoricalAccuracy(); }
void keras_metrics_TrueNegatives() { (void)metrics::TrueNegatives(); }
void keras_metrics_TruePositives() { (void)metrics::TruePositives(); }
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
