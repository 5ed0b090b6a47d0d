// Names of the operations of a model: unique in it, chosen as Keras does; and layers by name.
#pragma once
#include <memory>
#include <string>
#include <typeinfo>
#include <vector>

#include "../dispatch/node.h"

namespace cornu {

/// Gives every operation that the user has not named a free name: "dense", "dense_1", ... in the
/// order in which they were made. Throws ValueError when the user gave one name twice in `model`.
void make_names_unique(const std::vector<std::shared_ptr<Operation>>& operations,
                       const Operation& model);

class Layer;

/// The layer of this name, or at this place (from the end where it is negative, as in Python).
/// `who` is the model's name. Throws ValueError: with a did-you-mean, or the number of layers.
std::shared_ptr<Layer> find_layer(const std::vector<std::shared_ptr<Layer>>& layers,
                                  const std::string& name, const std::string& who);
/// The same by position.
std::shared_ptr<Layer> find_layer(const std::vector<std::shared_ptr<Layer>>& layers, int64_t index,
                                  const std::string& who);

namespace detail {
/// Throws ValueError: `found`, a layer of the model `who`, is not of the class `wanted`.
[[noreturn]] void wrong_layer(const Layer& found, const std::type_info& wanted,
                              const std::string& who);
}  // namespace detail

}  // namespace cornu
