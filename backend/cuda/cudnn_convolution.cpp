// Convolutions by cuDNN: their graphs, and the copies around them.
#include "cudnn_convolution.h"

#include <algorithm>
#include <optional>

#include "../error.h"
#include "conv_products.h"
#include "cublas_matmul.h"
#include "cudnn_device.h"
#include "fallback.h"
#include "library_folding.h"
#include "library_layouts.h"
#include "measuring.h"

namespace cornu::backend::cuda::cudnn {
namespace {

// Engines that are tried on the device for each form of a convolution.
constexpr size_t most_candidates = 4;

std::vector<std::unique_ptr<Plan>> plan_graph(const Target& target, const Conv& conv, DType dtype,
                                              const Shape& x, const Shape& kernel, const Shape& y,
                                              bool fused, const Wishes& wishes, size_t most,
                                              std::string* why) {
  const ConvolutionLayouts layouts = convolution_layouts(conv, x, kernel, y);
  // Sums of 16-bit floats are kept in float32.
  const DType compute = dtype == DType::float64 ? DType::float64 : DType::float32;
  const bool bias = fused && conv.bias, relu = fused && conv.relu;
  Graph graph;
  graph.tensor(layouts.x, dtype);
  graph.tensor(layouts.kernel, dtype);
  graph.tensor(layouts.y, dtype);
  int64_t result = convolution_y;
  if (bias) graph.tensor(layouts.bias, dtype);
  // Inner tensors never reach memory, so the bias is added before rounding.
  if (bias || relu) result = graph.tensor(layouts.y, compute, Graph::Kind::inner);
  graph.convolution(static_cast<ConvolutionPass>(conv.pass), convolution_x, convolution_kernel,
                    result, layouts.geometry, compute);
  if (bias) {
    const int64_t sum = relu ? graph.tensor(layouts.y, compute, Graph::Kind::inner) : convolution_y;
    graph.pointwise(Pointwise::add, {result, convolution_bias}, sum);
    result = sum;
  }
  if (relu) graph.pointwise(Pointwise::relu, {result}, convolution_y);
  return graph.plans(target, wishes, most, why);
}

bool any(const InlineVector<int64_t, 3>& values) {
  return std::any_of(values.begin(), values.end(), [](int64_t v) { return v != 0; });
}

// Engines that say to take paddings of two sizes give wrong gradients: of the kernel on an H100 in
// float32 and float64, of x on an H200 in float32 (cuDNN 9.19). Forward passes are right.
bool needs_padding_by_copy(const Conv& conv) {
  return conv.pass != ConvPass::forward &&
         !std::equal(conv.pad_low.begin(), conv.pad_low.end(), conv.pad_high.begin());
}

// How many channels a strided convolution of few, such as those of pictures, gets by folding:
// engines read 16 bytes at a time. 0: it is not worth a try.
int64_t folded_channels(const Conv& conv, DType dtype, const Shape& x, const Shape& kernel) {
  const int64_t wide = size_of(dtype) == 2 ? 8 : 4;
  if (!can_fold(conv, x) || x.back() >= wide || std::min(kernel[0], kernel[1]) < 3) return 0;
  return (4 * x.back() + wide - 1) / wide * wide;
}

constexpr size_t aligned(size_t bytes) { return (bytes + 255) / 256 * 256; }

ProgramRef epilogue(bool bias, bool relu) {
  ProgramBuilder builder(bias ? 2 : 1);
  Expr result = builder.input(0);
  if (bias) result = result + builder.input(1);
  if (relu) result = expr::relu(result);
  return builder.finish({result});
}

class Convolution : public Executable {
 public:
  Convolution(const Conv& conv, std::span<const Operand> inputs, std::span<const Operand> outputs,
              ConvolutionPlan plan, Context& context)
      : context_(context), plan_(std::move(plan)), pass_(conv.pass), bias_(conv.bias) {
    const bool forward = pass_ == ConvPass::forward, weights = pass_ == ConvPass::backward_weights;
    const Operand& x = pass_ == ConvPass::backward_data ? outputs[0] : inputs[0];
    const Operand& kernel = weights ? outputs[0] : inputs[1];
    const DType dtype = x.dtype;
    size_t bytes = aligned(plan_.plan->workspace());
    const int64_t channels = plan_.channels;
    if (channels > 0 || !kernel_in_order(*kernel.shape)) {
      const Copy to_library = channels > 0 ? fold_kernel_to_library(*kernel.shape, channels)
                                           : kernel_to_library(*kernel.shape);
      const Copy from_library = channels > 0 ? fold_kernel_from_library(*kernel.shape, channels)
                                             : kernel_from_library(*kernel.shape);
      const Shape& ordered = to_library.shape;
      const Operand given{kernel.shape, dtype, nullptr}, moved{&ordered, dtype, nullptr};
      kernel_copy_ = weights ? prepare_copy(from_library, moved, given)
                             : prepare_copy(to_library, given, moved);
      kernel_offset_ = bytes;
      kernel_bytes_ = static_cast<size_t>(ordered.numel()) * size_of(dtype);
      bytes += aligned(kernel_bytes_);
    }
    if (plan_.padded || channels > 0) {
      const Shape& y = *(weights ? inputs[1] : outputs[0]).shape;  // not of x's gradient
      const Copy copy = channels > 0 ? fold_copy(conv, *x.shape, *kernel.shape, y, channels)
                        : pass_ == ConvPass::backward_data ? crop_copy(conv, *x.shape)
                                                           : pad_copy(conv, *x.shape);
      const Shape wide = channels > 0 ? copy.shape : padded_shape(conv, *x.shape);
      const Operand given{x.shape, dtype, nullptr}, padded{&wide, dtype, nullptr};
      x_copy_ = pass_ == ConvPass::backward_data ? prepare_copy(copy, padded, given)
                                                 : prepare_copy(copy, given, padded);
      x_offset_ = bytes;
      bytes += aligned(static_cast<size_t>(wide.numel()) * size_of(dtype));
    }
    if (forward && !plan_.fused && (conv.bias || conv.relu)) {
      const DType compute = dtype == DType::float64 ? DType::float64 : DType::float32;
      std::vector<Operand> operands{outputs[0]};
      if (conv.bias) operands.push_back(inputs[2]);
      epilogue_ = context.prepare(Fused{epilogue(conv.bias, conv.relu), compute}, operands,
                                  outputs.first(1));
    }
    bytes_ = bytes;
  }
  ~Convolution() override { forget(); }

