// What happens to every operation besides being computed: who records it, and whether values exist.
#pragma once
#include <span>

#include "../../backend/kernel.h"
#include "tensor.h"

namespace cornu {

/// Gradients of a step's inputs (empty where there is none) from those of its outputs (likewise).
/// It may let go of the gradients that it is given: nobody else keeps them for its sake.
using GradientFunction = std::function<Tensors(Tensors output_gradients)>;

/// Work of the host in the middle of a computation: reads the inputs, fills the outputs.
using HostFunction =
    std::function<void(std::span<const Tensor> inputs, std::span<const Tensor> outputs)>;

/// One executed step. Exactly one of: a kernel; work of the host; a change of shape (neither, and
/// one input); a step with its own gradient.
struct Step {
  const backend::Kernel* kernel = nullptr;     ///< what a device ran; null for other kinds of step
  const GradientFunction* gradient = nullptr;  ///< of a step with its own gradient
  std::span<const Tensor> inputs;              ///< valid during the call of the observer only
  std::span<const Tensor> outputs;             ///< likewise
  const HostFunction* host = nullptr;          ///< of work of the host
  /// What the host does, for comparing and printing; may be none.
  const std::string* text = nullptr;
};

/// Sees each step of its thread while it is on the stack of recorders.
class Recorder {
 public:
  virtual ~Recorder() = default;
  /// A step was executed. Its spans do not outlive the call.
  virtual void record(const Step& step) = 0;
  /// A variable is read.
  virtual void read(const Tensor&) {}
};

class Operation;
class Variable;
class VariableOverlay;

/// Sees everything that a function does, in order to replay it: each kernel and each work of the
/// host, those of tapes' sweeps and of custom gradients included, the variables, and where the
/// program looks at values.
class Tracer {
 public:
  virtual ~Tracer() = default;
  /// A step was executed. Its spans do not outlive the call.
  virtual void step(const Step& step) = 0;
  /// A variable's value is about to be read.
  virtual void read(const Variable& variable) = 0;
  /// A variable, which still has its old value, is about to get `value`; returns the tensor that it
  /// will hold.
  virtual Tensor assign(const Variable& variable, const Tensor& value) = 0;
  /// The program looks at a tensor's values, at this line.
  virtual void host_read(const Tensor& tensor, const SourceLine& at) = 0;
  /// What is done cannot be replayed; `where` says where it happens.
  virtual void give_up(const std::string& where) = 0;
};

/// What kernels cost: floating-point operations, and bytes read and written.
struct Cost {
  double flops = 0;  ///< a multiply-add counts as two
  double bytes = 0;  ///< read and written
};

/// Variables with a value of theirs.
using AssignmentList = std::vector<std::pair<Variable, Tensor>>;

/// The state of the current thread. Scopes change it and restore it.
struct GraphContext {
  InlineVector<Recorder*, 4> recorders;  ///< the innermost last
  int tape_depth = 0;                    ///< number of open tapes, which is the bit of the next one
  int inference_depth = 0;  ///< > 0 while shapes are inferred: nothing may change state
  Cost* cost = nullptr;     ///< where to add what is applied, on stand-ins too
  /// The recording of a function under way; null without one.
  Tracer* tracer = nullptr;
  bool dry = false;  ///< recording without computing: results are meta, see Tensor::meta
  VariableOverlay* overlay = nullptr;  ///< values of variables that hold on this thread only
  /// Gets each variable that is assigned, with its value from before.
  AssignmentList* assignments = nullptr;
  int recomputations = 0;                    ///< > 0 while something is computed again; see remat
  const Operation* where = nullptr;          ///< the innermost layer that is being called
  const std::string* gradient_of = nullptr;  ///< the path of the layer that is being differentiated

  /// Whether somebody is told of what is computed.
  bool observed() const { return tracer || !recorders.empty(); }
};

/// The calling thread's state.
GraphContext& graph_context();

/// Shows a step to the tracer and to all recorders of this thread.
void notify_observers(const Step& step);
/// Shows outputs that were computed unseen, with a gradient of their own.
void apply_custom(std::span<const Tensor> inputs, std::span<const Tensor> outputs,
                  const GradientFunction& gradient);

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

/// For its life what happens on this thread is computed at once, whatever is recorded around it,
/// and nobody sees it: for what is made once, such as weights.
class ComputeNow {
 public:
  ComputeNow() { exchange(); }
  ~ComputeNow() { exchange(); }
  ComputeNow(const ComputeNow&) = delete;

 private:
  void exchange() {
    GraphContext& context = graph_context();
    std::swap(recorders_, context.recorders);
    std::swap(tracer_, context.tracer);
    std::swap(dry_, context.dry);
    std::swap(overlay_, context.overlay);
  }
  InlineVector<Recorder*, 4> recorders_;
  Tracer* tracer_ = nullptr;
  bool dry_ = false;
  VariableOverlay* overlay_ = nullptr;
};

/// Hides from the tracer what happens during its life.
class PauseTracing {
 public:
  PauseTracing() { std::swap(saved_, graph_context().tracer); }
  ~PauseTracing() { std::swap(saved_, graph_context().tracer); }
  PauseTracing(const PauseTracing&) = delete;

 private:
  Tracer* saved_ = nullptr;
};

}  // namespace cornu
