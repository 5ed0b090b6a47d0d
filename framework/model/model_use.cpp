// Keeping track of the calls on a model.
#include "model_use.h"

#include <fmt/core.h>

#include "../base/layer.h"

namespace cornu::detail {
namespace {

// The innermost prediction of this thread.
thread_local constinit const ModelUse::Inference* current = nullptr;

}  // namespace

// A change announces itself and then looks for predictions; a prediction announces itself and then
// looks for changes: so of two that meet, one at least sees the other.
ModelUse::Change::Change(ModelUse& use, const char* what, const Layer& model) : use_(use) {
  int mine = 0;
  // A callback of predict may train: this thread's own predictions are no conflict.
  for (const Inference* i = current; i; i = i->outer_) mine += &i->use_ == &use;
  const std::lock_guard lock(use.mutex_);
  const bool changed = use.changes_ > 0 && use.changer_ != std::this_thread::get_id();
  if (!changed) {
    use.changer_ = std::this_thread::get_id();
    ++use.changes_;
    // Announced first, then looked: see above.
    if (use.inferences_ <= mine) return;
    --use.changes_;
  }
  throw StateError(
      fmt::format("{}: another thread {} model '{}'. A model is trained and evaluated by one "
                  "thread at a time; give each thread a "
                  "model of its own, or let one wait for the other.",
                  what, changed ? "trains or evaluates" : "predicts with", model.name()));
}

ModelUse::Change::~Change() {
  const std::lock_guard lock(use_.mutex_);
  --use_.changes_;
}

ModelUse::Inference::Inference(ModelUse& use, const char* what, const Layer& model)
    : use_(use), outer_(current) {
  // Without the lock: many threads predict at a time, and must not wait for each other here.
  ++use.inferences_;
  if (use.changes_ > 0) {
    const std::lock_guard lock(use.mutex_);
    if (use.changes_ > 0 && use.changer_ != std::this_thread::get_id()) {
      --use.inferences_;
      throw StateError(
          fmt::format("{}: another thread trains or evaluates model '{}', so its weights may be "
                      "half changed. Wait for it, or "
                      "predict with a copy of the model.",
                      what, model.name()));
    }
  }
  current = this;
}

ModelUse::Inference::~Inference() {
  current = outer_;
  --use_.inferences_;
}

}  // namespace cornu::detail
