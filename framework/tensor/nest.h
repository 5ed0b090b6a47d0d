// Nest: tensors in lists and dictionaries, as a model takes and gives them.
#pragma once
#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tensor.h"

namespace cornu {

/// A tensor, a list of nests, or a dictionary of nests. Converts from and, when it is a single
/// tensor, to a Tensor. Dictionaries keep the order in which keys were given and are flattened in
/// the order of their sorted keys, as Keras does.
class Nest {
 public:
  using List = std::vector<Nest>;                          ///< elements in order
  using Dict = std::vector<std::pair<std::string, Nest>>;  ///< entries in the given order

  Nest() = default;                                    ///< nothing
  Nest(Tensor tensor) : tensor_(std::move(tensor)) {}  ///< a single tensor
  /// A single tensor of rank 1 with these numbers.
  template <class T>
  requires(std::is_arithmetic_v<T>) Nest(const std::vector<T>& values) : tensor_(values) {}
  /// The same.
  template <class T>
  requires(std::is_arithmetic_v<T>) Nest(std::span<T> values) : tensor_(values) {}
  Nest(List list);                                              ///< a list of nests
  Nest(std::initializer_list<Nest> list) : Nest(List(list)) {}  ///< a list in braces
  /// A single tensor of strings.
  Nest(const std::vector<std::string>& values) : tensor_(values) {}
  /// A dictionary in braces: `{{"height", h}, {"width", w}}`.
  Nest(std::initializer_list<std::pair<std::string, Nest>> entries);
  /// A list of tensors.
  Nest(const std::vector<Tensor>& list) : Nest(List(list.begin(), list.end())) {}
  /// A dictionary. Keys are expected to differ.
  static Nest dict(Dict entries);

  /// Whether there is nothing here: no tensor, not even an empty list.
  bool empty() const { return is_tensor() && !tensor_; }
  bool is_tensor() const { return !structure_; }  ///< also of an empty nest
  bool is_list() const;                           ///< lists only
  bool is_dict() const;                           ///< dictionaries only

  /// The tensor. Throws ValueError naming the structure when this is not a single one.
  const Tensor& tensor() const& {
    if (structure_) [[unlikely]]
      throw_not_a_tensor();
    return tensor_;
  }
  /// The same of a nest that is about to go.
  Tensor tensor() && { return take_tensor(); }
  operator Tensor() const { return tensor(); }  ///< see tensor()
  /// @{
  /// Those of the single tensor, as of what predict returns for a model with one output. Throws
  /// ValueError likewise.
  const Shape& shape() const { return tensor().shape(); }
  int64_t shape(int axis) const { return tensor().shape(axis); }
  int rank() const { return tensor().rank(); }
  DType dtype() const { return tensor().dtype(); }
  double item(SourceLine at = SourceLine::current()) const { return tensor().item(at); }
  template <class T>
  std::vector<T> to_vector(SourceLine at = SourceLine::current()) const {
    return tensor().to_vector<T>(at);
  }
  /// @}
  /// The tensor, out of this nest. Throws likewise.
  Tensor take_tensor() {
    if (structure_) [[unlikely]]
      throw_not_a_tensor();
    return std::move(tensor_);
  }
  /// The elements of a list. Throws ValueError when it is none.
  const List& list() const;
  /// The entries of a dictionary, in the given order. Throws ValueError when it is none.
  const Dict& entries() const;
  /// Element of a list, or entry of a dictionary in the given order; element 0 of a single tensor
  /// is itself. Negative indices count from the end. Throws ValueError when there is no such
  /// element.
  template <std::integral I>
  Nest operator[](I index) const {
    return element(static_cast<int64_t>(index));
  }
  /// Entry of a dictionary. Throws ValueError with a did-you-mean when missing.
  Nest operator[](const std::string& key) const;
  /// The same for a literal.
  Nest operator[](const char* key) const { return (*this)[std::string(key)]; }
  /// Number of elements; 1 for a tensor.
  size_t size() const;

  /// The tensors of a list of N: `const auto [y, h, c] = model.predict(x).unpack<3>();`. Throws
  /// ValueError when this is anything else.
  template <size_t N>
  std::array<Tensor, N> unpack() const {
    std::vector<Tensor> all = flat_list(N);
    std::array<Tensor, N> result;
    std::move(all.begin(), all.end(), result.begin());
    return result;
  }

  /// The tensors, dictionaries by sorted key.
  std::vector<Tensor> flatten() const;
  /// A nest of this structure with other tensors, in the order of `flatten`.
  Nest pack(const std::vector<Tensor>& tensors) const;
  /// f of every tensor.
  Nest map(const std::function<Tensor(const Tensor&)>& f) const;
  /// Whether lists and dictionaries (with their keys) are nested alike; tensors are not compared.
  bool same_structure(const Nest& other) const;
  /// "[*, {'a': *}]".
  std::string structure() const;

 private:
  [[noreturn]] void throw_not_a_tensor() const;
  Nest element(int64_t index) const;
  std::vector<Tensor> flat_list(size_t count) const;

  // Nearly all nests are a tensor: to copy one costs no more than the tensor. Structures never
  // change, so copies share them.
  struct Structure;
  Tensor tensor_;
  std::shared_ptr<const Structure> structure_;
};

namespace detail {
/// A vector or span, whose elements a tensor of rank 1 takes.
template <class V>
concept Listing = std::convertible_to<const V&, Tensor> && !std::derived_from<V, Tensor> &&
                  !std::derived_from<V, Nest> && requires(const V& values) {
  values.data();
  values.size();
};
}  // namespace detail

/// Writes the tensors of a nest, each in its place in lists and dictionaries.
std::ostream& operator<<(std::ostream& out, const Nest& nest);

/// What a nest that is no tensor holds.
struct Nest::Structure {
  std::variant<List, Dict> value;  ///< elements or entries
};

inline Nest::Nest(std::initializer_list<std::pair<std::string, Nest>> entries)
    : Nest(dict(Dict(entries))) {}

inline bool Nest::is_list() const { return structure_ && structure_->value.index() == 0; }
inline bool Nest::is_dict() const { return structure_ && structure_->value.index() == 1; }

}  // namespace cornu
