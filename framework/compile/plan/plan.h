// Plan: a graph made ready to run many times.
#pragma once
#include <memory>
#include <span>

#include "captures.h"
#include "graph.h"
#include "memory.h"

namespace cornu::plan {

/// What one step of a plan took.
struct StepTime {
  double start = 0;    ///< seconds since the run began
  double seconds = 0;  ///< length
};

/// Kernels, their operands' addresses, and the arena. One run at a time.
class Plan {
 public:
  /// Places all values and prepares all kernels of an optimized graph.
  explicit Plan(Graph graph);
  Plan(const Plan&) = delete;

  /// Computes the outputs, and changes variables as the recorded function did. `times`, if given,
  /// gets each step's. Where the caller has no more use for the arguments (`donated`), outputs
  /// that are one of them with changes take its memory instead of copying it.
  void run(std::span<const Tensor* const> arguments, std::span<Tensor> outputs,
           std::vector<StepTime>* times = nullptr, bool donated = false);
  /// The same with results written into these tensors, which have the outputs' shapes and dtypes
  /// and lie over no argument.
  void run_into(std::span<const Tensor* const> arguments, std::span<const Tensor> outputs);

  const Graph& graph() const { return graph_; }               ///< as given
  size_t arena_bytes() const { return memory_.arena_bytes; }  ///< memory of the values in between
  size_t unplanned_bytes() const {
    return memory_.unplanned_bytes;
  }  ///< what they would take without sharing
  /// Gives the arena back, and what kernels keep, until the next run.
  void release();

 private:
  struct Prepared {
    std::unique_ptr<backend::Executable> executable;  // none for work of the host
    size_t first = 0;                                 // of its operands' addresses
    uint32_t stable = 0;                              // the inputs that rarely change
  };
  // Places of `addresses_` with their offsets in a block of memory.
  struct Block {
    Tensor memory;
    std::vector<std::pair<size_t, size_t>> places;
    void set(std::vector<void*>& addresses) const;
  };
  // The places of `addresses_` that follow something whose address changes.
  struct Followers {
    void* address = nullptr;
    std::vector<size_t> places;
  };

  void prepare_kernels();
  uint32_t prepare(size_t number);
  void place_operands();
  void run_once();
  void set(Followers& followers, void* address);
  void bind_arena();
  void bind_variables();
  void make_outputs(std::span<const Tensor* const> donated);
  void run_steps(std::span<const Tensor* const> arguments, std::vector<StepTime>* times);
  void run_kernels();
  void run_kernels_by_memory();
  bool has_large_step() const;
  void run_captured();
  void settle();
  void assign_variables(std::span<const Tensor* const> arguments);
  void run_host(const Step& step, size_t first, std::span<const Tensor* const> arguments);

  Graph graph_;
  std::vector<Prepared> steps_;
  std::vector<uint32_t> kept_;  // by step: the inputs that its kernel keeps a copy of
  MemoryPlan memory_;
  Block arena_, once_;
  size_t once_count_ = 0;  // steps at the beginning that are done once
  bool keeps_any_ = false;
  bool capturable_ = false;  // whether the steps may be done as one piece
  Captures captures_;
  // Memory of the plan's own for arguments and results, where theirs is another in each run.
  std::vector<Tensor> own_arguments_, own_outputs_;
  bool fixed_buffers_ = false;  // whether there is such memory
  bool released_ = false;
  bool stale_ = true;           // whether those done once are to be done again
  std::vector<uint64_t> seen_;  // by variable: the identity of the value in the last run
  std::vector<void*> addresses_;
  std::vector<Followers> arguments_, variables_, outputs_;
  std::vector<Tensor> results_;
};

}  // namespace cornu::plan
