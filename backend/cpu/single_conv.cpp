// oneDNN and Winograd for float32 and 16-bit floats, plain loops for other types and odd cases.
#include "single_conv.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "blocks.h"
#include "conv_plain.h"
#include "converted.h"
#include "kernels.h"
#include "onednn.h"
#include "prepare_conv.h"
#include "winograd.h"

namespace cornu::backend::cpu {
namespace {

ConvSizes conv_sizes(const Conv& kernel, Operands inputs, Operands outputs) {
  const bool forward = kernel.pass == ConvPass::forward;
  const bool data = kernel.pass == ConvPass::backward_data;
  const Shape x = channels_last_shape(data ? *outputs[0].shape : *inputs[0].shape, kernel.block_x);
  const Shape y = channels_last_shape(forward ? *outputs[0].shape
                                      : data  ? *inputs[0].shape
                                              : *inputs[1].shape,
                                      kernel.block_y);
  const Shape& k = forward || data ? *inputs[1].shape : *outputs[0].shape;
  ConvSizes s{};
  s.pass = static_cast<int64_t>(kernel.pass);
  s.spatial = x.rank() - 2;
  s.bias = kernel.bias && !data;
  s.relu = kernel.relu && forward;
  s.groups = kernel.groups;
  s.batch = x[0];
  s.in_channels = x.back();
  s.out_channels = y.back();
  s.block_x = kernel.block_x;
  s.block_y = kernel.block_y;
  for (int axis = 0; axis < 3; ++axis) {
    // Missing axes are leading ones of size 1, so that one loop nest serves one to three
    // dimensions.
    const int own = axis - 3 + static_cast<int>(s.spatial);
    const size_t at = static_cast<size_t>(axis), i = static_cast<size_t>(own);
    const bool used = own >= 0;
    s.x[at] = used ? x[own + 1] : 1;
    s.kernel[at] = used ? k[own] : 1;
    s.y[at] = used ? y[own + 1] : 1;
    s.strides[at] = used && i < kernel.strides.size() ? kernel.strides[i] : 1;
    s.dilation[at] = used && i < kernel.dilation.size() ? kernel.dilation[i] : 1;
    s.pad_low[at] = used && i < kernel.pad_low.size() ? kernel.pad_low[i] : 0;
    // Only the low padding and the sizes say what is computed. oneDNN wants a high padding that
    // fits them: the smallest that does, or none where x has rows that no window reaches.
    const int64_t reach = (s.kernel[at] - 1) * s.dilation[at] + 1;
    s.pad_high[at] = (s.y[at] - 1) * s.strides[at] + reach - s.x[at] - s.pad_low[at];
    if (s.pad_high[at] < 0 && s.pad_high[at] + s.strides[at] > 0) s.pad_high[at] = 0;
  }
  return s;
}

bool any_empty(const ConvSizes& s) {
  int64_t product = s.batch * s.in_channels * s.out_channels;
  for (size_t axis = 0; axis < 3; ++axis) product *= s.x[axis] * s.kernel[axis] * s.y[axis];
  return product == 0;
}

bool fast_conv(const ConvSizes& s, const ConvData& data) {
  // Null unless Winograd is the faster way for these sizes.
  const auto winograd = prepare_winograd(s);
  if (winograd == nullptr) return onednn_conv(s, data);
  winograd->run(data);
  return true;
}

void run_as(DType type, const ConvSizes& s, const void* first, const void* second, const void* bias,
            void* out) {
  if (type == DType::float32 && !any_empty(s) &&
      fast_conv(s, {static_cast<const float*>(first), static_cast<const float*>(second),
                    static_cast<const float*>(bias), static_cast<float*>(out)}))
    return;
  plain_conv(type, s, first, second, bias, out);
}

class ConvExecutable final : public Executable {
 public:
  ConvExecutable(std::unique_ptr<PreparedConv> conv, bool bias, bool forward)
      : conv_(std::move(conv)), bias_(bias), forward_(forward) {}
  void run(void* const* data) override {
    const auto at = [&](int i) { return static_cast<float*>(data[i]); };
    if (bias_ && forward_)
      conv_->run({at(0), at(1), at(2), at(3)});
    else
      conv_->run({at(0), at(1), nullptr, at(2), bias_ ? at(3) : nullptr});
  }
  uint32_t inputs_to_prepack(uint32_t stable) override {
    return forward_ && conv_->reorders_filters() ? stable & 2u : 0;
  }
  void keep(void* const* data) override { conv_->keep_filters(static_cast<float*>(data[1])); }

 private:
  std::unique_ptr<PreparedConv> conv_;
  bool bias_, forward_;
};

}  // namespace

void run_single(const Conv& kernel, Operands inputs, Operands outputs) {
  const ConvSizes sizes = conv_sizes(kernel, inputs, outputs);
  const Operand& out = outputs[0];
  if (out.shape->numel() == 0) return;
  const DType type = compute_type(inputs[0].dtype, inputs[1].dtype, out.dtype);
  const Converted first(inputs[0], type), second(inputs[1], type);
  std::optional<Converted> bias;
  if (sizes.bias) bias.emplace(inputs[2], type);
  const void* const bias_data = bias ? bias->data() : nullptr;
  if (out.dtype == type)
    return run_as(type, sizes, first.data(), second.data(), bias_data, out.data);
  const int64_t count = out.shape->numel();
  // Sums are kept in the wider type and rounded once, at the end.
  const Scratch result(static_cast<size_t>(count) * size_of(type));
  run_as(type, sizes, first.data(), second.data(), bias_data, result.data());
  convert(result.data(), type, out.data, out.dtype, count);
}

std::unique_ptr<Executable> prepare_single(const Conv& kernel, Operands inputs, Operands outputs) {
  const ConvSizes sizes = conv_sizes(kernel, inputs, outputs);
  const auto is_float32 = [](const Operand& operand) { return operand.dtype == DType::float32; };
  if (!std::all_of(inputs.begin(), inputs.end(), is_float32) || !is_float32(outputs[0]) ||
      any_empty(sizes))
    return nullptr;
  auto conv = prepare_winograd(sizes);
  if (conv == nullptr) conv = prepare_onednn_conv(sizes);
  if (conv == nullptr) return nullptr;
  // The caller then adds up dy itself.
  if (kernel.bias && kernel.pass == ConvPass::backward_weights && !conv->gives_bias_gradient())
    return nullptr;
  return std::make_unique<ConvExecutable>(std::move(conv), sizes.bias != 0,
                                          kernel.pass == ConvPass::forward);
}

std::string conv_method(const Conv& kernel, Operands inputs, Operands outputs) {
  const ConvSizes sizes = conv_sizes(kernel, inputs, outputs);
  return prepare_winograd(sizes) != nullptr ? "winograd" : onednn_conv_name(sizes);
}

}  // namespace cornu::backend::cpu
