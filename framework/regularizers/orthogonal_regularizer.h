// OrthogonalRegularizer: a penalty on rows or columns that are not orthogonal.
#pragma once
#include "weighted_sums.h"

namespace cornu::regularizers {

struct OrthogonalRegularizerConfig {
  double factor = 0.01;
  std::string mode = "rows";
};

/// factor times the mean |cosine| between different rows (or columns, with mode "columns") of a
/// matrix. Throws ValueError for another mode, ShapeError for other ranks than 2.
class OrthogonalPenalty
    : public Configured<OrthogonalPenalty, OrthogonalRegularizerConfig, Regularizer> {
 public:
  explicit OrthogonalPenalty(OrthogonalRegularizerConfig c);
  Tensor operator()(const Tensor& x) override;
  /// As Keras, with the factor rounded to float32.
  Value::Dict get_config() const override;
};

using OrthogonalRegularizer = Ref<OrthogonalPenalty>;

}  // namespace cornu::regularizers

namespace cornu {
extern template class Configured<regularizers::OrthogonalPenalty,
                                 regularizers::OrthogonalRegularizerConfig, Regularizer>;
}
