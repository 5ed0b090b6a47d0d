// What happens to every operation besides being computed: who records it, and whether values exist.
#pragma once
#include <span>

#include "../../backend/kernel.h"
#include "../tensor/tensor.h"

namespace cornu {

/// Gradients of a step's inputs (empty where there is none) from those of its outputs (likewise).
using GradientFunction = std::function<Tensors(std::span<const Tensor> output_gradients)>;

/// One executed step. Exactly one of: a kernel; a change of shape (no kernel, one input); a step with its
/// own gradient.
struct Step {
  const backend::Kernel* kernel = nullptr;
  const GradientFunction* gradient = nullptr;
  std::span<const Tensor> inputs;
  std::span<const Tensor> outputs;
};

/// Sees each step of its thread while it is on the stack of recorders.
class Recorder {
 public:
  virtual ~Recorder() = default;
  virtual void record(const Step& step) = 0;
  /// A variable is read.
  virtual void read(const Tensor&) {}
};

/// What kernels cost: floating-point operations, and bytes read and written.
struct Cost {
  double flops = 0;
  double bytes = 0;
};

/// The state of the current thread. Scopes change it and restore it.
struct GraphContext {
  InlineVector<Recorder*, 4> recorders;
  int tape_depth = 0;       ///< number of open tapes, which is the bit of the next one
  int inference_depth = 0;  ///< > 0 while shapes are inferred: nothing may change state
  Cost* cost = nullptr;     ///< where to add what is applied, on stand-ins too
};

GraphContext& graph_context();

/// Whether a shape inference is under way: variables and seeds must not change.
inline bool inferring() { return graph_context().inference_depth > 0; }

/// Takes all recorders off the stack for its life.
class PauseRecording {
 public:
  PauseRecording() { std::swap(saved_, graph_context().recorders); }
  ~PauseRecording() { std::swap(saved_, graph_context().recorders); }
  PauseRecording(const PauseRecording&) = delete;

 private:
  InlineVector<Recorder*, 4> saved_;
};

}  // namespace cornu
