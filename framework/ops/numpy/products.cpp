// Matrix products: shapes, then one Matmul kernel.
#include "products.h"

#include <fmt/core.h>

#include "../catalog.h"
#include "../core/cast.h"
#include "../linalg/decompositions.h"
#include "../math/fft.h"
#include "../math/segment.h"
#include "manipulation.h"

namespace cornu::ops {
namespace {

[[noreturn]] void refuse(const Tensor& a, const Tensor& b) {
  throw ShapeError(
      fmt::format("matmul: shapes {} and {} do not fit: the last axis of the first must equal the "
                  "second-to-last of the second, leading axes must broadcast.",
                  a.shape().str(), b.shape().str()));
}

// The dtype of a product: Keras multiplies int8 by int8 into int32.
DType product_type(const Tensor& a, const Tensor& b) {
  const DType dtype = result_type(a, b);
  return a.dtype() == DType::int8 && b.dtype() == DType::int8 ? DType::int32
         : dtype == DType::boolean                            ? DType::int32
                                                              : dtype;
}

}  // namespace

Tensor matmul_transposed(const Tensor& a, const Tensor& b, bool transpose_a, bool transpose_b) {
  const int ra = a.rank(), rb = b.rank();
  if (ra < 2 || rb < 2) refuse(a, b);
  const int64_t m = a.shape()[ra - (transpose_a ? 1 : 2)],
                ka = a.shape()[ra - (transpose_a ? 2 : 1)];
  const int64_t kb = b.shape()[rb - (transpose_b ? 1 : 2)],
                n = b.shape()[rb - (transpose_b ? 2 : 1)];
  if (ka != kb) refuse(a, b);
  const DType dtype = product_type(a, b);
  const Tensor left = cast(a, dtype), right = cast(b, dtype);
  // Leading axes of a alone fold into its rows: one large product is faster than many small ones.
  if (rb == 2 && ra > 2 && !transpose_a) {
    const Tensor y =
        apply(backend::Matmul{false, transpose_b, false}, {reshape(left, {-1, ka}), right},
              TensorSpec{{a.size() / std::max<int64_t>(ka, 1), n}, dtype});
    Shape shape = a.shape();
    shape[ra - 1] = n;
    return apply_reshape(y, shape);
  }
  Shape batch;
  try {
    batch = broadcast(a.shape().slice(0, ra - 2), b.shape().slice(0, rb - 2));
  } catch (const ShapeError&) {
    refuse(a, b);
  }
  return apply(backend::Matmul{transpose_a, transpose_b, false}, {left, right},
               TensorSpec{concat(batch, {m, n}), dtype});
}

Tensor matmul(const Tensor& a, const Tensor& b) {
  return op(
      &matmul,
      [](const Tensor& a, const Tensor& b) {
        if (a.rank() == 0 || b.rank() == 0) refuse(a, b);
        // Whether any pair of elements holds; Matmul counts them.
        if (a.dtype() == DType::boolean && b.dtype() == DType::boolean)
          return cast(matmul(cast(a, DType::int32), cast(b, DType::int32)), DType::boolean);
        if (a.rank() == 1 && b.rank() == 1)
          return reshape(matmul(reshape(a, {1, -1}), reshape(b, {-1, 1})), {});
        if (a.rank() == 1) return squeeze(matmul(expand_dims(a, {0}), b), -2);
        if (b.rank() == 1) return squeeze(matmul(a, expand_dims(b, {-1})), -1);
        return matmul_transposed(a, b, false, false);
      },
      a, b);
}

Tensor linear(const Tensor& x, const Tensor& kernel, const Tensor& bias) {
  if (x.rank() == 0 || kernel.rank() != 2 || x.shape().back() != kernel.shape()[0])
    throw ShapeError(fmt::format(
        "linear: input of shape {} and kernel of shape {}: the input's last axis must be "
        "the kernel's first.",
        x.shape().str(), kernel.shape().str()));
  if (!bias) return x.rank() == 1 ? matmul(x, kernel) : matmul_transposed(x, kernel, false, false);
  const int64_t k = kernel.shape()[0], n = kernel.shape()[1];
  if (bias.shape() != Shape{n})
    throw ShapeError(
        fmt::format("linear: bias of shape {} for {} outputs.", bias.shape().str(), n));
  const DType dtype = product_type(x, kernel);
  const int64_t rows = x.size() / std::max<int64_t>(k, 1);
  const Tensor flat = x.rank() == 2 ? x : apply_reshape(x, {rows, k});
  const Tensor y = apply(backend::Matmul{false, false, true},
                         {cast(flat, dtype), cast(kernel, dtype), cast(bias, dtype)},
                         TensorSpec{{rows, n}, dtype});
  if (x.rank() == 2) return y;
  Shape shape = x.shape();
  shape[x.rank() - 1] = n;
  return apply_reshape(y, shape);
}

void list_linalg(OpCatalog& catalog) {
  catalog.add("numpy.Matmul", {"x1", "x2"}, &matmul);
  list_decompositions(catalog);
  list_fft(catalog);
  list_segment(catalog);
}

}  // namespace cornu::ops
