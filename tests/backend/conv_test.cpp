// Convolutions against plain loops, and the passes against each other.
#include <catch.h>
#include <cornu/backend/backend.h>
#include <cornu/backend/cpu/prepare_conv.h>

#include <array>
#include <cmath>
#include <memory>
#include <thread>

#include "array.h"
#include "blocks.h"

namespace conv_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {

// A convolution with its sizes, as the tests draw them.
struct Case {
  int spatial = 2;
  int64_t batch = 1, in = 1, out = 1, groups = 1;
  std::array<int64_t, 3> x{}, kernel{}, strides{}, dilation{}, low{}, high{};

  int64_t y(size_t axis) const {
    const int64_t room = x[axis] + low[axis] + high[axis] - (kernel[axis] - 1) * dilation[axis] - 1;
    return room < 0 ? 0 : room / strides[axis] + 1;
  }
  Conv conv(ConvPass pass, bool bias = false) const {
    Conv conv;
    conv.pass = pass;
    conv.groups = groups;
    conv.bias = bias;
    for (size_t i = 0; i < static_cast<size_t>(spatial); ++i) {
      conv.strides.push_back(strides[i]);
      conv.dilation.push_back(dilation[i]);
      conv.pad_low.push_back(low[i]);
      conv.pad_high.push_back(high[i]);
    }
    return conv;
  }
  Shape shape(int64_t first, std::array<int64_t, 3> sizes, int64_t last) const {
    Shape shape{first};
    for (int i = 0; i < spatial; ++i) shape.push_back(sizes[static_cast<size_t>(i)]);
    shape.push_back(last);
    return shape;
  }
  Shape x_shape() const { return shape(batch, x, in); }
  Shape y_shape() const { return shape(batch, {y(0), y(1), y(2)}, out); }
  Shape kernel_shape() const {
    Shape with_front = shape(1, kernel, in / groups);
    with_front.erase(0);
    with_front.push_back(out);
    return with_front;
  }
};

Case random_case(std::mt19937& random, int spatial) {
  Case c;
  c.spatial = spatial;
  c.groups = random_int(random, 0, 2) == 0 ? random_int(random, 2, 4) : 1;
  c.batch = random_int(random, 1, 3);
  c.in = c.groups * random_int(random, 1, 5);
  c.out = c.groups * random_int(random, 1, 9);
  if (random_int(random, 0, 3) == 0) {  // depthwise, in widths that have code of their own
    c.in = c.groups = 8 * random_int(random, 1, 3);
    c.out = c.in * random_int(random, 1, 2);
  } else if (random_int(random, 0, 3) == 0) {
    c.groups = 1;
    c.in = 16 * random_int(random, 1, 2);
    c.out = 16 * random_int(random, 1, 3);
  }
  c.kernel = c.strides = c.dilation = {1, 1, 1};
  c.x = {1, 1, 1};
  for (size_t i = 0; i < static_cast<size_t>(spatial); ++i) {
    c.kernel[i] = random_int(random, 1, spatial == 1 ? 5 : 3);
    c.strides[i] = random_int(random, 1, 3);
    c.dilation[i] = random_int(random, 0, 2) == 0 ? 2 : 1;
    c.low[i] = random_int(random, 0, 2);
    c.high[i] = random_int(random, 0, 2);
    const int64_t reach = (c.kernel[i] - 1) * c.dilation[i] + 1;
    c.x[i] = std::max<int64_t>(reach - c.low[i] - c.high[i], 1) + random_int(random, 0, 6);
  }
  return c;
}

// Calls f(index in x, in kernel, in y) for every product in the convolution.
template <class F>
void each_product(const Case& c, F&& f) {
  const int64_t in_group = c.in / c.groups, out_group = c.out / c.groups;
  const int64_t pixels = c.y(0) * c.y(1) * c.y(2), taps = c.kernel[0] * c.kernel[1] * c.kernel[2];
  for (int64_t n = 0; n < c.batch; ++n)
    for (int64_t pixel = 0; pixel < pixels; ++pixel)
      for (int64_t tap = 0; tap < taps; ++tap) {
        const int64_t at[3] = {pixel / c.y(2) / c.y(1), pixel / c.y(2) % c.y(1), pixel % c.y(2)};
        const int64_t k[3] = {tap / c.kernel[2] / c.kernel[1], tap / c.kernel[2] % c.kernel[1],
                              tap % c.kernel[2]};
        int64_t from = n;
        bool inside = true;
        for (size_t i = 0; i < 3; ++i) {
          const int64_t p = at[i] * c.strides[i] + k[i] * c.dilation[i] - c.low[i];
          inside = inside && p >= 0 && p < c.x[i];
          from = from * c.x[i] + p;
        }
        if (!inside) continue;
        for (int64_t o = 0; o < c.out; ++o)
          for (int64_t i = 0; i < in_group; ++i)
            f(from * c.in + o / out_group * in_group + i, (tap * in_group + i) * c.out + o,
              (n * pixels + pixel) * c.out + o);
      }
}

// Whole numbers are summed exactly, except by Winograd's algorithm, whose rounding errors are far
// below a half.
bool same(const Array& found, const Array& expected) {
  if (found == expected) return true;
  if (found.dtype() != DType::float32 || found.shape() != expected.shape()) return false;
  for (int64_t i = 0; i < found.numel(); ++i)
    if (!(std::fabs(found[i] - expected[i]) < 1e-2)) return false;
  return true;
}

Array from_sums(DType dtype, const Shape& shape, const std::vector<double>& sums) {
  return Array(dtype, shape, sums);
}

// All three passes on whole numbers, which every dtype adds exactly.
void check(std::mt19937& random, const Case& c, DType dtype) {
  const int64_t high = dtype == DType::boolean ? 1 : 2;
  const int64_t low = is_float(dtype) || is_signed_int(dtype) ? -high : 0;
  Array x = random_array(random, dtype, c.x_shape(), low, high);
  Array kernel = random_array(random, dtype, c.kernel_shape(), low, high);
  Array dy = random_array(random, dtype, c.y_shape(), low, high);
  Array bias = random_array(random, dtype, {c.out}, low, high);
  INFO(dtype_name(dtype) << " x " << x.shape().str() << " kernel " << kernel.shape().str() << " y "
                         << dy.shape().str() << " groups " << c.groups << " stride " << c.strides[0]
                         << " dilation " << c.dilation[0] << " padding " << c.low[0] << " and "
                         << c.high[0]);
  const auto size = [](const Array& array) { return static_cast<size_t>(array.numel()); };
  std::vector<double> y_sums(size(dy)), dx_sums(size(x)), dkernel_sums(size(kernel));
  each_product(c, [&](int64_t i, int64_t k, int64_t o) {
    y_sums[static_cast<size_t>(o)] += x[i] * kernel[k];
    dx_sums[static_cast<size_t>(i)] += dy[o] * kernel[k];
    dkernel_sums[static_cast<size_t>(k)] += x[i] * dy[o];
  });
  const Array y = from_sums(dtype, c.y_shape(), y_sums),
              dx = from_sums(dtype, c.x_shape(), dx_sums);
  const Array dkernel = from_sums(dtype, c.kernel_shape(), dkernel_sums);
  for (size_t i = 0; i < y_sums.size(); ++i) y_sums[i] += bias[static_cast<int64_t>(i) % c.out];
  const Array with_bias = from_sums(dtype, c.y_shape(), y_sums);
  // Channels last, and one random mixture of layouts.
  for (const bool mixed : {false, true}) {
    const auto choose = [&](int64_t channels) -> int64_t {
      const int64_t block = mixed ? 2 << random_int(random, 0, 3) : 1;
      return block == 1 || channels % block != 0 ? 0 : block;
    };
    const int64_t block_x = choose(c.in), block_y = choose(c.out);
    INFO("blocks " << block_x << " and " << block_y);
    const auto blocks = [&](Conv conv) {
      conv.block_x = block_x;
      conv.block_y = block_y;
      return conv;
    };
    Array x_in = blocked(x, block_x), dy_in = blocked(dy, block_y);
    Array y_out(dtype, dy_in.shape()), dx_out(dtype, x_in.shape()),
        dkernel_out(dtype, kernel.shape());
    run(blocks(c.conv(ConvPass::forward)), {&x_in, &kernel}, {&y_out});
    CHECK(same(y_out, blocked(y, block_y)));
    run(blocks(c.conv(ConvPass::backward_data)), {&dy_in, &kernel}, {&dx_out});
    CHECK(same(dx_out, blocked(dx, block_x)));
    run(blocks(c.conv(ConvPass::backward_weights)), {&x_in, &dy_in}, {&dkernel_out});
    CHECK(same(dkernel_out, dkernel));
    run(blocks(c.conv(ConvPass::forward, true)), {&x_in, &kernel, &bias}, {&y_out});
    CHECK(same(y_out, blocked(with_bias, block_y)));
  }
}

Case same_3x3(int64_t batch, int64_t size, int64_t in, int64_t out) {
  return {2,         batch,     in,        out,       1,        {size, size, 1},
          {3, 3, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 0}, {1, 1, 0}};
}

}  // namespace

