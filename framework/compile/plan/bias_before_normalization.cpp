// Batch normalization takes out again what a bias adds to a channel, so that a bias in front of it,
// which Keras's ResNets have many of, need not be added: only the mean gets it. And what its
// derivative hands back sums to 0 over each channel, since shifting one changes nothing: that is
// the bias's gradient.
#include <algorithm>

#include "passes.h"
#include "rewrite.h"

namespace cornu::plan {
namespace {

using backend::Normalize;

// A normalization of channels as it was recorded, in this direction.
const Normalize* normalize_of(const Step& step, bool backward) {
  const auto* normalize = step.kernel ? std::get_if<Normalize>(&*step.kernel) : nullptr;
  return normalize && normalize->backward == backward && normalize->channels &&
                 normalize->centered && normalize->block == 0 && !normalize->before &&
                 !normalize->after
             ? normalize
             : nullptr;
}

class ShiftPass {
 public:
  explicit ShiftPass(Graph& graph) : graph_(graph), producers_(graph.producers()) {}

  void run() {
    // First, as it removes readers of the derivative that would keep drop_bias from its work.
    for (Step& step : graph_.steps) drop_sum(step);
    // Found anew after the sums are gone.
    const std::vector<int> counts = graph_.use_counts();
    readers_.resize(graph_.values.size());
    behind_.resize(graph_.steps.size());
    for (size_t i = 0; i < graph_.steps.size(); ++i)
      for (const Use& use : graph_.steps[i].inputs)
        readers_[static_cast<size_t>(use.value)].push_back(static_cast<int>(i));
    for (size_t i = 0; i < graph_.steps.size(); ++i) drop_bias(graph_.steps[i], counts);
    insert_behind(graph_, std::move(behind_));
  }

 private:
  Step& step(int number) { return graph_.steps[static_cast<size_t>(number)]; }
  DType dtype(const Use& use) const { return graph_.values[static_cast<size_t>(use.value)].dtype; }

  // The sum of what a derivative hands back becomes the number 0.
  void drop_sum(Step& sum) {
    if (!sums_pixels(sum)) return;
    const Use dx = sum.inputs[0];
    const int from = producers_[static_cast<size_t>(dx.value)];
    if (from < 0 || !normalize_of(step(from), true) || step(from).outputs[0] != dx) return;
    sum.kernel = backend::Fused{
        backend::Program::make(
            0, [](const std::vector<backend::Expr>&) { return std::vector<backend::Expr>{0}; }),
        compute_of(sum)};
    sum.inputs.clear();
  }

  // The operands x and bias of a step x + bias; nothing for others.
  struct Sum {
    Use x, bias;
  };
  std::optional<Sum> sum_of(const Step& step) const {
    const auto* fused = step.kernel ? std::get_if<backend::Fused>(&*step.kernel) : nullptr;
    if (!fused || step.inputs.size() != 2 || step.outputs.size() != 1) return {};
    const auto& code = fused->program->instructions();
    if (code.size() != 1 || code[0].op != backend::Opcode::add ||
        fused->program->outputs()[0] != 2 + fused->program->constants().size() ||
        code[0].operands[0] + code[0].operands[1] != 1)
      return {};
    const Shape& shape = step.outputs[0].shape;
    for (const int x : {0, 1}) {
      const Sum sum{step.inputs[static_cast<size_t>(x)], step.inputs[static_cast<size_t>(1 - x)]};
      if (sum.x.shape == shape && dtype(sum.x) == dtype(step.outputs[0]) && shape.rank() > 1 &&
          along_channels(sum.bias.shape, shape, 0, shape.back()))
        return sum;
    }
    return {};
  }

  // Lets normalizations read x instead of x + bias, where nobody else reads the sum.
  void drop_bias(const Step& fused, const std::vector<int>& counts) {
    const std::optional<Sum> sum = sum_of(fused);
    if (!sum) return;
    const Use y = fused.outputs[0];
    const std::vector<int>& readers = readers_[static_cast<size_t>(y.value)];
    // An output or an assignment reads it too: the sum is needed as it is.
    if (readers.empty() || static_cast<int>(readers.size()) != counts[static_cast<size_t>(y.value)])
      return;
    std::vector<int> means;  // of the forward normalizations
    for (const int reader : readers)
      if (normalize_of(step(reader), false)) means.push_back(step(reader).outputs[1].value);
    for (const int reader : readers) {
      const Step& normalize = step(reader);
      if (normalize.inputs[0] != y || std::count(readers.begin(), readers.end(), reader) != 1)
        return;
      if (normalize_of(normalize, false)) continue;
      if (!normalize_of(normalize, true) ||
          std::find(means.begin(), means.end(), normalize.inputs[1].value) == means.end())
        return;
    }
    for (const int reader : readers)
      if (normalize_of(step(reader), false)) take_forward(reader, *sum);
  }

  // Forward normalization number `number` and the derivatives that take its mean.
  void take_forward(int number, const Sum& sum) {
    Step& forward = step(number);
    Use& mean = forward.outputs[1];
    const Use whole = mean;
    mean.value = graph_.add_value(dtype(whole), whole.shape.numel());
    forward.inputs[0] = sum.x;
    for (const int reader : readers_[static_cast<size_t>(whole.value)]) {
      Step& backward = step(reader);
      if (!normalize_of(backward, true) || backward.inputs[1].value != whole.value) continue;
      backward.inputs[0] = sum.x;
      backward.inputs[1].value = mean.value;
    }
    Step add;
    add.kernel =
        backend::Fused{backend::Program::make(2,
                                              [](const std::vector<backend::Expr>& x) {
                                                return std::vector<backend::Expr>{x[0] + x[1]};
                                              }),
                       dtype(whole)};
    add.inputs = {mean, {sum.bias.value, whole.shape}};
    add.outputs = {whole};
    add.where = forward.where;
    add.again = forward.again;
    behind_[static_cast<size_t>(number)] = std::move(add);
  }

  Graph& graph_;
  std::vector<int> producers_;
  std::vector<std::vector<int>> readers_;  // by value: the steps, once for each operand
  std::vector<std::optional<Step>> behind_;
};

}  // namespace

void drop_bias_before_normalization(Graph& graph) {
  ShiftPass(graph).run();
  drop_dead(graph);
}

}  // namespace cornu::plan
