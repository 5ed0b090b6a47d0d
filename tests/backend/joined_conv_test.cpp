// Convolutions with more in one kernel: pooled results, and the bias's gradient.
#include <catch.h>

#include <array>
#include <cmath>

#include "array.h"
#include "blocks.h"

namespace joined_conv_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {

Array noise(std::mt19937& random, const Shape& shape, DType dtype = DType::float32) {
  std::normal_distribution<double> normal;
  Array array(dtype, shape);
  for (int64_t i = 0; i < array.numel(); ++i) array.set(i, normal(random));
  return array;
}

double distance(const Array& a, const Array& b) {
  double most = a.shape() == b.shape() ? 0 : 1e9;
  for (int64_t i = 0; i < std::min(a.numel(), b.numel()); ++i)
    most = std::max(most, std::fabs(a[i] - b[i]));
  return most;
}

// Runs what `prepare` makes of a kernel.
void run_prepared(const Kernel& kernel, std::vector<Array*> inputs, std::vector<Array*> outputs) {
  std::vector<Operand> in, out;
  std::vector<void*> data;
  for (Array* array : inputs) in.push_back({&array->shape(), array->dtype(), nullptr});
  for (Array* array : outputs) out.push_back({&array->shape(), array->dtype(), nullptr});
  for (Array* array : inputs) data.push_back(array->data());
  for (Array* array : outputs) data.push_back(array->data());
  const auto prepared = cpu_backend().prepare(kernel, in, out);
  prepared->run(data.data());
  // Filters that the kernel keeps are not read again.
  if (prepared->inputs_to_prepack(2) == 0) return;
  prepared->keep(data.data());
  Array nothing(inputs[1]->dtype(), inputs[1]->shape());
  data[1] = nothing.data();
  prepared->run(data.data());
}

Conv square(int64_t stride, int64_t pad) {
  Conv conv;
  conv.strides = {stride, stride};
  conv.dilation = {1, 1};
  conv.pad_low = conv.pad_high = {pad, pad};
  return conv;
}

struct Sizes {
  int64_t batch, side, in, out, window, stride, pad;
  int64_t result() const { return (side + 2 * pad - window) / stride + 1; }
};

}  // namespace

TEST_CASE("conv: results that are pooled are those of two kernels") {
  std::mt19937 random(1);
  // The first has more images than a slice holds, and some left over.
  const Sizes all[] = {{131, 28, 1, 32, 3, 1, 0}, {1, 28, 1, 32, 3, 1, 0},
                       {70, 13, 32, 64, 3, 1, 0}, {3, 32, 3, 16, 7, 2, 3},
                       {5, 9, 16, 16, 1, 1, 0},   {2, 7, 5, 6, 3, 1, 1}};
  for (const Sizes& s : all)
    for (const bool maximum : {true, false})
      for (const int64_t block : {int64_t{0}, cpu_backend().channel_block()})
        for (const int count : {1, 2}) {
          if (block != 0 && s.out % block != 0) continue;
          const ThreadsScope scope(count);
          const int64_t block_x = block != 0 && s.in % block == 0 ? block : 0;
          Conv conv = square(s.stride, s.pad);
          conv.bias = conv.relu = maximum;
          conv.block_x = block_x;
          conv.block_y = block;
          const int64_t side = s.result();
          Pool pool{maximum, false, {2, 2}, {2, 2}, {0, 0}, {0, 0}, block};
          if (s.stride == 2) pool = {maximum, false, {3, 3}, {2, 2}, {1, 1}, {1, 1}, block};
          const int64_t pooled = s.stride == 2 ? (side + 2 - 3) / 2 + 1 : side / 2;
          Array x = blocked(noise(random, {s.batch, s.side, s.side, s.in}), block_x);
          Array filters = noise(random, {s.window, s.window, s.in, s.out});
          Array bias = noise(random, {s.out});
          Array between = blocked(Array(DType::float32, {s.batch, side, side, s.out}), block);
          Array y = blocked(Array(DType::float32, {s.batch, pooled, pooled, s.out}), block);
          Array found = y, prepared = y;
          std::vector<Array*> inputs = {&x, &filters};
          if (conv.bias) inputs.push_back(&bias);
          run(conv, inputs, {&between});
          run(pool, {&between}, {&y});
          conv.pool = pool;
          conv.unpooled = between.shape();
          INFO(x.shape().str() << " to " << y.shape().str() << ", " << count << " threads");
          run(conv, inputs, {&found});
          CHECK(distance(found, y) < 1e-4);
          run_prepared(conv, inputs, {&prepared});
          CHECK(prepared == found);
        }
}