TEST_CASE("conv: random sizes, strides, dilation, padding and groups") {
  std::mt19937 random(1);
  for (int round = 0; round < 60; ++round)
    for (const int spatial : {1, 2, 3})
      check(random, random_case(random, spatial), round % 8 == 0 ? DType::float64 : DType::float32);
}

TEST_CASE("conv: every dtype") {
  std::mt19937 random(2);
  for (const DType dtype : all_dtypes)
    for (int round = 0; round < 4; ++round)
      check(random, random_case(random, 1 + round % 3), dtype);
}

TEST_CASE("conv: common layers") {
  std::mt19937 random(3);
  check(random, same_3x3(2, 28, 1, 32), DType::float32);
  check(random, same_3x3(1, 14, 32, 64), DType::float32);
  check(random,
        {2, 1, 3, 64, 1, {32, 32, 1}, {7, 7, 1}, {2, 2, 1}, {1, 1, 1}, {2, 2, 0}, {3, 3, 0}},
        DType::float32);
  check(random, {2, 2, 64, 16, 1, {7, 7, 1}, {1, 1, 1}, {2, 2, 1}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}},
        DType::float32);
  check(random, {1, 3, 8, 8, 1, {20, 1, 1}, {3, 1, 1}, {1, 1, 1}, {4, 1, 1}, {8, 0, 0}, {0, 0, 0}},
        DType::float32);
}

