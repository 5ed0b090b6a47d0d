// Tensors made from nothing.
#pragma once
#include "op.h"

namespace cornu {
class OpCatalog;
namespace ops {

Tensor zeros(const Shape& shape, DType dtype = DType::float32);
Tensor ones(const Shape& shape, DType dtype = DType::float32);
/// All elements `value`, converted to `dtype`.
Tensor full(const Shape& shape, const Tensor& value, DType dtype = DType::float32);
/// Of x's shape, and dtype unless another is given.
Tensor zeros_like(const Tensor& x, std::optional<DType> dtype = {});
Tensor ones_like(const Tensor& x, std::optional<DType> dtype = {});
Tensor full_like(const Tensor& x, const Tensor& value, std::optional<DType> dtype = {});
/// start, start + step, ... below stop (above it for a negative step).
Tensor arange(double start, double stop, double step = 1, DType dtype = DType::int32);
/// Ones where column - row = k, else zeros.
Tensor eye(int64_t rows, std::optional<int64_t> columns = {}, int64_t k = 0, DType dtype = DType::float32);

void list_creation(OpCatalog& catalog);

}  // namespace ops
}  // namespace cornu
