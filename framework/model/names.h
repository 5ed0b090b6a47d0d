// Names of the operations of a model: unique in it, chosen as Keras does.
#pragma once
#include <memory>
#include <vector>

#include "../graph/node.h"

namespace cornu {

/// Gives every operation that the user has not named a free name: "dense", "dense_1", ... in the order in which they
/// were made. Throws ValueError when the user gave one name twice.
void make_names_unique(const std::vector<std::shared_ptr<Operation>>& operations);

}  // namespace cornu
