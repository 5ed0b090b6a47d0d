// keras.tree: functions of nests.
#pragma once
#include "nest.h"

namespace cornu::tree {

/// Whether it is a list or a dictionary.
inline bool is_nested(const Nest& structure) { return !structure.is_tensor(); }
/// The tensors, those of dictionaries by sorted key.
inline std::vector<Tensor> flatten(const Nest& structure) { return structure.flatten(); }
/// A nest of this structure with these tensors, in the order of flatten. Throws ValueError when
/// there are more or fewer.
inline Nest pack_sequence_as(const Nest& structure, const std::vector<Tensor>& flat_sequence) {
  return structure.pack(flat_sequence);
}
/// func of each tensor, in a nest of the same structure.
inline Nest map_structure(const std::function<Tensor(const Tensor&)>& func, const Nest& structure) {
  return structure.map(func);
}
/// func of each tensor of `a` and the one in its place in `b`. Throws ValueError when they differ
/// in structure.
Nest map_structure(const std::function<Tensor(const Tensor&, const Tensor&)>& func, const Nest& a,
                   const Nest& b);
/// Throws ValueError that shows both unless lists and dictionaries (with their keys) are nested
/// alike.
void assert_same_structure(const Nest& a, const Nest& b);

/// Where a tensor is: the numbers and keys that lead to it, as text.
using Path = std::vector<std::string>;
/// The tensors with their places, in the order of flatten: `{{"0", "a"}, tensor}`.
std::vector<std::pair<Path, Tensor>> flatten_with_path(const Nest& structure);
/// assert_same_structure by Keras's other name: nests are alike when the places of their tensors
/// are. Throws ValueError.
void assert_same_paths(const Nest& a, const Nest& b);

}  // namespace cornu::tree
