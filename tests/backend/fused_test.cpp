// The Fused kernel: chains, broadcasting, dtypes, aliasing and threads.
#include <cornu/backend/program.h>

#include <cmath>

#include "array.h"
#include "catch.h"

namespace fused_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {

const double nan_value = std::nan("");

template <class T>
std::vector<T> read(const Array& array) {
  std::vector<T> values(static_cast<size_t>(array.numel()));
  std::memcpy(values.data(), const_cast<Array&>(array).data(), values.size() * sizeof(T));
  return values;
}

}  // namespace

TEST_CASE("operations of floats on integer compute types go by float64, bits of floats by int64") {
  Array x(DType::int64, {3}, {4, 9, 10}), y(DType::int64, {3});
  run(Fused{program_of(Opcode::sqrt), DType::int64}, {&x}, {&y});
  CHECK(y.values() == std::vector<double>{2, 3, 3});
  Array a(DType::float32, {2}, {6, 5}), b(DType::float32, {2}, {3, 4}), c(DType::float32, {2});
  run(Fused{program_of(Opcode::bitwise_and), DType::float32}, {&a, &b}, {&c});
  CHECK(c.values() == std::vector<double>{2, 4});
}

TEST_CASE("operands broadcast in every pattern") {
  std::mt19937 generator(3);
  const ProgramRef program = Program::make(3, [](std::vector<Expr> x) {
    return std::vector<Expr>{x[0] * 10000.0 + x[1] * 100.0 + x[2]};
  });
  for (int round = 0; round < 300; ++round) {
    const int rank =
        static_cast<int>(random_int(generator, 0, round % 10 == 0 ? Shape::max_rank : 5));
    Shape shape;
    for (int i = 0; i < rank; ++i) {
      const int64_t most = rank > 5 ? 3 : i == rank - 1 && round % 4 == 0 ? 700 : 9;
      shape.push_back(random_int(generator, round % 50 == 0 ? 0 : 1, most));
    }
    std::vector<Array> in;
    for (int k = 0; k < 3; ++k) {
      const int dropped = static_cast<int>(random_int(generator, 0, rank));
      Shape own = shape.slice(random_int(generator, 0, 1) ? dropped : 0);
      for (int i = 0; i < own.rank(); ++i)
        if (random_int(generator, 0, 1)) own[i] = 1;
      if (round % 3 == 0 && k == 0) own = shape;
      const DType types[] = {DType::float64, DType::int8, DType::int32, DType::float32};
      in.push_back(random_array(generator, types[random_int(generator, 0, 3)], own));
    }
    const DType compute = round % 2 ? DType::float64 : DType::int64;
    Array out(compute, shape);
    run(Fused{program, compute}, {&in[0], &in[1], &in[2]}, {&out});
    bool equal = true;
    for (int64_t flat = 0; flat < out.numel(); ++flat) {
      double expected = 0;
      for (const Array& x : in) {
        int64_t rest = flat, offset = 0, stride = 1;
        for (int axis = rank - 1; axis >= 0; --axis) {
          const int64_t index = rest % shape[axis];
          rest /= shape[axis];
          const int own = axis - (rank - x.shape().rank());
          if (own < 0 || x.shape()[own] == 1) continue;
          offset += index * stride;
          stride *= x.shape()[own];
        }
        expected = expected * 100 + x[offset];
      }
      equal &= out[flat] == expected;
    }
    INFO(shape.str() << " " << in[0].shape().str() << in[1].shape().str() << in[2].shape().str());
    CHECK(equal);
  }
}

TEST_CASE("all dtypes load and store") {
  std::mt19937 generator(4);
  for (DType compute : {DType::float32, DType::float64, DType::int32, DType::int64, DType::uint64})
    for (DType from : all_dtypes)
      for (DType to : all_dtypes) {
        const Array x = random_array(generator, from, {777}, 0, 100);
        Array in = x, out(to, {777}), expected(to, {777});
        run(Fused{program_of(Opcode::identity), compute}, {&in}, {&out});
        for (int64_t i = 0; i < 777; ++i) expected.set(i, x[i]);
        INFO(dtype_name(from) << " by " << dtype_name(compute) << " to " << dtype_name(to));
        CHECK(out == expected);
      }
}

