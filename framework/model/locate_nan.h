// locate_nan: which operation of a training step is the first whose result is no number.
#pragma once
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "../data/dataset.h"
#include "../dispatch/variable.h"

namespace cornu {

class Model;

/// Figures of a tensor; least, most and mean are those of its finite elements.
struct TensorFigures {
  std::string spec;      ///< "float32 (32, 8)"
  double least = 0;      ///< smallest element
  double most = 0;       ///< largest element
  double mean = 0;       ///< of the elements
  int64_t nan = 0;       ///< how many elements are NaN
  int64_t infinite = 0;  ///< how many elements are infinite
  /// "float32 (32, 8): 0 to 3.1, mean 0.5, 2 NaN".
  std::string str() const;
};

/// Where NaN or infinity came from.
struct NaNReport {
  std::string op;  ///< "log", "true_divide", "gradient of sqrt", "matmul", ...
  /// Path of the layer that asked for it; empty for the loss and the optimizer.
  std::string layer = {};
  /// "forward", "loss", "backward" or "update".
  std::string phase;
  int64_t step = 0;    ///< of the epoch, from 0, where a run of fit was watched
  bool given = false;  ///< whether what went in was not finite to begin with: data or weights
  std::vector<TensorFigures> inputs = {};  ///< what the operation got
  TensorFigures result = {};               ///< what it gave
  /// All of it in a few lines.
  std::string str() const;
};

/// Takes a training step on this batch operation by operation, from the state that the model has,
/// and puts the state back. Says which operation first gave a number that is not finite, of those
/// that made the loss or a variable so; none when all that the step leaves behind is finite, as
/// after an overflow of gradients that a loss scale skips. Forward, backward and the update are
/// looked at. Throws StateError for a model that is not compiled.
std::optional<NaNReport> locate_nan(Model& model, const Nest& x, const Nest& y = {},
                                    const Nest& sample_weight = {});

/// Keeps the states before the latest steps, so that they can be taken again. That copies no
/// numbers, but a second set of weights stays in memory for each.
class StepHistory {
 public:
  /// Notes the state before a step on this batch.
  void keep(Model& model, const Batch& batch, int64_t step);
  void clear();  ///< forgets all
  /// Takes the kept steps again, the oldest first, until locate_nan finds something. The state
  /// stays as it is.
  std::optional<NaNReport> locate(Model& model) const;

 private:
  struct Moment {
    Batch batch;
    int64_t step;
    std::vector<Tensor> values;
  };
  std::vector<Variable> variables_;
  std::deque<Moment> moments_;
};

}  // namespace cornu
