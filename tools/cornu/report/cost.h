// Cost: where the time of a prediction goes, and the memory that it needs.
#pragma once
#include <cornu/framework/model/model.h>

#include <string>
#include <vector>

namespace cornu::cli {

/// The time of one layer in one prediction.
struct LayerTime {
  std::string layer;   ///< its path
  double seconds = 0;  ///< of all its steps
};

/// One prediction of a batch.
struct Cost {
  int64_t batch_size = 0;
  double seconds = 0;             ///< of the batch
  std::vector<LayerTime> layers;  ///< the slowest first
  double weight_bytes = 0;        ///< of the model's weights
  double batch_bytes = 0;         ///< what lies between the layers, at most at a time
};

/// Measures a prediction of these inputs, in the repetition that was disturbed least. Throws
/// StateError for a model that cannot be planned because its `call` reads values.
Cost cost_of(Model& model, const Nest& inputs);

}  // namespace cornu::cli
