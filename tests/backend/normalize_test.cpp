// The Normalize kernel against double precision.
#include <cmath>

#include "array.h"
#include "catch.h"

namespace normalize_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {

// What element i of x belongs to, and its place there: the statistics' and the weights' index.
struct Layout {
  bool channels;
  int64_t block;
  Shape shape;

  int64_t channel_count() const { return block ? shape[1] * block : shape.back(); }
  int64_t groups() const { return channels ? channel_count() : shape.numel() / shape.back(); }
  int64_t channel(int64_t i) const {
    if (!block) return i % shape.back();
    const int64_t inner = shape.numel() / shape[0] / shape[1];
    return i / inner % shape[1] * block + i % block;
  }
  int64_t group(int64_t i) const { return channels ? channel(i) : i / shape.back(); }
  Shape statistics() const {
    if (channels) return {channel_count()};
    Shape s = shape;
    s.erase(s.rank() - 1);
    return s;
  }
};

struct Reference {
  std::vector<double> y, mean, variance, dx, dscale, doffset;
};

Reference reference(const Normalize& k, const Layout& layout, const Array& x, const Array& dy,
                    const Array& scale, const Array& offset) {
  const int64_t numel = x.numel(), groups = layout.groups();
  const auto zeros = [](int64_t n) { return std::vector<double>(static_cast<size_t>(n)); };
  Reference r{zeros(numel),
              zeros(groups),
              zeros(groups),
              zeros(numel),
              zeros(layout.channel_count()),
              zeros(layout.channel_count())};
  const double each = static_cast<double>(groups) / static_cast<double>(numel);
  auto at = [](std::vector<double>& v, int64_t i) -> double& { return v[static_cast<size_t>(i)]; };
  if (k.centered)
    for (int64_t i = 0; i < numel; ++i) at(r.mean, layout.group(i)) += x[i] * each;
  for (int64_t i = 0; i < numel; ++i) {
    const double d = x[i] - at(r.mean, layout.group(i));
    at(r.variance, layout.group(i)) += d * d * each;
  }
  std::vector<double> sums = zeros(groups), products = zeros(groups);
  auto normalized = [&](int64_t i) {
    const int64_t g = layout.group(i);
    return (x[i] - at(r.mean, g)) / std::sqrt(at(r.variance, g) + k.epsilon);
  };
  auto factor = [&](int64_t i) { return k.scale ? scale[layout.channel(i)] : 1; };
  for (int64_t i = 0; i < numel; ++i) {
    const double u = normalized(i), shift = k.offset ? offset[layout.channel(i)] : 0;
    at(r.y, i) = u * factor(i) + shift;
    at(sums, layout.group(i)) += dy[i] * factor(i) * each;
    at(products, layout.group(i)) += dy[i] * factor(i) * u * each;
    at(r.dscale, layout.channel(i)) += dy[i] * u;
    at(r.doffset, layout.channel(i)) += dy[i];
  }
  for (int64_t i = 0; i < numel; ++i) {
    const int64_t g = layout.group(i);
    at(r.dx, i) =
        (dy[i] * factor(i) - (k.centered ? at(sums, g) : 0) - normalized(i) * at(products, g)) /
        std::sqrt(at(r.variance, g) + k.epsilon);
  }
  return r;
}

double worst(const Array& found, const std::vector<double>& expected) {
  double most = 0, size = 1;
  for (double e : expected) size = std::max(size, std::fabs(e));
  for (int64_t i = 0; i < found.numel(); ++i) {
    const double error = std::fabs(found[i] - expected[static_cast<size_t>(i)]) / size;
    most = error <= most ? most : error;  // NaN wins
  }
  return most;
}

Array noise(DType dtype, const Shape& shape, double mean, double deviation, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal(mean, deviation);
  Array array(dtype, shape);
  for (int64_t i = 0; i < array.numel(); ++i) array.set(i, normal(generator));
  return array;
}

struct Results {
  Array y, mean, variance, dx, dscale, doffset;
};

Results compute(Normalize k, const Layout& layout, Array& x, Array& dy, Array& scale,
                Array& offset) {
  const DType wide = x.dtype() == DType::float64 ? DType::float64 : DType::float32;
  const Shape c = {layout.channel_count()};
  Results r{Array(x.dtype(), x.shape()),      Array(wide, layout.statistics()),
            Array(wide, layout.statistics()), Array(x.dtype(), x.shape()),
            Array(scale.dtype(), c),          Array(offset.dtype(), c)};
  std::vector<Array*> inputs = {&x};
  if (k.scale) inputs.push_back(&scale);
  if (k.offset) inputs.push_back(&offset);
  run(k, inputs, {&r.y, &r.mean, &r.variance});
  k.backward = true;
  inputs = {&x, &r.mean, &r.variance, &dy};
  if (k.scale) inputs.push_back(&scale);
  std::vector<Array*> outputs = {&r.dx};
  if (k.scale) outputs.push_back(&r.dscale);
  if (k.offset) outputs.push_back(&r.doffset);
  run(k, inputs, outputs);
  return r;
}

void check(const Normalize& k, DType dtype, const Shape& shape, double tolerance,
           double mean = 0.5) {
  const Layout layout{k.channels, k.block, shape};
  Array x = noise(dtype, shape, mean, 2, 1), dy = noise(dtype, shape, 0.2, 1, 2);
  const Shape c = {layout.channel_count()};
  const DType weights = dtype == DType::float64 ? dtype : DType::float32;
  Array scale = noise(weights, c, 1, 0.5, 3), offset = noise(weights, c, 0, 1, 4);
  const Reference expected = reference(k, layout, x, dy, scale, offset);
  const Results found = compute(k, layout, x, dy, scale, offset);
  INFO(dtype_name(dtype) << " " << shape.str() << " channels " << k.channels << " block " << k.block
                         << " centered " << k.centered << " scale " << k.scale << " offset "
                         << k.offset);
  const bool narrow = size_of(dtype) < 4;
  CHECK(worst(found.y, expected.y) <= tolerance);
  CHECK(worst(found.mean, expected.mean) <= (narrow ? 1e-5 : tolerance));
  CHECK(worst(found.variance, expected.variance) <= (narrow ? 1e-5 : tolerance));
  CHECK(worst(found.dx, expected.dx) <= tolerance);
  if (k.scale) CHECK(worst(found.dscale, expected.dscale) <= (narrow ? 1e-5 : tolerance));
  if (k.offset) CHECK(worst(found.doffset, expected.doffset) <= (narrow ? 1e-5 : tolerance));
}

void check_all_forms(Normalize k, DType dtype, const Shape& shape, double tolerance) {
  for (int form = 0; form < 8; ++form) {
    k.centered = form & 1;
    k.scale = form & 2;
    k.offset = form & 4;
    check(k, dtype, shape, tolerance);
  }
}

// The programs in front and behind, against the same programs run by themselves.
void check_programs(Normalize k, DType dtype, const Shape& shape) {
  const Layout layout{k.channels, k.block, shape};
  const DType wide = dtype == DType::float64 ? dtype : DType::float32;
  const Opcode rounding = dtype == DType::bfloat16  ? Opcode::round_bfloat16
                          : dtype == DType::float16 ? Opcode::round_float16
                                                    : Opcode::identity;
  // select(z > 0, x, 0) * number in front, max(y + z, 0) behind.
  const ProgramRef before = Program::make(3, [&](std::vector<Expr> v) {
    return std::vector{apply(rounding, expr::select(v[1] > 0.0, v[0], 0.0) * v[2])};
  });
  const ProgramRef after =
      Program::make(2, [](std::vector<Expr> v) { return std::vector{expr::relu(v[0] + v[1])}; });
  Array x = noise(dtype, shape, 0.5, 2, 1), dy = noise(dtype, shape, 0.2, 1, 2),
        z = noise(dtype, shape, 0, 1, 5), number(wide, Shape{}, {1.5});
  const Shape c = {layout.channel_count()};
  Array scale = noise(wide, c, 1, 0.5, 3), offset = noise(wide, c, 0, 1, 4);
  const auto changed = [&](const ProgramRef& program, std::vector<Array*> inputs) {
    Array result(dtype, shape);
    run(Fused{program, wide}, inputs, {&result});
    return result;
  };
  INFO(dtype_name(dtype) << " " << shape.str() << " channels " << k.channels << " block "
                         << k.block);

  Array seen = changed(before, {&x, &z, &number}), mean(wide, layout.statistics()), variance = mean,
        mean2 = mean, variance2 = mean, y(dtype, shape), y2 = y;
  run(k, {&seen, &scale, &offset}, {&y, &mean, &variance});
  Normalize both = k;
  both.before = before;
  both.after = after;
  run(both, {&x, &scale, &offset, &z, &number, &z}, {&y2, &mean2, &variance2});
  CHECK(mean2 == mean);
  CHECK(variance2 == variance);
  CHECK(y2 == changed(after, {&y, &z}));

  k.backward = both.backward = true;
  Array slope = changed(before, {&dy, &z, &number}), dx(dtype, shape), dx2 = dx, dscale(wide, c),
        doffset = dscale, dscale2 = dscale, doffset2 = dscale;
  run(k, {&x, &mean, &variance, &slope, &scale}, {&dx, &dscale, &doffset});
  run(both, {&x, &mean, &variance, &dy, &scale, &z, &number, &x}, {&dx2, &dscale2, &doffset2});
  CHECK(dscale2 == dscale);
  CHECK(doffset2 == doffset);
  CHECK(dx2 == changed(after, {&dx, &x}));

  both.before = nullptr;
  run(both, {&x, &mean, &variance, &slope, &scale, &x}, {&dx2, &dscale2, &doffset2});
  CHECK(dx2 == changed(after, {&dx, &x}));
}

}  // namespace

