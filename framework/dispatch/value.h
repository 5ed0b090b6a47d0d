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
  struct Null {};                   ///< None in Python, null in JSON
  using List = std::vector<Value>;  ///< elements in order
  /// Entries in the given order, with keys that differ.
  class Dict : public std::vector<std::pair<std::string, Value>> {
   public:
    using Entries = std::vector<std::pair<std::string, Value>>;  ///< what it is
    using Entries::Entries;                                      ///< as of those
    using Entries::operator[];                                   ///< by number
    /// The value of this key. Throws ValueError with a did-you-mean where there is none.
    const Value& operator[](const std::string& key) const&;
    Value& operator[](const std::string& key) &;  ///< the same, to be changed; see set
    Value operator[](const std::string& key) &&;  ///< the same of a dictionary that goes
    /// The value of this key; null where there is none.
    const Value* find(const std::string& key) const;
    Value* find(const std::string& key);                               ///< the same, to be changed
    bool contains(const std::string& key) const { return find(key); }  ///< whether it has the key
    /// Gives this key its value; a new one comes last.
    void set(const std::string& key, Value value);
  };
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
  template <detail::NumberOption A>
  Value(const A& option) : Value(option.value) {}
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
  /// The value of a key of the dictionary in it, or of a place in the list (negative ones count
  /// from the end): `config["kernel_initializer"]["class_name"]`, `config["axis"][0]`. Throws
  /// ValueError where it is none, or has no such entry.
  template <class K>
  requires(std::convertible_to<const K&, std::string> || std::integral<K>) const Value& operator[](
      const K& key) const& {
    return entry(key);
  }
  /// The same of a value that goes.
  template <class K>
  requires(std::convertible_to<const K&, std::string> || std::integral<K>) Value operator[](
      const K& key) && {
    return entry(key);
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
  const Value& entry(const std::string& key) const { return get<Dict>()[key]; }
  const Value& entry(int64_t place) const;
  [[noreturn]] void throw_other_kind(size_t wanted) const;

  Variant v_;
};

}  // namespace cornu
