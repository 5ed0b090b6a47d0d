// Recording parts of a function.
#include "recorded_part.h"

#include <fmt/core.h>

#include "../dispatch/apply.h"
#include "../dispatch/complex.h"
#include "plan/passes.h"

namespace cornu::ops::control {
namespace {

// While it lives nothing is computed if `dry`, and assignments are recorded: whoever runs the part
// decides whether they are a recomputation.
class Scope {
 public:
  explicit Scope(bool dry)
      : dry_(graph_context().dry), recomputations_(graph_context().recomputations) {
    graph_context().dry = dry;
    // Assignments of the part are recorded even if the loop around it is being computed again.
    graph_context().recomputations = 0;
  }
  ~Scope() {
    graph_context().dry = dry_;
    graph_context().recomputations = recomputations_;
  }
  Scope(const Scope&) = delete;

 private:
  bool dry_;
  int recomputations_;
};

// The graph as text. It tells parts apart, so it has the constants' values too.
std::string text_of(const plan::Graph& graph) {
  std::string text = graph.str();
  const PauseTracing untraced;
  for (size_t i = 0; i < graph.constants.size(); ++i) {
    const Tensor& t = graph.constants[i];
    if (t.size() == 1) {
      text += fmt::format("const{} is {:.17g}\n", i, t.item());
      continue;
    }
    size_t hash = 0;
    const auto* bytes = static_cast<const unsigned char*>(t.read());
    // The text decides whether two recordings are equal, so different tables must differ in it.
    for (size_t k = 0; k < t.bytes(); ++k) hash = hash * 1000003 + bytes[k];
    text += fmt::format("const{} has sum {:x}\n", i, hash);
  }
  return text;
}

}  // namespace

std::vector<Tensor> leaves(const Nest& nest) {
  return nest.empty() ? std::vector<Tensor>{} : nest.flatten();
}

Nest packed(const Nest& like, const std::vector<Tensor>& tensors) {
  return like.empty() ? Nest() : like.pack(tensors);
}

Nest fresh_alias(const Nest& nest) {
  return nest.map([](const Tensor& t) {
    if (t && t.is_weak()) return Tensor::copy_of(t.data(), t.shape(), t.dtype());
    return t ? t.fresh_alias() : t;
  });
}

void check_same(const Nest& a, const Nest& b, const char* op) {
  if (!a.same_structure(b))
    throw ShapeError(fmt::format("{}: the branches give different structures: {} and {}.", op,
                                 a.structure(), b.structure()));
  const std::vector<Tensor> x = leaves(a), y = leaves(b);
  for (size_t i = 0; i < x.size(); ++i)
    if (x[i].spec() != y[i].spec())
      throw ShapeError(fmt::format(
          "{}: output {} is {} in one branch and {} in another. All must give the same.", op, i,
          x[i].spec().str(), y[i].spec().str()));
}

bool watched(const Tensor& t) {
  return is_float(t.dtype()) && t.impl()->tapes.load(std::memory_order_relaxed) != 0;
}

Tensor stand_in(const TensorSpec& spec) {
  return graph_context().dry ? Tensor::meta(spec.shape, spec.dtype, detail::current_backend())
                             : Tensor::empty(spec.shape, spec.dtype);
}

void forbid_gradient(std::span<const Tensor> inputs, std::span<const Tensor> outputs,
                     const std::string& op) {
  apply_custom(inputs, outputs, [op](std::span<const Tensor>) -> Tensors {
    throw UnsupportedError(fmt::format(
        "ops::{}: in a recorded function its second derivative needs two open tapes, one in the "
        "other, not one persistent tape.",
        op));
  });
}

Part::Part(const std::vector<Tensor>& arguments, const std::function<Nest()>& f) {
  const PauseRecording unseen;
  const bool was_dry = graph_context().dry;
  const auto record = [&](bool dry) {
    recording = std::make_unique<plan::PartRecording>(arguments);
    const Scope scope(dry);
    result = f();
    recording->stop();
  };
  try {
    record(true);
  } catch (const NeedsValues&) {
    recording.reset();
    // The recording around this one has to compute first; it starts again.
    if (was_dry) throw;
    record(false);
  }
  results = leaves(result);
  for (Tensor& t : results)
    if (t && t.is_weak()) t = Tensor::copy_of(t.data(), t.shape(), t.dtype());
  for (const auto* list : {&arguments, static_cast<const std::vector<Tensor>*>(&results)})
    for (const Tensor& t : *list)
      if (t && has_emulated_storage(t.dtype()))
        recording->give_up("complex numbers or 8-bit floats of a branch or a loop");
}

Tensor Part::after(const Variable& variable) const {
  for (const plan::PartRecording::Changed& c : recording->changed())
    if (c.variable == variable) return c.after;
  graph_context().tracer->read(variable);
  return variable.stored();
}

void Part::finish(const std::vector<Tensor>& outputs) {
  plan::Graph graph = recording->finish(outputs);
  text = text_of(graph);
  // A part is optimized by itself: it is one opaque step to the passes of the function around it.
  plan::optimize(graph);
  plan = std::make_unique<plan::PlanPool>(std::move(graph));
}

std::vector<Tensor> Part::run(std::span<const Tensor> arguments) const {
  std::vector<const Tensor*> pointers;
  for (const Tensor& t : arguments) pointers.push_back(&t);
  std::vector<Tensor> outputs(plan->graph().outputs.size());
  plan->run(pointers, outputs);
  return outputs;
}

}  // namespace cornu::ops::control
