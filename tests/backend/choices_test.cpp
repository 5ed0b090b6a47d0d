// Kernels choose among algorithms by shape, layout and place in a batch. What they choose among
// agrees: to the bit where sums have one order, and else within the bounds that are told here.
#include <catch.h>
#include <cornu/backend/cpu/conv_parts.h>
#include <cornu/backend/cpu/conv_plain.h>
#include <cornu/backend/cpu/few_rows_matmul.h>
#include <cornu/backend/cpu/matmul.h>
#include <cornu/backend/cpu/onednn.h>
#include <cornu/backend/cpu/winograd.h>

#include <algorithm>
#include <cmath>

#include "array.h"

namespace choices_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::cpu;
using namespace cornu::backend::testing;

namespace {

using Floats = std::vector<float>;

Floats normal(int64_t count) {
  static std::mt19937 random(11);
  std::normal_distribution<float> draw;
  Floats numbers(static_cast<size_t>(count));
  for (float& number : numbers) number = draw(random);
  return numbers;
}

Floats magnitudes(Floats numbers) {
  for (float& number : numbers) number = std::fabs(number);
  return numbers;
}

// A sum of `terms` float32 products, in any order, is within terms * 2^-24 of the sum of their
// magnitudes; two orders differ by twice that.
double two_orders(int64_t terms) { return 2 * std::ldexp(static_cast<double>(terms), -24); }

double largest_ratio(const Floats& a, const Floats& b, const Floats& size) {
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::fabs(double{a[i]} - double{b[i]}) / double{size[i]});
  return largest;
}

struct ConvCase {
  int64_t batch, size, in, out, window, stride, pad, groups, block;
};

ConvSizes sizes_of(const ConvCase& c, ConvPass pass) {
  ConvSizes s{};
  s.pass = static_cast<int64_t>(pass);
  s.spatial = 2;
  s.groups = c.groups;
  s.batch = c.batch;
  s.in_channels = c.in;
  s.out_channels = c.out;
  s.block_x = s.block_y = c.block;
  const int64_t y = (c.size + 2 * c.pad - c.window) / c.stride + 1;
  s.x = {1, c.size, c.size};
  s.y = {1, y, y};
  s.kernel = {1, c.window, c.window};
  s.strides = {1, c.stride, c.stride};
  s.dilation = {1, 1, 1};
  s.pad_low = {0, c.pad, c.pad};
  const int64_t high = (y - 1) * c.stride + c.window - c.size - c.pad;
  s.pad_high = {0, high, high};
  return s;
}

int64_t x_count(const ConvSizes& s) { return s.batch * s.in_channels * s.x[1] * s.x[2]; }
int64_t y_count(const ConvSizes& s) { return s.batch * s.out_channels * s.y[1] * s.y[2]; }
int64_t filter_count(const ConvSizes& s) {
  return s.kernel[1] * s.kernel[2] * (s.in_channels / s.groups) * s.out_channels;
}

std::array<int64_t, 3> counts(const ConvSizes& s) {  // of the inputs and the output
  switch (static_cast<ConvPass>(s.pass)) {
    case ConvPass::forward:
      return {x_count(s), filter_count(s), y_count(s)};
    case ConvPass::backward_data:
      return {y_count(s), filter_count(s), x_count(s)};
    default:
      return {x_count(s), y_count(s), filter_count(s)};
  }
}

Floats plain(const ConvSizes& s, const Floats& first, const Floats& second) {
  Floats out(static_cast<size_t>(counts(s)[2]));
  plain_conv(DType::float32, s, first.data(), second.data(), nullptr, out.data());
  return out;
}

Floats made_by(PreparedConv& conv, const ConvSizes& s, const Floats& first, const Floats& second) {
  Floats out(static_cast<size_t>(counts(s)[2]));
  conv.run({first.data(), second.data(), nullptr, out.data()});
  return out;
}

Array random_normal(const Shape& shape) {
  Array array(DType::float32, shape);
  const Floats numbers = normal(shape.numel());
  for (int64_t i = 0; i < array.numel(); ++i) array.set(i, double{numbers[static_cast<size_t>(i)]});
  return array;
}

