// Programs behind convolutions and matrix products that these can do themselves, so that the result
// is not read and written once more.
#include <algorithm>

#include "passes.h"
#include "rewrite.h"

namespace cornu::plan {
namespace {

// What a program of the form relu(x + bias), x + bias or relu(x) does to its input number `x`. The
// sum may be rounded to the result's type in between, which comes to the same as rounding at the
// end.
struct Epilogue {
  int bias = -1;  // number of the input that is added
  bool relu = false;
};

// Whether it rounds to this type.
bool rounds_to(const backend::Instruction& instruction, DType type) {
  using backend::Opcode;
  return (instruction.op == Opcode::round_bfloat16 && type == DType::bfloat16) ||
         (instruction.op == Opcode::round_float16 && type == DType::float16);
}

std::optional<Epilogue> read_program(const backend::Program& program, int x, DType type) {
  using backend::Opcode;
  const auto& code = program.instructions();
  // Matched by form rather than by search: these are what Dense, Conv and their activations record.
  if (program.outputs().size() != 1 || code.empty() || code.size() > 3) return {};
  const int first = program.inputs() + static_cast<int>(program.constants().size());
  if (program.outputs()[0] != first + static_cast<int>(code.size()) - 1) return {};
  Epilogue result;
  size_t next = 0;
  int value = x;
  if (code[0].op == Opcode::add) {
    const int a = code[0].operands[0], b = code[0].operands[1];
    // x + x is no bias, and a sum without x nothing that belongs here.
    if ((a == x) == (b == x)) return {};
    result.bias = a == x ? b : a;
    // The bias is a constant number, for which kernels have no operand.
    if (result.bias >= program.inputs()) return {};
    value = first;
    next = 1;
    if (code.size() == 3 && rounds_to(code[1], type) && code[1].operands[0] == value) {
      value = first + 1;
      next = 2;
    }
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
  DType dtype(int value) const { return graph_.values[static_cast<size_t>(value)].dtype; }

  // The part of a step that says what is done to its results; none if it has no such part.
  struct Behind {
    bool* bias;
    bool* relu;
  };
  static std::optional<Behind> behind(Step& step) {
    if (!step.kernel) return {};
    if (auto* conv = std::get_if<backend::Conv>(&*step.kernel)) {
      if (conv->pass != backend::ConvPass::forward) return {};
      return Behind{&conv->bias, &conv->relu};
    }
    if (auto* matmul = std::get_if<backend::Matmul>(&*step.kernel))
      return Behind{&matmul->bias, &matmul->relu};
    return {};
  }

  // Whether `bias` has a number for each channel of what `source` computes, and comes before it.
  bool fits(const Use& bias, const Step& source, const Shape& result) const {
    const auto* conv = std::get_if<backend::Conv>(&*source.kernel);
    return along_channels(bias.shape, result, conv ? conv->block_y : 0,
                          conv ? source.inputs[1].shape.back() : result.back());
  }

  void take(int number) {
    Step& step = graph_.steps[static_cast<size_t>(number)];
    if (step.outputs.size() != 1) return;
    const DType type = dtype(step.outputs[0].value);
    if (!is_float(type)) return;
    for (size_t i = 0; i < step.inputs.size(); ++i) {
      const Use& x = step.inputs[i];
      const int from = producers_[static_cast<size_t>(x.value)];
      // A result that somebody else reads must be stored without bias and relu.
      if (from < 0 || counts_[static_cast<size_t>(x.value)] != 1 || dtype(x.value) != type)
        continue;
      Step& source = graph_.steps[static_cast<size_t>(from)];
      const std::optional<Behind> known = behind(source);
      if (!known || *known->relu || step.outputs[0].shape.numel() != x.shape.numel()) continue;
      const auto epilogue = read_program(**program_of(step), static_cast<int>(i), type);
      if (!epilogue || step.inputs.size() != (epilogue->bias >= 0 ? 2u : 1u)) continue;
      if (epilogue->bias >= 0) {
        const Use& bias = step.inputs[static_cast<size_t>(epilogue->bias)];
        // The sum is not rounded to a narrower type in between, which only brings it nearer.
        if (*known->bias || dtype(bias.value) != type || source.outputs[0].shape != x.shape ||
            step.outputs[0].shape != x.shape ||
            // The bias must exist when the kernel runs, which is earlier than the program did.
            producers_[static_cast<size_t>(bias.value)] >= from || !fits(bias, source, x.shape))
          continue;
        *known->bias = true;
        source.inputs.push_back({bias.value, Shape{bias.shape.numel()}});
      }
      *known->relu = epilogue->relu;
      source.outputs[0].value = step.outputs[0].value;
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
