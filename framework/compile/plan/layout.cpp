// Layouts: between convolutions, activations keep the blocks of channels that the device's
// convolutions like best. A blocked activation is an ordinary dense array of another shape, (n,
// channels / block, spatial..., block), so the steps in between only change shapes; where one
// cannot, a copy puts the elements back in order.
#include <algorithm>

#include "passes.h"
#include "rewrite.h"

namespace cornu::plan {
namespace {

class LayoutPass {
 public:
  LayoutPass(Graph& graph, int64_t block)
      : graph_(graph),
        block_(block),
        twins_(graph.values.size(), -1),
        blocked_(graph.values.size()) {}

  void run() {
    std::vector<Step> old = std::move(graph_.steps);
    graph_.steps.clear();
    // Greedy and in one sweep: a step that can work in blocks takes them when an operand already
    // has them, and convolutions ask for them. Copies back and forth are made only where the two
    // kinds meet.
    for (Step& step : old) {
      if (!step.kernel || !take_blocked(step))
        for (Use& use : step.inputs) use.value = plain(use.value);
      graph_.steps.push_back(std::move(step));
    }
    // Callers and variables see the order of Keras.
    for (Use& use : graph_.outputs) use.value = plain(use.value);
    for (Assignment& a : graph_.assignments) a.value = plain(a.value);
  }

 private:
  // A value whose elements lie in blocks has the shape that it would have without; else the shape
  // is empty (rank 0).
  bool is_blocked(int value) const { return blocked_[static_cast<size_t>(value)].rank() > 0; }
  bool can_block(const Shape& shape) const {
    // Channels are not padded: a last block that is not full would make every other step compute on
    // padding.
    return shape.rank() >= 3 && shape.rank() <= 5 && shape.back() % block_ == 0 &&
           shape.numel() > 0;
  }

  Shape in_blocks(const Shape& shape) const {
    Shape result{shape[0], shape.back() / block_};
    for (int i = 1; i + 1 < shape.rank(); ++i) result.push_back(shape[i]);
    result.push_back(block_);
    return result;
  }

  // `shape` by value: it may be one of `blocked_`, which grows.
  int copy(int from, const Shape shape, bool to_blocks) {
    const Value source = graph_.values[static_cast<size_t>(from)];
    const int to = graph_.add_value(source.dtype, source.numel);
    twins_.resize(graph_.values.size(), -1);
    blocked_.resize(graph_.values.size());
    // In the order of the blocked shape: n, blocks, spatial..., within the block.
    const Shape blocks = in_blocks(shape);
    const int64_t channels = shape.back(),
                  pixels = shape.numel() / std::max<int64_t>(shape[0] * channels, 1);
    backend::View plain_view, block_view;
    plain_view.strides = {pixels * channels, block_};
    block_view.strides = {pixels * channels, pixels * block_};
    int64_t stride = pixels;
    for (int i = 1; i + 1 < shape.rank(); ++i) {
      stride /= shape[i];
      plain_view.strides.push_back(stride * channels);
      block_view.strides.push_back(stride * block_);
    }
    plain_view.strides.push_back(1);
    block_view.strides.push_back(1);
    backend::Copy kernel;
    kernel.shape = to_blocks ? blocks : shape;
    kernel.parts.push_back(
        {blocks, to_blocks ? plain_view : block_view, to_blocks ? block_view : plain_view});
    Step step;
    step.kernel = kernel;
    step.inputs.push_back({from, to_blocks ? shape : blocks});
    step.outputs.push_back({to, kernel.shape});
    step.where = where_;
    graph_.steps.push_back(std::move(step));
    // So that a value with several readers is rearranged once.
    twins_[static_cast<size_t>(from)] = to;
    twins_[static_cast<size_t>(to)] = from;
    if (to_blocks) blocked_[static_cast<size_t>(to)] = shape;
    return to;
  }

  int plain(int value) {
    if (!is_blocked(value)) return value;
    const int twin = twins_[static_cast<size_t>(value)];
    return twin >= 0 ? twin : copy(value, blocked_[static_cast<size_t>(value)], false);
  }

  int blocked(int value, const Shape& shape) {
    if (is_blocked(value)) {
      if (blocked_[static_cast<size_t>(value)] == shape) return value;
      value = plain(value);  // it was blocked under another shape
    }
    const int twin = twins_[static_cast<size_t>(value)];
    if (twin >= 0 && blocked_[static_cast<size_t>(twin)] == shape) return twin;
    return copy(value, shape, true);
  }