// Elements [row, row + 1) of the first axis.
Array row_of(const Array& array, int64_t row) {
  Shape shape = array.shape();
  shape[0] = 1;
  Array one(array.dtype(), shape);
  for (int64_t i = 0; i < one.numel(); ++i) one.set(i, array[row * one.numel() + i]);
  return one;
}

// The first output of a batch has in each row the bits that the row has alone.
void check_rows(const Kernel& kernel, std::vector<Array> inputs, std::vector<bool> batched,
                Array output, std::vector<Array> others = {}) {
  const auto run_with = [&](std::vector<Array> in, Array out, std::vector<Array> more) {
    std::vector<Array*> ins, outs{&out};
    for (Array& array : in) ins.push_back(&array);
    for (Array& array : more) outs.push_back(&array);
    run(kernel, ins, outs);
    return out;
  };
  const Array all = run_with(inputs, output, others);
  for (const int64_t row : {int64_t{0}, output.shape()[0] / 2, output.shape()[0] - 1}) {
    std::vector<Array> in, more;
    for (size_t i = 0; i < inputs.size(); ++i)
      in.push_back(batched[i] ? row_of(inputs[i], row) : inputs[i]);
    for (const Array& other : others) more.push_back(row_of(other, 0));
    INFO(kernel_name(kernel) << ", row " << row);
    CHECK(run_with(in, row_of(output, 0), more) == row_of(all, row));
  }
}

// Rows [0, count) of axis 1.
Array first_of_axis_1(const Array& array, int64_t count) {
  Shape shape = array.shape();
  const int64_t all = shape[1], inner = shape.numel() / shape[0] / all;
  shape[1] = count;
  Array part(array.dtype(), shape);
  for (int64_t i = 0; i < part.numel(); ++i) {
    const int64_t outer = i / (count * inner);
    part.set(i, array[outer * all * inner + i % (count * inner)]);
  }
  return part;
}

double largest_difference(const Array& a, const Array& b) {
  double largest = 0;
  for (int64_t i = 0; i < a.numel(); ++i) largest = std::max(largest, std::fabs(a[i] - b[i]));
  return largest;
}

// (n, h, w, c) -> (n, c / block, h, w, block), or back.
Array in_blocks(const Array& x, int64_t block) {
  const Shape& s = x.shape();
  Array y(x.dtype(), {s[0], s[3] / block, s[1], s[2], block});
  for (int64_t i = 0; i < x.numel(); ++i) {
    const int64_t c = i % s[3], place = i / s[3] % (s[1] * s[2]), n = i / (s[3] * s[1] * s[2]);
    y.set(((n * (s[3] / block) + c / block) * s[1] * s[2] + place) * block + c % block, x[i]);
  }
  return y;
}

}  // namespace

TEST_CASE("choices: products by own code, by oneDNN, in blocks and in parts of the sums") {
  struct Sizes {
    int64_t m, n, k;
  };
  for (const Sizes s :
       {Sizes{48, 48, 48}, {130, 300, 90}, {40, 24, 9000}, {7, 500, 33}, {2, 5000, 70}})
    for (const bool turn_a : {false, true})
      for (const bool turn_b : {false, true}) {
        MatrixProduct<float> p{};
        p.m = s.m, p.n = s.n, p.k = s.k;
        p.a_row = turn_a ? 1 : s.k, p.a_column = turn_a ? s.m : 1;
        p.b_row = turn_b ? 1 : s.n, p.b_column = turn_b ? s.k : 1;
        p.c_row = s.n;
        const auto result = [&](const Floats& a, const Floats& b, auto&& multiply) {
          Floats c(static_cast<size_t>(s.m * s.n));
          p.a = a.data(), p.b = b.data(), p.c = c.data();
          multiply(p);
          return c;
        };
        const auto own = [](const MatrixProduct<float>& q) { small_matmul(q); };
        const Floats a = normal(s.m * s.k), b = normal(s.k * s.n);
        const Floats size = result(magnitudes(a), magnitudes(b), own);
        const Floats small = result(a, b, own);
        const double bound = two_orders(s.k);
        CHECK(result(a, b, small_matmul_code(p)) == small);
        CHECK(largest_ratio(result(a, b, onednn_matmul), small, size) < bound);
        CHECK(largest_ratio(result(a, b, matrix_product), small, size) < bound);
        CHECK(largest_ratio(result(a, b, few_rows_matmul), small, size) < bound);
      }
}