TEST_CASE("conv: NaN passes relu and pooling, and stays in its image") {
  std::mt19937 random(3);
  // By thin windows, Winograd's algorithm, and oneDNN: wide windows, strides, single pixels.
  const Sizes all[] = {{2, 12, 1, 32, 3, 1, 0}, {2, 12, 32, 64, 3, 1, 1}, {3, 16, 3, 16, 7, 2, 3},
                       {2, 9, 16, 16, 1, 1, 0}, {2, 9, 16, 16, 5, 1, 2},  {2, 7, 5, 6, 3, 1, 1}};
  for (const Sizes& s : all)
    for (const int64_t block : {int64_t{0}, cpu_backend().channel_block()})
      for (const bool pooled : {false, true}) {
        if (block != 0 && s.out % block != 0) continue;
        const int64_t block_x = block != 0 && s.in % block == 0 ? block : 0, side = s.result();
        Conv conv = square(s.stride, s.pad);
        conv.bias = conv.relu = true;
        conv.block_x = block_x;
        conv.block_y = block;
        Array plain = noise(random, {s.batch, s.side, s.side, s.in});
        plain.set(0, std::nan(""));
        Array x = blocked(plain, block_x);
        Array filters = noise(random, {s.window, s.window, s.in, s.out}),
              bias = noise(random, {s.out});
        const int64_t size = pooled ? side / 2 : side;
        Array y = blocked(Array(DType::float32, {s.batch, size, size, s.out}), block);
        if (pooled) {
          conv.pool = Pool{true, false, {2, 2}, {2, 2}, {0, 0}, {0, 0}, block};
          conv.unpooled =
              blocked(Array(DType::float32, {s.batch, side, side, s.out}), block).shape();
        }
        INFO(x.shape().str() << " to " << y.shape().str());
        const auto check = [&] {
          CHECK(std::isnan(y[0]));
          for (int64_t i = y.numel() / s.batch; i < y.numel(); ++i) REQUIRE(y[i] >= 0);
        };
        run(conv, {&x, &filters, &bias}, {&y});
        check();
        run_prepared(conv, {&x, &filters, &bias}, {&y});
        check();
      }
}

TEST_CASE("conv: the bias's gradient is the sum over pixels") {
  std::mt19937 random(2);
  const Sizes all[] = {{9, 28, 1, 32, 3, 1, 0}, {4, 13, 32, 64, 3, 1, 1}, {3, 9, 16, 32, 1, 1, 0},
                       {2, 12, 3, 16, 5, 2, 2}, {2, 7, 5, 6, 3, 1, 1},    {16, 12, 64, 64, 3, 1, 1},
                       {0, 6, 2, 3, 3, 1, 0}};
  for (const Sizes& s : all)
    for (const int64_t block : {int64_t{0}, cpu_backend().channel_block()})
      for (const DType dtype : {DType::float32, DType::float64}) {
        if (block != 0 && s.out % block != 0) continue;
        Conv conv = square(s.stride, s.pad);
        conv.pass = ConvPass::backward_weights;
        conv.block_x = block != 0 && s.in % block == 0 ? block : 0;
        conv.block_y = block;
        const int64_t side = s.result();
        const Array plain_dy = noise(random, {s.batch, side, side, s.out}, dtype);
        Array x = blocked(noise(random, {s.batch, s.side, s.side, s.in}, dtype), conv.block_x);
        Array dy = blocked(plain_dy, block);
        Array filters(dtype, {s.window, s.window, s.in, s.out}), bias(dtype, {s.out});
        Array sums = bias, expected = filters, filters2 = filters, bias2 = bias;
        for (int64_t i = 0; i < plain_dy.numel(); ++i)
          sums.set(i % s.out, sums[i % s.out] + plain_dy[i]);
        run(conv, {&x, &dy}, {&expected});
        conv.bias = true;
        run(conv, {&x, &dy}, {&filters, &bias});
        CHECK(distance(filters, expected) < 1e-3);
        CHECK(distance(bias, sums) < 1e-3);
        run_prepared(conv, {&x, &dy}, {&filters2, &bias2});
        CHECK(filters2 == filters);
        CHECK(bias2 == bias);
      }
}

}  // namespace joined_conv_test
