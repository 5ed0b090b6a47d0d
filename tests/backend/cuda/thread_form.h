// Runs generated kernels on the host with a real thread for each of a block's, under the thread
// sanitizer: it reports values that pass between threads without a barrier.
#pragma once
#include <cornu/backend/cuda/codegen/kernel_plan.h>

#include <memory>
#include <string>
#include <vector>

namespace cornu::backend::testing {

/// A program of launches, run one after another by the same 256 threads. Blocks follow each other.
class ThreadedLaunches {
 public:
  /// Bytes of one operand of a plan.
  using Bytes = std::vector<char>;

  /// Adds the stages of a plan on operands, the inputs first; gives the number for `result`.
  size_t add(const cuda::KernelPlan& plan, const std::vector<Bytes>& operands);

  /// Compiles and runs all that was added. False where there is no compiler with a thread
  /// sanitizer, or it does not run here.
  bool run();
  /// What compiler and program said: the sanitizer's reports.
  const std::string& log() const { return log_; }
  /// Whether the sanitizer found a race.
  bool raced() const { return raced_; }
  /// Operand i of what was added as `number`, after the run.
  Bytes result(size_t number, size_t i) const;

 private:
  struct Launch {
    size_t source;
    cuda::Stage stage;
    std::vector<uint64_t> words;  // with offsets into the memory for addresses
  };
  size_t place(size_t bytes);

  std::vector<std::shared_ptr<const cuda::Source>> sources_;
  std::vector<Launch> launches_;
  std::vector<std::vector<std::pair<size_t, size_t>>> places_;  // offset, bytes
  std::string memory_, log_;
  bool raced_ = false;
};

}  // namespace cornu::backend::testing
