// Constants, ranges and grids.
#pragma once
#include <array>

#include "../core/cast.h"

namespace cornu::detail {
/// A dtype or its name, and not what only converts to one, as {} does.
template <class T>
concept NamesDType = std::same_as<T, DType> || Name<T>;
/// Throws ShapeError unless a row is as long as the first one.
void check_row(size_t length, size_t first);
/// The values with the dtype that numbers of this type have in Keras, unless one is given.
template <class T>
Tensor array_of(const std::vector<T>& values, const Shape& shape, OptionalDType dtype) {
  if (!dtype && std::same_as<T, double>) dtype = DType::float32;
  if constexpr (std::same_as<T, bool>) {
    const std::vector<uint8_t> bytes(values.begin(), values.end());
    return ops::cast(Tensor::from(bytes, shape), dtype.value_or(DType::boolean));
  } else {
    return ops::convert_to_tensor(Tensor::from(values, shape), dtype);
  }
}
/// Appends the numbers of nested lists to `values`, and their sizes, outermost first, to `shape`
/// where the first of a level is.
template <class List, class T>
void flatten(const List& list, int level, Shape& shape, std::vector<T>& values) {
  if (shape.rank() == level)
    shape.push_back(static_cast<int64_t>(list.size()));
  else
    check_row(list.size(), static_cast<size_t>(shape[level]));
  for (const auto& element : list) {
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(element)>>)
      values.push_back(element);
    else
      flatten(element, level + 1, shape, values);
  }
}
/// The numbers of nested lists, of type T.
template <class T, class List>
Tensor array_of_nested(const List& list, OptionalDType dtype) {
  Shape shape;
  std::vector<T> values;
  flatten(list, 0, shape, values);
  return array_of<T>(values, shape, dtype);
}
/// The type of the numbers in a std::array, or in vectors and arrays of each other; void for
/// anything else.
template <class List>
struct NumberOf {
  using type = void;
};
template <class T>
requires std::is_arithmetic_v<T>
struct NumberOf<T> {
  using type = T;
};
template <class T>
struct NumberOf<std::vector<T>> : NumberOf<T> {};
template <class T, size_t n>
struct NumberOf<std::array<T, n>> : NumberOf<T> {};
/// A std::array, or nested vectors and arrays.
template <class List>
concept NestedList = !std::is_void_v<typename NumberOf<List>::type> &&
                     !std::is_arithmetic_v<List> && !std::convertible_to<const List&, Tensor>;
/// A vector or an array of numbers, or of such lists.
template <class List>
concept ListOfNumbers =
    !std::is_void_v<typename NumberOf<List>::type> && !std::is_arithmetic_v<List>;
/// A text as it is written in braces. Deduced, as a text that braces convert to would hide rows.
template <class T>
concept WrittenText =
    std::same_as<T, const char*> || std::same_as<T, char*> || std::same_as<T, std::string>;
/// A matrix of texts.
template <class T>
Tensor texts_of(std::initializer_list<std::initializer_list<T>> rows) {
  std::vector<std::string> texts;
  for (const auto& row : rows) {
    check_row(row.size(), rows.begin()->size());
    texts.insert(texts.end(), row.begin(), row.end());
  }
  const auto n = static_cast<int64_t>(rows.size());
  return Tensor::strings(texts, {n, static_cast<int64_t>(rows.begin()->size())});
}
}  // namespace cornu::detail

