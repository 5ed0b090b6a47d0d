// Kernels made ready for fixed shapes: the bits of a run, whatever the addresses and values, and no
// allocation.
#include <catch.h>

#include <cornu/backend/denormals.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include "array.h"

namespace {

std::atomic<int64_t> allocations{0};

void* counted(size_t bytes, size_t alignment) {
  ++allocations;
  const size_t rounded = (std::max<size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  if (void* data = std::aligned_alloc(alignment, rounded)) return data;
  throw std::bad_alloc();
}

}  // namespace

// Not inlined: the compiler would see memory of aligned_alloc where it expects that of new.
[[gnu::noinline]] void* operator new(size_t bytes) {
  return counted(bytes, alignof(std::max_align_t));
}
[[gnu::noinline]] void* operator new(size_t bytes, std::align_val_t alignment) {
  return counted(bytes, static_cast<size_t>(alignment));
}
[[gnu::noinline]] void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  return counted(bytes, alignof(std::max_align_t));
}
[[gnu::noinline]] void operator delete(void* data) noexcept { std::free(data); }
[[gnu::noinline]] void operator delete(void* data, size_t) noexcept { std::free(data); }
[[gnu::noinline]] void operator delete(void* data, std::align_val_t) noexcept { std::free(data); }
[[gnu::noinline]] void operator delete(void* data, size_t, std::align_val_t) noexcept {
  std::free(data);
}

namespace prepare_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {

/// An operand's description.
struct Like {
  DType dtype;
  Shape shape;
};

std::vector<Operand> operands(const std::vector<Like>& likes) {
  std::vector<Operand> all;
  for (const Like& like : likes) all.push_back({&like.shape, like.dtype, nullptr});
  return all;
}

std::vector<Array> random_arrays(std::mt19937& random, const std::vector<Like>& likes) {
  std::vector<Array> all;
  std::normal_distribution<double> normal;
  for (const Like& like : likes) {
    all.emplace_back(like.dtype, like.shape);
    for (int64_t i = 0; i < all.back().numel(); ++i)
      all.back().set(i, is_float(like.dtype) ? normal(random)
                                             : static_cast<double>(random_int(random, 0, 50)));
  }
  return all;
}

void run_prepared(Executable& executable, std::vector<Array>& inputs, std::vector<Array>& outputs) {
  std::vector<void*> data;
  for (Array& array : inputs) data.push_back(array.data());
  for (Array& array : outputs) data.push_back(array.data());
  const DenormalsAsZero scope;  // as in a plan
  executable.run(data.data());
}

void run_at_once(const Kernel& kernel, std::vector<Array>& inputs, std::vector<Array>& outputs) {
  std::vector<Operand> in, out;
  for (Array& array : inputs) in.push_back(array.operand());
  for (Array& array : outputs) out.push_back(array.operand());
  cpu_backend().run(kernel, in, out);
}

/// Runs three times with other values at other addresses.
void check(std::mt19937& random, const Kernel& kernel, const std::vector<Like>& in,
           const std::vector<Like>& out) {
  const auto executable = cpu_backend().prepare(kernel, operands(in), operands(out));
  std::vector<std::vector<Array>> kept;  // so that no address comes twice
  for (int round = 0; round < 3; ++round) {
    std::vector<Array> inputs = random_arrays(random, in);
    std::vector<Array> expected, outputs;
    for (const Like& like : out) {
      expected.emplace_back(like.dtype, like.shape);
      outputs.emplace_back(like.dtype, like.shape);
    }
    run_at_once(kernel, inputs, expected);
    run_prepared(*executable, inputs, outputs);
    INFO(kernel_name(kernel) << " round " << round);
    for (size_t k = 0; k < out.size(); ++k) CHECK(outputs[k] == expected[k]);
    kept.push_back(std::move(inputs));
    kept.push_back(std::move(outputs));
  }
}

constexpr DType f32 = DType::float32;

ProgramRef adam() {
  return Program::make(5, [](std::vector<Expr> in) {
    const Expr mean = expr::lerp(in[1], in[3], 0.1),
               square = expr::lerp(in[2], in[3] * in[3], 0.01);
    return std::vector<Expr>{in[0] - expr::div_sqrt_eps(mean * in[4], square, 1e-7), mean, square};
  });
}

Shape random_shape(std::mt19937& random) {
  const int rank = static_cast<int>(random_int(random, 0, 3));
  std::vector<int64_t> sizes;
  for (int axis = 0; axis < rank; ++axis) sizes.push_back(random_int(random, 1, 40));
  return sizes;
}

/// A shape that broadcasts to `shape`.
Shape narrowed(std::mt19937& random, const Shape& shape) {
  std::vector<int64_t> sizes;
  for (const int64_t size : shape) sizes.push_back(random() % 3 == 0 ? 1 : size);
  const int64_t dropped = random_int(random, 0, shape.rank());
  sizes.erase(sizes.begin(), sizes.begin() + (random() % 2 == 0 ? dropped : 0));
  return sizes;
}

}  // namespace

