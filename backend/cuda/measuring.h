// Choosing among ways to run a kernel by trying them on the device.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "context.h"
#include "driver.h"

namespace cornu::backend::cuda {

/// Whether it may be done: what CORNU_CUDA_MEASURE says (0 or 1), else true.
bool may_measure();

/// Memory for a kernel's operands while it is tried. Nothing is written into it: what it holds does
/// not matter to a kernel's speed.
class TrialOperands {
 public:
  /// Without memory, and so without addresses, where it would take more than 1 GiB or there is not
  /// enough.
  TrialOperands(Context& context, std::span<const Operand> inputs,
                std::span<const Operand> outputs);
  ~TrialOperands();
  TrialOperands(const TrialOperands&) = delete;

  /// The inputs' addresses, then the outputs'.
  const std::vector<void*>& addresses() const { return addresses_; }

 private:
  void release();

  Context& context_;
  std::vector<size_t> bytes_;
  std::vector<void*> addresses_;
};

/// What trials tell.
struct TrialResult {
  size_t best = 0;      ///< the number of the fastest way; 0 if none can be launched
  bool certain = true;  ///< false where a way lacked memory, or none could be launched
};

/// The fastest of `count` ways; `launch(i)` launches way i on the context's stream and says whether
/// that could be done. A later one has to be faster by 3 %. What is timed is the device's work,
/// several launches in one graph where they can be captured: a plan launches them so, and the
/// host's calls may take longer than a small kernel.
TrialResult fastest(Context& context, size_t count, const std::function<bool(size_t)>& launch,
                    const Driver& driver = Driver::get());

/// The number of the fastest, found once for all processes that share a folder of compiled kernels:
/// `key` names the kernel, its operands, the library and its version. Ways must have the same
/// numbers in all of them. `launch` is not called where the choice is known, so it is for it to
/// make what a trial needs.
size_t fastest(const std::string& key, Context& context, size_t count,
               const std::function<bool(size_t)>& launch);

}  // namespace cornu::backend::cuda
