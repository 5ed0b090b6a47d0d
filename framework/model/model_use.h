// ModelUse: who is at work on a model, so that threads which would spoil each other's work are
// told.
#pragma once
#include <atomic>
#include <mutex>
#include <thread>

namespace cornu {
class Layer;
}

namespace cornu::detail {

/// The calls of fit, evaluate, predict and their kin that are under way on one model. Calls inside
/// a call of the same thread, such as a callback's predict, are part of it.
class ModelUse {
 public:
  /// One call that changes the model: its weights, its optimizer or its metrics.
  class Change {
   public:
    /// Throws StateError, saying `what` was called on which model, when another thread is at work
    /// on it.
    Change(ModelUse& use, const char* what, const Layer& model);
    ~Change();
    Change(const Change&) = delete;

   private:
    ModelUse& use_;
  };

  /// One call of predict.
  class Inference {
   public:
    /// Throws StateError when another thread changes the model.
    Inference(ModelUse& use, const char* what, const Layer& model);
    ~Inference();
    Inference(const Inference&) = delete;

   private:
    friend class ModelUse;
    ModelUse& use_;
    const Inference* outer_;  // this thread's, around this one
  };

 private:
  std::mutex mutex_;  // of the changers
  std::thread::id changer_;
  std::atomic<int> changes_{0};     // of that thread, one inside the other
  std::atomic<int> inferences_{0};  // of all threads
};

}  // namespace cornu::detail
