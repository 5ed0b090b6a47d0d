// The mapping of row-major products onto column-major ones.
#include "matmul_layout.h"

#include <algorithm>
#include <limits>

namespace cornu::backend::cuda {
namespace {

// Batch axes that are walked alike: their size, and the strides of the three operands in matrices.
struct Group {
  int64_t size = 1, a = 0, b = 0, out = 0;
};

// The batch axes of `out`, merged where all operands' strides allow it, the outermost first.
std::vector<Group> batch_groups(const Shape& a, const Shape& b, const Shape& out) {
  std::vector<Group> groups;
  int64_t a_stride = 1, b_stride = 1, out_stride = 1;
  for (int i = 1; i <= out.rank() - 2; ++i) {
    const auto size_of = [&](const Shape& shape) {
      return shape.rank() - 2 >= i ? shape[shape.rank() - 2 - i] : 1;
    };
    const int64_t size = size_of(out), a_size = size_of(a), b_size = size_of(b);
    if (size != 1) {
      const Group group{size, a_size == 1 ? 0 : a_stride, b_size == 1 ? 0 : b_stride, out_stride};
      Group* inner = groups.empty() ? nullptr : &groups.front();
      if (inner != nullptr && group.a == inner->a * inner->size &&
          group.b == inner->b * inner->size && group.out == inner->out * inner->size)
        inner->size *= size;
      else
        groups.insert(groups.begin(), group);
    }
    a_stride *= a_size;
    b_stride *= b_size;
    out_stride *= size;
  }
  return groups;
}

}  // namespace

std::optional<MatmulLayout> matmul_layout(const Matmul& matmul, const Shape& a, const Shape& b,
                                          const Shape& out, int64_t most_calls) {
  const int64_t n = out.back();
  int64_t m = out[out.rank() - 2];
  const int64_t k = matmul.transpose_a ? a[a.rank() - 2] : a.back();
  if (out.numel() == 0 || k == 0) return std::nullopt;
  std::vector<Group> groups = batch_groups(a, b, out);
  // A batch of a's alone, one below the other, is one tall matrix.
  if (groups.size() == 1 && groups[0].b == 0 && groups[0].a == 1 && !matmul.transpose_a) {
    m *= groups[0].size;
    groups.clear();
  }

  MatmulLayout layout;
  layout.depth = k;
  layout.first = matmul.transpose_b ? ColumnMatrix{k, n, k, true} : ColumnMatrix{n, k, n, false};
  layout.second = matmul.transpose_a ? ColumnMatrix{m, k, m, true} : ColumnMatrix{k, m, k, false};
  layout.result = ColumnMatrix{n, m, n, false};
  // The largest group is the batch of each call, the others are walked by calls.
  const int64_t a_matrix = m * k, b_matrix = k * n, out_matrix = m * n;
  if (!groups.empty()) {
    const auto largest =
        std::max_element(groups.begin(), groups.end(),
                         [](const Group& x, const Group& y) { return x.size < y.size; });
    // The library counts them in 32 bits.
    if (largest->size > std::numeric_limits<int32_t>::max()) return std::nullopt;
    layout.batch = largest->size;
    layout.first.batch_stride = largest->b * b_matrix;
    layout.second.batch_stride = largest->a * a_matrix;
    layout.result.batch_stride = largest->out * out_matrix;
    groups.erase(largest);
  }
  int64_t calls = 1;
  for (const Group& group : groups) calls *= group.size;
  if (calls > most_calls) return std::nullopt;
  for (int64_t i = 0; i < calls; ++i) {
    MatmulOffsets offsets;
    int64_t rest = i;
    for (size_t g = groups.size(); g-- > 0;) {
      const int64_t at = rest % groups[g].size;
      rest /= groups[g].size;
      offsets.first += at * groups[g].b * b_matrix;
      offsets.second += at * groups[g].a * a_matrix;
      offsets.result += at * groups[g].out * out_matrix;
    }
    layout.calls.push_back(offsets);
  }
  return layout;
}

int matmul_alignment(const MatmulLayout& layout, size_t factor, size_t result) {
  int64_t alignment = 16;
  const auto keep = [&](int64_t elements, size_t element) {
    while (elements * static_cast<int64_t>(element) % alignment != 0) alignment /= 2;
  };
  for (const MatmulOffsets& offsets : layout.calls) {
    for (int64_t offset : {offsets.first, offsets.second}) keep(offset, factor);
    keep(offsets.result, result);
  }
  return static_cast<int>(alignment);
}

}  // namespace cornu::backend::cuda
