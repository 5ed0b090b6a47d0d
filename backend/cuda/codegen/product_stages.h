// Tiled products of matrices whose elements come from anywhere: of Matmul and of the three passes
// of Conv.
#pragma once
#include <functional>
#include <string>

#include "kernel_text.h"

namespace cornu::backend::cuda {

/// For each slice: c (m, n) = a (m, k) b (k, n), summed up in the type Real.
struct ProductTask {
  std::string kind;
  int64_t slices = 1, m = 0, n = 0, k = 0;
  int64_t largest = 1;  ///< of all indices that the lines below compute
  DType real = DType::float32;
  bool a_along_k = true, b_along_n = true;  ///< how neighbors lie in memory
  std::function<void(KernelText&)> declare;
  /// Lines that depend on `slice`, for both stages; may add names.
  std::function<std::string(KernelText&)> of_slice;
  std::string load_a;  ///< lines of a function of Index m, k that return a Real
  std::string load_b;  ///< of Index k, n
  std::string store;   ///< lines for `value` at slice, m, n
  int workspace = 0;   ///< the operand
};

/// Adds the stages: one, or two where few results are sums of many products. The order of sums
/// depends on the sizes alone.
void add_product(KernelPlan& plan, const ProductTask& task);

/// Adds the stage that sums up results of which each of `splits` blocks has made a part: these lie
/// in the task's workspace at byte `at`, (slices, splits, m, n) in the type Real.
void add_partial_sums(KernelPlan& plan, const ProductTask& task, int64_t splits, size_t at);

}  // namespace cornu::backend::cuda