TEST_CASE("programs in front of normalizations and behind them") {
  for (const DType dtype : {DType::float32, DType::float64, DType::bfloat16, DType::float16}) {
    for (const Shape& shape :
         {Shape({2, 3}), Shape({7, 5, 16}), Shape({33, 70}), Shape({3, 1100}), Shape({700, 130}),
          Shape({64, 20, 600}), Shape({4, 1}), Shape({9000, 3})}) {
      check_programs({}, dtype, shape);
      check_programs({.channels = false}, dtype, shape);
    }
    check_programs({.block = 16}, dtype, {3, 4, 30, 31, 16});
    check_programs({.block = 8}, dtype, {2, 3, 5, 4, 8});
  }
}

TEST_CASE("normalization of channels and rows, in all forms") {
  for (bool channels : {true, false})
    for (const Shape& shape : {Shape({2, 3}), Shape({4, 1}), Shape({7, 5, 16}), Shape({33, 70}),
                               Shape({3, 1100}), Shape({9}), Shape({700, 3})}) {
      const Normalize k{.channels = channels};
      check_all_forms(k, DType::float32, shape, 5e-6);
      check_all_forms(k, DType::float64, shape, 1e-13);
      check_all_forms(k, DType::float16, shape, 2e-3);
      check_all_forms(k, DType::bfloat16, shape, 1e-2);
    }
}

