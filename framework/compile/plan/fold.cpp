// What depends on constants only is computed now; numbers become part of programs; steps that
// change nothing go.
#include <algorithm>

#include "passes.h"
#include "rewrite.h"

namespace cornu::plan {
namespace {

// A larger result is computed in each run rather than kept.
// 64 KiB: a constant takes memory for as long as the plan lives, and large ones (a broadcast mask,
// a one-hot table) are as fast to compute as to read.
constexpr size_t largest_folded = 1 << 16;

bool is_constant(const Graph& graph, const Use& use) {
  return graph.values[static_cast<size_t>(use.value)].source == Source::constant;
}

// Computes the step, whose outputs become constants.
void compute(Graph& graph, const Step& step) {
  std::vector<backend::Operand> inputs, outputs;
  std::vector<Tensor> given, results;
  for (const Use& use : step.inputs) {
    const Value& value = graph.values[static_cast<size_t>(use.value)];
    given.push_back(graph.constant(value.index));
    inputs.push_back({&use.shape, value.dtype, given.back().data()});
  }
  for (const Use& use : step.outputs) {
    results.push_back(Tensor::empty(use.shape, graph.values[static_cast<size_t>(use.value)].dtype,
                                    *graph.device));
    outputs.push_back({&use.shape, results.back().dtype(), results.back().data()});
  }
  graph.device->run(*step.kernel, inputs, outputs);
  for (size_t i = 0; i < results.size(); ++i) {
    Value& value = graph.values[static_cast<size_t>(step.outputs[i].value)];
    value.source = Source::constant;
    value.index = static_cast<int>(graph.constants.size());
    graph.constants.push_back(results[i]);
  }
}

bool worth_computing(const Graph& graph, const Step& step) {
  size_t bytes = 0;
  for (const Use& use : step.outputs) bytes += graph.values[static_cast<size_t>(use.value)].bytes();
  return bytes <= largest_folded &&
         std::all_of(step.inputs.begin(), step.inputs.end(),
                     [&](const Use& use) { return is_constant(graph, use); });
}

// Numbers among the inputs of a program move into it.
void embed_numbers(const Graph& graph, Step& step) {
  const backend::ProgramRef program = *program_of(step);
  std::vector<std::optional<double>> numbers;
  bool any = false;
  for (const Use& use : step.inputs) {
    numbers.push_back(number_of(graph, use.value));
    any |= numbers.back().has_value();
  }
  if (!any) return;
  std::vector<Use> kept;
  for (size_t i = 0; i < numbers.size(); ++i)
    if (!numbers[i]) kept.push_back(step.inputs[i]);
  backend::ProgramBuilder builder(static_cast<int>(kept.size()));
  std::vector<backend::Expr> inputs;
  int next = 0;
  for (const std::optional<double>& number : numbers)
    inputs.push_back(number ? builder.constant(*number) : builder.input(next++));
  const std::vector<backend::Expr> outputs = append_program(builder, *program, inputs);
  set_program(step, builder.finish(outputs));
  step.inputs = std::move(kept);
}

// A reduction along axes of size 1 is an elementwise program.
void simplify_reduce(Step& step) {
  const auto& reduce = std::get<backend::Reduce>(*step.kernel);
  // Their result is an index, 0 here, which no program of the operands gives.
  if (reduce.op == backend::ReduceOp::argmax || reduce.op == backend::ReduceOp::argmin) return;
  for (const int axis : reduce.axes)
    if (reduce.shape[axis] != 1) return;
  // The program runs over the unreduced shape, which has the same elements.
  for (const Use& use : step.inputs)
    if (use.shape.numel() != 1 && use.shape != reduce.shape) return;
  backend::ProgramBuilder builder(static_cast<int>(step.inputs.size()));
  std::vector<backend::Expr> inputs;
  for (size_t i = 0; i < step.inputs.size(); ++i)
    inputs.push_back(builder.input(static_cast<int>(i)));
  std::vector<backend::Expr> outputs = append_program(builder, *reduce.program, inputs);
  if (reduce.scale != 1)
    outputs[0] =
        builder.append(backend::Opcode::multiply, {outputs[0], builder.constant(reduce.scale)});
  const backend::Fused fused{builder.finish(outputs), reduce.compute};
  for (Use& use : step.inputs) use.shape = use.shape.numel() == 1 ? Shape{} : step.outputs[0].shape;
  step.kernel = fused;
}

// The input that the step hands on unchanged, or -1.
int passed_on(const Graph& graph, const Step& step) {
  const auto* fused = std::get_if<backend::Fused>(&*step.kernel);
  if (!fused || step.outputs.size() != 1) return -1;
  const int input = fused->program->passes(0);
  if (input < 0) return -1;
  const Use& use = step.inputs[static_cast<size_t>(input)];
  // A cast or a broadcast changes more than the number of the value.
  const Value &from = graph.values[static_cast<size_t>(use.value)],
              &to = graph.values[static_cast<size_t>(step.outputs[0].value)];
  return from.dtype == to.dtype && from.numel == to.numel ? use.value : -1;
}

}  // namespace

void fold(Graph& graph) {
  Aliases aliases(graph);
  for (Step& step : graph.steps) {
    if (!step.kernel) continue;
    // At once rather than at the end, so that constants show through several steps.
    for (Use& use : step.inputs) use.value = aliases(use.value);
    if (worth_computing(graph, step)) {
      compute(graph, step);
      step.kernel.reset();  // done: without kernel and host it is dead
      step.outputs.clear();
      continue;
    }
    if (std::holds_alternative<backend::Reduce>(*step.kernel)) simplify_reduce(step);
    if (program_of(step)) {
      drop_unread(step);
      embed_numbers(graph, step);
    }
    if (const int same = passed_on(graph, step); same >= 0)
      aliases.set(step.outputs[0].value, same);
  }
  aliases.apply(graph);
  drop_dead(graph);
}

}  // namespace cornu::plan