  void take(Use& use) {
    use.value = blocked(use.value, use.shape);
    use.shape = in_blocks(use.shape);
  }
  void give(Use& use) {
    blocked_[static_cast<size_t>(use.value)] = use.shape;
    use.shape = in_blocks(use.shape);
  }
  bool float32(const Use& use) const {
    return graph_.values[static_cast<size_t>(use.value)].dtype == DType::float32;
  }
  // Whether the value lies in blocks, seen as it was made.
  bool lies_blocked(const Use& use) const {
    return is_blocked(use.value) && blocked_[static_cast<size_t>(use.value)] == use.shape;
  }

  bool take_blocked(Step& step) {
    where_ = step.where;
    return std::visit([&](auto& kernel) { return rewrite(kernel, step); }, *step.kernel);
  }

  template <class Kernel>
  bool rewrite(Kernel&, Step&) {
    return false;
  }

  bool rewrite(backend::Conv& conv, Step& step) {
    using backend::ConvPass;
    // Groups of few channels do not fill blocks, and other types are not what these kernels compute
    // in.
    if (conv.groups != 1 || !float32(step.outputs[0])) return false;
    for (const Use& use : step.inputs)
      if (!float32(use)) return false;
    Use* const x = conv.pass == ConvPass::backward_data ? &step.outputs[0] : &step.inputs[0];
    Use* const y = conv.pass == ConvPass::forward         ? &step.outputs[0]
                   : conv.pass == ConvPass::backward_data ? &step.inputs[0]
                                                          : &step.inputs[1];
    for (Use* use : {x, y}) {
      // Filters have a layout of their own, which the kernel packs from Keras's.
      const bool is_output = use == &step.outputs[0] && conv.pass != ConvPass::backward_weights;
      if (!can_block(use->shape)) {
        // The first layer of a network: three channels of color stay as they are.
        if (!is_output) use->value = plain(use->value);
        continue;
      }
      (use == x ? conv.block_x : conv.block_y) = block_;
      is_output ? give(*use) : take(*use);
    }
    return true;
  }

  bool rewrite(backend::Pool& pool, Step& step) {
    // Without a blocked operand the step gains nothing from blocks.
    if (!any_blocked(step) || !can_block(step.outputs[0].shape)) return false;
    for (Use& use : step.inputs) take(use);
    give(step.outputs[0]);
    pool.block = block_;
    return true;
  }

  bool rewrite(backend::Normalize& normalize, Step& step) {
    if (!normalize.channels || !any_blocked(step)) return false;
    const Shape shape = step.inputs[0].shape;
    if (!can_block(shape)) return false;
    for (Use& use : step.inputs)
      if (use.shape == shape) take(use);
    for (Use& use : step.outputs)
      if (use.shape == shape) give(use);
    normalize.block = block_;
    return true;
  }

  // Where a box of whole pixels of a dense tensor lies when that is in blocks.
  std::optional<backend::View> view_in_blocks(const backend::View& view, const Shape& sizes,
                                              const Shape& shape) const {
    const int rank = shape.rank();
    const int64_t channels = shape.back(), image = shape.numel() / shape[0];
    if (sizes.rank() != rank || sizes.back() != channels || view.strides.back() != 1 ||
        view.strides[0] % image != 0)
      return {};
    // Only whole pixels move alike in both layouts: all channels, in order, at the same place of an
    // image.
    const int64_t inside = view.offset % image;
    backend::View result{view.offset - inside + inside / channels * block_,
                         {view.strides[0], image / channels * block_}};
    int64_t first = inside, last = inside;
    for (int i = 1; i + 1 < rank; ++i) {
      const int64_t stride = view.strides[static_cast<size_t>(i)], way = (sizes[i] - 1) * stride;
      if (stride % channels != 0) return {};
      (way < 0 ? first : last) += way;
      result.strides.push_back(stride / channels * block_);
    }
    result.strides.push_back(1);
    // A box that runs over the end of an image into the next one has no counterpart in blocks.
    if (inside % channels != 0 || first < 0 || last >= image) return {};
    return result;
  }

