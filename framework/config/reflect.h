// The names and values of a plain struct's members, found by the compiler: an option is said once,
// in its struct.
#pragma once
#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace cornu::reflect {

namespace detail {

// Converts to any member's type, to find out how many initializers a struct takes.
struct Anything {
  template <class T>
  requires(!std::is_same_v<T, Anything>) operator T&() const& noexcept;
  template <class T>
  requires(!std::is_same_v<T, Anything>) operator T&&() const&& noexcept;
};

template <class T, size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return requires { T{(static_cast<void>(I), Anything{})...}; };
}

template <class T, size_t n = 36>
constexpr size_t count_members() {
  if constexpr (n == 0)
    return 0;
  else if constexpr (takes<T>(std::make_index_sequence<n>()))
    return n;
  else
    return count_members<T, n - 1>();
}

// clang-format off
template <size_t count, class T>
constexpr auto tie_members(T& object) {
  if constexpr (count == 1) {
    auto& [m0] = object;
    return std::tie(m0);
  }
  else if constexpr (count == 2) {
    auto& [m0, m1] = object;
    return std::tie(m0, m1);
  }
  else if constexpr (count == 3) {
    auto& [m0, m1, m2] = object;
    return std::tie(m0, m1, m2);
  }
  else if constexpr (count == 4) {
    auto& [m0, m1, m2, m3] = object;
    return std::tie(m0, m1, m2, m3);
  }
  else if constexpr (count == 5) {
    auto& [m0, m1, m2, m3, m4] = object;
    return std::tie(m0, m1, m2, m3, m4);
  }
  else if constexpr (count == 6) {
    auto& [m0, m1, m2, m3, m4, m5] = object;
    return std::tie(m0, m1, m2, m3, m4, m5);
  }
  else if constexpr (count == 7) {
    auto& [m0, m1, m2, m3, m4, m5, m6] = object;
    return std::tie(m0, m1, m2, m3, m4, m5, m6);
  }
  else if constexpr (count == 8) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7] = object;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7);
  }
  else if constexpr (count == 9) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8] = object;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8);
  }
  else if constexpr (count == 10) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9] = object;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9);
  }
  else if constexpr (count == 11) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10] = object;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10);
  }
  else if constexpr (count == 12) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11] = object;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11);
  }
  else if constexpr (count == 13) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12] = object;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12);
  }
  else if constexpr (count == 14) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13] = object;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13);
  }
  else if constexpr (count == 15) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14] = object;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14);
  }
  else if constexpr (count == 16) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15] = object;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15);
  }
  else if constexpr (count == 17) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16] = object;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16);
  }
  else if constexpr (count == 18) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17] = object;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17);
  }
  else if constexpr (count == 19) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18] = object;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18);
  }
  else if constexpr (count == 20) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19] = object;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19);
  }
  else if constexpr (count == 21) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20] = object;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20);
  }
  else if constexpr (count == 22) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21] = object;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21);
  }
  else if constexpr (count == 23) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22] = object;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22);
  }
  else if constexpr (count == 24) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23] = object;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23);
  }
  else if constexpr (count == 25) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24] = object;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24);
  }
  else if constexpr (count == 26) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25] = object;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25);
  }
  else if constexpr (count == 27) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26] = object;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26);
  }
  else if constexpr (count == 28) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27] = object;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27);
  }
  else if constexpr (count == 29) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28] = object;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28);
  }
  else if constexpr (count == 30) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29] = object;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29);
  }
  else if constexpr (count == 31) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30] = object;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30);
  }
  else if constexpr (count == 32) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31] = object;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31);
  }
  else if constexpr (count == 33) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32] = object;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32);
  }
  else if constexpr (count == 34) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33] = object;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33);
  }
  else if constexpr (count == 35) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34] = object;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34);
  }
  else if constexpr (count == 36) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35] = object;
    return std::tie(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35);
  }
  else {
    static_assert(count == 0, "a config struct may have at most 36 members");
    return std::tuple<>();
  }
}
// clang-format on

template <class T>
struct External {
  T value;
  ~External() = delete;
};
template <class T>
extern const External<T> external;

// A pointer to a member of an object, as a template argument (clang takes it only inside a class).
template <class T>
struct Pointer {
  const T* value;
};
template <class T>
Pointer(const T*) -> Pointer<T>;

template <auto pointer>
constexpr auto member_name() {
  // "... Pointer<long>{&external<Config>.value.units}]" or the like: the last identifier.
  std::string_view text = __PRETTY_FUNCTION__;
  const size_t end = text.find_last_not_of(")]}; ") + 1;
  text = text.substr(0, end);
  return text.substr(text.find_last_of(".:") + 1);
}

}  // namespace detail

/// Number of members of an aggregate (at most 36, no base classes, no C arrays).
template <class T>
inline constexpr size_t member_count = detail::count_members<T>();

/// References to the members, as a tuple.
template <class T>
constexpr auto members(T& object) {
  return detail::tie_members<member_count<std::remove_const_t<T>>>(object);
}

#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"
#endif
/// The members' names, in order.
template <class T>
constexpr auto member_names() {
  return []<size_t... I>(std::index_sequence<I...>) {
    return std::array<std::string_view, sizeof...(I)>{detail::member_name<detail::Pointer{
        &std::get<I>(members(detail::external<T>.value))}>()...};
  }
  (std::make_index_sequence<member_count<T>>());
}

#ifdef __clang__
#pragma clang diagnostic pop
#endif

/// Calls f(name, member) for each member in order.
template <class T, class F>
void for_each_member(T& object, F&& f) {
  [[maybe_unused]] static constexpr auto names = member_names<std::remove_const_t<T>>();
  auto tuple = members(object);
  [&]<size_t... I>(std::index_sequence<I...>) { (f(names[I], std::get<I>(tuple)), ...); }
  (std::make_index_sequence<std::tuple_size_v<decltype(tuple)>>());
}

}  // namespace cornu::reflect
