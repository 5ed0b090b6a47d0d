// The generator: turns kernels into CUDA source.
// It needs no CUDA itself, and the same text compiles as C++ for the host (see prelude.h).
#pragma once
#include <span>

#include "../../backend.h"
#include "kernel_plan.h"

namespace cornu::backend::cuda {

/// Products of up to so many multiplications take less time than the launch of a kernel; for them
/// the generator has kernels of their own.
inline constexpr int64_t tiny_product = 1 << 15;

struct PlanOptions {
  /// What all addresses are multiples of, in bytes: vectors of up to 16 are loaded and stored at
  /// once.
  int alignment = 16;
  /// Multiprocessors of the device, for the number of blocks of elementwise kernels. Results do not
  /// depend on it.
  int multiprocessors = 132;
  /// Whether doubles take so much longer than floats that long sums of float32 are kept in two
  /// floats instead, which hold 48 bits in place of 53, and no total beyond the range of a float.
  bool slow_doubles = false;
};

/// One kernel that loads, computes and stores all elements. Texts depend on the program, the dtypes
/// and the pattern of broadcasting only: sizes are arguments. The operands' addresses are not
/// looked at. An output may lie over an input of its shape and dtype. Throws ValueError when the
/// compute type is none.
KernelPlan plan(const Fused& kernel, std::span<const Operand> inputs,
                std::span<const Operand> outputs, const PlanOptions& options = {});

/// One launch for as many sets as its arguments can hold. Throws UnsupportedError where an input
/// broadcasts and has more than one element.
KernelPlan plan(const MultiTensorFused& kernel, std::span<const Operand> inputs,
                std::span<const Operand> outputs, const PlanOptions& options = {});

/// One kernel, or two where few results are made of many elements: then blocks write partial
/// results to the workspace, which the second combines. The order of all sums depends on the shapes
/// alone, so a run repeats bit for bit. float32 sums and products add up in float64 beyond a few
/// elements, sums into at most 32 bits in two floats where PlanOptions::slow_doubles says so.
KernelPlan plan(const Reduce& kernel, std::span<const Operand> inputs,
                std::span<const Operand> outputs, const PlanOptions& options = {});

/// One kernel that makes the numbers of backend/random_bits.h. Throws ValueError when the output's
/// dtype cannot hold them.
KernelPlan plan(const Random& kernel, std::span<const Operand> inputs,
                std::span<const Operand> outputs, const PlanOptions& options = {});

/// Stages for the parts, in order, after one for `fill`.
KernelPlan plan(const Copy& kernel, std::span<const Operand> inputs,
                std::span<const Operand> outputs, const PlanOptions& options = {});
KernelPlan plan(const Gather& kernel, std::span<const Operand> inputs,
                std::span<const Operand> outputs, const PlanOptions& options = {});

/// Repeated indices are combined in their order by one thread, never by atomic additions.
KernelPlan plan(const Scatter& kernel, std::span<const Operand> inputs,
                std::span<const Operand> outputs, const PlanOptions& options = {});
KernelPlan plan(const Cumulative& kernel, std::span<const Operand> inputs,
                std::span<const Operand> outputs, const PlanOptions& options = {});

/// Rows of up to 2048 elements take one kernel; the workspace holds longer ones twice. Throws
/// ValueError when a row has more elements than int32 counts.
KernelPlan plan(const Sort& kernel, std::span<const Operand> inputs,
                std::span<const Operand> outputs, const PlanOptions& options = {});
KernelPlan plan(const Softmax& kernel, std::span<const Operand> inputs,
                std::span<const Operand> outputs, const PlanOptions& options = {});

/// These three take channels last only: they throw UnsupportedError for channels in blocks.
KernelPlan plan(const Pool& kernel, std::span<const Operand> inputs,
                std::span<const Operand> outputs, const PlanOptions& options = {});
KernelPlan plan(const Normalize& kernel, std::span<const Operand> inputs,
                std::span<const Operand> outputs, const PlanOptions& options = {});
KernelPlan plan(const Conv& kernel, std::span<const Operand> inputs,
                std::span<const Operand> outputs, const PlanOptions& options = {});

/// Products in shared memory, for what no library takes: any dtype, any strides of the batch.
KernelPlan plan(const Matmul& kernel, std::span<const Operand> inputs,
                std::span<const Operand> outputs, const PlanOptions& options = {});

}  // namespace cornu::backend::cuda
