// The options of a config struct as a table: the code that reads and writes them is shared, and
// each struct adds only its rows.
#pragma once
#include <array>
#include <span>
#include <typeinfo>

#include "option.h"
#include "reflect.h"

namespace cornu::detail {

/// How an option of type T is written and read through a pointer to it. One for each type of
/// option, whatever structs have it; types of many options are instantiated in one source file.
template <class T>
struct ErasedOption {
  static Value encode(const void* option) {
    return OptionCodec<T>::encode(*static_cast<const T*>(option));
  }
  static void decode(const Value& value, void* option) {
    *static_cast<T*>(option) = OptionCodec<T>::decode(value);
  }
};
extern template struct ErasedOption<bool>;
extern template struct ErasedOption<int64_t>;
extern template struct ErasedOption<double>;
extern template struct ErasedOption<std::string>;
extern template struct ErasedOption<std::optional<bool>>;
extern template struct ErasedOption<std::optional<int64_t>>;
extern template struct ErasedOption<std::optional<double>>;
extern template struct ErasedOption<std::optional<std::string>>;
extern template struct ErasedOption<OptionalDType>;
extern template struct ErasedOption<std::vector<int64_t>>;
extern template struct ErasedOption<std::vector<double>>;
extern template struct ErasedOption<Dims<1>>;
extern template struct ErasedOption<Dims<2>>;
extern template struct ErasedOption<Dims<3>>;

/// A row: the option's name in Keras, and how its type is written and read.
struct OptionRow {
  std::string_view name;
  const std::type_info* type;
  Value (*encode)(const void* option);
  void (*decode)(const Value& value, void* option);
};

template <class T>
constexpr OptionRow make_option_row(std::string_view name) {
  return {name, &typeid(T), &ErasedOption<T>::encode, &ErasedOption<T>::decode};
}

/// The rows of a config struct.
template <class C>
constexpr auto make_option_rows() {
  using Members = decltype(reflect::members(std::declval<C&>()));
  return []<size_t... I>(std::index_sequence<I...>) {
    [[maybe_unused]] constexpr auto names = reflect::member_names<C>();
    return std::array<OptionRow, sizeof...(I)>{
        make_option_row<std::remove_cvref_t<std::tuple_element_t<I, Members>>>(names[I])...};
  }
  (std::make_index_sequence<reflect::member_count<C>>());
}
template <class C>
inline constexpr auto option_rows = make_option_rows<C>();

/// Where the options of a struct are, in the order of its rows.
template <class C>
auto option_addresses(C& config) {
  using Address = std::conditional_t<std::is_const_v<C>, const void*, void*>;
  return std::apply(
      [](auto&... members) { return std::array<Address, sizeof...(members)>{&members...}; },
      reflect::members(config));
}

Value::Dict encode_options(std::span<const OptionRow> rows, const void* const* options);
/// Sets the options that `dict` has. Throws ValueError for a key that no row has (with a
/// did-you-mean), or a value of the wrong kind.
void decode_options(std::span<const OptionRow> rows, void* const* options, const Value::Dict& dict);
/// Whether all options are in `dict`.
bool has_all_options(std::span<const OptionRow> rows, const Value::Dict& dict);
/// The value of an option that must be there. Throws ValueError when it is missing.
const Value& required_option(const Value::Dict& dict, std::string_view name);
/// Throws again what is being handled, a ValueError, naming the option.
[[noreturn]] void rethrow_for_option(std::string_view name);

}  // namespace cornu::detail
