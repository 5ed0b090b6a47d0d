// What surrounds a layer's call on this thread: the layers it is inside of, and whether they train.
#pragma once
#include <optional>

#include "layer.h"

namespace cornu {

/// Observers of layer calls (summaries, cost reports): sees each finished call.
class LayerObserver {
 public:
  virtual ~LayerObserver() = default;
  virtual void before(Layer&, const Nest& /*inputs*/) {}
  virtual void after(Layer&, const Nest& /*outputs*/) {}
};

struct CallContext {
  InlineVector<const Layer*, 16> stack;
  std::optional<bool> training;
  LayerObserver* observer = nullptr;
};

CallContext& call_context();

/// Puts a layer on the stack, and its training flag (or the one around it) in force.
class CallScope {
 public:
  CallScope(const Layer& layer, std::optional<bool> training)
      : previous_(call_context().training), outer_(graph_context().where) {
    CallContext& context = call_context();
    context.stack.push_back(&layer);
    graph_context().where = &layer;
    if (training) context.training = training;
  }
  ~CallScope() {
    CallContext& context = call_context();
    context.stack.pop_back();
    context.training = previous_;
    graph_context().where = outer_;
  }
  CallScope(const CallScope&) = delete;

 private:
  std::optional<bool> previous_;
  const Operation* outer_;
};

}  // namespace cornu
