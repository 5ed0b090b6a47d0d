// The copy to columns, and the products of the three passes.
#include "conv_products.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "codegen/conv_columns.h"
#include "library_layouts.h"
#include "temporary_block.h"

namespace cornu::backend::cuda {
namespace {

// A graph of launches keeps them as long as it lives.
constexpr size_t most_column_bytes = size_t{64} << 20;

int64_t at(const InlineVector<int64_t, 3>& values, int axis, int64_t otherwise) {
  return values.empty() ? otherwise : values[static_cast<size_t>(axis)];
}

bool all_are(const InlineVector<int64_t, 3>& values, int64_t wanted) {
  return std::all_of(values.begin(), values.end(), [&](int64_t v) { return v == wanted; });
}

bool is_padded(const Conv& conv) { return !all_are(conv.pad_low, 0) || !all_are(conv.pad_high, 0); }

// Whether each result reads one place, and all places are read.
bool is_pointwise(const Conv& conv, const Shape& kernel) {
  return kernel.numel() == kernel[kernel.rank() - 2] * kernel.back() && all_are(conv.strides, 1) &&
         !is_padded(conv);
}

class ConvProduct final : public Executable {
 public:
  ConvProduct(const Conv& conv, std::span<const Operand> inputs, std::span<const Operand> outputs,
              Context& context)
      : context_(context), bias_(conv.bias) {
    const bool weights = conv.pass == ConvPass::backward_weights,
               data = conv.pass == ConvPass::backward_data;
    const Operand& x = data ? outputs[0] : inputs[0];
    const Operand& kernel = weights ? outputs[0] : inputs[1];
    const Operand& y = data ? inputs[0] : weights ? inputs[1] : outputs[0];
    const int64_t co = kernel.shape->back();
    const Shape places{y.shape->numel() / co, kernel.shape->numel() / co};
    const Shape filters{places[1], co}, results{places[0], co};
    const auto operand = [&](const Shape& shape) { return Operand{&shape, x.dtype, nullptr}; };
    if (!is_pointwise(conv, *kernel.shape)) {
      bytes_ = static_cast<size_t>(places.numel()) * size_of(x.dtype);
      const Operand columns = operand(places);
      if (data)
        sum_ =
            context.prepare_stages(plan_columns_sum(conv, x, *kernel.shape, *y.shape,
                                                    {.multiprocessors = context.multiprocessors()}),
                                   2);
      else
        copy_ = context.prepare(columns_copy(conv, *x.shape, *kernel.shape, *y.shape), {&x, 1},
                                {&columns, 1});
    }
    std::vector<Operand> factors;
    Operand product = operand(results);
    Matmul matmul;
    if (weights) {
      matmul.transpose_a = true;
      factors = {operand(places), operand(results)};
      product = operand(filters);
    } else if (data) {
      matmul.transpose_b = true;
      factors = {operand(results), operand(filters)};
      product = operand(places);
    } else {
      matmul.bias = conv.bias;
      matmul.relu = conv.relu;
      factors = {operand(places), operand(filters)};
      if (conv.bias) factors.push_back(inputs[2]);
    }
    product_ = context.prepare(matmul, factors, {&product, 1});
  }

  void run(void* const* data) override {
    if (bytes_ == 0) return product_->run(data);
    // Not scratch memory, which the product may take.
    const TemporaryBlock columns(context_.allocator(), bytes_);
    if (sum_) {
      void* const factors[] = {data[0], data[1], columns.data()};
      product_->run(factors);
      void* const back[] = {columns.data(), data[2]};
      return sum_->run(back);
    }
    void* const ways[] = {data[0], columns.data()};
    copy_->run(ways);
    void* const all[] = {columns.data(), data[1], data[2], bias_ ? data[3] : nullptr};
    product_->run(all);
  }

 private:
  Context& context_;
  bool bias_;
  std::unique_ptr<Executable> copy_, product_, sum_;
  size_t bytes_ = 0;
};

}  // namespace

Copy columns_copy(const Conv& conv, const Shape& x, const Shape& kernel, const Shape& y) {
  const int axes = x.rank() - 2;
  const std::vector<int64_t> strides = cudnn::dense_layout(x.vec()).strides;
  const auto stride = [&](int axis) { return strides[static_cast<size_t>(axis) + 1]; };
  Copy::Part part;
  const auto axis = [&](int64_t size, int64_t from) {
    part.sizes.push_back(size);
    part.from.strides.push_back(from);
  };
  axis(x[0], strides[0]);
  for (int i = 0; i < axes; ++i) axis(y[i + 1], stride(i) * at(conv.strides, i, 1));
  for (int i = 0; i < axes; ++i) axis(kernel[i], stride(i) * at(conv.dilation, i, 1));
  axis(x.back(), 1);
  for (const int64_t to : cudnn::dense_layout(part.sizes.vec()).strides)
    part.to.strides.push_back(to);
  Copy copy;
  copy.shape = {y.numel() / y.back(), kernel.numel() / kernel.back()};
  copy.parts.push_back(std::move(part));
  return copy;
}

bool has_conv_product(const Conv& conv, std::span<const Operand> inputs,
                      std::span<const Operand> outputs) {
  const bool data = conv.pass == ConvPass::backward_data,
             weights = conv.pass == ConvPass::backward_weights;
  const Shape& x = *(data ? outputs[0] : inputs[0]).shape;
  const Shape& kernel = *(weights ? outputs[0] : inputs[1]).shape;
  const Shape& y = *(data ? inputs[0] : weights ? inputs[1] : outputs[0]).shape;
  if (conv.groups != 1 || conv.pool || (conv.bias && conv.pass != ConvPass::forward)) return false;
  if (is_pointwise(conv, kernel)) return true;
  if (!data && (is_padded(conv) || x.rank() > 4)) return false;
  const size_t element = size_of(inputs[0].dtype);
  const int64_t places = y.numel() / y.back(), each = kernel.numel() / kernel.back();
  return element >= 4 && static_cast<size_t>(places * each) * element <= most_column_bytes;
}

std::unique_ptr<Executable> conv_product(const Conv& conv, std::span<const Operand> inputs,
                                         std::span<const Operand> outputs, Context& context) {
  return std::make_unique<ConvProduct>(conv, inputs, outputs, context);
}

}  // namespace cornu::backend::cuda
