// StepReplay: all of one training step of an earlier run, taken again.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "../data/dataset.h"
#include "model.h"

namespace cornu {

/// What Model::replay gives. Names repeat when something is called more than once.
struct StepReplay {
  using Named = std::vector<std::pair<std::string, Tensor>>;  ///< tensors by name

  int64_t epoch = 0;        ///< of the step, from 0
  int64_t step = 0;         ///< in the epoch, from 0
  Batch batch = {};         ///< what the step was given, with class weights
  double loss = 0;          ///< of this batch alone, by the figure that train_step reports first
  double recorded = 0;      ///< what the run reported at this step: the mean of its epoch so far
  double repeated = 0;      ///< what the replay reported
  Named activations = {};   ///< outputs of the layers by their paths, in the order of their calls
  Named gradients = {};     ///< that the optimizer applied, by the variables' paths
  Named weights = {};       ///< the trainable variables before the step, by their paths
  Named updated = {};       ///< the same behind it
  bool same_update = true;  ///< whether the step leaves the same bits when it is watched

  /// Whether the replay has the bits of the run: the reported figure is the recorded one, and
  /// watching the step changed nothing.
  bool exact() const;
  /// Writes it all as an .npz archive: "x", "y", "sample_weight", "loss", and "activations/...",
  /// "gradients/...", "weights/...", "updated/..." by name. Later ones of a name get "_1", "_2".
  /// Throws FileError.
  void save(const std::string& path) const;
};

}  // namespace cornu
