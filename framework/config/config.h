// Config structs to and from the dictionaries that files hold, by reflection.
#pragma once
#include "../ops/random/seed.h"
#include "configurable.h"
#include "json.h"
#include "option_table.h"

namespace cornu {

namespace detail {

template <class T>
struct is_required : std::false_type {};
template <class T>
struct is_required<Required<T>> : std::true_type {};

template <class C>
constexpr size_t required_count() {
  using Members = decltype(reflect::members(std::declval<C&>()));
  return []<size_t... I>(std::index_sequence<I...>) {
    return (size_t{0} + ... +
            size_t{is_required<std::remove_cvref_t<std::tuple_element_t<I, Members>>>::value});
  }
  (std::make_index_sequence<reflect::member_count<C>>());
}

template <class T>
T decode_required(const Value::Dict& dict, std::string_view name) {
  const Value& value = required_option(dict, name);
  try {
    return OptionCodec<T>::decode(value);
  } catch (const ValueError&) {
    rethrow_for_option(name);
  }
}

// The struct with its required options (which come first) from `dict` and the defaults of the
// others.
template <class C>
C make_config(const Value::Dict& dict) {
  using Members = decltype(reflect::members(std::declval<C&>()));
  return [&]<size_t... I>([[maybe_unused]] std::index_sequence<I...> indices) {
    return C{decode_required<std::remove_cvref_t<std::tuple_element_t<I, Members>>>(
        dict, option_rows<C>[I].name)...};
  }
  (std::make_index_sequence<required_count<C>()>());
}

}  // namespace detail

/// The options of a config struct by name, in order.
template <class C>
Value::Dict to_dict(const C& config) {
  return detail::encode_options(detail::option_rows<C>, detail::option_addresses(config).data());
}

/// The struct from options by name; missing ones have their defaults. Throws ValueError for a
/// missing required option, an unknown key (with a did-you-mean), or a value of the wrong kind.
template <class C>
C from_dict(const Value::Dict& dict) {
  const auto defaults = [&] {
    std::optional<random::StillScope> still;
    // Options that are all replaced take no seeds for the defaults that go.
    if (detail::has_all_options(detail::option_rows<C>, dict)) still.emplace();
    return detail::make_config<C>(dict);
  };
  C config = defaults();
  detail::decode_options(detail::option_rows<C>, detail::option_addresses(config).data(), dict);
  return config;
}

/// Gives a class its config: `class Adam : public Configured<AdamOptimizer, AdamConfig,
/// Optimizer>`. The base is made from the config if it has such a constructor.
template <class Self, class C, class Base>
class Configured : public Base {
 public:
  using Config = C;  ///< the options
  // Defined below and so not inline: what the library has instantiated is not made once more by
  // every program.
  /// Takes the options over.
  explicit Configured(C c);
  Value::Dict get_config() const override;  ///< the options by name
  /// An object from its options by name. Throws ValueError for missing, unknown or wrong ones.
  static std::shared_ptr<Self> from_config(const Value::Dict& dict);

  C config;  ///< as given
};

template <class Self, class C, class Base>
Configured<Self, C, Base>::Configured(C c) : config(std::move(c)) {
  if constexpr (requires(Base & b) { b.name_ = config.name; }) this->name_ = config.name;
}

template <class Self, class C, class Base>
Value::Dict Configured<Self, C, Base>::get_config() const {
  return to_dict(config);
}

template <class Self, class C, class Base>
std::shared_ptr<Self> Configured<Self, C, Base>::from_config(const Value::Dict& dict) {
  return std::make_shared<Self>(from_dict<C>(dict));
}

}  // namespace cornu
