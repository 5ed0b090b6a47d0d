// call_graph: what a model computes, as a graph for people.
#pragma once
#include <vector>

#include "../io/events/summary_writer.h"
#include "model.h"

namespace cornu {

/// The operations of a call of the model in inference, found by calling it on one sample: those of
/// layers under their paths ("block/dense/matmul"), with the weights that they read, and those that
/// a `call` of one's own does itself, whatever kind of model it is. A layer that computes nothing
/// in inference, such as Dropout, is a node of its own. State does not change.
///
/// Throws StateError for a model that is not built, or of whose inputs nothing is known; and what
/// the call throws.
std::vector<GraphNode> call_graph(Model& model);

}  // namespace cornu
