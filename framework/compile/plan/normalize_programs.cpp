// Elementwise programs in front of normalizations and behind them become part of these, so that
// what lies between is neither written nor read once more.
#include <algorithm>

#include "passes.h"
#include "rewrite.h"

namespace cornu::plan {
namespace {

using backend::Normalize;
using backend::Opcode;

// A program in front is run twice, once for the sums and once for the result: it should be cheaper
// than memory is.
constexpr size_t most_instructions_before = 8;
constexpr int most_arrays_before = 3;

class NormalizePass {
 public:
  explicit NormalizePass(Graph& graph)
      : graph_(graph), producers_(graph.producers()), counts_(graph.use_counts()) {}

  void run() {
    for (size_t i = 0; i < graph_.steps.size(); ++i)
      if (normalize_of(graph_.steps[i])) take_before(static_cast<int>(i));
    for (size_t i = 0; i < graph_.steps.size(); ++i)
      if (program_behind(graph_.steps[i])) put_behind(static_cast<int>(i));
    std::erase_if(graph_.steps, [](const Step& step) { return !step.kernel && !step.host; });
  }

 private:
  Step& step(int number) { return graph_.steps[static_cast<size_t>(number)]; }
  DType dtype(const Use& use) const { return graph_.values[static_cast<size_t>(use.value)].dtype; }
  int producer(const Use& use) const { return producers_[static_cast<size_t>(use.value)]; }
  bool read_once(const Use& use) const { return counts_[static_cast<size_t>(use.value)] == 1; }

  static Normalize* normalize_of(Step& step) {
    return step.kernel ? std::get_if<Normalize>(&*step.kernel) : nullptr;
  }
  // An elementwise program of one result.
  static bool program_behind(const Step& step) {
    return step.kernel && std::holds_alternative<backend::Fused>(*step.kernel) &&
           step.outputs.size() == 1;
  }
  // The type in which a normalization and its programs compute.
  DType compute_of(const Step& normalize) const {
    return dtype(normalize.inputs[0]) == DType::float64 ? DType::float64 : DType::float32;
  }

  static bool is_cheap(const backend::Program& program) {
    const auto& code = program.instructions();
    // The program runs more than once per element: for the statistics, and again for the result.
    return code.size() <= most_instructions_before &&
           std::all_of(code.begin(), code.end(), [](const backend::Instruction& instruction) {
             const Opcode op = instruction.op;
             const backend::Domain domain = backend::info(op).domain;
             return (domain == backend::Domain::numeric && op != Opcode::power) ||
                    domain == backend::Domain::boolean || op == Opcode::round_bfloat16 ||
                    op == Opcode::round_float16;
           });
  }

  // The operands of a program, `first` in front, whose shapes are `shape` or of one element; empty
  // when others are among them.
  static std::vector<size_t> order(const Step& fused, size_t first, const Shape& shape) {
    std::vector<size_t> places = {first};
    for (size_t i = 0; i < fused.inputs.size(); ++i) {
      const Shape& own = fused.inputs[i].shape;
      // Kernels of normalization index their operands like x, or not at all.
      if (own != shape && own.numel() != 1) return {};
      if (i != first) places.push_back(i);
    }
    return places;
  }

  // The program with its inputs in another order, and `last` done to its result.
  static backend::ProgramRef reordered(const backend::Program& program,
                                       const std::vector<size_t>& places, Opcode last) {
    backend::ProgramBuilder builder(program.inputs());
    std::vector<backend::Expr> inputs(places.size(), backend::Expr(0));
    for (size_t i = 0; i < places.size(); ++i)
      inputs[places[i]] = builder.input(static_cast<int>(i));
    return builder.finish(
        {builder.append(last, {append_program(builder, program, inputs).front()})});
  }

  static void clear(Step& step) {
    step.kernel.reset();
    step.inputs.clear();
    step.outputs.clear();
  }

  // The program that makes what step `number` normalizes or differentiates.
  void take_before(int number) {
    Step& target = step(number);
    Normalize& normalize = *normalize_of(target);
    Use& streamed = target.inputs[normalize.backward ? 3 : 0];
    if (producer(streamed) < 0 || !read_once(streamed)) return;
    Step& source = step(producer(streamed));
    // A program of the prologue is computed once; in front of this step it would run every time.
    if (!program_behind(source) || source.prologue != target.prologue) return;
    const auto& fused = std::get<backend::Fused>(*source.kernel);
    const DType compute = compute_of(target), stored = dtype(streamed);
    if (fused.compute != compute || source.outputs[0].shape != streamed.shape ||
        !is_cheap(*fused.program))
      return;
    const Opcode rounding = stored == compute           ? Opcode::identity
                            : stored == DType::bfloat16 ? Opcode::round_bfloat16
                                                        : Opcode::round_float16;
    const auto is_array = [&](const Use& use) { return use.shape == streamed.shape; };
    const auto first =
        std::find_if(source.inputs.begin(), source.inputs.end(),
                     [&](const Use& use) { return is_array(use) && dtype(use) == stored; });
    if (first == source.inputs.end() ||
        std::count_if(source.inputs.begin(), source.inputs.end(), is_array) > most_arrays_before)
      return;
    const std::vector<size_t> places =
        order(source, static_cast<size_t>(first - source.inputs.begin()), streamed.shape);
    if (places.empty()) return;
    // Rounded as memory would have rounded it, so that results stay bit for bit the same.
    normalize.before = reordered(*fused.program, places, rounding);
    streamed = *first;
    for (size_t i = 1; i < places.size(); ++i) target.inputs.push_back(source.inputs[places[i]]);
    clear(source);
  }

  // Step `number` is a program: it goes behind the normalization that makes one of its operands.
  void put_behind(int number) {
    Step& fused = step(number);
    const backend::Fused& kernel = std::get<backend::Fused>(*fused.kernel);
    const Use& result = fused.outputs[0];
    for (size_t i = 0; i < fused.inputs.size(); ++i) {
      const Use x = fused.inputs[i];
      const int from = producer(x);
      if (from < 0 || !read_once(x) || dtype(x) != dtype(result) || x.shape != result.shape)
        continue;
      Step& source = step(from);
      Normalize* const normalize = normalize_of(source);
      if (!normalize || normalize->after || source.prologue != fused.prologue ||
          source.outputs[0].value != x.value || source.outputs[0].shape != x.shape ||
          kernel.compute != compute_of(source))
        continue;
      const std::vector<size_t> places = order(fused, i, x.shape);
      // Other operands must be there when the normalization runs.
      const bool known = std::all_of(fused.inputs.begin(), fused.inputs.end(), [&](const Use& use) {
        return use == x || producer(use) < from;
      });
      if (places.empty() || !known) continue;
      normalize->after = reordered(*kernel.program, places, Opcode::identity);
      for (size_t k = 1; k < places.size(); ++k) source.inputs.push_back(fused.inputs[places[k]]);
      source.outputs[0].value = result.value;
      producers_[static_cast<size_t>(result.value)] = from;
      clear(fused);
      return;
    }
  }

  Graph& graph_;
  std::vector<int> producers_, counts_;
};

}  // namespace

void fuse_normalize(Graph& graph) {
  NormalizePass(graph).run();
  drop_dead(graph);
}

}  // namespace cornu::plan
