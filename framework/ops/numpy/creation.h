// Constants, ranges and grids.
#pragma once
#include "../op.h"

namespace cornu::detail {

template <class T>
concept Arithmetic = std::is_arithmetic_v<T>;
Tensor arange(double start, double stop, double step, DType dtype);

}  // namespace cornu::detail

namespace cornu::ops {

/// start, start + step, ... below stop (above it for a negative step); by default int32 where all
/// three are integers, else float32. Throws ValueError for a step of 0.
template <detail::Arithmetic A, detail::Arithmetic B, detail::Arithmetic C = int>
Tensor arange(A start, B stop, C step = 1, std::optional<DType> dtype = {}) {
  constexpr bool whole = std::integral<A> && std::integral<B> && std::integral<C>;
  return detail::arange(static_cast<double>(start), static_cast<double>(stop),
                        static_cast<double>(step),
                        dtype.value_or(whole ? DType::int32 : DType::float32));
}
/// 0, 1, ... below stop: int32 for an integer, else float32.
template <detail::Arithmetic T>
Tensor arange(T stop, std::optional<DType> dtype = {}) {
  return arange(T(0), stop, 1, dtype);
}
Tensor zeros(const Shape& shape, DType dtype = DType::float32);
Tensor ones(const Shape& shape, DType dtype = DType::float32);
/// All elements `value` (which broadcasts), converted to `dtype`, which is float32 by default.
Tensor full(const Shape& shape, const Tensor& value, std::optional<DType> dtype = {});
/// Of x's shape, and dtype unless another is given.
Tensor zeros_like(const Tensor& x, std::optional<DType> dtype = {});
Tensor ones_like(const Tensor& x, std::optional<DType> dtype = {});
Tensor full_like(const Tensor& x, const Tensor& value, std::optional<DType> dtype = {});
/// Zeros: there is no memory with undefined values.
Tensor empty_like(const Tensor& x, std::optional<DType> dtype = {});
/// `num` numbers in equal steps from start to stop, which is the last one unless `endpoint` is
/// false; along a new `axis` where the bounds have axes. A float by default; integer dtypes round
/// down.
Tensor linspace(const Tensor& start, const Tensor& stop, int64_t num = 50, bool endpoint = true,
                std::optional<DType> dtype = {}, int64_t axis = 0);
/// base to the powers linspace(start, stop, ...).
Tensor logspace(const Tensor& start, const Tensor& stop, int64_t num = 50, bool endpoint = true,
                double base = 10, std::optional<DType> dtype = {}, int64_t axis = 0);
/// Numbers in equal proportions from start to stop, both of one sign and not 0.
Tensor geomspace(const Tensor& start, const Tensor& stop, int64_t num = 50, bool endpoint = true,
                 std::optional<DType> dtype = {}, int64_t axis = 0);
/// Ones where column - row = k, else zeros.
Tensor eye(int64_t rows, std::optional<int64_t> columns = {}, int64_t k = 0,
           DType dtype = DType::float32);
/// The n x n matrix with ones on its diagonal, else zeros.
Tensor identity(int64_t n, DType dtype = DType::float32);
/// Ones where column - row <= k, else zeros.
Tensor tri(int64_t rows, std::optional<int64_t> columns = {}, int64_t k = 0,
           DType dtype = DType::float32);
/// Repeats each vector along the axes of all the others: coordinates of a grid. `indexing` "xy" has
/// the second's axis first, "ij" keeps the order.
std::vector<Tensor> meshgrid(const std::vector<Tensor>& x, const std::string& indexing = "xy");

}  // namespace cornu::ops