TEST_CASE("stores wrap integers, truncate and saturate floats, and round 16-bit floats to even") {
  const auto convert = [](DType from, DType compute, DType to, double value) {
    Array x(from, {1}, {value}), y(to, {1});
    run(Fused{program_of(Opcode::identity), compute}, {&x}, {&y});
    return y[0];
  };
  CHECK(convert(DType::int32, DType::int32, DType::uint8, 300) == 44);
  CHECK(convert(DType::int64, DType::int64, DType::int8, -129) == 127);
  CHECK(convert(DType::float32, DType::float32, DType::int32, -2.9) == -2);
  CHECK(convert(DType::float32, DType::float32, DType::int8, 1e9) == 127);
  CHECK(convert(DType::float32, DType::float32, DType::int32, 1e30) == 2147483647);
  CHECK(convert(DType::float32, DType::float32, DType::uint8, -3) == 0);
  CHECK(convert(DType::float32, DType::float32, DType::int32, nan_value) == 0);
  CHECK(convert(DType::float32, DType::float32, DType::boolean, 0.25) == 1);
  CHECK(convert(DType::float32, DType::float32, DType::boolean, -0.0) == 0);
  CHECK(std::isnan(convert(DType::bfloat16, DType::float32, DType::float16, nan_value)));
  // Halfway cases, in vectors and in the rest of a tile.
  for (int64_t n : {1, 40}) {
    Array x(DType::float32, {n}), half(DType::float16, {n}), brain(DType::bfloat16, {n});
    for (int64_t i = 0; i < n; ++i) x.set(i, 1 + (2 * static_cast<double>(i) + 1) / 2048);
    run(Fused{program_of(Opcode::identity)}, {&x}, {&half});
    run(Fused{program_of(Opcode::identity)}, {&x}, {&brain});
    for (int64_t i = 0; i < n; ++i) {
      CHECK(half[i] == half_to_float(float_to_half(static_cast<float>(x[i]))));
      CHECK(brain[i] == bfloat16_to_float(float_to_bfloat16(static_cast<float>(x[i]))));
    }
  }
}

TEST_CASE("outputs may be passed inputs, constants and repeated values") {
  Array x(DType::float32, {600}), y(DType::float32, {600}), copy(DType::int16, {600}),
      constant(DType::float64, {600}), sum(DType::float32, {600}), again(DType::float32, {600});
  for (int64_t i = 0; i < 600; ++i) x.set(i, static_cast<double>(i)), y.set(i, 2);
  run(Fused{Program::make(2,
                          [](std::vector<Expr> in) {
                            const Expr s = in[0] + in[1];
                            return std::vector<Expr>{in[0], 7.5, s, s};
                          })},
      {&x, &y}, {&copy, &constant, &sum, &again});
  for (int64_t i : {0, 17, 599}) {
    CHECK(copy[i] == static_cast<double>(i));
    CHECK(constant[i] == 7.5);
    CHECK(sum[i] == static_cast<double>(i + 2));
    CHECK(again[i] == sum[i]);
  }
}

TEST_CASE("an output may overwrite an operand that is still needed") {
  for (int64_t n : {5, 512, 1300}) {
    Array a(DType::float32, {n}), b(DType::float32, {n});
    for (int64_t i = 0; i < n; ++i) a.set(i, static_cast<double>(i)), b.set(i, 1000);
    // a' = a + b, b' = a - b: a is read after a' is known.
    run(Fused{Program::make(2,
                            [](std::vector<Expr> x) {
                              return std::vector<Expr>{x[0] + x[1], x[0] - x[1]};
                            })},
        {&a, &b}, {&a, &b});
    bool right = true;
    for (int64_t i = 0; i < n; ++i)
      right &= a[i] == static_cast<double>(i + 1000) && b[i] == static_cast<double>(i - 1000);
    CHECK(right);
    // A swap.
    const Array before_a = a, before_b = b;
    run(Fused{Program::make(2,
                            [](std::vector<Expr> x) {
                              return std::vector<Expr>{x[1], x[0]};
                            })},
        {&a, &b}, {&a, &b});
    CHECK(a == before_b);
    CHECK(b == before_a);
  }
}

