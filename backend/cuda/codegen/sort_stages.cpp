// Blocks sort tiles of 2048 entries by Batcher's bitonic network in shared memory, several short
// rows together. Longer rows are merged run by run: each entry finds its place in the neighboring
// run by bisection. All entries are different, as they hold their positions: the order is stable.
#include "sort_stages.h"

namespace cornu::backend::cuda {
namespace {

constexpr int64_t tile_size = 2048;

constexpr const char* packed_text = R"text(
typedef uint64 Entry;
CORNU_DEVICE Entry entry_of(uint64 key, Index position) { return key << 32 | position; }
CORNU_DEVICE uint64 key_of(Entry entry) { return entry >> 32; }
CORNU_DEVICE Index position_of(Entry entry) { return static_cast<Index>(entry & 0xFFFFFFFFu); }
CORNU_DEVICE bool before(Entry a, Entry b) { return a < b; }
CORNU_DEVICE Entry last_entry() { return ~static_cast<Entry>(0); }
)text";

constexpr const char* paired_text = R"text(
struct Entry { uint64 key, position; };
CORNU_DEVICE Entry entry_of(uint64 key, Index position) { return Entry{key, position}; }
CORNU_DEVICE uint64 key_of(const Entry& entry) { return entry.key; }
CORNU_DEVICE Index position_of(const Entry& entry) { return static_cast<Index>(entry.position); }
CORNU_DEVICE bool before(const Entry& a, const Entry& b) {
  return a.key != b.key ? a.key < b.key : a.position < b.position;
}
CORNU_DEVICE Entry last_entry() { return Entry{~static_cast<uint64>(0), ~static_cast<uint64>(0)}; }
)text";

// A tile holds segments of rows: one of `segment` entries, a power of two, from each of several
// rows, or one part of a long row.
constexpr const char* sort_tile_text = R"text(
  CORNU_SHARED Entry tile[tile_size];
  const Index row0 = divide(static_cast<Index>(blockIdx.x), parts) * (tile_size / segment);
  const Index first = rest(static_cast<Index>(blockIdx.x), parts) * tile_size;
  CORNU_EACH_THREAD {
    for (uint32 t = threadIdx.x; t < tile_size; t += 256) {
      const Index row = row0 + t / segment, i = first + t % segment;
      Entry entry = last_entry();
      if (row < rows && i < n) entry = entry_of(@LOAD@, i);
      tile[t] = entry;
    }
  }
  for (uint32 size = 2; size <= segment; size *= 2) {
    for (uint32 step = size / 2; step > 0; step /= 2) {
      CORNU_BLOCK_BARRIER
      CORNU_EACH_THREAD {
        for (uint32 t = threadIdx.x; t < tile_size / 2; t += 256) {
          const uint32 low = t / step * step * 2 + t % step;
          const Entry a = tile[low], b = tile[low + step];
          const bool rising = size == segment || (low & size) == 0;
          if (rising ? before(b, a) : before(a, b)) {
            tile[low] = b;
            tile[low + step] = a;
          }
        }
      }
    }
  }
  CORNU_BLOCK_BARRIER
  CORNU_EACH_THREAD {
    for (uint32 t = threadIdx.x; t < tile_size; t += 256) {
      const Index row = row0 + t / segment, i = first + t % segment;
      if (row < rows && i < n) {
        const Entry entry = tile[t];
        @STORE@
      }
    }
  }
)text";

constexpr const char* merge_text = R"text(
      const Index row = divide(f, length), at = f - row * n;
      const Entry entry = from[f];
      const Index mine = at / run * run, pair = at / (2 * run) * (2 * run);
      const Index other = mine == pair ? pair + run : pair;
      Index low = other < n ? other : n;
      Index high = low + run < n ? low + run : n;
      const Index other_begin = low;
      while (low < high) {
        const Index middle = low + (high - low) / 2;
        if (before(from[row * n + middle], entry)) low = middle + 1;
        else high = middle;
      }
      const Index i = pair + (at - mine) + (low - other_begin);
      @STORE@
)text";

}  // namespace

std::string entry_functions(bool paired) { return paired ? paired_text : packed_text; }

size_t add_sort(KernelPlan& plan, const SortTask& task, int multiprocessors) {
  const size_t bytes = task.paired ? 16 : 8;
  const size_t buffer = (static_cast<size_t>(task.rows * task.n) * bytes + 15) / 16 * 16;
  const bool merges = task.n > tile_size;
  const size_t start = plan.workspace_bytes;
  if (merges || task.stores_rows) plan.workspace_bytes += buffer;
  if (merges) plan.workspace_bytes += buffer;
  const std::string keep = "entries[row * n + i] = entry;";
  const int64_t largest = std::max(task.largest, 2 * task.rows * task.n);
  size_t at = start;
  {
    int64_t segment = 1;
    while (segment < std::min(task.n, tile_size)) segment *= 2;
    const int64_t parts = (task.n + tile_size - 1) / tile_size, together = tile_size / segment;
    KernelText text(largest);
    text.constant("tile_size", tile_size);
    task.declare(text);
    text.index("rows", task.rows);
    text.index("n", task.n);
    text.index("segment", segment);
    text.divisor("parts", parts);
    const bool to_workspace = merges || task.stores_rows;
    if (to_workspace) text.pointer("entries", task.workspace, "Entry", at);
    plan.stages.push_back(text.stage("sort", entry_functions(task.paired) + task.functions,
                                     with(with(sort_tile_text, "@LOAD@", task.load), "@STORE@",
                                          to_workspace ? keep : task.store),
                                     (task.rows + together - 1) / together * parts));
  }
  for (int64_t run = tile_size; run < task.n; run *= 2) {
    const bool last = 2 * run >= task.n && !task.stores_rows;
    const size_t next = at == start ? start + buffer : start;
    KernelText text(largest);
    if (last) task.declare(text);
    text.pointer("from", task.workspace, "const Entry", at);
    text.index("n", task.n);
    text.index("run", run);
    text.divisor("length", task.n);
    text.index("count", task.rows * task.n);
    if (!last) text.pointer("entries", task.workspace, "Entry", next);
    std::string loop = std::string(loop_begin) + "      const Index f = i;\n      {\n" +
                       with(merge_text, "@STORE@", last ? task.store : keep) + "      }\n" +
                       loop_end;
    plan.stages.push_back(
        text.stage("merge", entry_functions(task.paired) + (last ? task.functions : std::string()),
                   loop, loop_blocks(task.rows * task.n, multiprocessors)));
    at = next;
  }
  return at;
}

}  // namespace cornu::backend::cuda