TEST_CASE("prepare: fused programs over broadcast operands of every dtype") {
  std::mt19937 random(1);
  const auto program = Program::make(3, [](std::vector<Expr> in) {
    return std::vector<Expr>{expr::tanh(in[0] * 0.5 + in[1]) - in[2], in[0] * in[1], in[2] + 3.0};
  });
  for (int i = 0; i < 200; ++i) {
    const Shape shape = random_shape(random);
    std::vector<Like> in, out;
    for (int k = 0; k < 3; ++k) {
      const DType dtype = random() % 2 == 0 ? f32 : all_dtypes[random() % std::size(all_dtypes)];
      in.push_back({dtype, random() % 2 == 0 ? shape : narrowed(random, shape)});
      out.push_back({random() % 2 == 0 ? f32 : DType::bfloat16, shape});
    }
    check(random, Fused{program, random() % 3 == 0 ? DType::float64 : f32}, in, out);
  }
  check(random, Fused{program}, {{f32, {0}}, {f32, {}}, {f32, {0}}},
        {{f32, {0}}, {f32, {0}}, {f32, {0}}});
  // Long enough for several threads.
  check(random, Fused{program}, {{f32, {300, 500}}, {f32, {500}}, {f32, {}}},
        {{f32, {300, 500}}, {f32, {300, 500}}, {f32, {300, 500}}});
}

TEST_CASE("prepare: outputs of fused programs may lie over inputs, or stop doing so") {
  std::mt19937 random(2);
  // The second output passes on what the first may overwrite.
  const auto swap = Program::make(2, [](std::vector<Expr> in) {
    return std::vector<Expr>{in[0] * 2.0 + in[1], in[0], in[1] - in[0]};
  });
  for (const auto& program : {swap, adam()})
    for (const int64_t n : {3, 20, 700, 5000}) {
      const size_t inputs = static_cast<size_t>(program->inputs());
      const std::vector<Like> in(inputs, {f32, {n}}), out(3, {f32, {n}});
      const auto executable = cpu_backend().prepare(Fused{program}, operands(in), operands(out));
      for (int round = 0; round < 20; ++round) {
        std::vector<Array> values = random_arrays(random, in);
        std::vector<Array> expected(3, Array(f32, {n})), apart = expected;
        std::vector<Array> copies = values;
        run_at_once(Fused{program}, copies, expected);
        // Each output over one input of its own, or over none.
        std::vector<Array*> places{&apart[0], &apart[1], &apart[2]};
        std::vector<size_t> free(inputs);
        for (size_t i = 0; i < inputs; ++i) free[i] = i;
        std::shuffle(free.begin(), free.end(), random);
        for (size_t k = 0; k < std::min<size_t>(3, inputs); ++k)
          if (random() % 3 != 0) places[k] = &values[free[k]];
        std::vector<void*> data;
        for (Array& array : values) data.push_back(array.data());
        for (Array* array : places) data.push_back(array->data());
        executable->run(data.data());
        for (size_t k = 0; k < 3; ++k) CHECK(*places[k] == expected[k]);
      }
    }
}

