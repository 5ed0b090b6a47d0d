// Plan: a graph made ready to run many times.
#pragma once
#include <memory>
#include <span>

#include "graph.h"
#include "memory.h"

namespace cornu::plan {

/// What one step of a plan took.
struct StepTime {
  double start = 0;    ///< seconds since the run began
  double seconds = 0;
};

/// Kernels, their operands' addresses, and the arena. One run at a time.
class Plan {
 public:
  explicit Plan(Graph graph);
  Plan(const Plan&) = delete;

  /// Computes the outputs, and changes variables as the recorded function did. `times`, if given, gets each step's.
  void run(std::span<const Tensor* const> arguments, std::span<Tensor> outputs,
           std::vector<StepTime>* times = nullptr);

  const Graph& graph() const { return graph_; }
  size_t arena_bytes() const { return memory_.arena_bytes; }
  size_t unplanned_bytes() const { return memory_.unplanned_bytes; }
  /// Gives the arena back until the next run.
  void release();

 private:
  struct Prepared {
    std::unique_ptr<backend::Executable> executable;  // none for work of the host
    size_t first = 0;                                 // of its operands' addresses
  };
  // The places of `addresses_` that follow something whose address changes.
  struct Followers {
    void* address = nullptr;
    std::vector<size_t> places;
  };

  void prepare();
  void set(Followers& followers, void* address);
  void bind(std::span<const Tensor* const> arguments);
  void bind_arena();
  void bind_variables();
  void make_outputs();
  void run_host(const Step& step, size_t first, std::span<const Tensor* const> arguments);

  Graph graph_;
  MemoryPlan memory_;
  Tensor arena_;
  std::vector<Prepared> steps_;
  std::vector<void*> addresses_;
  std::vector<Followers> arguments_, variables_, outputs_;
  std::vector<size_t> arena_places_, arena_offsets_;
  std::vector<Tensor> results_;
};

}  // namespace cornu::plan
