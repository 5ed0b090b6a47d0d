// Zeros around an operand that a convolution or a max pooling can count as its own padding: then
// they are neither written nor read, and a gradient has no border that is cut off again.
#include <algorithm>

#include "../../dispatch/strided.h"
#include "passes.h"
#include "rewrite.h"

namespace cornu::plan {
namespace {

using backend::Conv;
using backend::ConvPass;
using backend::Pool;

using Axes = InlineVector<int64_t, 3>;

// How many elements lie before and behind an operand's own, on each spatial axis.
struct Border {
  Axes low, high;
};

// The border around a box of `sizes` in a dense tensor of `shape` (n, spatial..., channels); empty
// where the box is another one, or is cut along n or the channels.
std::optional<Border> border_of(const backend::View& box, const Shape& sizes, const Shape& shape) {
  if (shape.rank() < 3 || shape.rank() > 5 || sizes.rank() != shape.rank() || sizes.numel() == 0)
    return {};
  const auto strides = detail::dense_strides(shape);
  if (box.strides != strides) return {};
  Border border;
  int64_t offset = box.offset;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const int64_t stride = strides[static_cast<size_t>(axis)], low = offset / stride;
    offset -= low * stride;
    const int64_t high = shape[axis] - low - sizes[axis];
    if (high < 0) return {};
    if (axis > 0 && axis + 1 < shape.rank()) {
      border.low.push_back(low);
      border.high.push_back(high);
    } else if (low != 0 || high != 0) {
      return {};
    }
  }
  return border;
}

bool is_dense(const backend::View& view, const Shape& shape) {
  return view.offset == 0 && view.strides == detail::dense_strides(shape);
}

const backend::Copy* copy_of(const Step& step) {
  const auto* const copy = step.kernel ? std::get_if<backend::Copy>(&*step.kernel) : nullptr;
  return copy && copy->parts.size() == 1 && step.inputs.size() == 1 ? copy : nullptr;
}

// What a step puts around its operand, if that is zeros.
std::optional<Border> zeros_around(const Step& step) {
  const backend::Copy* const copy = copy_of(step);
  if (!copy || copy->fill != 0 || copy->covers || step.inputs[0].shape != copy->parts[0].sizes ||
      step.outputs[0].shape != copy->shape || !is_dense(copy->parts[0].from, copy->parts[0].sizes))
    return {};
  return border_of(copy->parts[0].to, copy->parts[0].sizes, copy->shape);
}

// What a step cuts off around its result.
std::optional<Border> cut_off(const Step& step) {
  const backend::Copy* const copy = copy_of(step);
  if (!copy || copy->shape != copy->parts[0].sizes || step.outputs[0].shape != copy->shape ||
      !is_dense(copy->parts[0].to, copy->shape))
    return {};
  return border_of(copy->parts[0].from, copy->shape, step.inputs[0].shape);
}

Axes sum(const Axes& pads, const Axes& more) {
  Axes result = more;
  for (size_t i = 0; i < pads.size(); ++i) result[i] += pads[i];
  return result;
}

bool none(const Axes& pads) {
  return std::all_of(pads.begin(), pads.end(), [](int64_t pad) { return pad == 0; });
}

// The convolution with the border as padding; empty where the two ends of an axis differ, which
// costs some devices a copy, or where a window could lie in the padding alone.
std::optional<Conv> with_padding(const Conv& conv, const Border& border, const Shape& kernel) {
  if (border.low != border.high || conv.block_x != 0 || conv.block_y != 0) return {};
  Conv result = conv;
  result.pad_low = sum(conv.pad_low, border.low);
  result.pad_high = sum(conv.pad_high, border.high);
  for (size_t axis = 0; axis < border.low.size(); ++axis) {
    const int64_t dilation = axis < conv.dilation.size() ? conv.dilation[axis] : 1;
    const int64_t reach = (kernel[static_cast<int>(axis)] - 1) * dilation;
    if (result.pad_low[axis] > reach || result.pad_high[axis] > reach) return {};
  }
  return result;
}

class PaddingPass {
 public:
  explicit PaddingPass(Graph& graph) : graph_(graph), links_(graph) {
    readers_.resize(graph.values.size());
    for (size_t i = 0; i < graph.steps.size(); ++i)
      for (const Use& use : graph.steps[i].inputs)
        readers_[static_cast<size_t>(use.value)].push_back(i);
  }

  void run() {
    // Steps that go stay as empty ones to the end: the lists above name steps by their numbers.
    for (size_t i = 0; i < graph_.steps.size(); ++i) {
      if (const auto border = zeros_around(graph_.steps[i])) take(graph_.steps[i], *border);
      if (const auto border = cut_off(graph_.steps[i])) give(graph_.steps[i], *border);
    }
    std::erase_if(graph_.steps, [](const Step& step) { return !step.kernel && !step.host; });
    drop_dead(graph_);
  }