TEST_CASE("prepare: reductions") {
  std::mt19937 random(3);
  const auto program = Program::make(
      2, [](std::vector<Expr> in) { return std::vector<Expr>{(in[0] - in[1]) * (in[0] - in[1])}; });
  constexpr ReduceOp ops[] = {ReduceOp::sum,     ReduceOp::product, ReduceOp::maximum,
                              ReduceOp::minimum, ReduceOp::argmax,  ReduceOp::argmin};
  for (int i = 0; i < 300; ++i) {
    Shape shape = random_shape(random);
    if (i % 50 == 0) shape = Shape{70, 1100, 3};
    Reduce kernel{program, f32, ops[random() % 6], {}, shape, random() % 2 == 0 ? 1.0 : 0.25};
    const bool position = kernel.op == ReduceOp::argmax || kernel.op == ReduceOp::argmin;
    Shape kept;
    if (position) kernel.scale = 1;
    const int64_t only = random_int(random, 0, std::max(shape.rank() - 1, 0));
    for (int axis = 0; axis < shape.rank(); ++axis) {
      if (position ? axis == only : random() % 2 == 0)
        kernel.axes.push_back(axis);
      else
        kept.push_back(shape[axis]);
    }
    check(random, kernel, {{f32, shape}, {f32, narrowed(random, shape)}},
          {{position ? DType::int32 : f32, kept}});
  }
}

TEST_CASE("prepare: matrix products") {
  std::mt19937 random(4);
  for (int i = 0; i < 400; ++i) {
    const Matmul kernel{random() % 2 == 0, random() % 2 == 0, random() % 2 == 0, random() % 2 == 0};
    const bool large = i % 20 == 0;
    const auto size = [&] {
      return large ? random_int(random, 60, 200) : random_int(random, 1, 33);
    };
    const int64_t m = size(), n = i % 7 == 0 ? 1 : size(), k = i % 11 == 0 ? 1 : size();
    const DType dtype = random() % 4 == 0 ? DType::float64 : f32;
    Shape a = kernel.transpose_a ? Shape{k, m} : Shape{m, k};
    Shape c{m, n};
    if (random() % 4 == 0) {
      a.insert(0, 3);
      c.insert(0, 3);
    }
    std::vector<Like> in{{dtype, a}, {dtype, kernel.transpose_b ? Shape{n, k} : Shape{k, n}}};
    if (kernel.bias) in.push_back({dtype, {n}});
    check(random, kernel, in, {{dtype, c}});
  }
  check(random, Matmul{}, {{f32, {4, 0}}, {f32, {0, 3}}}, {{f32, {4, 3}}});
}

TEST_CASE("prepare: a program over many sets of operands") {
  std::mt19937 random(7);
  for (const int sets : {1, 2, 5, 70}) {
    std::vector<Like> in, out;
    for (int set = 0; set < sets; ++set) {
      // The largest have several tiles, and all of them together work for two threads.
      const Shape shape{random_int(random, 1, 60), random_int(random, 1, 60)};
      for (int i = 0; i < 4; ++i) in.push_back({f32, shape});
      in.push_back({f32, {}});
      for (int i = 0; i < 3; ++i) out.push_back({f32, shape});
    }
    check(random, MultiTensorFused{{adam(), f32}, sets}, in, out);
  }
}