namespace cornu::ops {

/// x as a tensor, of `dtype` if one is given, as convert_to_tensor.
inline Tensor array(const Tensor& x, OptionalDType dtype = {}) {
  return convert_to_tensor(x, dtype);
}
/// @{
/// Numbers in braces, up to three levels deep: `ops::array({{1, 2}, {3, 4}})`. By default int32 of
/// int, float32 of float and double as in Keras, else of the numbers' own dtype. Throws ShapeError
/// for rows of different lengths.
template <class T>
requires std::is_arithmetic_v<T> Tensor array(std::initializer_list<T> values,
                                              OptionalDType dtype = {}) {
  return detail::array_of_nested<T>(values, dtype);
}
template <class T>
requires std::is_arithmetic_v<T> Tensor array(std::initializer_list<std::initializer_list<T>> rows,
                                              OptionalDType dtype = {}) {
  return detail::array_of_nested<T>(rows, dtype);
}
template <class T>
requires std::is_arithmetic_v<T> Tensor
array(std::initializer_list<std::initializer_list<std::initializer_list<T>>> blocks,
      OptionalDType dtype = {}) {
  return detail::array_of_nested<T>(blocks, dtype);
}
/// @}
/// Lists of numbers in braces, one axis more than they have: `ops::array({row, row})` of a
/// `std::vector<int> row` is a matrix. Of the numbers' own dtype unless one is given. Throws
/// ShapeError for lists of different lengths.
template <detail::ListOfNumbers List>
Tensor array(std::initializer_list<List> lists, OptionalDType dtype = {}) {
  using T = typename detail::NumberOf<List>::type;
  return detail::array_of_nested<T>(lists, dtype ? dtype : OptionalDType(dtype_for_v<T>));
}
/// A vector of texts in braces: `ops::array({"a", "b"})`.
template <detail::WrittenText T>
Tensor array(std::initializer_list<T> texts) {
  return Tensor(std::vector<std::string>(texts.begin(), texts.end()));
}
/// A matrix of them: `ops::array({{"a", "b"}, {"c", "d"}})`. Throws ShapeError for rows of
/// different lengths.
template <detail::WrittenText T>
Tensor array(std::initializer_list<std::initializer_list<T>> rows) {
  return detail::texts_of(rows);
}
/// The numbers of a std::array, or of vectors or arrays in each other, of their own dtype unless
/// one is given. Throws ShapeError for rows of different lengths.
template <detail::NestedList List>
Tensor array(const List& list, OptionalDType dtype = {}) {
  using T = typename detail::NumberOf<List>::type;
  return detail::array_of_nested<T>(list, dtype ? dtype : OptionalDType(dtype_for_v<T>));
}
/// @{
/// As array, of the same lists.
template <class T>
requires std::is_arithmetic_v<T> Tensor convert_to_tensor(std::initializer_list<T> values,
                                                          OptionalDType dtype = {}) {
  return array(values, dtype);
}
template <class T>
requires std::is_arithmetic_v<T> Tensor
convert_to_tensor(std::initializer_list<std::initializer_list<T>> rows, OptionalDType dtype = {}) {
  return array(rows, dtype);
}
template <detail::NestedList List>
Tensor convert_to_tensor(const List& list, OptionalDType dtype = {}) {
  return array(list, dtype);
}
template <detail::ListOfNumbers List>
Tensor convert_to_tensor(std::initializer_list<List> lists, OptionalDType dtype = {}) {
  return array(lists, dtype);
}
template <detail::WrittenText T>
Tensor convert_to_tensor(std::initializer_list<T> texts) {
  return array(texts);
}
template <detail::WrittenText T>
Tensor convert_to_tensor(std::initializer_list<std::initializer_list<T>> rows) {
  return array(rows);
}
/// @}
/// x itself, as tensors do not change.
inline Tensor copy(const Tensor& x) { return convert_to_tensor(x); }
/// Zeros; float32 by default, as ones, empty and full are.
Tensor zeros(const Shape& shape, OptionalDType dtype = {});
/// As zeros, with ones.
Tensor ones(const Shape& shape, OptionalDType dtype = {});
/// Zeros: there is no memory with undefined values.
Tensor empty(const Shape& shape, OptionalDType dtype = {});
/// All elements `fill_value` (which broadcasts), converted to `dtype`.
Tensor full(const Shape& shape, const Tensor& fill_value, OptionalDType dtype = {});
/// Of x's shape, and dtype unless another is given.
Tensor zeros_like(const Tensor& x, OptionalDType dtype = {});
/// As zeros_like, with ones.
Tensor ones_like(const Tensor& x, OptionalDType dtype = {});
/// As zeros_like, with fill_value, which broadcasts.
Tensor full_like(const Tensor& x, const Tensor& fill_value, OptionalDType dtype = {});
/// Zeros, as empty.
Tensor empty_like(const Tensor& x, OptionalDType dtype = {});
/// start, start + step, ... below stop (above it for a negative step), or 0, 1, ... below `start`
/// if it is the only bound. Each is a number or a tensor with a value. By default of the dtype that
/// they promote to: int32 where all are whole numbers of C++. Throws ValueError for a step of 0.
Tensor arange(const Value& start, const Value& stop = {}, const Value& step = {},
              OptionalDType dtype = {});
/// @{
/// The same with a dtype, or its name, behind the last bound: 0, 1, ... below `stop`, or start,
/// start + 1, ... below it.
template <detail::NamesDType D>
Tensor arange(const Value& stop, const D& dtype) {
  return arange(stop, {}, {}, OptionalDType(dtype));
}
template <detail::NamesDType D>
Tensor arange(const Value& start, const Value& stop, const D& dtype) {
  return arange(start, stop, {}, OptionalDType(dtype));
}
/// @}
/// `num` numbers in equal steps from start to stop, which is the last one unless `endpoint` is
/// false; along a new `axis` where the bounds have axes. A float by default; integer dtypes round
/// down.
Tensor linspace(const Tensor& start, const Tensor& stop, int64_t num = 50, bool endpoint = true,
                OptionalDType dtype = {}, int64_t axis = 0);
/// The same; with `retstep` a list of the numbers and the step between them, which is NaN where
/// there is none.
Nest linspace(const Tensor& start, const Tensor& stop, int64_t num, bool endpoint, bool retstep,
              OptionalDType dtype = {}, int64_t axis = 0);
/// base to the powers linspace(start, stop, ...).
Tensor logspace(const Tensor& start, const Tensor& stop, int64_t num = 50, bool endpoint = true,
                double base = 10, OptionalDType dtype = {}, int64_t axis = 0);
/// Numbers in equal proportions from start to stop, both of one sign and not 0.
Tensor geomspace(const Tensor& start, const Tensor& stop, int64_t num = 50, bool endpoint = true,
                 OptionalDType dtype = {}, int64_t axis = 0);
/// The matrix (N, M), or (N, N), with ones where column - row = k, else zeros; float32 by default.
Tensor eye(int64_t N, std::optional<int64_t> M = {}, int64_t k = 0, OptionalDType dtype = {});
/// The n x n matrix with ones on its diagonal, else zeros.
Tensor identity(int64_t n, OptionalDType dtype = {});
/// The matrix (N, M), or (N, N), with ones where column - row <= k, else zeros; float32 by default.
Tensor tri(int64_t N, std::optional<int64_t> M = {}, int64_t k = 0, OptionalDType dtype = {});
/// Repeats each vector along the axes of all the others: coordinates of a grid. `indexing` "xy" has
/// the second's axis first, "ij" keeps the order.
std::vector<Tensor> meshgrid(const std::vector<Tensor>& x, const std::string& indexing = "xy");
/// The same of tensors one by one: `meshgrid(a, b)`.
template <std::convertible_to<Tensor>... T>
std::vector<Tensor> meshgrid(const Tensor& x1, const Tensor& x2, const T&... more) {
  return meshgrid(std::vector<Tensor>{x1, x2, Tensor(more)...});
}

}  // namespace cornu::ops
