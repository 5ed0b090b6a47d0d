// Running a function again for its gradient.
#include "remat.h"

#include <algorithm>
#include <memory>

#include "../dispatch/apply.h"
#include "../dispatch/complex.h"
#include "../dispatch/variable.h"
#include "tape.h"

namespace cornu {
namespace {

// Notes which trainable variables a function reads, and lets no tape see what it does.
class Reads final : public Recorder {
 public:
  Reads() { graph_context().recorders.push_back(this); }
  ~Reads() override { graph_context().recorders.pop_back(); }
  void record(const Step&) override {}
  void read(const Tensor& value) override {
    const bool known = std::any_of(values.begin(), values.end(), [&](const Tensor& t) {
      return t.impl()->key == value.impl()->key;
    });
    if (!known) values.push_back(value);
  }
  std::vector<Tensor> values;

 private:
  PauseRecording unseen_;
};

// The assignments of one run, so that another can start from the same state.
class Assignments {
 public:
  Assignments() : outer_(graph_context().assignments) { graph_context().assignments = &list_; }
  ~Assignments() {
    graph_context().assignments = outer_;
    if (!outer_) return;
    for (const auto& entry : list_)
      if (std::none_of(outer_->begin(), outer_->end(),
                       [&](const auto& known) { return known.first == entry.first; }))
        outer_->push_back(entry);
  }
  Assignments(const Assignments&) = delete;
  const AssignmentList& list() const { return list_; }

 private:
  AssignmentList list_, *outer_;
};

// Puts variables back to what they were before the first run, and at the end to what they are now.
// Assignments in between are a recomputation that no recording is told of.
class Recomputation {
 public:
  explicit Recomputation(const AssignmentList& before) {
    for (const auto& [variable, value] : before) {
      now_.emplace_back(variable, variable.stored());
      variable.stored() = value;
    }
    ++graph_context().recomputations;
  }
  ~Recomputation() {
    --graph_context().recomputations;
    for (const auto& [variable, value] : now_) variable.stored() = value;
  }
  Recomputation(const Recomputation&) = delete;

 private:
  AssignmentList now_;
};

}  // namespace

std::function<Nest(const Nest&)> remat(std::function<Nest(const Nest&)> f) {
  return [f = std::move(f)](const Nest& arguments) -> Nest {
    // Without a tape there is nothing to save memory for.
    if (graph_context().recorders.empty()) return f(arguments);
    std::vector<Tensor> inputs;
    AssignmentList before;
    Nest result;
    {
      Assignments assignments;
      Reads reads;
      // Unseen by the tapes outside: they would keep what is to be computed again.
      result = f(arguments);
      inputs = reads.values;
      before = assignments.list();
    }
    // The tapes outside have not seen the variables being read.
    for (Recorder* recorder : graph_context().recorders)
      for (const Tensor& value : inputs) recorder->read(value);
    // Weak scalars and integers have no gradient; they are captured with `arguments`.
    for (const Tensor& t : arguments.flatten())
      if (t && t.is_eager() && !t.is_weak() && has_gradient(t.dtype())) inputs.push_back(t);
    std::vector<Tensor> outputs = result.flatten();
    make_distinct(outputs, inputs);
    result = result.pack(outputs);
    // Captured by value: the sweep may run long after this call, when the caller's tensors are
    // gone.
    const GradientFunction gradient = [=](Tensors incoming) -> Tensors {
      // Moving averages must not move twice, and a seed must give the draws of the first run.
      const Recomputation recomputation(before);
      GradientTape tape;
      for (const Tensor& t : inputs) tape.watch(t);
      std::vector<Tensor> targets = f(arguments).flatten(), weights;
      for (size_t i = 0; i < targets.size(); ++i)
        if (incoming[i])
          weights.push_back(std::move(incoming[i]));
        else
          targets[i] = {};
      std::erase_if(targets, [](const Tensor& t) { return !t; });
      // The tape below then holds the only references, and can free them on its way.
      incoming.clear();
      const std::vector<Tensor> gradients =
          tape.gradient(std::move(targets), inputs, std::move(weights));
      return Tensors(gradients.begin(), gradients.end());
    };
    apply_custom(inputs, outputs, gradient);
    return result;
  };
}

}  // namespace cornu