TEST_CASE("choices: convolutions by oneDNN in any parts and layouts, and by plain loops") {
  const int64_t block = onednn_channel_block();
  std::vector<ConvCase> cases{{9, 12, 32, 48, 3, 2, 1, 1, 0},  {1, 30, 32, 96, 1, 1, 0, 1, 0},
                              {1, 40, 24, 24, 3, 1, 1, 24, 0}, {1, 41, 16, 32, 5, 2, 2, 1, 0},
                              {16, 7, 96, 160, 1, 1, 0, 1, 0}, {16, 7, 160, 96, 1, 1, 0, 1, 0},
                              {3, 20, 3, 32, 3, 1, 1, 1, 0},   {1, 3, 64, 64, 3, 1, 2, 1, 0}};
  if (block != 0)
    for (const ConvCase& c : {ConvCase{1, 28, 64, 128, 1, 1, 0, 1, block},
                              {9, 12, 32, 48, 5, 2, 2, 1, block},
                              {16, 7, 128, 576, 1, 1, 0, 1, block}})
      cases.push_back(c);
  for (const ConvCase& c : cases)
    for (const auto pass :
         {ConvPass::forward, ConvPass::backward_data, ConvPass::backward_weights}) {
      const ConvSizes s = sizes_of(c, pass);
      const auto conv = prepare_onednn_conv(s);
      if (conv == nullptr) continue;
      INFO("pass " << s.pass << " of " << c.batch << " images " << c.size << "x" << c.size << "x"
                   << c.in << ", " << c.out << " filters " << c.window << "x" << c.window);
      const Floats first = normal(counts(s)[0]), second = normal(counts(s)[1]);
      const int64_t terms = pass == ConvPass::forward         ? filter_count(s) / c.out
                            : pass == ConvPass::backward_data ? filter_count(s) / c.in
                                                              : c.batch * s.y[1] * s.y[2];
      Floats size = plain(s, magnitudes(first), magnitudes(second));
      for (float& number : size) number = std::max(number, 1e-30f);  // where only padding is seen
      const Floats found = made_by(*conv, s, first, second);
      CHECK(largest_ratio(found, plain(s, first, second), size) < two_orders(terms));
      // A later call, and one with filters that are kept, give the same bits.
      CHECK(made_by(*conv, s, first, second) == found);
      if (pass == ConvPass::backward_weights || !conv->reorders_filters()) continue;
      conv->keep_filters(second.data());
      CHECK(made_by(*conv, s, first, second) == found);
    }
}

TEST_CASE("choices: Winograd's algorithm and oneDNN's direct one") {
  // Winograd's transforms of 6x6 places have entries up to 5 and their results up to 8: errors are
  // larger than those of direct sums, and go with the size of a tile rather than of one result.
  constexpr double bound = 2e-5;  // of the results' root mean square
  const int64_t block = onednn_channel_block();
  for (const ConvCase& c : {ConvCase{16, 12, 64, 64, 3, 1, 1, 1, block},
                            {1, 28, 128, 128, 3, 1, 1, 1, block},
                            {8, 14, 128, 64, 3, 1, 1, 1, block}})
    for (const auto pass :
         {ConvPass::forward, ConvPass::backward_data, ConvPass::backward_weights}) {
      const ConvSizes s = sizes_of(c, pass);
      const auto winograd = prepare_winograd(s);
      if (winograd == nullptr) continue;
      const Floats first = normal(counts(s)[0]), second = normal(counts(s)[1]);
      const Floats direct = made_by(*prepare_onednn_conv(s), s, first, second);
      const Floats found = made_by(*winograd, s, first, second);
      double squares = 0, largest = 0;
      for (size_t i = 0; i < found.size(); ++i) {
        squares += double{direct[i]} * double{direct[i]};
        largest = std::max(largest, std::fabs(double{found[i]} - double{direct[i]}));
      }
      CHECK(largest < bound * std::sqrt(squares / static_cast<double>(found.size())));
      CHECK(made_by(*winograd, s, first, second) == found);
      if (pass == ConvPass::backward_weights || !winograd->reorders_filters()) continue;
      winograd->keep_filters(second.data());
      CHECK(made_by(*winograd, s, first, second) == found);
    }
}

