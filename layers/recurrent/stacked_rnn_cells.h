// StackedRNNCells: cells on top of each other as one cell.
#pragma once
#include "../core/wrapper.h"
#include "recurrent_cell.h"

namespace cornu::layers {

/// Options of StackedRNNCells, as in Keras.
struct StackedRNNCellsConfig {
  std::vector<AnyLayer> cells = {};  ///< from the inputs to the output; at least one
  CORNU_LAYER_OPTIONS;
};

/// {x (batch, features), {states of each cell}} -> {output of the last cell, {states of each
/// cell}}. The states of a cell are a list or, for a cell with a single one, perhaps a tensor.
/// Throws ValueError without cells, ShapeError for other structures of the states.
class StackedRNNCellsLayer : public CellLayer<StackedRNNCellsLayer, StackedRNNCellsConfig> {
 public:
  /// Throws ValueError without cells, and for a layer that is none.
  explicit StackedRNNCellsLayer(StackedRNNCellsConfig config);
  void build_many(const Nest& inputs) override;
  Nest call_many(const Nest& inputs, const Call& call) override;
  Nest initial_states(int64_t batch) override;
  int64_t output_size() override;
  std::vector<RecurrentCell*> stack() override;

  std::vector<std::shared_ptr<Layer>> cells;  ///< from the inputs to the output
};

/// A shared StackedRNNCellsLayer, made from its options.
using StackedRNNCells = Ref<StackedRNNCellsLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::StackedRNNCellsLayer, layers::StackedRNNCellsConfig>;
}
