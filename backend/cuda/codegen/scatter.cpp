// Scatters: a copy of x, then updates. Few indices are gone through in order by each lane of the
// output. Many are sorted by their destination first, and each run of equal ones is combined by one
// thread for each column, in order too: results do not depend on which thread comes first.
#include "codegen.h"
#include "indexing.h"
#include "kernel_text.h"
#include "sort_stages.h"

namespace cornu::backend::cuda {
namespace {

constexpr const char* combine_text = R"text(
template <int op, class T>
CORNU_DEVICE T combined(T a, T b) {
  if constexpr (op == 3) {
    return b;
  } else if constexpr (same<T, Half> || same<T, BFloat16>) {
    return convert<T>(combined<op>(convert<float>(a), convert<float>(b)));
  } else if constexpr (same<T, Bool>) {
    return Bool{static_cast<uint8>(op == 2 ? a.value & b.value : a.value | b.value)};
  } else if constexpr (op == 0) {
    if constexpr (is_real<T>) return a + b;
    else return static_cast<T>(static_cast<uint64>(a) + static_cast<uint64>(b));
  } else {
    if constexpr (op == 1) return max(a, b);
    else return min(a, b);
  }
}
/// The row of an index, or n when there is none.
CORNU_DEVICE Index row_of(Position index, Index n) {
  const int64 at = index < 0 ? static_cast<int64>(index) + static_cast<int64>(n) : index;
  return at < 0 || at >= static_cast<int64>(n) ? n : static_cast<Index>(at);
}
)text";

// A thread for each lane (outer, column).
constexpr const char* scatter_lanes_text = R"text(
      const Index outer = divide(i, inner), column = i - outer * inner.size;
      for (Index k = 0; k < picks; ++k) {
        const Index at = (outer * picks + k) * inner.size + column;
        const Index row = row_of(indices[along ? at : k], n);
        if (row < n) {
          T* const to = out + (outer * n + row) * inner.size + column;
          *to = combined<op>(*to, updates[at]);
        }
      }
)text";

// A thread for each sorted entry and lane; those at the start of a run work. They ask for some
// entries at once, then for their updates: one after the other, a long run would wait for memory
// twice for each.
constexpr const char* runs_text = R"text(
      const Index pair = divide(i, inner), column = i - pair * inner.size;
      const Index outer = divide(pair, picks), first = pair - outer * picks.size;
      const Index lane = along ? outer * inner.size + column : 0;
      const Entry* const sorted = entries + lane * picks.size;
      const uint64 key = key_of(sorted[first]);
      if (key < n && (first == 0 || key_of(sorted[first - 1]) != key)) {
        T* const to = out + (outer * n + static_cast<Index>(key)) * inner.size + column;
        T total = *to;
        bool goes_on = true;
        for (Index k = first; goes_on; k += ahead) {
          bool in_run[ahead];
          Index at[ahead];
          T values[ahead];
#pragma unroll
          for (int j = 0; j < ahead; ++j) {
            const bool exists = k + j < picks.size;
            const Entry entry = sorted[exists ? k + j : first];
            in_run[j] = exists && key_of(entry) == key;
            at[j] = (outer * picks.size + position_of(entry)) * inner.size + column;
          }
#pragma unroll
          for (int j = 0; j < ahead; ++j)
            if (in_run[j]) values[j] = updates[at[j]];
#pragma unroll
          for (int j = 0; j < ahead; ++j)
            if (in_run[j]) total = combined<op>(total, values[j]);
          goes_on = in_run[ahead - 1];
        }
        *to = total;
      }
)text";

Stage copy_stage(const Operand& x, const PlanOptions& options) {
  const int64_t numel = x.shape->numel();
  const int64_t width = std::max<int64_t>(
      1, std::clamp(options.alignment, 1, 16) / static_cast<int>(size_of(x.dtype)));
  const int64_t count = (numel + width - 1) / width;
  KernelText text(numel);
  text.type("Unit", unit_text(size_of(x.dtype)));
  text.constant("width", width);
  text.pointer("x", 0, "const Unit");
  text.pointer("out", 3, "Unit");
  text.index("numel", numel);
  text.index("count", count);
  return text.stage(
      "scatter_copy", "",
      "if (x == out) return;  // x was donated\n" + std::string(loop_begin) +
          "const Index first = i * width, left = numel - first;\n"
          "store_pack<width>(load_pack<width>(x + first, left), out + first, left);\n" +
          loop_end,
      loop_blocks(count, options.multiprocessors));
}

}  // namespace

KernelPlan plan(const Scatter& kernel, std::span<const Operand> inputs, std::span<const Operand>,
                const PlanOptions& options) {
  KernelPlan plan;
  const Operand &x = inputs[0], &indices = inputs[1];
  if (x.shape->numel() == 0) return plan;
  const IndexedAxes axes(*x.shape, *indices.shape, kernel.axis, kernel.along);
  plan.stages.push_back(copy_stage(x, options));
  const int64_t lanes = axes.outer * axes.inner, total = lanes * axes.count;
  if (total == 0) return plan;
  const int64_t largest = std::max({x.shape->numel(), total, indices.shape->numel()});
  const auto declare = [&](KernelText& text) {
    text.type("T", x.dtype);
    text.type("Position", indices.dtype);
    text.constant("op", static_cast<int>(kernel.op));
    text.constant("along", kernel.along ? 1 : 0);
    text.pointer("indices", 1, "const Position");
    text.index("n", axes.n);
  };
  // A lane walks through its indices in the time that sorting takes.
  constexpr int64_t few = 64, most = int64_t{1} << 31;
  const bool in_order = axes.count <= few || (lanes >= 32768 && axes.count <= 32 * few) ||
                        axes.n >= most || axes.count >= most;
  if (in_order) {
    KernelText text(largest);
    declare(text);
    text.pointer("updates", 2, "const T");
    text.pointer("out", 3, "T");
    text.divisor("inner", axes.inner);
    text.index("picks", axes.count);
    text.index("count", lanes);
    plan.stages.push_back(text.stage("scatter", combine_text,
                                     std::string(loop_begin) + scatter_lanes_text + loop_end,
                                     loop_blocks(lanes, options.multiprocessors)));
    return plan;
  }
  SortTask task;
  task.rows = kernel.along ? lanes : 1;
  task.n = axes.count;
  task.largest = largest;
  task.functions = combine_text;
  task.workspace = 4;
  task.stores_rows = true;
  task.load = kernel.along ? "row_of(indices[(divide(row, across) * picks + i) * across.size + "
                             "rest(row, across)], height)"
                           : "row_of(indices[i], height)";
  // `n` names the length of rows in the sort's stages.
  task.declare = [&](KernelText& text) {
    text.type("T", x.dtype);
    text.type("Position", indices.dtype);
    text.pointer("indices", 1, "const Position");
    text.divisor("across", axes.inner);
    text.index("picks", axes.count);
    text.index("height", axes.n);
  };
  const size_t at = add_sort(plan, task, options.multiprocessors);
  KernelText text(largest);
  declare(text);
  text.pointer("updates", 2, "const T");
  text.pointer("out", 3, "T");
  text.pointer("entries", task.workspace, "const Entry", at);
  text.constant("ahead", 8);
  text.divisor("inner", axes.inner);
  text.divisor("picks", axes.count);
  text.index("count", total);
  plan.stages.push_back(text.stage("scatter_runs", entry_functions(false) + combine_text,
                                   std::string(loop_begin) + runs_text + loop_end,
                                   loop_blocks(total, options.multiprocessors)));
  return plan;
}

}  // namespace cornu::backend::cuda
