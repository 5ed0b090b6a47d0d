// The stages of a stable sort of keys, which sorts and scatters share.
#pragma once
#include <functional>
#include <string>

#include "kernel_text.h"

namespace cornu::backend::cuda {

/// Rows of keys with their positions. Entries are numbers of 64 bits, a key of 32 bits above its
/// position, or pairs of 64 bits each (`paired`).
struct SortTask {
  int64_t rows = 1, n = 1;  ///< n < 2^32
  bool paired = false;
  int64_t largest = 1;  ///< of all indices that `load` and `store` compute
  std::string functions;
  /// Names that `load` and `store` use.
  std::function<void(KernelText&)> declare;
  std::string load;          ///< expression of the key (uint64) of element `i` of `row`
  std::string store;         ///< lines for `entry`, the `i`th of `row` in order
  bool stores_rows = false;  ///< `store` only writes entry to entries[row * n + i], the result
  int workspace = 0;         ///< the operand
};

/// Adds the stages to a plan and takes workspace from its end. Returns where the sorted entries lie
/// in the workspace, in bytes, when `stores_rows`.
size_t add_sort(KernelPlan& plan, const SortTask& task, int multiprocessors);

/// typedefs and functions on entries: position_of(entry), key_of(entry).
std::string entry_functions(bool paired);

}  // namespace cornu::backend::cuda