 private:
  // Readers of the padded operand read the operand itself, where they can.
  void take(const Step& padding, const Border& border) {
    const Use &x = padding.inputs[0], &padded = padding.outputs[0];
    for (const size_t i : readers_[static_cast<size_t>(padded.value)]) {
      Step& step = graph_.steps[i];
      if (!step.kernel || step.inputs[0] != padded) continue;
      if (auto* const conv = std::get_if<Conv>(&*step.kernel)) {
        if (conv->pass == ConvPass::backward_data) continue;
        const Shape& kernel =
            conv->pass == ConvPass::forward ? step.inputs[1].shape : step.outputs[0].shape;
        const auto wider = with_padding(*conv, border, kernel);
        if (!wider) continue;
        *conv = *wider;
      } else if (auto* const pool = std::get_if<Pool>(&*step.kernel)) {
        if (!fits(*pool, border) || !is_relu(x) ||
            (pool->backward && !drop_border(step, x, border)))
          continue;
        pool->pad_low = border.low;
        pool->pad_high = border.high;
      } else {
        continue;
      }
      step.inputs[0] = x;
    }
  }

  // A convolution whose gradient of x loses a border gives what is left.
  void give(Step& cut, const Border& border) {
    Step* const from = links_.source(cut.inputs[0]);
    auto* const conv = from ? std::get_if<Conv>(&*from->kernel) : nullptr;
    if (!conv || conv->pass != ConvPass::backward_data) return;
    const auto wider = with_padding(*conv, border, from->inputs[1].shape);
    if (!wider) return;
    *conv = *wider;
    links_.replace(cut, *from);
  }

  // Whether each window of a max pooling that has no padding holds elements that are not of the
  // border.
  static bool fits(const Pool& pool, const Border& border) {
    if (!pool.maximum || pool.block != 0 || !none(pool.pad_low) || !none(pool.pad_high))
      return false;
    for (size_t axis = 0; axis < pool.window.size(); ++axis)
      if (border.low[axis] >= pool.window[axis] || border.high[axis] >= pool.window[axis])
        return false;
    return true;
  }

  // Whether no element is less than the zeros around it.
  bool is_relu(const Use& x) const {
    const int from = links_.producer(x.value);
    if (from < 0) return false;
    const Step& step = graph_.steps[static_cast<size_t>(from)];
    if (!step.kernel || !std::holds_alternative<backend::Fused>(*step.kernel)) return false;
    const backend::Program& program = *std::get<backend::Fused>(*step.kernel).program;
    const auto& code = program.instructions();
    const int last = program.inputs() + static_cast<int>(program.constants().size()) +
                     static_cast<int>(code.size()) - 1;
    return !code.empty() && code.back().op == backend::Opcode::relu &&
           program.outputs().size() == 1 && program.outputs()[0] == last;
  }

  // Lets the gradient of a pooling be that of x, without the border. Where zeros tie with zeros of
  // the border, one of the two gets what the other got before: that is allowed only where the relu
  // that made x takes it away.
  bool drop_border(Step& pool, const Use& x, const Border& added) {
    const Use padded = pool.outputs[0];
    const auto& cuts = readers_[static_cast<size_t>(padded.value)];
    if (links_.readers(padded.value) != 1 || cuts.size() != 1) return false;
    Step& cut = graph_.steps[cuts[0]];
    const auto border = cut_off(cut);
    if (!border || border->low != added.low || border->high != added.high ||
        cut.inputs[0] != padded || cut.outputs[0].shape != x.shape)
      return false;
    const Use gradient = cut.outputs[0];
    const auto& ends = readers_[static_cast<size_t>(gradient.value)];
    if (links_.readers(gradient.value) != 1 || ends.size() != 1) return false;
    const Step& end = graph_.steps[ends[0]];
    if (!end.kernel || !std::holds_alternative<backend::Fused>(*end.kernel) ||
        end.inputs.size() != 2)
      return false;
    const int dy = end.inputs[0] == gradient ? 0 : 1;
    if (end.inputs[static_cast<size_t>(dy)] != gradient ||
        end.inputs[static_cast<size_t>(1 - dy)] != x ||
        !is_relu_gradient(**program_of(end), 1 - dy, dy))
      return false;
    links_.replace(cut, pool);
    return true;
  }

  Graph& graph_;
  StepLinks links_;
  std::vector<std::vector<size_t>> readers_;
};

}  // namespace

void fold_padding(Graph& graph) { PaddingPass(graph).run(); }

}  // namespace cornu::plan
