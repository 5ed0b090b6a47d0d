// The order of a graph's launches: which of them wait for which.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "../step_order.h"
#include "allocator.h"
#include "driver.h"

namespace cornu::backend::cuda {

/// Lets the launches that are captured from one stream wait for what they need instead of for all
/// that was launched before. Used by one thread, from the begin of a capture to its end.
///
/// The driver has a set of nodes that the next launch will wait for. It is replaced when a step
/// begins, by the last nodes of the steps that use the same memory; when the step ends, it holds
/// the step's own last nodes, however many kernels and streams of its own a library has taken.
///
/// Where the driver cannot tell or change that set, launches become a sequence.
class Branches {
 public:
  Branches(const Driver& driver, CUstream_st* stream) : driver_(driver), stream_(stream) {}
  /// Whether the driver has what is needed.
  static bool supported(const Driver& driver) {
    return driver.capture_info != nullptr && driver.capture_depend != nullptr;
  }

  /// Ends the step before. See StepOrder.
  void begin_step(std::span<const MemoryRange> reads, std::span<const MemoryRange> writes);
  /// Whether a step was begun.
  bool in_step() const { return !steps_.empty(); }
  /// What is launched from now on by the step uses this as well. Nothing happens outside of steps.
  void touch(MemoryRange range, bool write);
  /// The same for what is no memory of the device, by the address of what stands for it.
  void touch(const void* resource, bool write) { touch({resource, 1}, write); }
  /// False when the driver did not even let launches become a sequence: the graph is useless.
  bool valid() const { return valid_; }

 private:
  using Node = CUgraphNode_st*;
  struct Step {
    std::vector<Node> end;         // what to wait for
    std::vector<uint64_t> before;  // a bit for each earlier step that has run when it has
  };
  struct Access {
    uintptr_t begin, end;
    size_t step;
    bool write;
  };

  void end_step();
  void note(MemoryRange range, bool write, std::vector<size_t>& waits);
  std::vector<Node> ends(std::vector<size_t>& waits);
  bool current(std::vector<Node>& nodes) const;
  bool depend(const std::vector<Node>& nodes, unsigned flags);
  void become_sequence();

  const Driver& driver_;
  CUstream_st* stream_;
  std::vector<Node> base_;  // what was launched before all steps
  std::vector<Step> steps_;
  std::vector<Access> accesses_;  // those that no later write covers
  bool changed_ = false;          // whether launches are no sequence any more
  bool sequence_ = false;         // whether they are to be one from now on
  bool valid_ = true;
};

/// Scratch memory for the steps of one graph, of their own as long as there is not too much of it,
/// so that they need not wait for each other.
class StepScratch {
 public:
  /// For more, a step takes the scratch memory of all.
  static constexpr size_t most_bytes = size_t{1} << 20;
  /// Of all steps of a graph; then steps take the memory of earlier ones, and wait for them.
  static constexpr size_t most_bytes_together = size_t{16} << 20;

  explicit StepScratch(CachingAllocator& allocator) : allocator_(allocator) {}
  StepScratch(const StepScratch&) = delete;
  ~StepScratch();
  /// For the step that was begun last, aligned to 256, to be used in the order of its launches, by
  /// one of them after the other; null where there is none left. `memory` is what stands for the
  /// allocator's blocks, see Device::allocator.
  void* take(size_t bytes, Branches& branches, const void* memory);
  /// To be called when a step begins.
  void begin_step() { of_step_ = 0; }

 private:
  struct Block {
    void* data;
    size_t bytes;
  };

  bool add(size_t bytes);

  CachingAllocator& allocator_;
  std::vector<Block> blocks_;  // those taken last come last
  size_t of_step_ = 0;         // how many of them the step has
  size_t together_ = 0;        // bytes
};

}  // namespace cornu::backend::cuda
