// Cells on top of each other.
#include "stacked_rnn_cells.h"

#include <fmt/core.h>

namespace cornu::layers {

StackedRNNCellsLayer::StackedRNNCellsLayer(StackedRNNCellsConfig c) : CellLayer(std::move(c)) {
  if (config.cells.empty()) throw ValueError("option 'cells' must have at least one cell.");
  std::vector<Members> members;
  for (const AnyLayer& cell : config.cells) {
    as_cell(*cell.shared());
    cells.push_back(cell.shared());
    members.emplace_back(cell.shared());
  }
  track("cells", Members(std::move(members)));
}

void StackedRNNCellsLayer::build_many(const Nest& inputs) {
  Tensor input = inputs.flatten().at(0);
  for (const auto& cell : cells) {
    cell->ensure_built(input);
    input = Tensor::abstract({input.shape()[0], as_cell(*cell).output_size()}, compute_dtype());
  }
}

Nest StackedRNNCellsLayer::call_many(const Nest& inputs, const Call& call) {
  Nest all = inputs;
  if (const Value* states = call.find("states"))
    all = {inputs.is_tensor() ? inputs : inputs[0], states->nest()};
  if (!all.is_list() || all.size() != 2 || !all[1].is_list() || all[1].size() != cells.size())
    throw ShapeError(
        fmt::format("expected an input and a list of the states of {} cells, found the structure "
                    "{}.",
                    cells.size(), all.structure()));
  Tensor x = all[0];
  Nest::List after;
  for (size_t i = 0; i < cells.size(); ++i) {
    const Nest result = (*cells[i])(Nest{x, all[1][i]}, Call{.training = call.training});
    x = result[0];
    after.push_back(result[1]);
  }
  return {x, after.size() == 1 ? after[0] : Nest(after)};
}

Nest StackedRNNCellsLayer::initial_states(int64_t batch) {
  Nest::List all;
  for (const auto& cell : cells) all.push_back(as_cell(*cell).initial_states(batch));
  return all;
}

int64_t StackedRNNCellsLayer::output_size() { return as_cell(*cells.back()).output_size(); }

std::vector<RecurrentCell*> StackedRNNCellsLayer::stack() {
  std::vector<RecurrentCell*> all;
  for (const auto& cell : cells)
    for (RecurrentCell* inner : as_cell(*cell).stack()) all.push_back(inner);
  return all;
}

void register_stacked_rnn_cells(Catalog& c) {
  c.add<StackedRNNCellsLayer>("keras.layers.StackedRNNCells");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::StackedRNNCellsLayer,
                              cornu::layers::StackedRNNCellsConfig>;
