// Constant tensors: a broadcast of one number, or values computed on the host.
#include "creation.h"

#include <cmath>

#include "catalog.h"
#include "core.h"

namespace cornu::ops {
namespace {

Tensor filled(const Shape& shape, const Tensor& value, DType dtype) {
  return apply(backend::Fused{backend::program_of(backend::Opcode::identity), compute_type(dtype)}, {value},
               TensorSpec{shape, dtype});
}

}  // namespace

Tensor zeros(const Shape& shape, DType dtype) { return filled(shape, Tensor(0.0), dtype); }
Tensor ones(const Shape& shape, DType dtype) { return filled(shape, Tensor(1.0), dtype); }
Tensor full(const Shape& shape, const Tensor& value, DType dtype) { return filled(shape, value, dtype); }

Tensor zeros_like(const Tensor& x, std::optional<DType> dtype) {
  return op(&zeros_like, [](const Tensor& x, std::optional<DType> dtype) {
    return zeros(x.shape(), dtype.value_or(x.dtype()));
  }, x, dtype);
}

Tensor ones_like(const Tensor& x, std::optional<DType> dtype) {
  return op(&ones_like, [](const Tensor& x, std::optional<DType> dtype) {
    return ones(x.shape(), dtype.value_or(x.dtype()));
  }, x, dtype);
}

Tensor full_like(const Tensor& x, const Tensor& value, std::optional<DType> dtype) {
  return op(&full_like, [](const Tensor& x, const Tensor& value, std::optional<DType> dtype) {
    return full(x.shape(), value, dtype.value_or(x.dtype()));
  }, x, value, dtype);
}

Tensor arange(double start, double stop, double step, DType dtype) {
  if (step == 0) throw ValueError("arange: step must not be 0.");
  const int64_t count = std::max<int64_t>(0, static_cast<int64_t>(std::ceil((stop - start) / step)));
  std::vector<double> values(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) values[i] = start + static_cast<double>(i) * step;
  return cast(Tensor(values), dtype);
}

Tensor eye(int64_t rows, std::optional<int64_t> columns, int64_t k, DType dtype) {
  const int64_t n = columns.value_or(rows);
  std::vector<float> values(static_cast<size_t>(rows * n), 0.0f);
  for (int64_t i = 0; i < rows; ++i)
    if (i + k >= 0 && i + k < n) values[i * n + i + k] = 1.0f;
  return cast(Tensor::from(values, {rows, n}), dtype);
}

void list_creation(OpCatalog& catalog) {
  catalog.add("numpy.ZerosLike", {"x", "dtype=None"}, &zeros_like);
  catalog.add("numpy.OnesLike", {"x", "dtype=None"}, &ones_like);
  catalog.add("numpy.FullLike", {"x", "fill_value", "dtype=None"}, &full_like);
}

}  // namespace cornu::ops