TEST_CASE("choices: parts of a convolution make up the whole") {
  const int64_t block = 16;
  for (const ConvCase& c : {ConvCase{16, 28, 32, 64, 3, 1, 1, 1, 0},
                            {17, 28, 32, 64, 3, 2, 1, 1, block},
                            {1, 56, 32, 64, 3, 2, 1, 1, 0},
                            {2, 56, 64, 256, 1, 1, 0, 1, block},
                            {1, 57, 48, 48, 3, 2, 1, 48, 0},
                            {1, 1, 8, 8, 1, 1, 0, 1, 0}}) {
    const ConvSizes s = sizes_of(c, ConvPass::forward);
    int64_t written = 0;
    for (const ConvPart& part : conv_parts(s).parts) {
      const ConvSizes& p = part.sizes;
      for (const size_t axis : {1, 2}) {
        const int64_t reach = (p.y[axis] - 1) * p.strides[axis] + p.kernel[axis];
        CHECK(reach == p.x[axis] + p.pad_low[axis] + p.pad_high[axis]);
      }
      CHECK(part.out == written);  // each begins where the one before ends
      written += y_count(p);
    }
    CHECK(written == y_count(s));
  }
}

TEST_CASE("choices: rows of a batch have the bits that they have alone") {
  Rnn lstm;
  const int64_t batch = 21, time = 5, in = 12, units = 20, gates = 4 * units;
  check_rows(
      lstm,
      {random_normal({batch, time, in}), random_normal({in, gates}), random_normal({units, gates}),
       random_normal({gates}), random_normal({batch, units}), random_normal({batch, units})},
      {true, false, false, false, true, true}, random_normal({batch, time, units}),
      {Array(DType::float32, {batch, units}), Array(DType::float32, {batch, units}),
       Array(DType::float32, {batch, time, gates}), Array(DType::float32, {batch, time, units})});
  Attention attention;
  const Shape heads{9, 70, 4, 16};
  check_rows(attention, {random_normal(heads), random_normal(heads), random_normal(heads)},
             {true, true, true}, random_normal(heads), {Array(DType::float32, {9, 4, 70})});
  check_rows(Softmax{}, {random_normal({500, 300})}, {true}, random_normal({500, 300}));
  check_rows(Matmul{}, {random_normal({6, 70, 90}), random_normal({6, 90, 60})}, {true, true},
             random_normal({6, 70, 60}));
  Pool pool;
  pool.backward = true;
  pool.window = {3, 3};
  pool.strides = {2, 2};
  pool.pad_low = pool.pad_high = {1, 1};
  const Shape x{20, 14, 14, 70}, y{20, 7, 7, 70};
  const Array image = random_normal(x);
  Array pooled(DType::float32, y);
  Pool forward = pool;
  forward.backward = false;
  Array copy = image;
  run(forward, {&copy}, {&pooled});
  check_rows(pool, {image, pooled, random_normal(y)}, {true, true, true}, random_normal(x));
}

TEST_CASE("choices: attention of few queries, and of many") {
  // Sums of up to `keys` products of weights that add up to 1, in two orders, and the same of the
  // scores, whose errors the softmax hands on.
  const int64_t keys = 333, depth = 48;
  const Shape many{3, 70, 5, depth}, memory{3, keys, 5, depth};
  Attention attention;
  attention.scale = 0.15;
  const Array q = random_normal(many), k = random_normal(memory), v = random_normal(memory);
  const Array dy = random_normal(many);
  const auto forward = [&](Array queries) {
    Array y(DType::float32, queries.shape());
    Array sums(DType::float32, {3, 5, queries.shape()[1]});
    Array keys_copy = k, values_copy = v;
    run(attention, {&queries, &keys_copy, &values_copy}, {&y, &sums});
    return std::pair(y, sums);
  };
  const auto [y, sums] = forward(q);
  for (const int64_t count : {1, 2, 3, 4, 5}) {
    INFO(count << " queries");
    const auto [part, part_sums] = forward(first_of_axis_1(q, count));
    CHECK(largest_difference(part, first_of_axis_1(y, count)) < 5e-6);
    Attention backward = attention;
    backward.backward = true;
    const auto query_gradient = [&](Array queries, Array outputs, Array totals, Array upstream) {
      Array dq(DType::float32, queries.shape()), dk(DType::float32, memory), dv = dk;
      Array keys_copy = k, values_copy = v;
      run(backward, {&queries, &keys_copy, &values_copy, &outputs, &totals, &upstream},
          {&dq, &dk, &dv});
      return dq;
    };
    CHECK(largest_difference(query_gradient(first_of_axis_1(q, count), part, part_sums,
                                            first_of_axis_1(dy, count)),
                             first_of_axis_1(query_gradient(q, y, sums, dy), count)) < 2e-5);
  }
}

