// Kernels as sequences of simpler ones, for devices that have no code of their own for them.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "backend.h"

namespace cornu::backend {

/// Copies of numbers that never change in a device's memory, for all runs of one kernel. Graphs of
/// launches refuse copies from the host, so they are made by a run before.
class KeptConstants {
 public:
  /// For one kernel on this device.
  explicit KeptConstants(Backend& backend) : backend_(backend) {}
  KeptConstants(const KeptConstants&) = delete;
  ~KeptConstants();
  /// The copy of the `bytes` at `host`.
  void* get(const void* host, size_t bytes);

  /// What the constants are parts of, so that all runs have the same.
  std::shared_ptr<const void> owner;

 private:
  struct Copied {
    const void* host;
    void* data;
    size_t bytes;
  };
  Backend& backend_;
  std::vector<Copied> copies_;
};

/// Runs an Rnn, Attention, Fft or MultiTensorFused kernel by Matmul, Fused, Reduce, Cumulative and
/// Copy on `backend`, with scratch memory from its allocator; false, and nothing done, for other
/// kernels. Memory is given back when the last kernel has been launched: the allocator must not
/// hand it to work that runs before that. All addresses that the kernels get are multiples of 64,
/// if the operands' are.
///
/// What an Rnn keeps for its backward pass is for the composed backward pass only. Attention holds
/// the scores of all pairs of queries and keys. float16 and bfloat16 are computed in float32. Fft
/// reads roots of unity, which the host makes once for each of the last sizes; `kept` has them in
/// the device's memory.
bool composed(const Kernel& kernel, std::span<const Operand> inputs,
              std::span<const Operand> outputs, Backend& backend, KeptConstants* kept = nullptr);

}  // namespace cornu::backend
