// Large matrix products by oneDNN, on one thread.
#include <algorithm>
#include <string>

#include "../error.h"
#include "onednn.h"
#include "onednn_call.h"

namespace cornu::backend::cpu {

using namespace onednn;

void onednn_matmul(const MatrixProduct<float>& p) {
  const OneThread scope;
  const bool transpose_a = p.a_column != 1, transpose_b = p.b_column != 1;
  const int64_t a_stride = transpose_a ? std::max(p.a_column, p.m) : std::max(p.a_row, p.k);
  const int64_t b_stride = transpose_b ? std::max(p.b_column, p.k) : std::max(p.b_row, p.n);
  if (p.bias != nullptr)
    for (int64_t row = 0; row < p.m; ++row) std::copy_n(p.bias, p.n, p.c + row * p.c_row);
  const dnnl_status_t status =
      dnnl_sgemm(transpose_a ? 'T' : 'N', transpose_b ? 'T' : 'N', p.m, p.n, p.k, 1, p.a, a_stride,
                 p.b, b_stride, p.bias != nullptr ? 1.0f : 0.0f, p.c, p.c_row);
  if (status == dnnl_out_of_memory) throw MemoryError("oneDNN has no memory for a matrix product.");
  if (status != dnnl_success)
    throw StateError("oneDNN's matrix product failed with status " + std::to_string(status) + ".");
}

}  // namespace cornu::backend::cpu
