// Value: an argument of a call in a graph - a tensor, a number, text, a slice, or a list or
// dictionary of such.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../tensor/index.h"
#include "../tensor/nest.h"

namespace cornu {

/// An argument or option of any type that configs and graphs hold.
class Value {
 public:
  struct Null {};                                           ///< None in Python, null in JSON
  using List = std::vector<Value>;                          ///< elements in order
  using Dict = std::vector<std::pair<std::string, Value>>;  ///< entries in the given order
  /// Everything that a value may be.
  using Variant =
      std::variant<Null, bool, int64_t, double, std::string, Tensor, List, Dict, Slice, Ellipsis>;

  Value() = default;
  /// @{
  /// From anything that Variant holds, or that converts to it; a dtype becomes its name.
  Value(std::nullopt_t) {}
  Value(bool v) : v_(v) {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) Value(T v) : v_(static_cast<int64_t>(v)) {}
  Value(double v) : v_(v) {}
  Value(float v) : v_(static_cast<double>(v)) {}
  Value(const char* v) : v_(std::string(v)) {}
  Value(std::string v) : v_(std::move(v)) {}
  Value(Tensor v) : v_(std::move(v)) {}
  Value(List v) : v_(std::move(v)) {}
  Value(Dict v) : v_(std::move(v)) {}
  Value(Slice v) : v_(v) {}
  Value(Ellipsis v) : v_(v) {}
  Value(DType v) : v_(std::string(dtype_name(v))) {}
  /// @}
  /// A list of sizes; null for axes of unknown size.
  Value(const Shape& shape);
  /// Tensors in lists and dictionaries.
  Value(const Nest& nest);
  /// A list.
  template <class T>
  Value(const std::vector<T>& values) : v_(List(values.begin(), values.end())) {}
  /// Null without a value.
  template <class T>
  Value(const std::optional<T>& value) : Value(value ? Value(*value) : Value()) {}

  const Variant& variant() const { return v_; }  ///< for std::visit
  /// Whether it holds a T, one of the types of Variant.
  template <class T>
  bool is() const {
    return std::holds_alternative<T>(v_);
  }
  /// The T in it. Throws ValueError when it holds something else.
  template <class T>
  const T& get() const {
    if (!is<T>()) throw_other_kind(Variant(std::in_place_type<T>).index());
    return std::get<T>(v_);
  }
  bool is_null() const { return is<Null>(); }  ///< None
  bool is_number() const {
    return is<int64_t>() || is<double>();
  }  ///< an integer or a float, not a bool
  /// The number; is_number() must hold.
  double number() const {
    return is<int64_t>() ? static_cast<double>(get<int64_t>()) : get<double>();
  }

  /// The tensors in it, in order (dictionaries by sorted key).
  void collect(std::vector<Tensor>& out) const;
  /// The same value with its tensors replaced by those of f.
  Value map(const std::function<Tensor(const Tensor&)>& f) const;
  /// As a nest of tensors; numbers become weak scalars, texts string scalars. Throws ValueError
  /// when something else is inside.
  Nest nest() const;
  /// "a list", "text", ... for errors.
  std::string kind() const;

 private:
  [[noreturn]] void throw_other_kind(size_t wanted) const;

  Variant v_;
};

}  // namespace cornu
