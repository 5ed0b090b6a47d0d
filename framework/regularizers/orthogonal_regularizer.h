// OrthogonalRegularizer: a penalty on rows or columns that are not orthogonal.
#pragma once
#include "weighted_sums.h"

namespace cornu::regularizers {

/// Options of OrthogonalRegularizer, as in Keras.
struct OrthogonalRegularizerConfig {
  double factor = 0.01;       ///< of the penalty, at least 0
  std::string mode = "rows";  ///< or "columns": which are to be orthogonal
  /// The options that may be given by their places: `OrthogonalRegularizer(0.1, "columns")`.
  static OrthogonalRegularizerConfig positional(double factor, const std::string& mode = "rows") {
    return {.factor = factor, .mode = mode};
  }
};

/// factor times the mean |cosine| between different rows (or columns, with mode "columns") of a
/// matrix. Throws ValueError for another mode, ShapeError for other ranks than 2.
class OrthogonalPenalty
    : public Configured<OrthogonalPenalty, OrthogonalRegularizerConfig, Regularizer> {
 public:
  /// Throws ValueError for another mode, or a factor that is negative or not finite.
  explicit OrthogonalPenalty(OrthogonalRegularizerConfig c);
  Tensor operator()(const Tensor& x) override;
  /// As Keras, with the factor rounded to float32.
  Value::Dict get_config() const override;
};

using OrthogonalRegularizer =
    Ref<OrthogonalPenalty>;  ///< a shared OrthogonalPenalty, made from its options
using orthogonal_regularizer = OrthogonalRegularizer;  ///< by its other name

}  // namespace cornu::regularizers

namespace cornu {
extern template class Configured<regularizers::OrthogonalPenalty,
                                 regularizers::OrthogonalRegularizerConfig, Regularizer>;
}