  void run(void* const* data) override {
    const bool weights = pass_ == ConvPass::backward_weights;
    // The addresses of x, the kernel and y among the operands.
    static constexpr int places[3][3] = {{0, 1, -1}, {2, 1, 0}, {0, 2, 1}};
    const int* place = places[static_cast<int>(pass_)];
    void* x = data[place[0]];
    void* kernel = data[place[1]];
    void* const y = data[place[2] < 0 ? (bias_ ? 3 : 2) : place[2]];
    void* const given_x = x;
    void* const given_kernel = kernel;

    // The copies and the epilogue take no scratch memory, so it stays this kernel's.
    char* scratch = static_cast<char*>(context_.workspace(bytes_));
    if (kernel_copy_) {
      kernel = kept_ != nullptr ? kept_ : scratch + kernel_offset_;
      if (!weights && kept_ == nullptr) run_copy(kernel_copy_, given_kernel, kernel);
    }
    if (x_copy_) {
      x = scratch + x_offset_;
      if (pass_ != ConvPass::backward_data) run_copy(x_copy_, given_x, x);
    }
    const int64_t tensors[] = {convolution_x, convolution_kernel, convolution_y, convolution_bias};
    void* const addresses[] = {x, kernel, y, bias_ ? data[2] : nullptr};
    const size_t count = plan_.fused && bias_ ? 4 : 3;
    plan_.plan->run({tensors, count}, {addresses, count}, scratch);
    if (kernel_copy_ && weights) run_copy(kernel_copy_, kernel, given_kernel);
    if (x_copy_ && pass_ == ConvPass::backward_data) run_copy(x_copy_, x, given_x);
    if (epilogue_) {
      void* const with_bias[] = {y, data[2], y};
      void* const alone[] = {y, y};
      epilogue_->run(bias_ ? with_bias : alone);
    }
  }

  uint32_t inputs_to_prepack(uint32_t stable) override {
    // Only a kernel that has to be reordered; one in order is read where it lies.
    return kernel_copy_ && pass_ != ConvPass::backward_weights ? stable & 2u : 0;
  }
  void keep(void* const* data) override {
    if (kept_ == nullptr) kept_ = context_.allocator().allocate(kernel_bytes_);
    run_copy(kernel_copy_, data[1], kept_);
  }