TEST_CASE("conv: empty batches and windows that see nothing but padding") {
  std::mt19937 random(4);
  for (const DType dtype : {DType::float32, DType::float64, DType::float16}) {
    check(random, same_3x3(0, 8, 2, 3), dtype);
    check(random, same_3x3(2, 8, 0, 3), dtype);
    Case none = same_3x3(2, 2, 2, 3);
    none.low = none.high = {0, 0, 0};
    check(random, none, dtype);
    Case far = same_3x3(1, 3, 2, 3);
    far.low = {5, 4, 0};
    far.high = {6, 4, 0};
    check(random, far, dtype);
  }
}

TEST_CASE("conv: x has rows that no window reaches") {
  std::mt19937 random(5);
  for (const DType dtype : {DType::float32, DType::float64}) {
    check(random,
          {2, 2, 3, 4, 1, {11, 9, 1}, {1, 2, 1}, {5, 4, 1}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}},
          dtype);
    check(random,
          {1, 2, 3, 4, 1, {14, 1, 1}, {1, 1, 1}, {5, 1, 1}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}},
          dtype);
    // As a transposed convolution asks for it: the output's size is the caller's choice.
    Case c{2, 1, 3, 4, 1, {12, 12, 1}, {2, 2, 1}, {3, 3, 1}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}};
    check(random, c, dtype);
    c.low = {-1, -2, 0};  // crops
    check(random, c, dtype);
  }
}

TEST_CASE("conv: the passes are transposes of each other") {
  std::mt19937 random(6);
  std::normal_distribution<double> normal;
  for (int round = 0; round < 20; ++round) {
    const Case c = random_case(random, 1 + round % 3);
    const DType dtype = round % 4 == 0 ? DType::float64 : DType::float32;
    Array x(dtype, c.x_shape()), kernel(dtype, c.kernel_shape()), dy(dtype, c.y_shape());
    for (Array* array : {&x, &kernel, &dy})
      for (int64_t i = 0; i < array->numel(); ++i) array->set(i, normal(random));
    Array y = dy, dx = x, dkernel = kernel;
    run(c.conv(ConvPass::forward), {&x, &kernel}, {&y});
    run(c.conv(ConvPass::backward_data), {&dy, &kernel}, {&dx});
    run(c.conv(ConvPass::backward_weights), {&x, &dy}, {&dkernel});
    const auto dot = [](const Array& a, const Array& b) {
      double sum = 0;
      for (int64_t i = 0; i < a.numel(); ++i) sum += a[i] * b[i];
      return sum;
    };
    const double size = std::sqrt(dot(y, y) * dot(dy, dy)) + 1;
    const double tolerance = size * (dtype == DType::float64 ? 1e-13 : 1e-5);
    CHECK(std::fabs(dot(y, dy) - dot(x, dx)) < tolerance);
    CHECK(std::fabs(dot(y, dy) - dot(kernel, dkernel)) < tolerance);
  }
}

