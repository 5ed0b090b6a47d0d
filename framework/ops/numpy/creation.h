// Constants, ranges and grids.
#pragma once
#include "../core/cast.h"

namespace cornu::ops {

/// x as a tensor, of `dtype` if one is given, as convert_to_tensor.
inline Tensor array(const Tensor& x, std::optional<DType> dtype = {}) {
  return convert_to_tensor(x, dtype);
}
/// x itself, as tensors do not change.
inline Tensor copy(const Tensor& x) { return convert_to_tensor(x); }
/// Zeros; float32 by default, as ones, empty and full are.
Tensor zeros(const Shape& shape, std::optional<DType> dtype = {});
/// As zeros, with ones.
Tensor ones(const Shape& shape, std::optional<DType> dtype = {});
/// Zeros: there is no memory with undefined values.
Tensor empty(const Shape& shape, std::optional<DType> dtype = {});
/// All elements `fill_value` (which broadcasts), converted to `dtype`.
Tensor full(const Shape& shape, const Tensor& fill_value, std::optional<DType> dtype = {});
/// Of x's shape, and dtype unless another is given.
Tensor zeros_like(const Tensor& x, std::optional<DType> dtype = {});
/// As zeros_like, with ones.
Tensor ones_like(const Tensor& x, std::optional<DType> dtype = {});
/// As zeros_like, with fill_value, which broadcasts.
Tensor full_like(const Tensor& x, const Tensor& fill_value, std::optional<DType> dtype = {});
/// Zeros, as empty.
Tensor empty_like(const Tensor& x, std::optional<DType> dtype = {});
/// start, start + step, ... below stop (above it for a negative step), or 0, 1, ... below `start`
/// if it is the only bound. Each is a number or a tensor with a value. By default of the dtype that
/// they promote to: int32 where all are whole numbers of C++. Throws ValueError for a step of 0.
Tensor arange(const Value& start, const Value& stop = {}, const Value& step = {},
              std::optional<DType> dtype = {});
/// 0, 1, ... below stop.
Tensor arange(const Value& stop, DType dtype);
/// `num` numbers in equal steps from start to stop, which is the last one unless `endpoint` is
/// false; along a new `axis` where the bounds have axes. A float by default; integer dtypes round
/// down.
Tensor linspace(const Tensor& start, const Tensor& stop, int64_t num = 50, bool endpoint = true,
                std::optional<DType> dtype = {}, int64_t axis = 0);
/// The same; with `retstep` a list of the numbers and the step between them, which is NaN where
/// there is none.
Nest linspace(const Tensor& start, const Tensor& stop, int64_t num, bool endpoint, bool retstep,
              std::optional<DType> dtype = {}, int64_t axis = 0);
/// base to the powers linspace(start, stop, ...).
Tensor logspace(const Tensor& start, const Tensor& stop, int64_t num = 50, bool endpoint = true,
                double base = 10, std::optional<DType> dtype = {}, int64_t axis = 0);
/// Numbers in equal proportions from start to stop, both of one sign and not 0.
Tensor geomspace(const Tensor& start, const Tensor& stop, int64_t num = 50, bool endpoint = true,
                 std::optional<DType> dtype = {}, int64_t axis = 0);
/// The matrix (N, M), or (N, N), with ones where column - row = k, else zeros; float32 by default.
Tensor eye(int64_t N, std::optional<int64_t> M = {}, int64_t k = 0,
           std::optional<DType> dtype = {});
/// The n x n matrix with ones on its diagonal, else zeros.
Tensor identity(int64_t n, std::optional<DType> dtype = {});
/// The matrix (N, M), or (N, N), with ones where column - row <= k, else zeros; float32 by default.
Tensor tri(int64_t N, std::optional<int64_t> M = {}, int64_t k = 0,
           std::optional<DType> dtype = {});
/// Repeats each vector along the axes of all the others: coordinates of a grid. `indexing` "xy" has
/// the second's axis first, "ij" keeps the order.
std::vector<Tensor> meshgrid(const std::vector<Tensor>& x, const std::string& indexing = "xy");

}  // namespace cornu::ops
