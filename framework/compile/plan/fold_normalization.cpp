// Batch normalization in inference, and other factors and summands of channels, as part of the
// convolution before them: (conv(x, w) + b) * s + t = conv(x, w * s) + (b * s + t). The scaled
// filters are computed once.
#include <algorithm>

#include "passes.h"
#include "rewrite.h"

namespace cornu::plan {
namespace {

using backend::Expr;
using backend::Instruction;
using backend::Opcode;
using backend::Program;
using backend::ProgramBuilder;

// The part of a program that is x * factor + summand, beginning at its input `x`, where factor and
// summand come from numbers and from the inputs that are `along` the channels.
class Chain {
 public:
  Chain(const Program& program, int x, const std::vector<char>& along)
      : program_(program),
        x_(x),
        first_(program.inputs() + static_cast<int>(program.constants().size())),
        end_(x) {
    // Constants count as vectors along the channels, all elements of which are equal.
    channel_.assign(static_cast<size_t>(first_) + program.instructions().size(), 1);
    for (size_t i = 0; i < along.size(); ++i) channel_[i] = along[i];
    for (size_t k = 0; k < program.instructions().size(); ++k) {
      const Instruction& code = program.instructions()[k];
      for (int i = 0; i < backend::info(code.op).arity; ++i)
        // What is computed from channel vectors alone is one.
        channel_[static_cast<size_t>(first_) + k] &= channel_[code.operands[i]];
    }
    while (extend()) {
    }
  }

  bool multiplies() const { return multiplies_; }

  // Factor and summand, from the inputs for which `along` holds, in order.
  backend::ProgramRef affine(const std::vector<char>& along) const {
    ProgramBuilder builder(static_cast<int>(std::count(along.begin(), along.end(), 1)));
    std::vector<Expr> values;
    int next = 0;
    for (const char is_along : along)
      values.push_back(is_along ? builder.input(next++) : Expr(0.0));
    append(builder, values,
           [&](size_t k) { return channel_[static_cast<size_t>(first_) + k] != 0; });
    Expr factor = builder.constant(1), summand = builder.constant(0);
    for (const auto& [op, other] : members_) {
      const Expr c = values[static_cast<size_t>(other)];
      if (op == Opcode::multiply || op == Opcode::true_divide)
        factor = builder.append(op, {factor, c});
      // A factor scales what was added before it; an addition leaves the factor alone.
      summand = builder.append(op, {summand, c});
    }
    return builder.finish({factor, summand});
  }

  // The program without this part: its input `x` is what the part gave.
  backend::ProgramRef rest() const {
    ProgramBuilder builder(program_.inputs());
    std::vector<Expr> values;
    for (int i = 0; i < program_.inputs(); ++i) values.push_back(builder.input(i));
    append(builder, values, [](size_t) { return true; });
    std::vector<Expr> outputs;
    for (const uint16_t value : program_.outputs()) outputs.push_back(values[value]);
    return builder.finish(outputs);
  }

 private:
  // Appends the instructions for which `wanted` holds. The end of the part counts as its beginning.
  template <class F>
  void append(ProgramBuilder& builder, std::vector<Expr>& values, const F& wanted) const {
    for (const double c : program_.constants()) values.push_back(builder.constant(c));
    for (size_t k = 0; k < program_.instructions().size(); ++k) {
      const Instruction& code = program_.instructions()[k];
      const auto operand = [&](int i) { return values[code.operands[i]]; };
      if (first_ + static_cast<int>(k) == end_)
        values.push_back(values[static_cast<size_t>(x_)]);
      else if (!wanted(k))
        values.push_back(Expr(0.0));
      else if (const int arity = backend::info(code.op).arity; arity == 1)
        values.push_back(builder.append(code.op, {operand(0)}));
      else if (arity == 2)
        values.push_back(builder.append(code.op, {operand(0), operand(1)}));
      else
        values.push_back(builder.append(code.op, {operand(0), operand(1), operand(2)}));
    }
  }

  int uses(int value) const {
    int count = 0;
    for (const Instruction& code : program_.instructions())
      for (int i = 0; i < backend::info(code.op).arity; ++i) count += code.operands[i] == value;
    for (const uint16_t output : program_.outputs()) count += output == value;
    return count;
  }

  bool extend() {
    // A value that something else reads too must still be computed.
    if (uses(end_) != 1) return false;
    for (size_t k = 0; k < program_.instructions().size(); ++k) {
      const Instruction& code = program_.instructions()[k];
      if (backend::info(code.op).arity != 2) continue;
      const int a = code.operands[0], b = code.operands[1];
      if ((a == end_) == (b == end_)) continue;
      const int other = a == end_ ? b : a;
      const bool commutes = code.op == Opcode::add || code.op == Opcode::multiply;
      // c - x and c / x are not of the form x * factor + summand with the factor taken from c.
      const bool ordered = code.op == Opcode::subtract || code.op == Opcode::true_divide;
      if (channel_[static_cast<size_t>(other)] == 0 || !(commutes || (ordered && a == end_)))
        return false;
      multiplies_ |= code.op == Opcode::multiply || code.op == Opcode::true_divide;
      members_.emplace_back(code.op, other);
      end_ = first_ + static_cast<int>(k);
      return true;
    }
    return false;
  }

