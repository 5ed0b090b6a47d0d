// Convolutions, and what plans join to them: the pooling of results, slice by slice, and the sum
// for the gradient of a bias.
#include <algorithm>
#include <utility>
#include <vector>

#include "allocator.h"
#include "parallel.h"
#include "prepare_conv.h"
#include "single_conv.h"
#include "thin_conv.h"

namespace cornu::backend::cpu {
namespace {

/// Bytes of results that a thread pools at a time: about half of the second cache.
constexpr int64_t slice_bytes = 512 * 1024;
/// Threads that share a slice, whose images must not depend on their number.
constexpr int64_t slice_threads = 2;

Conv without_pool(const Conv& kernel) {
  Conv conv = kernel;
  conv.pool.reset();
  conv.unpooled = {};
  return conv;
}

Conv without_bias(const Conv& kernel) {
  Conv conv = kernel;
  conv.bias = false;
  return conv;
}

// The sum of dy over all but its channels, which are in order also where they lie in blocks.
Reduce bias_reduction(const Conv& kernel, const Shape& dy) {
  Reduce sum;
  sum.program = program_of(Opcode::identity);
  sum.shape = dy;
  for (int axis = 0; axis + 1 < dy.rank(); ++axis)
    if (kernel.block_y == 0 || axis != 1) sum.axes.push_back(axis);
  return sum;
}

Shape with_batch(const Shape& shape, int64_t images) {
  Shape result = shape;
  result[0] = images;
  return result;
}

int64_t image_floats(const Shape& shape) { return shape.numel() / shape[0]; }

// The two kernels for a number of images.
struct Slice {
  int64_t images = 0;
  std::unique_ptr<Executable> conv, pool;

  Slice(int64_t count, const Conv& kernel, Operands inputs, const Shape& pooled) : images(count) {
    const Shape x = with_batch(*inputs[0].shape, images), y = with_batch(pooled, images);
    const Shape between = with_batch(kernel.unpooled, images);
    std::vector<Operand> operands(inputs.begin(), inputs.end());
    operands[0].shape = &x;
    const Operand middle{&between, DType::float32, nullptr}, out{&y, DType::float32, nullptr};
    conv = prepare_single(without_pool(kernel), operands, {&middle, 1});
    pool = prepare_pool(*kernel.pool, {&middle, 1}, {&out, 1});
  }
  bool is_ready() const { return conv != nullptr && pool != nullptr; }
};

class PooledConv final : public Executable {
 public:
  PooledConv(const Conv& kernel, Operands inputs, const Operand& output)
      : bias_(kernel.bias),
        batch_((*output.shape)[0]),
        x_floats_(image_floats(*inputs[0].shape)),
        between_floats_(image_floats(kernel.unpooled)),
        y_floats_(image_floats(*output.shape)) {
    // Slices of nearly equal size instead of full ones and a small rest.
    const auto most =
        std::max<int64_t>(slice_bytes / (between_floats_ * static_cast<int64_t>(sizeof(float))), 1);
    const int64_t slices = (batch_ + most * slice_threads - 1) / (most * slice_threads);
    const int64_t images = (batch_ + slices - 1) / slices;
    slices_.emplace_back(images, kernel, inputs, *output.shape);
    if (const int64_t rest = batch_ % images; rest != 0)
      slices_.emplace_back(rest, kernel, inputs, *output.shape);
  }
  bool is_ready() const {
    return std::all_of(slices_.begin(), slices_.end(),
                       [](const Slice& slice) { return slice.is_ready(); });
  }

  void run(void* const* data) override {
    const auto at = [&](int i) { return static_cast<float*>(data[i]); };
    const Scratch between(static_cast<size_t>(slices_[0].images * between_floats_) * sizeof(float));
    // Without a bias the third operand of the convolution is its result.
    const int out = bias_ ? 3 : 2;
    for (int64_t first = 0; first < batch_; first += slices_[0].images) {
      const Slice& slice = slices_[first + slices_[0].images <= batch_ ? 0 : 1];
      void* operands[4] = {at(0) + first * x_floats_, data[1], bias_ ? data[2] : between.data(),
                           between.data()};
      slice.conv->run(operands);
      void* const pooled[2] = {between.data(), at(out) + first * y_floats_};
      slice.pool->run(pooled);
    }
  }
  uint32_t inputs_to_prepack(uint32_t stable) override {
    uint32_t all = stable;
    // Only what all slices keep: runs no longer read the addresses of kept operands.
    for (const Slice& slice : slices_) all &= slice.conv->inputs_to_prepack(stable);
    return all;
  }
  void keep(void* const* data) override {
    for (const Slice& slice : slices_) slice.conv->keep(data);
  }

 private:
  bool bias_;
  int64_t batch_, x_floats_, between_floats_, y_floats_;
  std::vector<Slice> slices_;  // of as many images as fit, and of those that are left
};

// Null for dtypes other than float32, and empty operands.
std::unique_ptr<Executable> prepare_pooled(const Conv& kernel, Operands inputs, Operands outputs) {
  if (outputs[0].dtype != DType::float32 || outputs[0].shape->numel() == 0 ||
      kernel.unpooled.numel() == 0)
    return nullptr;
  // Pools while results are in registers, so it needs no slices.
  if (auto thin = prepare_thin_pooled(kernel, inputs, outputs)) return thin;
  auto made = std::make_unique<PooledConv>(kernel, inputs, outputs[0]);
  return made->is_ready() ? std::move(made) : nullptr;
}

void run_pooled(const Conv& kernel, Operands inputs, Operands outputs) {
  const DType type = outputs[0].dtype;
  const Scratch between(
      std::max<size_t>(static_cast<size_t>(kernel.unpooled.numel()) * size_of(type), 1));
  const Operand middle{&kernel.unpooled, type, between.data()};
  run_single(without_pool(kernel), inputs, {&middle, 1});
  run(*kernel.pool, {&middle, 1}, outputs);
}

void run_with_bias_gradient(const Conv& kernel, Operands inputs, Operands outputs) {
  run_single(without_bias(kernel), inputs, outputs.first(1));
  run(bias_reduction(kernel, *inputs[1].shape), inputs.subspan(1, 1), outputs.subspan(1, 1));
}

}  // namespace

std::unique_ptr<Executable> prepare_conv(const Conv& kernel, Operands inputs, Operands outputs) {
  return kernel.pool ? prepare_pooled(kernel, inputs, outputs)
                     : prepare_single(kernel, inputs, outputs);
}

void run(const Conv& kernel, Operands inputs, Operands outputs) {
  const bool bias_gradient = kernel.bias && kernel.pass == ConvPass::backward_weights;
  if (!kernel.pool && !bias_gradient) return run_single(kernel, inputs, outputs);
  // The bits of what is prepared, where there is such a thing.
  if (const auto prepared = prepare_conv(kernel, inputs, outputs)) {
    std::vector<void*> data;
    for (const Operand& operand : inputs) data.push_back(operand.data);
    for (const Operand& operand : outputs) data.push_back(operand.data);
    prepared->run(data.data());
  } else if (kernel.pool) {
    run_pooled(kernel, inputs, outputs);
  } else {
    run_with_bias_gradient(kernel, inputs, outputs);
  }
}

}  // namespace cornu::backend::cpu