 private:
  // A copy all of whose parts read one operand.
  struct OneCopy {
    std::unique_ptr<Executable> executable;
    size_t parts = 0;
    explicit operator bool() const { return executable != nullptr; }
  };
  OneCopy prepare_copy(const Copy& copy, const Operand& from, const Operand& to) {
    const std::vector<Operand> parts(copy.parts.size(), from);
    return {context_.prepare(copy, parts, {&to, 1}), parts.size()};
  }
  static void run_copy(const OneCopy& copy, void* from, void* to) {
    InlineVector<void*, 5> data(copy.parts, from);
    data.push_back(to);
    copy.executable->run(data.data());
  }
  void forget() {
    if (kept_ != nullptr) context_.allocator().deallocate(kept_, kernel_bytes_);
  }

  Context& context_;
  ConvolutionPlan plan_;
  ConvPass pass_;
  bool bias_;
  OneCopy kernel_copy_, x_copy_;
  std::unique_ptr<Executable> epilogue_;
  size_t kernel_offset_ = 0, kernel_bytes_ = 0, x_offset_ = 0, bytes_ = 0;
  void* kept_ = nullptr;
};

}  // namespace

std::vector<ConvolutionPlan> plan_convolution(const Target& target, const Conv& conv, DType dtype,
                                              const Shape& x, const Shape& kernel, const Shape& y,
                                              size_t workspace, bool tf32, size_t most,
                                              std::string* why) {
  // Deterministic engines only: results must not change from run to run.
  const Wishes wishes{.tensor_cores = dtype != DType::float32 || tf32,
                      .deterministic = true,
                      .workspace = workspace};
  std::vector<ConvolutionPlan> found;
  const auto add = [&](const Conv& form, const Shape& from, bool fused, bool padded) {
    for (auto& plan : plan_graph(target, form, dtype, from, kernel, y, fused, wishes, most, why))
      found.push_back({std::move(plan), fused, padded});
  };
  const bool ends = conv.pass == ConvPass::forward && (conv.bias || conv.relu);
  // Both forms are tried when several are, since an epilogue of its own may be faster; but 16-bit
  // floats would be rounded before it.
  const auto add_forms = [&](const Conv& form, const Shape& from, bool padded) {
    if (ends) add(form, from, true, padded);
    if (found.empty() || (most > 1 && size_of(dtype) > 2)) add(form, from, false, padded);
  };
  if (!needs_padding_by_copy(conv)) add_forms(conv, x, false);
  // Last, as it costs a copy of x.
  if (found.empty() && (any(conv.pad_low) || any(conv.pad_high)))
    add_forms(without_padding(conv), padded_shape(conv, x), true);
  if (const int64_t channels = most > 1 ? folded_channels(conv, dtype, x, kernel) : 0; channels > 0)
    for (auto& plan :
         plan_graph(target, folded(conv), dtype, folded_shape(conv, x, kernel, y, channels),
                    folded_kernel(kernel, channels), y, ends, wishes, most, why))
      found.push_back({std::move(plan), ends, false, channels});
  return found;
}

namespace {

std::string path_of(const ConvolutionPlan& plan) {
  if (plan.product) return "as a product, cuBLASLt " + cublas_version();
  if (plan.generated) return "a generated kernel";
  return "cuDNN " + version() + ", " + plan.plan->engine() +
         (plan.padded ? ", with padding by a copy" : "") +
         (plan.channels > 0 ? ", folded to " + std::to_string(plan.channels) + " channels" : "");
}

// Where there are few channels, kernels for large products have little to do. Not so where a trial
// would take long, nor where tensor cores compute.
bool may_generate(const Conv& conv, std::span<const Operand> inputs,
                  std::span<const Operand> outputs) {
  constexpr int64_t most_multiplications = int64_t{1} << 30;
  if (size_of(inputs[0].dtype) < 4 || tf32()) return false;
  const Shape& kernel = *(conv.pass == ConvPass::backward_weights ? outputs[0] : inputs[1]).shape;
  const Shape& y = *(conv.pass == ConvPass::forward         ? outputs[0]
                     : conv.pass == ConvPass::backward_data ? inputs[0]
                                                            : inputs[1])
                        .shape;
  return y.numel() <= most_multiplications / (kernel.numel() / kernel.back());
}

// A convolution run as one of the ways to do it.
std::unique_ptr<Executable> make(const ConvolutionPlan& plan, const Conv& conv,
                                 std::span<const Operand> inputs, std::span<const Operand> outputs,
                                 Context& context) {
  if (plan.product) return conv_product(conv, inputs, outputs, context);
  if (plan.generated) return context.prepare_generated(conv, inputs, outputs);
  return std::make_unique<Convolution>(conv, inputs, outputs, plan, context);
}

// The fastest on the device.
ConvolutionPlan choose(const std::string& key, std::vector<ConvolutionPlan> plans, const Conv& conv,
                       std::span<const Operand> inputs, std::span<const Operand> outputs,
                       Context& context) {
  if (plans.empty()) return {};
  if (!may_measure()) return plans.front();
  if (has_conv_product(conv, inputs, outputs)) plans.push_back({.product = true});
  if (may_generate(conv, inputs, outputs)) plans.push_back({.generated = true});
  std::string ways = "cuDNN " + version() + "\n" + key;
  for (const ConvolutionPlan& plan : plans)
    ways += "\n" + path_of(plan) + (plan.fused ? ", fused" : "");
  std::optional<TrialOperands> operands;
  std::vector<std::unique_ptr<Executable>> trials(plans.size());
  return plans[fastest(ways, context, plans.size(), [&](size_t i) {
    if (!operands) operands.emplace(context, inputs, outputs);
    // No memory for trials: cuDNN's own order decides.
    if (operands->addresses().empty()) return false;
    if (!trials[i]) trials[i] = make(plans[i], conv, inputs, outputs, context);
    if (!trials[i]) return false;
    try {
      trials[i]->run(operands->addresses().data());
      return true;
    } catch (const StateError&) {  // cuDNN promised too much
      return false;
    }
  })];
}

}  // namespace

std::unique_ptr<Executable> convolution(const Conv& conv, std::span<const Operand> inputs,
                                        std::span<const Operand> outputs, Context& context) {
  const Operand& x = conv.pass == ConvPass::backward_data ? outputs[0] : inputs[0];
  const Operand& kernel = conv.pass == ConvPass::backward_weights ? outputs[0] : inputs[1];
  const Operand& y = conv.pass == ConvPass::forward         ? outputs[0]
                     : conv.pass == ConvPass::backward_data ? inputs[0]
                                                            : inputs[1];
  const auto negative = [](int64_t pad) { return pad < 0; };
  if (!is_float(x.dtype) || kernel.dtype != x.dtype || y.dtype != x.dtype || conv.block_x != 0 ||
      conv.block_y != 0 || x.shape->numel() == 0 || kernel.shape->numel() == 0 ||
      y.shape->numel() == 0 || !sizes_fit(conv, *x.shape, *kernel.shape, *y.shape) ||
      std::any_of(conv.pad_low.begin(), conv.pad_low.end(), negative) ||
      std::any_of(conv.pad_high.begin(), conv.pad_high.end(), negative))
    return nullptr;
  Device& device = context.part<Device>();
  const auto lost = [&](const std::string& why) {
    tell_fallback(conv, inputs, outputs, "cuDNN " + version(), why,
                  "a generated kernel without tensor cores");
  };
  if (device.target() == nullptr) {
    lost(device.why());
    return nullptr;
  }
  const bool exact = !tf32();
  std::string key = "convolution " + std::to_string(static_cast<int>(conv.pass)) + " " +
                    std::to_string(conv.groups) + (conv.bias ? " bias" : "") +
                    (conv.relu ? " relu" : "") + (exact ? " " : " tf32 ");
  for (const auto& list : {conv.strides, conv.dilation, conv.pad_low, conv.pad_high})
    for (int64_t value : list) key += std::to_string(value) + ",";
  key += operands_text(inputs, outputs);
  const ConvolutionPlan plan = device.convolution(key, [&] {
    std::string why;
    const auto plans = plan_convolution(*device.target(), conv, x.dtype, *x.shape, *kernel.shape,
                                        *y.shape, context.workspace_limit(), !exact,
                                        may_measure() ? most_candidates : 1, &why);
    if (plans.empty())
      lost(why + (x.dtype == DType::float32 && exact
                      ? " Perhaps with TF32 (Device::allow_tf32, or CORNU_TF32=1) it does."
                      : ""));
    return choose(key, plans, conv, inputs, outputs, context);
  });
  if (!plan.plan && !plan.product && !plan.generated) return nullptr;
  auto executable = make(plan, conv, inputs, outputs, context);
  context.set_path(path_of(plan));
  return executable;
}

}  // namespace cornu::backend::cuda::cudnn