TEST_CASE("choices: scatter in parts by rows, by columns and by slices") {
  struct Sizes {
    int64_t outer, rows, inner, updates;
  };
  for (const Sizes s : {Sizes{1, 500, 3, 20000}, {1, 40, 900, 500}, {64, 30, 20, 90}})
    for (const ScatterOp op : {ScatterOp::add, ScatterOp::maximum, ScatterOp::set})
      for (const int count : {1, 2, 3, 7}) {
        const ThreadsScope threads(count);
        Scatter scatter;
        scatter.axis = 1;
        scatter.op = op;
        Array x = random_normal({s.outer, s.rows, s.inner});
        Array updates = random_normal({s.outer, s.updates, s.inner});
        Array indices(DType::int32, {s.updates});
        for (int64_t i = 0; i < s.updates; ++i)
          indices.set(i, static_cast<double>(i * 7919 % (s.rows + 3)));  // some out of range
        Array found(DType::float32, x.shape()), expected = x;
        run(scatter, {&x, &indices, &updates}, {&found});
        for (int64_t o = 0; o < s.outer; ++o)
          for (int64_t u = 0; u < s.updates; ++u) {
            const auto row = static_cast<int64_t>(indices[u]);
            if (row >= s.rows) continue;
            for (int64_t i = 0; i < s.inner; ++i) {
              const int64_t at = (o * s.rows + row) * s.inner + i;
              const auto old = static_cast<float>(expected[at]);
              const auto update = static_cast<float>(updates[(o * s.updates + u) * s.inner + i]);
              expected.set(at, double{op == ScatterOp::add       ? old + update
                                      : op == ScatterOp::maximum ? std::max(old, update)
                                                                 : update});
            }
          }
        INFO(s.outer << " x " << s.rows << " x " << s.inner << " on " << count << " threads");
        CHECK(found == expected);
      }
}

TEST_CASE("choices: normalization of channels in their order and in blocks") {
  // Each channel's sums have one order in a layout, and another in the other.
  const int64_t block = 8, c = 48;
  const Shape shape{6, 15, 13, c};
  const Array x = random_normal(shape), dy = random_normal(shape);
  const auto all = [&](int64_t of) {
    const auto laid = [&](const Array& array) { return of == 0 ? array : in_blocks(array, of); };
    Normalize forward;
    forward.block = of;
    Array data = laid(x), scale = random_normal({c}), offset = scale;
    for (int64_t i = 0; i < c; ++i) {
      scale.set(i, 1 + static_cast<double>(i) / 50);
      offset.set(i, static_cast<double>(i) / 20);
    }
    Array y(DType::float32, data.shape()), mean(DType::float32, {c}), variance = mean;
    run(forward, {&data, &scale, &offset}, {&y, &mean, &variance});
    Normalize backward = forward;
    backward.backward = true;
    Array upstream = laid(dy), dx(DType::float32, data.shape()), dscale = mean, doffset = mean;
    run(backward, {&data, &mean, &variance, &upstream, &scale}, {&dx, &dscale, &doffset});
    return std::vector<Array>{y, dx, mean, variance, dscale, doffset};
  };
  const std::vector<Array> plain = all(0), blocks = all(block);
  CHECK(largest_difference(in_blocks(plain[0], block), blocks[0]) < 2e-6);
  CHECK(largest_difference(in_blocks(plain[1], block), blocks[1]) < 2e-6);
  CHECK(largest_difference(plain[2], blocks[2]) < 1e-6);
  CHECK(largest_difference(plain[3], blocks[3]) < 1e-6);
  // Sums over 1,170 places.
  CHECK(largest_difference(plain[4], blocks[4]) < 1e-4);
  CHECK(largest_difference(plain[5], blocks[5]) < 1e-4);
}

}  // namespace choices_test
