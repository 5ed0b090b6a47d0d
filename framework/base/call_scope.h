// What surrounds a layer's call on this thread: the layers it is inside of, and whether they train.
#pragma once
#include <optional>
#include <utility>
#include <vector>

#include "layer.h"

namespace cornu {

/// Observers of layer calls (summaries, cost reports) and of optimizers: sees each finished call.
class LayerObserver {
 public:
  virtual ~LayerObserver() = default;
  virtual void before(Layer&, const Nest& /*inputs*/) {}  ///< called before the layer computes
  virtual void after(Layer&, const Nest& /*outputs*/) {
  }  ///< called after it has computed; not when it throws
  /// Called before an optimizer applies these gradients; one that wraps another is seen before it.
  virtual void applying(const std::vector<Tensor>& /*gradients*/,
                        const std::vector<Variable>& /*variables*/) {}
};

class LossScope;

/// The calls of layers under way on one thread.
struct CallContext {
  InlineVector<const Layer*, 16> stack;  ///< outermost first
  std::optional<bool> training;          ///< the training flag in force; none outside of calls
  LayerObserver* observer = nullptr;     ///< is told of each call
  LossScope* losses = nullptr;  ///< gets what add_loss is given; without one the layers keep it
  /// The model whose own training step is under way, which is all that its tape sees but the loss.
  const Layer* whole = nullptr;
  bool warned = false;  ///< whether the layer that an exception came from is named; see warn_place
};

/// The calling thread's context.
CallContext& call_context();

namespace detail {
/// The first tensor of what a call takes or gives; none where there is none.
Tensor first_of(const Nest& nest);
}  // namespace detail

/// Puts a layer on the stack, and its training flag (or the one around it) in force.
class CallScope {
 public:
  /// Enters a call of `layer`; without a flag of its own the surrounding one stays.
  CallScope(const Layer& layer, std::optional<bool> training)
      : context_(call_context()),
        graph_(graph_context()),
        previous_(context_.training),
        outer_(graph_.where) {
    context_.stack.push_back(&layer);
    graph_.where = &layer;
    if (training) context_.training = training;
  }
  ~CallScope() {
    context_.stack.pop_back();
    if (context_.stack.empty()) context_.warned = false;
    context_.training = previous_;
    graph_.where = outer_;
  }
  CallScope(const CallScope&) = delete;

  const CallContext& context() const { return context_; }  ///< of this thread

 private:
  CallContext& context_;  // this thread's: finding it takes longer than all else here
  GraphContext& graph_;
  std::optional<bool> previous_;
  const Operation* outer_;
};

/// Keeps what layers add to the loss during its life on this thread, so that steps of several
/// threads do not meet in the layers. Layer::losses reads it.
class LossScope {
 public:
  LossScope() : outer_(std::exchange(call_context().losses, this)) {}
  ~LossScope() { call_context().losses = outer_; }
  LossScope(const LossScope&) = delete;

  void add(const Layer& layer, const Tensor& loss) {
    losses_.emplace_back(&layer, loss);
  }  ///< keeps a loss of `layer`
  /// Drops what `layer` added.
  void remove(const Layer& layer) {
    std::erase_if(losses_, [&](const auto& entry) { return entry.first == &layer; });
  }
  /// In the order in which they came.
  const std::vector<std::pair<const Layer*, Tensor>>& losses() const { return losses_; }

 private:
  LossScope* outer_;
  std::vector<std::pair<const Layer*, Tensor>> losses_;
};

/// Drops what earlier calls of `layer` added to the loss, as the outermost of nested calls begins:
/// its losses are those of the last call, as in Keras.
void drop_old_losses(Layer& layer, const CallContext& context);

}  // namespace cornu