  const Program& program_;
  int x_, first_, end_;
  bool multiplies_ = false;
  std::vector<char> channel_;  // by value: a number, or a vector along the channels
  std::vector<std::pair<Opcode, int>> members_;  // what is done, and with which value
};

class ScalePass {
 public:
  explicit ScalePass(Graph& graph)
      : graph_(graph),
        stable_(stable_values(graph)),
        producers_(graph.producers()),
        counts_(graph.use_counts()) {}

  void run() {
    for (Step& step : graph_.steps)
      // A step that runs in each run: those of the prologue gain nothing.
      if (!step.prologue && step.kernel && std::holds_alternative<backend::Fused>(*step.kernel))
        fold(step);
    std::erase_if(graph_.steps, [](const Step& step) { return !step.kernel && !step.host; });
    // At the end of the prologue, where filters, scales and offsets are there.
    const auto end = std::find_if(graph_.steps.begin(), graph_.steps.end(),
                                  [](const Step& s) { return !s.prologue; });
    graph_.steps.insert(end, std::make_move_iterator(fresh_.begin()),
                        std::make_move_iterator(fresh_.end()));
  }

 private:
  DType dtype(const Use& use) const { return graph_.values[static_cast<size_t>(use.value)].dtype; }

  Use once(backend::Kernel kernel, std::vector<Use> inputs, const std::vector<Shape>& shapes,
           const std::string& where) {
    Step& step = fresh_.emplace_back();
    step.kernel = std::move(kernel);
    step.inputs = std::move(inputs);
    step.where = where;
    step.prologue = true;
    for (const Shape& shape : shapes)
      step.outputs.push_back({graph_.add_value(DType::float32, shape.numel()), shape});
    return step.outputs[0];
  }

  // The convolution whose result is `x`, if its filters can be scaled.
  Step* source_of(const Use& x) {
    const auto value = static_cast<size_t>(x.value);
    if (producers_[value] < 0 || counts_[value] != 1 || dtype(x) != DType::float32) return nullptr;
    Step& source = graph_.steps[static_cast<size_t>(producers_[value])];
    const auto* conv = source.kernel ? std::get_if<backend::Conv>(&*source.kernel) : nullptr;
    // A relu between the two does not commute with a factor of either sign.
    if (!conv || conv->pass != backend::ConvPass::forward || conv->relu || conv->bias ||
        source.outputs[0].shape != x.shape || dtype(source.inputs[1]) != DType::float32 ||
        // Filters that training changes would have to be scaled in every step.
        stable_[static_cast<size_t>(source.inputs[1].value)] == 0)
      return nullptr;
    return &source;
  }

  void fold(Step& step) {
    if (step.outputs.size() != 1 || compute_of(step) != DType::float32 ||
        dtype(step.outputs[0]) != DType::float32)
      return;
    for (size_t i = 0; i < step.inputs.size(); ++i) {
      const Use x = step.inputs[i];
      Step* const source = x.shape == step.outputs[0].shape ? source_of(x) : nullptr;
      if (!source) continue;
      auto& conv = std::get<backend::Conv>(*source->kernel);
      const Use filters = source->inputs[1];
      const int64_t channels = filters.shape.back();
      std::vector<char> along;
      for (const Use& use : step.inputs)
        along.push_back(
            stable_[static_cast<size_t>(use.value)] != 0 && dtype(use) == DType::float32 &&
            (use.shape.numel() == 1 || along_channels(use.shape, x.shape, conv.block_y, channels)));
      const Chain chain(**program_of(step), static_cast<int>(i), along);
      // A summand alone is a bias, which fuse_epilogues adds without touching the filters.
      if (!chain.multiplies()) continue;

      std::vector<Use> vectors;
      for (size_t k = 0; k < along.size(); ++k)
        if (along[k])
          vectors.push_back({step.inputs[k].value,
                             step.inputs[k].shape.numel() == 1 ? Shape{} : Shape{channels}});
      const Shape vector{channels};
      const Use factor = once(backend::Fused{chain.affine(along), DType::float32}, vectors,
                              {vector, vector}, source->where);
      const Use summand = fresh_.back().outputs[1];
      const Use scaled = once(backend::Fused{backend::program_of(Opcode::multiply), DType::float32},
                              {filters, factor}, {filters.shape}, source->where);
      conv.bias = true;
      source->inputs[1] = scaled;
      source->inputs.push_back(summand);
      finish(step, *source, chain.rest(), static_cast<int>(i));
      return;
    }
  }

  // Leaves of the step what the convolution does not do.
  void finish(Step& step, Step& source, const backend::ProgramRef& rest, int x) {
    if (rest->passes(0) == x) {
      source.outputs = step.outputs;
      step.kernel.reset();
      step.inputs.clear();
      step.outputs.clear();
      return;
    }
    set_program(step, rest);
    drop_unread(step);
  }

  Graph& graph_;
  std::vector<char> stable_;
  std::vector<int> producers_, counts_;
  std::vector<Step> fresh_;
};

}  // namespace

void fold_normalization(Graph& graph) {
  ScalePass(graph).run();
  drop_dead(graph);
}

}  // namespace cornu::plan
