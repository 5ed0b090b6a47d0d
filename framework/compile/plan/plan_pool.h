// PlanPool: what lets several threads run one graph at a time.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "plan.h"

namespace cornu::plan {

/// Plans of one graph, as many as run at a time; each has memory of its own, while kernels share
/// their copies of weights. A graph that assigns variables has one plan, and its runs wait for each
/// other.
class PlanPool {
 public:
  /// Makes the first plan at once, the others when several threads run.
  explicit PlanPool(Graph graph);
  PlanPool(const PlanPool&) = delete;

  /// As Plan::run, from any number of threads.
  void run(std::span<const Tensor* const> arguments, std::span<Tensor> outputs,
           std::vector<StepTime>* times = nullptr, bool donated = false);
  /// As Plan::run_into, from any number of threads.
  void run_into(std::span<const Tensor* const> arguments, std::span<const Tensor> outputs);

  const Graph& graph() const { return first_->graph(); }                ///< the same for all plans
  size_t arena_bytes() const { return first_->arena_bytes(); }          ///< of one plan
  size_t unplanned_bytes() const { return first_->unplanned_bytes(); }  ///< of one plan
  /// Gives back the memory of plans that are not running.
  void release();

 private:
  // A plan for one run.
  class Lease {
   public:
    explicit Lease(PlanPool& pool);
    ~Lease();
    Lease(const Lease&) = delete;
    Plan& operator*() const { return *plan_; }

   private:
    PlanPool& pool_;
    Plan* plan_;
  };
  Plan* take();

  const bool exclusive_;
  std::mutex running_;                 // held by the runs of an exclusive pool, which has one plan
  std::atomic<Plan*> spare_{nullptr};  // an idle plan, taken without a lock
  std::mutex mutex_;                   // of what follows
  std::vector<std::unique_ptr<Plan>> plans_;
  std::vector<Plan*> idle_;
  Plan* first_;
};

}  // namespace cornu::plan
