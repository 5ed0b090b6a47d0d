// Evaluation: how a model's predictions differ from the targets.
#pragma once
#include <cornu/framework/model/model.h>

#include <optional>
#include <vector>

#include "../arrays.h"

namespace cornu::cli {

/// How often samples of a class were taken for which.
struct Confusion {
  int64_t classes = 0;
  std::vector<int64_t> counts;  ///< (true class, predicted class)
  int64_t count(int64_t truth, int64_t predicted) const {
    return counts[static_cast<size_t>(truth * classes + predicted)];
  }
  int64_t samples() const;
  double accuracy() const;  ///< fraction on the diagonal
};

/// Prediction - target of all values.
struct Errors {
  double mean = 0, mean_absolute = 0, root_mean_square = 0;
  double from = 0, to = 0;      ///< the ends of the bins
  std::vector<int64_t> counts;  ///< of bins of equal width
};

/// One of the two, by what the targets are.
struct Evaluation {
  std::optional<Confusion> confusion = {};
  std::optional<Errors> errors = {};
};

/// Predicts the inputs among the arrays and compares with the targets: those named "y", or as the
/// output. Targets are classes where they are integers or one-hot rows for several outputs, or 0
/// and 1 for one output in [0, 1]. Throws ValueError for arrays that do not fit, and for models
/// with several outputs.
Evaluation evaluate_on(Model& model, const Arrays& arrays, int64_t batch_size);

/// The inputs among the arrays, without targets and weights. Throws ValueError.
Nest inputs_among(const Model& model, const Arrays& arrays);

}  // namespace cornu::cli
