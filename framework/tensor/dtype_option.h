// Dtypes as users write them: DType::int32, or its name as in Keras.
#pragma once
#include <concepts>
#include <optional>
#include <string_view>

#include "../../backend/dtype.h"

namespace cornu {

namespace detail {
/// A name: a literal, a string, or part of one. A number 0 is none.
template <class T>
concept Name = std::convertible_to<const T&, std::string_view> && !std::same_as<T, std::nullptr_t>;
}  // namespace detail

/// A dtype, which users may give by its name: `ops::cast(x, "float16")`.
class DTypeName {
 public:
  DTypeName(DType dtype) : dtype_(dtype) {}  ///< the dtype itself
  /// By name. Throws ValueError with a did-you-mean when there is no such dtype.
  template <detail::Name Name>
  DTypeName(const Name& name) : dtype_(dtype_of(name)) {}
  operator DType() const { return dtype_; }  ///< what was given

 private:
  DType dtype_;
};

/// The same where the dtype may be left out: `.dtype = "int32"`, `ops::zeros({2}, DType::int32)`.
class OptionalDType : public std::optional<DType> {
 public:
  using std::optional<DType>::optional;
  OptionalDType(const std::optional<DType>& dtype) : std::optional<DType>(dtype) {}  ///< the same
  /// By name. Throws ValueError with a did-you-mean when there is no such dtype.
  template <detail::Name Name>
  OptionalDType(const Name& name) : std::optional<DType>(dtype_of(name)) {}
};

}  // namespace cornu
