// Pooling of all types: floats as in a product, integers in 64 bits.
//
// With channels in blocks an image is as many images as it has blocks, each of `block` channels.
#include <algorithm>
#include <memory>
#include <optional>

#include "allocator.h"
#include "blocks.h"
#include "converted.h"
#include "kernels.h"
#include "parallel.h"
#include "pool_loops.h"
#include "prepare_conv.h"

namespace cornu::backend::cpu {
namespace {

PoolSizes pool_sizes(const Pool& kernel, Operands inputs, Operands outputs) {
  const Shape& whole_x = *inputs[0].shape;
  const Shape x = channels_last_shape(whole_x, kernel.block);
  const Shape y =
      channels_last_shape(kernel.backward ? *inputs[1].shape : *outputs[0].shape, kernel.block);
  PoolSizes s{};
  s.batch = kernel.block != 0 ? whole_x[0] * whole_x[1] : x[0];
  s.channels = kernel.block != 0 ? kernel.block : x.back();
  s.relu = kernel.relu;
  s.overlap = kernel.windows_overlap();
  const int spatial = x.rank() - 2;
  for (int axis = 0; axis < 3; ++axis) {
    const int own = axis - 3 + spatial;
    const size_t at = static_cast<size_t>(axis), i = static_cast<size_t>(own);
    const bool used = own >= 0;
    s.x[at] = used ? x[own + 1] : 1;
    s.y[at] = used ? y[own + 1] : 1;
    s.window[at] = used ? kernel.window[i] : 1;
    s.strides[at] = used && i < kernel.strides.size() ? kernel.strides[i] : 1;
    s.pad_low[at] = used && i < kernel.pad_low.size() ? kernel.pad_low[i] : 0;
  }
  return s;
}

template <class T>
void run_as(const Pool& kernel, const PoolSizes& s, const PoolData<T>& data) {
  const PoolTable<T>& table = pool_table<T>();
  const int64_t work =
      s.batch * s.y_pixels() * s.channels * s.window[0] * s.window[1] * s.window[2];
  if (!kernel.backward) {
    const auto function = kernel.maximum ? table.forward_max : table.forward_average;
    parallel_for(s.batch * s.y_pixels(), work,
                 [&](int64_t begin, int64_t end) { function(s, data, begin, end); });
    return;
  }
  // Windows overlap, so threads share out images and, when those are few, channels.
  constexpr int64_t many_images = 16;
  const auto function = kernel.maximum ? table.backward_max : table.backward_average;
  const int64_t slice = s.batch >= many_images ? std::max<int64_t>(s.channels, 1) : 32;
  const int64_t slices = (s.channels + slice - 1) / slice;
  parallel_for(s.batch * slices, work, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i % slices * slice;
      function(s, data, i / slices, first, std::min(first + slice, s.channels));
    }
  });
}

template <class T>
class PoolExecutable final : public Executable {
 public:
  PoolExecutable(const Pool& kernel, const PoolSizes& sizes) : kernel_(kernel), sizes_(sizes) {}
  void run(void* const* data) override {
    const auto at = [&](int i) { return static_cast<const T*>(data[i]); };
    if (kernel_.backward)
      run_as<T>(kernel_, sizes_, {at(0), at(1), at(2), static_cast<T*>(data[3])});
    else
      run_as<T>(kernel_, sizes_, {at(0), nullptr, nullptr, static_cast<T*>(data[1])});
  }

 private:
  Pool kernel_;
  PoolSizes sizes_;
};

// The type in which a pool computes: floats as in a product, integers in 64 bits with their sign.
DType pool_type(DType x, DType out) {
  const DType type = compute_type(x, x, out);
  return is_float(type) ? type : DType::uint64;
}

}  // namespace

void run(const Pool& kernel, Operands inputs, Operands outputs) {
  const Operand &x = inputs[0], &out = outputs[0];
  if (out.shape->numel() == 0) return;
  const PoolSizes sizes = pool_sizes(kernel, inputs, outputs);
  const DType type = pool_type(x.dtype, out.dtype);
  const void* data[3] = {};
  std::optional<Converted> converted[3];
  for (size_t i = 0; i < (kernel.backward ? 3u : 1u); ++i)
    data[i] = converted[i].emplace(inputs[i], type).data();
  std::optional<Scratch> result;
  const int64_t count = out.shape->numel();
  if (out.dtype != type) result.emplace(static_cast<size_t>(count) * size_of(type));
  void* const to = result ? result->data() : out.data;
  const auto go = [&]<class T>() {
    run_as<T>(kernel, sizes,
              {static_cast<const T*>(data[0]), static_cast<const T*>(data[1]),
               static_cast<const T*>(data[2]), static_cast<T*>(to)});
  };
  switch (type) {
    case DType::float32:
      go.operator()<float>();
      break;
    case DType::float64:
      go.operator()<double>();
      break;
    default:
      if (is_signed_int(x.dtype))
        go.operator()<int64_t>();
      else
        go.operator()<uint64_t>();
  }
  if (!result) return;
  // Signed results lie in the unsigned buffer.
  const DType stored = type == DType::uint64 && is_signed_int(x.dtype) ? DType::int64 : type;
  convert(result->data(), stored, out.data, out.dtype, count);
}

std::unique_ptr<Executable> prepare_pool(const Pool& kernel, Operands inputs, Operands outputs) {
  const DType type = inputs[0].dtype;
  if (outputs[0].dtype != type || outputs[0].shape->numel() == 0) return nullptr;
  for (const Operand& input : inputs)
    if (input.dtype != type) return nullptr;
  const PoolSizes sizes = pool_sizes(kernel, inputs, outputs);
  if (type == DType::float32) return std::make_unique<PoolExecutable<float>>(kernel, sizes);
  if (type == DType::float64) return std::make_unique<PoolExecutable<double>>(kernel, sizes);
  return nullptr;
}

}  // namespace cornu::backend::cpu
