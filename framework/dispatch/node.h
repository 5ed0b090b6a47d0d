// Nodes of symbolic graphs: which operation was called on which tensors.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../tensor/recorder.h"
#include "value.h"

namespace cornu {

/// Positional and named arguments of a call.
struct Arguments {
  Value::List positional;  ///< in order
  Value::Dict named;       ///< in the order of the call
  /// The tensors in them, positional first.
  std::vector<Tensor> tensors() const;
  /// The same arguments with f of each tensor.
  Arguments map(const std::function<Tensor(const Tensor&)>& f) const;
};

struct Node;

/// What a node calls: a layer, or an op of cornu::ops with its settings.
class Operation : public std::enable_shared_from_this<Operation> {
 public:
  virtual ~Operation() = default;
  /// "dense", "add_1".
  virtual const std::string& name() const = 0;
  /// Gives the name that a model found free, or that a file says.
  virtual void rename(const std::string& name) = 0;
  /// The name's stem: "dense".
  virtual std::string base_name() const = 0;
  /// Whether the user chose the name; else a model may change it.
  virtual bool is_named() const = 0;
  /// The name with those of the layers around it: "model/dense".
  virtual std::string path() const { return name(); }
  /// Calls it on other tensors.
  virtual Nest invoke(const Arguments& arguments) = 0;
  /// Order in which operations were made; names are numbered by it.
  uint64_t serial() const { return serial_; }

  /// The calls of it in the graphs that there are, in the order in which they were made.
  std::vector<std::shared_ptr<Node>> inbound_nodes() const;
  /// The symbolic tensors that the first of these calls gave, from which further models can be
  /// made: `Functional(base->input(), base->get_layer("conv")->output())`. Throws StateError when
  /// there is no such call.
  virtual Nest output() const;
  /// The symbolic tensors that the first of these calls took. Throws likewise.
  virtual Nest input() const;

 protected:
  Operation();

 private:
  friend Nest make_node(std::shared_ptr<Operation>, struct Arguments, const Nest&);
  std::shared_ptr<Node> first_node() const;

  uint64_t serial_;
  std::vector<std::weak_ptr<Node>> nodes_;  // graphs own them
};

/// One call of an operation on symbolic tensors. Symbolic outputs own their node, the node owns its
/// inputs and its operation: a graph lives as long as some output of it, and nothing is registered
/// globally.
struct Node {
  std::shared_ptr<Operation> operation;  ///< what is called
  Arguments arguments;                   ///< own the nodes before this one
  /// The outputs' specs, and how they are nested (leaves are abstract tensors).
  Nest outputs;
  /// Order of creation, for numbering an operation's nodes.
  uint64_t serial = 0;
  /// Of the outputs, in their order, up to the last that has one; empty tensors before that.
  std::vector<Tensor> masks = {};
};

/// The symbolic tensors that a node gives.
Nest outputs_of(const std::shared_ptr<Node>& node);

/// Makes the node of a call and returns its symbolic outputs, shaped as `outputs`.
Nest make_node(std::shared_ptr<Operation> operation, Arguments arguments, const Nest& outputs);

/// Runs `f` on stand-ins for the tensors in `arguments` to find the specs of what it returns. Axes
/// of unknown size are tried with two different sizes: what differs in the result is unknown there.
/// No variable, seed or other state changes meanwhile.
Nest infer_outputs(const Arguments& arguments, const std::function<Nest(const Arguments&)>& f);

/// The run of `f` that infer_outputs is in on this thread, for what is made during it and has
/// shapes: an axis that has another size in the second run is unknown. `none` where all sizes are
/// known.
enum class InferencePass : uint8_t { none, first, second };
/// The pass of the innermost inference on this thread.
InferencePass inference_pass();

/// For the life of the scope, variables and seeds do not change and recorders see nothing.
class InferenceScope {
 public:
  InferenceScope();
  ~InferenceScope();
  InferenceScope(const InferenceScope&) = delete;

 private:
  PauseRecording pause_;
  PauseTracing untraced_;
};

/// Whether any tensor is symbolic.
bool any_symbolic(const std::vector<Tensor>& tensors);

}  // namespace cornu
