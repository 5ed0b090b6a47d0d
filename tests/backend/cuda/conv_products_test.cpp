// Convolutions as products of matrices: both kernels run on the CPU here, beside its convolutions.
#include <catch.h>
#include <cornu/backend/cuda/conv_products.h>

#include <random>

#include "../array.h"

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {

class HostContext final : public cuda::Context {
 public:
  int ordinal() const override { return 0; }
  int architecture() const override { return 90; }
  int multiprocessors() const override { return 1; }
  CUstream_st* stream() const override { return nullptr; }
  void* workspace(size_t) override { return nullptr; }
  size_t workspace_limit() const override { return 0; }
  Allocator& allocator() override { return cpu_backend().allocator(); }
  std::unique_ptr<Executable> prepare(const Kernel& kernel, std::span<const Operand> inputs,
                                      std::span<const Operand> outputs) override {
    return cpu_backend().prepare(kernel, inputs, outputs);
  }
};

Array numbers(std::mt19937& random, const Shape& shape) {
  return random_array(random, DType::float32, shape, -3, 3);
}

// Whether there is a product for a convolution; if so it gives what the convolution does.
bool runs(const Conv& conv, const Shape& x, const Shape& kernel, const Shape& y) {
  std::mt19937 random(1);
  HostContext context;
  const bool data = conv.pass == ConvPass::backward_data,
             weights = conv.pass == ConvPass::backward_weights;
  std::vector<Array> inputs{numbers(random, data ? y : x), numbers(random, weights ? y : kernel)};
  if (conv.bias) inputs.push_back(numbers(random, {kernel.back()}));
  const Shape& out = data ? x : weights ? kernel : y;
  Array wanted(DType::float32, out), found(DType::float32, out);
  std::vector<Operand> operands;
  std::vector<void*> addresses;
  for (Array& input : inputs) {
    operands.push_back(input.operand());
    addresses.push_back(input.data());
  }
  addresses.push_back(found.data());
  const Operand to = wanted.operand();
  if (!cuda::has_conv_product(conv, operands, {&to, 1})) return false;
  const auto product = cuda::conv_product(conv, operands, {&to, 1}, context);
  cpu_backend().run(conv, operands, {&to, 1});
  product->run(addresses.data());
  int wrong = 0;
  for (int64_t i = 0; i < wanted.numel(); ++i) wrong += found[i] != wanted[i];
  CHECK(wrong == 0);
  return true;
}

Conv conv_of(ConvPass pass, InlineVector<int64_t, 3> strides, InlineVector<int64_t, 3> dilation) {
  return {.pass = pass, .strides = std::move(strides), .dilation = std::move(dilation)};
}

}  // namespace

TEST_CASE("a convolution is a product of the places under its windows") {
  for (const ConvPass pass : {ConvPass::forward, ConvPass::backward_weights}) {
    CHECK(runs(conv_of(pass, {1, 1}, {1, 1}), {2, 6, 7, 3}, {3, 2, 3, 5}, {2, 4, 6, 5}));
    CHECK(runs(conv_of(pass, {2, 3}, {1, 2}), {2, 9, 11, 4}, {3, 2, 4, 5}, {2, 4, 3, 5}));
    CHECK(runs(conv_of(pass, {2, 2}, {1, 1}), {3, 6, 4, 2}, {1, 1, 2, 4}, {3, 3, 2, 4}));
    CHECK(runs(conv_of(pass, {2}, {2}), {2, 9, 3}, {3, 3, 4}, {2, 3, 4}));
  }
  Conv ends = conv_of(ConvPass::forward, {1, 1}, {1, 1});
  ends.bias = ends.relu = true;
  CHECK(runs(ends, {2, 6, 7, 3}, {3, 2, 3, 5}, {2, 4, 6, 5}));
  CHECK(runs(ends, {2, 3, 4, 3}, {1, 1, 3, 5}, {2, 3, 4, 5}));
}

TEST_CASE("a convolution with kernels of one place is a product in all passes") {
  for (const ConvPass pass :
       {ConvPass::forward, ConvPass::backward_data, ConvPass::backward_weights}) {
    CHECK(runs(conv_of(pass, {1, 1}, {1, 1}), {2, 3, 4, 6}, {1, 1, 6, 5}, {2, 3, 4, 5}));
    CHECK(runs(conv_of(pass, {}, {}), {2, 7, 6}, {1, 6, 5}, {2, 7, 5}));
  }
}

TEST_CASE("convolutions that are no single product are left to others") {
  const auto none = [](const Conv& conv, const Shape& x, const Shape& kernel, const Shape& y) {
    CHECK_FALSE(runs(conv, x, kernel, y));
  };
  none(conv_of(ConvPass::backward_data, {1, 1}, {1, 1}), {2, 6, 7, 3}, {3, 2, 3, 5}, {2, 4, 6, 5});
  Conv conv = conv_of(ConvPass::forward, {1, 1}, {1, 1});
  conv.groups = 2;
  none(conv, {1, 3, 4, 4}, {1, 1, 2, 6}, {1, 3, 4, 6});
  conv.groups = 1;
  conv.pad_low = {1, 0};
  none(conv, {1, 3, 4, 4}, {2, 1, 4, 6}, {1, 3, 4, 6});
  none(conv_of(ConvPass::forward, {1, 1, 1}, {1, 1, 1}), {1, 3, 4, 5, 2}, {2, 2, 2, 2, 3},
       {1, 2, 3, 4, 3});
}
