// Convolutions as products of matrices: their kernels run on the CPU here, beside its convolutions.
#include <catch.h>
#include <cornu/backend/cuda/conv_products.h>

#include <random>

#include "../array.h"
#include "host_context.h"

namespace conv_products_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {

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
  Conv conv;
  conv.pass = pass;
  conv.strides = std::move(strides);
  conv.dilation = std::move(dilation);
  return conv;
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

TEST_CASE("the gradient of x is a product and a sum of columns") {
  const ConvPass pass = ConvPass::backward_data;
  CHECK(runs(conv_of(pass, {1, 1}, {1, 1}), {2, 6, 7, 8}, {3, 2, 8, 5}, {2, 4, 6, 5}));
  CHECK(runs(conv_of(pass, {2, 3}, {1, 2}), {2, 9, 11, 3}, {3, 2, 3, 5}, {2, 4, 3, 5}));
  CHECK(runs(conv_of(pass, {2, 2}, {1, 1}), {3, 6, 4, 2}, {1, 1, 2, 4}, {3, 3, 2, 4}));
  CHECK(runs(conv_of(pass, {2}, {2}), {2, 9, 6}, {3, 6, 4}, {2, 3, 4}));
  CHECK(
      runs(conv_of(pass, {1, 2, 1}, {1, 1, 1}), {2, 4, 6, 5, 4}, {2, 2, 3, 4, 2}, {2, 3, 3, 3, 2}));
  Conv padded = conv_of(pass, {2, 1}, {1, 1});
  padded.pad_low = {1, 0};
  padded.pad_high = {1, 2};
  CHECK(runs(padded, {2, 6, 5, 4}, {3, 3, 4, 5}, {2, 3, 5, 5}));
  padded.strides = {1, 1};
  CHECK(runs(padded, {2, 3, 4, 6}, {1, 1, 6, 5}, {2, 5, 6, 5}));
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
  Conv conv = conv_of(ConvPass::forward, {1, 1}, {1, 1});
  conv.groups = 2;
  none(conv, {1, 3, 4, 4}, {1, 1, 2, 6}, {1, 3, 4, 6});
  conv.groups = 1;
  conv.pad_low = {1, 0};
  none(conv, {1, 3, 4, 4}, {2, 1, 4, 6}, {1, 3, 4, 6});
  none(conv_of(ConvPass::forward, {1, 1, 1}, {1, 1, 1}), {1, 3, 4, 5, 2}, {2, 2, 2, 2, 3},
       {1, 2, 3, 4, 3});
  // Large columns, and those of 16-bit floats; of single places both are products.
  const auto has = [](DType dtype, const Shape& x, const Shape& kernel, const Shape& y) {
    const Operand inputs[] = {{&x, dtype, nullptr}, {&kernel, dtype, nullptr}};
    const Operand output{&y, dtype, nullptr};
    return cuda::has_conv_product({}, inputs, {&output, 1});
  };
  CHECK(has(DType::float32, {64, 30, 30, 32}, {3, 3, 32, 8}, {64, 28, 28, 8}));
  CHECK_FALSE(has(DType::float32, {128, 30, 30, 32}, {3, 3, 32, 8}, {128, 28, 28, 8}));
  CHECK_FALSE(has(DType::bfloat16, {2, 6, 6, 8}, {3, 3, 8, 8}, {2, 4, 4, 8}));
  CHECK(has(DType::bfloat16, {128, 56, 56, 64}, {1, 1, 64, 256}, {128, 56, 56, 256}));
}

}  // namespace conv_products_test
