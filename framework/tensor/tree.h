// keras.tree: functions of nests.
#pragma once
#include <optional>

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
/// What maps a part of a nest, which may be a tensor, a list or a dictionary, to what stands in its
/// place.
using MapPart = std::function<Nest(const Nest&)>;
/// The same of two parts in the same place of two nests.
using MapParts = std::function<Nest(const Nest&, const Nest&)>;
/// A nest of the structure of `shallow_structure`, with func of what `structure` has in the place
/// of each of its tensors (which may as well be empty nests): lists and dictionaries below are
/// func's to take apart. Throws ValueError that shows both where `structure` differs from
/// `shallow_structure` or ends above it.
Nest map_structure_up_to(const Nest& shallow_structure, const MapPart& func, const Nest& structure);
/// The same with func of what stands in the same place of `a` and `b`.
Nest map_structure_up_to(const Nest& shallow_structure, const MapParts& func, const Nest& a,
                         const Nest& b);

/// What traverse asks of each part of a nest: no value leaves it as it is; an empty nest is Keras's
/// MAP_TO_NONE.
using VisitPart = std::function<std::optional<Nest>(const Nest&)>;
/// Calls func with each part of the nest, depth first and dictionaries by sorted key: with a list
/// or dictionary before what it holds if `top_down`, else after that. A value that func returns
/// replaces the part; going down, func is not called with what the replaced part holds, and going
/// up, it sees the parts of a list or dictionary as replaced already. Returns the resulting nest.
Nest traverse(const VisitPart& func, const Nest& structure, bool top_down = true);

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
