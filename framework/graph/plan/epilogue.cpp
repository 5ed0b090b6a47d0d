// Programs behind convolutions that the convolution can do itself, so that its result is not read
// and written once more.
#include <algorithm>

#include "passes.h"
#include "rewrite.h"

namespace cornu::plan {
namespace {

// What a program of the form relu(x + bias), x + bias or relu(x) does to its input number `x`.
struct Epilogue {
  int bias = -1;  // number of the input that is added
  bool relu = false;
};

std::optional<Epilogue> read_program(const backend::Program& program, int x) {
  using backend::Opcode;
  const auto& code = program.instructions();
  if (program.outputs().size() != 1 || code.empty() || code.size() > 2) return {};
  const int first = program.inputs() + static_cast<int>(program.constants().size());
  if (program.outputs()[0] != first + static_cast<int>(code.size()) - 1) return {};
  Epilogue result;
  size_t next = 0;
  int value = x;
  if (code[0].op == Opcode::add) {
    const int a = code[0].operands[0], b = code[0].operands[1];
    if ((a == x) == (b == x)) return {};
    result.bias = a == x ? b : a;
    if (result.bias >= program.inputs()) return {};
    value = first;
    next = 1;
  }
  if (next < code.size()) {
    if (code[next].op != Opcode::relu || code[next].operands[0] != value) return {};
    result.relu = true;
    ++next;
  }
  if (next != code.size()) return {};
  return result;
}

class EpiloguePass {
 public:
  explicit EpiloguePass(Graph& graph)
      : graph_(graph), producers_(graph.producers()), counts_(graph.use_counts()) {}

  void run() {
    for (size_t i = 0; i < graph_.steps.size(); ++i)
      if (const Step& step = graph_.steps[i];
          step.kernel && std::holds_alternative<backend::Fused>(*step.kernel))
        take(static_cast<int>(i));
    std::erase_if(graph_.steps, [](const Step& step) { return !step.kernel && !step.host; });
  }

 private:
  bool float32(int value) const {
    return graph_.values[static_cast<size_t>(value)].dtype == DType::float32;
  }

  void take(int number) {
    Step& step = graph_.steps[static_cast<size_t>(number)];
    if (step.outputs.size() != 1 || !float32(step.outputs[0].value)) return;
    for (size_t i = 0; i < step.inputs.size(); ++i) {
      const Use& x = step.inputs[i];
      const int from = producers_[static_cast<size_t>(x.value)];
      if (from < 0 || counts_[static_cast<size_t>(x.value)] != 1) continue;
      Step& source = graph_.steps[static_cast<size_t>(from)];
      auto* conv = source.kernel ? std::get_if<backend::Conv>(&*source.kernel) : nullptr;
      if (!conv || conv->pass != backend::ConvPass::forward || conv->relu ||
          source.outputs[0].shape != x.shape || step.outputs[0].shape != x.shape ||
          !float32(x.value))
        continue;
      const auto epilogue = read_program(**program_of(step), static_cast<int>(i));
      if (!epilogue || step.inputs.size() != (epilogue->bias >= 0 ? 2u : 1u)) continue;
      const int64_t channels = source.inputs[1].shape.back();
      if (epilogue->bias >= 0) {
        const Use& bias = step.inputs[static_cast<size_t>(epilogue->bias)];
        if (conv->bias || !float32(bias.value) ||
            producers_[static_cast<size_t>(bias.value)] >= from ||
            !along_channels(bias.shape, x.shape, conv->block_y, channels))
          continue;
        conv->bias = true;
        source.inputs.push_back({bias.value, Shape{channels}});
      }
      conv->relu = epilogue->relu;
      source.outputs = step.outputs;
      producers_[static_cast<size_t>(step.outputs[0].value)] = from;
      step.kernel.reset();
      step.inputs.clear();
      step.outputs.clear();
      return;
    }
  }

  Graph& graph_;
  std::vector<int> producers_, counts_;
};

}  // namespace

void fuse_epilogues(Graph& graph) {
  EpiloguePass(graph).run();
  drop_dead(graph);
}

}  // namespace cornu::plan