TEST_CASE("prepare: copies, and what has nothing better than to be remembered") {
  std::mt19937 random(5);
  Copy transpose;
  transpose.parts.push_back({{30, 20}, {0, {1, 30}}, {0, {20, 1}}});
  transpose.shape = {30, 20};
  Copy pad;  // two parts, the second turned round, and a border
  pad.parts.push_back({{4, 5}, {0, {5, 1}}, {11, {10, 1}}});
  pad.parts.push_back({{2, 3}, {5, {-3, -1}}, {62, {10, 1}}});
  pad.shape = {9, 10};
  pad.covers = false;
  pad.fill = 2;
  for (const DType dtype : {f32, DType::float64, DType::uint8, DType::bfloat16}) {
    check(random, transpose, {{dtype, {20, 30}}}, {{dtype, {30, 20}}});
    check(random, pad, {{dtype, {4, 5}}, {dtype, {2, 3}}}, {{dtype, {9, 10}}});
  }
  check(random, Softmax{}, {{f32, {5, 17}}}, {{f32, {5, 17}}});
  check(random, Gather{}, {{f32, {60, 3}}, {DType::int32, {7}}}, {{f32, {7, 3}}});
  check(random, Cumulative{}, {{f32, {9, 4}}}, {{f32, {9, 4}}});
  const Conv conv{ConvPass::forward, {1, 1}, {1, 1}, {1, 1}, {1, 1}};
  check(random, conv, {{f32, {2, 6, 6, 3}}, {f32, {3, 3, 3, 4}}}, {{f32, {2, 6, 6, 4}}});
  Pool pool;
  pool.window = pool.strides = {2, 2};
  pool.pad_low = pool.pad_high = {0, 0};
  check(random, pool, {{f32, {2, 6, 6, 3}}}, {{f32, {2, 3, 3, 3}}});
}

TEST_CASE("prepare: running allocates nothing") {
  std::mt19937 random(6);
  const auto silent = [&](const Kernel& kernel, const std::vector<Like>& in,
                          const std::vector<Like>& out) {
    const auto executable = cpu_backend().prepare(kernel, operands(in), operands(out));
    std::vector<Array> inputs = random_arrays(random, in), others = random_arrays(random, in);
    std::vector<Array> outputs = random_arrays(random, out);
    std::vector<void*> data, elsewhere;
    for (Array& array : inputs) data.push_back(array.data());
    for (Array& array : others) elsewhere.push_back(array.data());
    for (Array& array : outputs) {
      data.push_back(array.data());
      elsewhere.push_back(array.data());
    }
    // A thread makes its scratch in the first loop that it takes part in, which on a busy machine
    // may be a late one: a run that allocates is no fault as long as some do not.
    size_t live = 0, peak = 1;
    int64_t made = 1;
    for (int attempt = 0; attempt < 20 && (made > 0 || peak > live); ++attempt) {
      executable->run(data.data());
      cpu_backend().allocator().reset_peak();
      live = cpu_backend().allocator().stats().live;
      const int64_t before = allocations;
      for (int round = 0; round < 3; ++round) {
        executable->run(elsewhere.data());
        executable->run(data.data());
      }
      made = allocations - before;
      peak = cpu_backend().allocator().stats().peak;
    }
    INFO(kernel_name(kernel));
    CHECK(made == 0);
    CHECK(peak == live);
  };
  for (const int64_t n : {20, 700, 3000}) {
    silent(Fused{adam()}, {{f32, {n}}, {f32, {n}}, {f32, {n}}, {f32, {n}}, {f32, {}}},
           {{f32, {n}}, {f32, {n}}, {f32, {n}}});
    silent(Fused{program_of(Opcode::add)}, {{DType::bfloat16, {n, 2}}, {f32, {2}}},
           {{DType::bfloat16, {n, 2}}});
    for (const int axis : {0, 1})
      silent(Reduce{program_of(Opcode::square), f32, ReduceOp::sum, {axis}, {n, 30}},
             {{f32, {n, 30}}}, {{f32, {axis == 0 ? 30 : n}}});
  }
  for (const bool transpose : {false, true}) {
    silent(Matmul{false, transpose, true}, {{f32, {32, 20}}, {f32, {20, 20}}, {f32, {20}}},
           {{f32, {32, 20}}});
    silent(Matmul{transpose, false, false}, {{f32, {20, 20}}, {f32, {20, 10}}}, {{f32, {20, 10}}});
    silent(Matmul{false, transpose, true}, {{f32, {1, 20}}, {f32, {20, 20}}, {f32, {20}}},
           {{f32, {1, 20}}});
  }
  Copy turn;
  turn.parts.push_back({{30, 20}, {0, {1, 30}}, {0, {20, 1}}});
  turn.shape = {30, 20};
  silent(turn, {{f32, {20, 30}}}, {{f32, {30, 20}}});
}

}  // namespace prepare_test