TEST_CASE("normalization of many channels, rows and elements") {
  const Normalize channels, rows{.channels = false};
  for (const Shape& shape : {Shape({8, 28, 28, 64}), Shape({90000, 1}), Shape({30000, 7}),
                             Shape({600, 513}), Shape({70, 1500}), Shape({2, 40000})}) {
    check(channels, DType::float32, shape, 1e-5);
    check(channels, DType::float64, shape, 1e-12);
    check(rows, DType::float32, shape, 1e-5);
    check(rows, DType::float64, shape, 1e-12);
  }
  check(channels, DType::bfloat16, {4, 40, 40, 24}, 1e-2);
  check(rows, DType::float16, {500, 333}, 2e-3);
}

TEST_CASE("normalization of channels in blocks") {
  for (const Shape& shape : {Shape({2, 3, 5, 4, 8}), Shape({1, 2, 7, 16}),
                             Shape({3, 4, 30, 31, 16}), Shape({2, 1, 200, 8})}) {
    const Normalize k{.block = shape.back()};
    check_all_forms(k, DType::float32, shape, 5e-6);
    check_all_forms(k, DType::bfloat16, shape, 1e-2);
    check(k, DType::float64, shape, 1e-13);
  }
}

TEST_CASE("normalization keeps the digits of data far from 0") {
  // The spacing of float32 near 10000 is 1e-3, a two-thousandth of the deviation.
  for (bool channels : {true, false}) {
    const Shape shape = channels ? Shape({3000, 40}) : Shape({40, 3000});
    Array x = noise(DType::float32, shape, 10000, 2, 5), scale(DType::float32, {shape.back()});
    const Layout layout{channels, 0, shape};
    const Normalize k{.channels = channels, .scale = false, .offset = false};
    const Reference expected = reference(k, layout, x, x, scale, scale);
    const Results found = compute(k, layout, x, x, scale, scale);
    CHECK(worst(found.variance, expected.variance) <= 1e-6);
    CHECK(worst(found.y, expected.y) <= 2e-4);
  }
  Array same(DType::float32, {100, 2}, std::vector<double>(200, 12345.678)),
      y = same, mean(DType::float32, {2}), variance(DType::float32, {2});
  run(Normalize{.scale = false, .offset = false}, {&same}, {&y, &mean, &variance});
  CHECK(variance.values() == std::vector<double>{0, 0});
}

