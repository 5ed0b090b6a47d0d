// Evaluation: how a model's predictions differ from the targets.
#pragma once
#include <cornu/framework/model/model.h>

#include <optional>
#include <string>
#include <vector>

#include "../data_files.h"

namespace cornu::cli {

/// How often samples of a class were taken for which.
struct Confusion {
  int64_t classes = 0;
  std::vector<int64_t> counts;  ///< (true class, predicted class)
  int64_t unpredicted = 0;      ///< samples of which a prediction is NaN; not among the counts
  int64_t count(int64_t truth, int64_t predicted) const {
    return counts[static_cast<size_t>(truth * classes + predicted)];
  }
  int64_t samples() const;  ///< with those unpredicted
  double accuracy() const;  ///< fraction of the samples on the diagonal
};

/// Prediction - target of all values.
struct Errors {
  double mean = 0, mean_absolute = 0, root_mean_square = 0;
  double from = 0, to = 1;      ///< the ends of the bins
  std::vector<int64_t> counts;  ///< of bins of equal width
  int64_t not_finite = 0;       ///< values that are NaN or infinite; in none of the figures above
};

/// One of the two, by what the targets are.
struct Evaluation {
  std::string output = "";  ///< of a model with several, else ""
  std::optional<Confusion> confusion = {};
  std::optional<Errors> errors = {};
};

/// Predicts the samples and compares each output that has targets with them. Targets are classes
/// where they are integers or one-hot rows for several units, or 0 and 1 for one unit in [0, 1].
/// Throws ValueError, which names the output, where targets do not fit.
std::vector<Evaluation> evaluate_on(Model& model, const Samples& samples, int64_t batch_size);

}  // namespace cornu::cli