TEST_CASE("inputs that a program does not read may have no memory") {
  const ProgramRef program =
      Program::make(2, [](std::vector<Expr> x) { return std::vector<Expr>{-x[1]}; });
  Array x(DType::float32, {3}, {1, 2, 3}), y(DType::float32, {3});
  const Shape shape({3});
  const Operand in[] = {{&shape, DType::float16, nullptr}, x.operand()}, out[] = {y.operand()};
  cpu_backend().run(Fused{program}, in, out);
  CHECK(y.values() == std::vector<double>{-1, -2, -3});
}

TEST_CASE("chains of arithmetic give the bits of their instructions, in place too") {
  std::mt19937 generator(6);
  for (int round = 0; round < 200; ++round) {
    const int64_t n = random_int(generator, 1, 70);
    std::vector<Array> in(3, Array(DType::float32, {n}));
    for (Array& x : in)
      for (int64_t i = 0; i < n; ++i)
        x.set(i, std::uniform_real_distribution<float>(-2, 2)(generator));
    // A random program, and its values computed one by one.
    const int length = static_cast<int>(random_int(generator, 1, 9));
    std::vector<std::vector<float>> values;
    for (Array& x : in) values.push_back(read<float>(x));
    const ProgramRef program = Program::make(3, [&](std::vector<Expr> made) {
      for (int k = 0; k < length; ++k) {
        const size_t last = made.size() - 1;
        const size_t other = static_cast<size_t>(random_int(generator, 0, made.size() - 1));
        const bool reversed = random_int(generator, 0, 1) != 0;
        const size_t a = reversed ? other : last, b = reversed ? last : other;
        const int64_t op = random_int(generator, 0, 4);
        std::vector<float> result;
        for (int64_t i = 0; i < n; ++i) {
          const float x = values[a][i], y = values[b][i];
          result.push_back(op == 0   ? x + y
                           : op == 1 ? x - y
                           : op == 2 ? x * y
                           : op == 3 ? x / y
                                     : x * x);
        }
        values.push_back(result);
        made.push_back(op == 0   ? made[a] + made[b]
                       : op == 1 ? made[a] - made[b]
                       : op == 2 ? made[a] * made[b]
                       : op == 3 ? made[a] / made[b]
                                 : expr::square(made[a]));
      }
      return std::vector<Expr>{made[made.size() / 2], made.back()};
    });
    const size_t middle = (values.size()) / 2;
    Array first(DType::float32, {n});
    Array& second = in[static_cast<size_t>(random_int(generator, 0, 2))];
    run(Fused{program}, {&in[0], &in[1], &in[2]}, {&first, &second});
    INFO(program->str());
    bool equal = true;
    const std::vector<float> got[] = {read<float>(first), read<float>(second)};
    for (int64_t i = 0; i < n; ++i) {
      equal &= got[0][i] == values[middle][i] || std::isnan(values[middle][i]);
      equal &= got[1][i] == values.back()[i] || std::isnan(values.back()[i]);
    }
    CHECK(equal);
  }
}

TEST_CASE("results do not depend on the number of threads") {
  std::mt19937 generator(5);
  const int64_t n = 300001;
  Array x = random_array(generator, DType::float32, {n}, -50, 50), one(DType::float32, {n}),
        many = one;
  const Fused kernel{program_of(Opcode::tanh)};
  {
    const ThreadsScope scope(1);
    run(kernel, {&x}, {&one});
  }
  {
    const ThreadsScope scope(4);
    run(kernel, {&x}, {&many});
  }
  CHECK(one == many);
}

}  // namespace fused_test