TEST_CASE("normalization is the same for any number of threads, and each time") {
  for (const Normalize& k : {Normalize{}, Normalize{.channels = false}}) {
    const Layout layout{k.channels, 0, {64, 50, 96}};
    Array x = noise(DType::float32, layout.shape, 1, 2, 6),
          dy = noise(DType::float32, layout.shape, 0, 1, 7),
          scale = noise(DType::float32, {96}, 1, 1, 8),
          offset = noise(DType::float32, {96}, 0, 1, 9);
    const Results first = compute(k, layout, x, dy, scale, offset);
    for (int threads : {1, 2, 3, 2}) {
      ThreadsScope scope(threads);
      const Results again = compute(k, layout, x, dy, scale, offset);
      CHECK(again.y == first.y);
      CHECK(again.variance == first.variance);
      CHECK(again.dx == first.dx);
      CHECK(again.dscale == first.dscale);
      CHECK(again.doffset == first.doffset);
    }
  }
}

TEST_CASE("normalization works in place, and of nothing") {
  Array x(DType::float32, {2, 2}, {1, 2, 3, 6}), mean(DType::float32, {2}),
      variance(DType::float32, {2});
  run(Normalize{.scale = false, .offset = false, .epsilon = 0}, {&x}, {&x, &mean, &variance});
  CHECK(x.values() == std::vector<double>{-1, -1, 1, 1});
  CHECK(mean.values() == std::vector<double>{2, 4});
  CHECK(variance.values() == std::vector<double>{1, 4});

  Array empty(DType::float32, {0, 2}), row_mean(DType::float32, {0}), row_variance = row_mean;
  run(Normalize{.scale = false, .offset = false}, {&empty}, {&empty, &mean, &variance});
  CHECK(std::isnan(mean[0]));
  Array none(DType::float32, {3, 0}), no_mean(DType::float32, {0}), no_variance = no_mean;
  run(Normalize{.scale = false, .offset = false}, {&none}, {&none, &no_mean, &no_variance});
  run(Normalize{.channels = false, .scale = false, .offset = false}, {&empty},
      {&empty, &row_mean, &row_variance});
}

TEST_CASE("normalization lets a NaN spoil its own channel only") {
  Array x(DType::float32, {3, 2}, {1, std::nan(""), 2, 5, 3, 6}), y(DType::float32, {3, 2}),
      mean(DType::float32, {2}), variance(DType::float32, {2});
  run(Normalize{.scale = false, .offset = false}, {&x}, {&y, &mean, &variance});
  CHECK(y[2] == Approx(0));
  CHECK(std::isnan(y[1]));
  CHECK(std::isnan(y[3]));
  CHECK(std::isnan(variance[1]));
}

}  // namespace normalize_test
