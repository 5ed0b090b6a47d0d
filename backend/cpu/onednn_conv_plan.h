// oneDNN's primitives for convolutions: made once for given sizes, and kept.
#pragma once
#include <array>
#include <memory>
#include <string>

#include "onednn.h"
#include "onednn_call.h"

namespace cornu::backend::cpu::onednn {

/// One operand of a primitive, with the reorder between the caller's layout and the primitive's, if
/// they differ.
struct Argument {
  int name = 0;
  Desc outside, inside;
  dnnl::reorder reorder{};
  size_t reorder_scratch = 0;
  bool differs = false;
};

/// A primitive for one call on one thread, its operands, and the bias or its gradient.
struct Plan {
  dnnl::primitive primitive;
  std::array<Argument, 3> arguments;  ///< two inputs, one output
  Desc bias, scratch;
  int bias_name = DNNL_ARG_BIAS;
  std::string name;

  /// oneDNN's own slow code.
  bool reference() const { return loops() || name.find("gemm") != name.npos; }
  /// The slowest of it, which takes a hundred times as long as matrix products do.
  bool loops() const { return name.starts_with("ref"); }
};

/// The plan for a call of these sizes, which is a part of a convolution with `out_channels` output
/// channels; null when oneDNN has nothing for them. Thread-safe.
std::shared_ptr<const Plan> plan_of(ConvSizes sizes, int64_t out_channels);

/// Throws MemoryError or StateError unless a call went well.
void check(dnnl_status_t status);

}  // namespace cornu::backend::cpu::onednn