TEST_CASE("conv: repeats bit for bit, follows the number of threads, runs from several at once") {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  const Case c = same_3x3(4, 16, 16, 24);
  Array x(DType::float32, c.x_shape()), kernel(DType::float32, c.kernel_shape());
  for (Array* array : {&x, &kernel})
    for (int64_t i = 0; i < array->numel(); ++i) array->set(i, normal(random));
  for (const int count : {1, 2, 3}) {
    const ThreadsScope scope(count);
    Array first(DType::float32, c.y_shape());
    run(c.conv(ConvPass::forward), {&x, &kernel}, {&first});
    std::vector<Array> results(4, Array(DType::float32, c.y_shape()));
    std::vector<std::thread> callers;
    for (Array& result : results)
      callers.emplace_back([&] { run(c.conv(ConvPass::forward), {&x, &kernel}, {&result}); });
    for (std::thread& caller : callers) caller.join();
    for (const Array& result : results) CHECK(result == first);
  }
}

TEST_CASE("conv: ever new sizes do not fill the memory") {
  for (int64_t size = 1; size < 700; ++size) {
    Array x(DType::float32, {1, size, 1}), kernel(DType::float32, {1, 1, 1}, {2});
    Array y = x;
    x.set(size - 1, 3);
    run(Conv{ConvPass::forward, {1}, {1}, {0}, {0}, 1, false}, {&x, &kernel}, {&y});
    REQUIRE(y[size - 1] == 6);
  }
}

TEST_CASE("conv: prepared kernels give the bits of the others, at any addresses") {
  std::mt19937 random(8);
  std::normal_distribution<double> normal;
  for (int round = 0; round < 12; ++round) {
    const Case c =
        round < 3 ? same_3x3(8, 14, 32 << round, 64) : random_case(random, 1 + round % 3);
    const int64_t block = round % 2 == 0 && c.in % 16 == 0 && c.out % 16 == 0 ? 16 : 0;
    const bool bias = round % 3 == 0;
    for (const ConvPass pass :
         {ConvPass::forward, ConvPass::backward_data, ConvPass::backward_weights}) {
      Conv conv = c.conv(pass, bias && pass == ConvPass::forward);
      conv.block_x = conv.block_y = block;
      const auto make = [&](const Shape& shape, int64_t of_block) {
        Array array(DType::float32, shape);
        for (int64_t i = 0; i < array.numel(); ++i) array.set(i, normal(random));
        return blocked(array, of_block);
      };
      const Array x = make(c.x_shape(), block), y = make(c.y_shape(), block);
      const Array kernel = make(c.kernel_shape(), 0), offsets = make({c.out}, 0);
      std::vector<Array> in = pass == ConvPass::forward         ? std::vector{x, kernel, offsets}
                              : pass == ConvPass::backward_data ? std::vector{y, kernel}
                                                                : std::vector{x, y};
      if (pass == ConvPass::forward && !conv.bias) in.pop_back();
      Array out = pass == ConvPass::forward ? y : pass == ConvPass::backward_data ? x : kernel;
      std::vector<Operand> inputs;
      for (Array& array : in) inputs.push_back({&array.shape(), array.dtype(), nullptr});
      const Operand output{&out.shape(), out.dtype(), nullptr};
      const auto prepared = cpu_backend().prepare(conv, inputs, {&output, 1});
      for (int call = 0; call < 2; ++call) {
        std::vector<Array> moved = in;
        Array expected = out, found = out;
        std::vector<Array*> pointers;
        std::vector<void*> data;
        for (Array& array : moved) {
          pointers.push_back(&array);
          data.push_back(array.data());
        }
        data.push_back(found.data());
        run(conv, pointers, {&expected});
        prepared->run(data.data());
        CHECK(found == expected);
      }
    }
  }
}