  // Padding, cropping, joining and flipping of images move whole pixels.
  bool rewrite(backend::Copy& copy, Step& step) {
    if (!any_blocked(step) || !can_block(copy.shape) || step.outputs[0].shape != copy.shape)
      return false;
    backend::Copy blocks = copy;
    blocks.shape = in_blocks(copy.shape);
    for (size_t i = 0; i < copy.parts.size(); ++i) {
      const backend::Copy::Part& part = copy.parts[i];
      const Shape& from = step.inputs[i].shape;
      if (!can_block(from) || from.back() != copy.shape.back() || part.sizes.numel() == 0)
        return false;
      const auto source = view_in_blocks(part.from, part.sizes, from);
      const auto target = view_in_blocks(part.to, part.sizes, copy.shape);
      if (!source || !target) return false;
      blocks.parts[i] = {in_blocks(part.sizes), *source, *target};
    }
    copy = std::move(blocks);
    for (Use& use : step.inputs) take(use);
    give(step.outputs[0]);
    return true;
  }

  bool any_blocked(const Step& step) const {
    return std::any_of(step.inputs.begin(), step.inputs.end(),
                       [&](const Use& use) { return lies_blocked(use); });
  }

  // An operand that is broadcast along the pixels is the same memory under another shape.
  std::optional<Shape> broadcast_in_blocks(const Shape& operand, const Shape& shape) const {
    if (operand.numel() == 1) return Shape{};
    Shape full;
    for (int i = operand.rank(); i < shape.rank(); ++i) full.push_back(1);
    for (const int64_t size : operand) full.push_back(size);
    int64_t pixels = 1;
    for (int i = 1; i + 1 < full.rank(); ++i) pixels *= full[i];
    // One number per pixel: shared by all blocks and by all channels of a block.
    if (full.back() == 1) {
      Shape result{full[0], 1};
      for (int i = 1; i < full.rank(); ++i) result.push_back(full[i]);
      return result;
    }
    if (pixels != 1 || full.back() != shape.back()) return {};
    return in_blocks(full);
  }

  // Operands of an elementwise program over `shape`, in blocks. False, with nothing changed, when
  // one cannot be.
  bool take_operands(Step& step, const Shape& shape) {
    if (!can_block(shape) || !any_blocked(step)) return false;
    std::vector<std::optional<Shape>> shapes;
    for (const Use& use : step.inputs) {
      if (use.shape == shape) {
        shapes.emplace_back();
        continue;
      }
      const auto small = broadcast_in_blocks(use.shape, shape);
      // Checked for all operands before the first is changed.
      if (!small || is_blocked(use.value)) return false;
      shapes.push_back(small);
    }
    for (size_t i = 0; i < shapes.size(); ++i) {
      Use& use = step.inputs[i];
      if (shapes[i])
        use.shape = *shapes[i];
      else
        take(use);
    }
    return true;
  }

  bool rewrite(backend::Fused&, Step& step) {
    const Shape shape = step.outputs[0].shape;
    if (!take_operands(step, shape)) return false;
    for (Use& use : step.outputs) give(use);
    return true;
  }

  // Sums over all pixels keep the channels in order, or reduce them too.
  bool rewrite(backend::Reduce& reduce, Step& step) {
    if (reduce.op == backend::ReduceOp::argmax || reduce.op == backend::ReduceOp::argmin)
      return false;
    const Shape shape = reduce.shape;
    const auto reduces = [&](int axis) {
      return std::find(reduce.axes.begin(), reduce.axes.end(), axis) != reduce.axes.end();
    };
    for (int i = 1; i + 1 < shape.rank(); ++i)
      // Some spatial axes kept and others summed would need another order of the result.
      if (!reduces(i)) return false;
    const bool batch = reduces(0), channels = reduces(shape.rank() - 1);
    if (!take_operands(step, shape)) return false;
    const Shape blocks = in_blocks(shape);
    reduce.shape = blocks;
    reduce.axes.clear();
    Shape kept;
    for (int i = 0; i < blocks.rank(); ++i) {
      const bool is_channel = i == 1 || i == blocks.rank() - 1;
      if (is_channel ? channels : i > 0 || batch)
        reduce.axes.push_back(i);
      else
        kept.push_back(blocks[i]);
    }
    step.outputs[0].shape = kept;
    return true;
  }

  Graph& graph_;
  const int64_t block_;
  std::vector<int> twins_;  // by value: the same elements in the other layout
  std::vector<Shape> blocked_;
  std::string where_;
};

}  // namespace

void choose_layouts(Graph& graph) {
  const int64_t block = graph.device->channel_block();
  const bool any = std::any_of(graph.steps.begin(), graph.steps.end(), [](const Step& step) {
    return step.kernel && std::holds_alternative<backend::Conv>(*step.kernel);
  });
  if (block > 0 && any) LayoutPass(graph, block).run();
}

}  // namespace cornu::plan
