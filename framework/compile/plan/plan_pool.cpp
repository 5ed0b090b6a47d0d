// Lending plans to threads.
#include "plan_pool.h"

namespace cornu::plan {

PlanPool::PlanPool(Graph graph) : exclusive_(!graph.assignments.empty()) {
  plans_.push_back(std::make_unique<Plan>(std::move(graph)));
  first_ = plans_.back().get();
  spare_ = first_;
}

Plan* PlanPool::take() {
  // A single caller, which is the common case, takes and gives back its plan without a lock.
  if (Plan* plan = spare_.exchange(nullptr, std::memory_order_acquire)) return plan;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      Plan* const plan = idle_.back();
      idle_.pop_back();
      return plan;
    }
  }
  // Outside of the lock: preparing kernels takes long, and other threads may go on.
  auto made = std::make_unique<Plan>(graph());
  Plan* const plan = made.get();
  const std::lock_guard lock(mutex_);
  plans_.push_back(std::move(made));
  return plan;
}

PlanPool::Lease::Lease(PlanPool& pool) : pool_(pool) {
  // Two runs that assign the same variables would lose one of the updates.
  if (pool.exclusive_) pool.running_.lock();
  plan_ = pool.exclusive_ ? pool.first_ : pool.take();
}

PlanPool::Lease::~Lease() {
  if (pool_.exclusive_) {
    pool_.running_.unlock();
    return;
  }
  Plan* none = nullptr;
  if (pool_.spare_.compare_exchange_strong(none, plan_, std::memory_order_release)) return;
  const std::lock_guard lock(pool_.mutex_);
  pool_.idle_.push_back(plan_);
}

void PlanPool::run(std::span<const Tensor* const> arguments, std::span<Tensor> outputs,
                   std::vector<StepTime>* times, bool donated) {
  const Lease plan(*this);
  (*plan).run(arguments, outputs, times, donated);
}

void PlanPool::run_into(std::span<const Tensor* const> arguments, std::span<const Tensor> outputs) {
  const Lease plan(*this);
  (*plan).run_into(arguments, outputs);
}

void PlanPool::release() {
  if (exclusive_) {
    // Whoever runs needs the memory now; waiting for it would defeat the purpose.
    const std::unique_lock lock(running_, std::try_to_lock);
    if (lock.owns_lock()) first_->release();
    return;
  }
  const std::lock_guard lock(mutex_);
  for (Plan* plan : idle_) plan->release();
  if (Plan* spare = spare_.exchange(nullptr, std::memory_order_acquire)) {
    spare->release();
    idle_.push_back(spare);
  }
}

}  // namespace cornu::plan