TEST_CASE("conv: wide 3x3 convolutions are as exact as float32 allows") {
  // Large enough for Winograd's algorithm, whose transforms round more than direct sums do.
  std::mt19937 random(9);
  std::normal_distribution<double> normal;
  const auto make = [&](const Shape& shape) {
    Array array(DType::float32, shape);
    for (int64_t i = 0; i < array.numel(); ++i) array.set(i, normal(random));
    return array;
  };
  const auto exact = [](const Array& array) {
    return Array(DType::float64, array.shape(), array.values());
  };
  const auto padded = [](int64_t batch, int64_t rows, int64_t columns, int64_t in, int64_t out,
                         int64_t low, int64_t high) {
    Case c = same_3x3(batch, rows, in, out);
    c.x[1] = columns;
    c.low = {low, high, 0};
    c.high = {high, low, 0};
    return c;
  };
  for (const Case& c : {same_3x3(16, 12, 64, 64), padded(9, 13, 11, 32, 16, 0, 0),
                        padded(5, 6, 22, 16, 48, 2, 1), padded(3, 15, 9, 80, 32, 0, 2)}) {
    const Array x = make(c.x_shape()), kernel = make(c.kernel_shape()), dy = make(c.y_shape());
    const Array bias = make({c.out});
    const auto error = [&](Conv conv, std::vector<Array> in, const Shape& out) {
      std::vector<Array> wide;
      std::vector<Array*> wide_pointers;
      for (const Array& array : in) wide.push_back(exact(array));
      for (Array& array : wide) wide_pointers.push_back(&array);
      Array expected(DType::float64, out);
      run(conv, wide_pointers, {&expected});
      double largest = 0, squares = 0;
      for (int64_t i = 0; i < expected.numel(); ++i) squares += expected[i] * expected[i];
      const bool weights = conv.pass == ConvPass::backward_weights;
      for (const int64_t block : {0, 8, 16}) {
        conv.block_x = conv.block_y = block;
        std::vector<Array> blocks = in;
        std::vector<Array*> pointers;
        blocks[0] = blocked(in[0], block);
        if (weights) blocks[1] = blocked(in[1], block);
        for (Array& array : blocks) pointers.push_back(&array);
        const Array wanted = weights ? expected : blocked(expected, block);
        Array found(DType::float32, wanted.shape());
        run(conv, pointers, {&found});
        for (int64_t i = 0; i < found.numel(); ++i)
          largest = std::max(largest, std::fabs(found[i] - wanted[i]));
      }
      return largest / std::sqrt(squares / static_cast<double>(expected.numel()));
    };
    INFO("x " << x.shape().str() << " y " << dy.shape().str());
    CHECK(error(c.conv(ConvPass::forward), {x, kernel}, c.y_shape()) < 2e-5);
    Conv relu = c.conv(ConvPass::forward, true);
    relu.relu = true;
    CHECK(error(relu, {x, kernel, bias}, c.y_shape()) < 2e-5);
    CHECK(error(c.conv(ConvPass::backward_data), {dy, kernel}, c.x_shape()) < 2e-5);
    CHECK(error(c.conv(ConvPass::backward_weights), {x, dy}, c.kernel_shape()) < 2e-5);
  }
}

TEST_CASE("conv: the gradient of filters larger than x needs no plain loops") {
  const Case c = same_3x3(8, 2, 64, 64);
  for (const int64_t block : {0, 8, 16}) {
    Conv conv = c.conv(ConvPass::backward_weights);
    conv.block_x = conv.block_y = block;
    const Array x = blocked(Array(DType::float32, c.x_shape()), block);
    const Array dy = blocked(Array(DType::float32, c.y_shape()), block);
    const Shape kernel = c.kernel_shape();
    const Operand inputs[] = {{&x.shape(), DType::float32, nullptr},
                              {&dy.shape(), DType::float32, nullptr}};
    const Operand output{&kernel, DType::float32, nullptr};
    INFO("block " << block);
    CHECK_FALSE(cpu::conv_method(conv, inputs, {&output, 1}).starts_with("ref"));
  }
}

}  // namespace conv_test
