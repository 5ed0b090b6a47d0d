// The kernels that the generator is tested with.
#include "codegen_cases.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <variant>

namespace cornu::backend::testing {
namespace {

constexpr DType compute_types[] = {DType::float32, DType::float64, DType::int32, DType::int64,
                                   DType::uint64};
const double inf = HUGE_VAL, nan_value = std::nan("");

/// Rounding of functions that differ in their last bits.
double rounding(DType compute) {
  return compute == DType::float32 ? 2e-6 : compute == DType::float64 ? 4e-14 : 0;
}

std::vector<double> points(DType compute) {
  if (is_float(compute))
    return {0.0,  -0.0,   0.25, -0.25, 0.5,  0.9,  -0.9, 1,     -1,  1.5,  2,         -2.5, 3,
            7.75, -11.25, 30,   88,    -100, 1e-9, 1e20, -1e20, inf, -inf, nan_value, 2e-38};
  if (compute == DType::uint64) return {0, 1, 2, 3, 5, 8, 63, 1000, 65536, 4294967297.0, 1e18};
  return {0, 1, -1, 2, -2, 3, -5, 7, 31, -32, 1000, -4096, 46341, 2147483647, -2147483648.0};
}

/// All operations of an arity at once, on all combinations of the points: those of floats only
/// (`floating`), or the others.
CodegenCase operations(DType compute, int arity, bool floating) {
  std::vector<Opcode> ops;
  for (int i = 0; i < opcode_count; ++i) {
    const OpcodeInfo& row = info(static_cast<Opcode>(i));
    if (row.arity == arity && (row.domain == Domain::floating) == floating)
      ops.push_back(static_cast<Opcode>(i));
  }
  std::vector<double> values = points(compute);
  if (arity == 3) values.resize(11);
  std::vector<std::vector<double>> operands(3);
  for (double a : values)
    for (double b : arity > 1 ? values : std::vector<double>{1})
      for (double c : arity > 2 ? values : std::vector<double>{1}) {
        operands[0].push_back(a);
        operands[1].push_back(b);
        operands[2].push_back(c);
      }
  const Shape shape({static_cast<int64_t>(operands[0].size())});
  CodegenCase made;
  made.name = "operations of " + std::to_string(arity) + " in " + std::string(dtype_name(compute));
  for (int k = 0; k < arity; ++k) made.inputs.emplace_back(compute, shape, operands[k]);
  made.outputs.assign(ops.size(), Array(compute, shape));
  made.kernel =
      Fused{Program::make(arity,
                          [&](std::vector<Expr> x) {
                            std::vector<Expr> results;
                            for (Opcode op : ops)
                              results.push_back(arity == 1   ? apply(op, x[0])
                                                : arity == 2 ? apply(op, x[0], x[1])
                                                             : apply(op, x[0], x[1], x[2]));
                            return results;
                          }),
            compute};
  made.tolerance = rounding(compute);
  // Functions of integers are cut to whole numbers, and 0.999... is not 1.
  if (floating && !is_float(compute)) made.slack = 1;
  return made;
}

/// Every dtype to every dtype by way of `compute`.
CodegenCase conversions(DType compute, int64_t n) {
  CodegenCase made;
  made.name = "conversions by " + std::string(dtype_name(compute)) + " " + std::to_string(n);
  std::mt19937 generator(static_cast<unsigned>(n));
  for (DType from : all_dtypes) {
    Array x(from, {n});
    for (int64_t i = 0; i < n; ++i) {
      double value = static_cast<double>(random_int(generator, 0, 100));
      if (is_float(from)) {
        const double special[] = {0.25, -3.5, 1.0 + 1.0 / 2048, 3e-8, 70000, 1e30,   -1e30,
                                  inf,  -inf, nan_value,        6e-6, 2.5,   65519.9};
        value = i < 13 ? special[i] : value / 7 - 5;
      } else if (i % 3 == 1) {
        value = -value * 1000;
      } else if (i % 3 == 2) {
        value *= 40000000.0;
      }
      x.set(i, value);
    }
    made.inputs.push_back(x);
  }
  std::vector<int> passed;
  for (int from = 0; from < dtype_count; ++from)
    for (DType to : all_dtypes) {
      passed.push_back(from);
      made.outputs.emplace_back(to, Shape({n}));
    }
  made.kernel = Fused{Program::make(dtype_count,
                                    [&](std::vector<Expr> x) {
                                      std::vector<Expr> results;
                                      for (int from : passed)
                                        results.push_back(x[static_cast<size_t>(from)]);
                                      return results;
                                    }),
                      compute};
  return made;
}

ProgramRef mixing(int inputs) {
  return Program::make(inputs, [](std::vector<Expr> x) {
    Expr sum = x[0];
    for (size_t i = 1; i < x.size(); ++i) sum = sum * 3.0 - x[i];
    return std::vector<Expr>{sum, expr::maximum(x[0], 2.0)};
  });
}

CodegenCase broadcasting(const Shape& shape, const std::vector<Shape>& shapes,
                         const std::vector<DType>& dtypes, DType compute, int alignment = 16) {
  std::mt19937 generator(static_cast<unsigned>(shape.numel()));
  CodegenCase made;
  made.name = "broadcasting to " + shape.str() + " in " + std::string(dtype_name(compute));
  for (size_t i = 0; i < shapes.size(); ++i) {
    made.name += " " + shapes[i].str();
    made.inputs.push_back(random_array(generator, dtypes[i % dtypes.size()], shapes[i], 0, 50));
  }
  made.outputs = {Array(compute, shape), Array(DType::float16, shape)};
  made.kernel = Fused{mixing(static_cast<int>(shapes.size())), compute};
  made.options.alignment = alignment;
  return made;
}

CodegenCase reduction(ReduceOp op, DType compute, const Shape& shape,
                      const InlineVector<int, 6>& axes, DType to, double scale = 1) {
  std::mt19937 generator(static_cast<unsigned>(shape.numel() + 17 * static_cast<int>(op)));
  const bool product = op == ReduceOp::product;
  CodegenCase made;
  made.name = "reduction " + std::to_string(static_cast<int>(op)) + " in " +
              std::string(dtype_name(compute)) + " of " + shape.str() + " over " +
              std::to_string(axes.size()) + " axes";
  Array x(compute, shape);
  for (int64_t i = 0; i < x.numel(); ++i)
    x.set(i, product ? static_cast<double>(random_int(generator, 1, 2))
                     : static_cast<double>(
                           random_int(generator, compute == DType::uint64 ? 0 : -60, 60)));
  if (is_float(compute) && x.numel() > 10 && !product && op != ReduceOp::sum)
    x.set(x.numel() / 2, nan_value);
  made.inputs = {x};
  Shape kept;
  for (int a = 0; a < shape.rank(); ++a)
    if (std::find(axes.begin(), axes.end(), a) == axes.end()) kept.push_back(shape[a]);
  made.outputs = {Array(to, kept)};
  made.kernel = Reduce{program_of(Opcode::identity), compute, op, axes, shape, scale};
  made.tolerance = is_float(to) ? 2e-6 : 0;
  return made;
}

void add_fused(std::vector<CodegenCase>& cases) {
  for (DType compute : compute_types)
    for (int arity : {1, 2, 3})
      for (bool floating : {false, true}) cases.push_back(operations(compute, arity, floating));
  for (DType compute : compute_types) cases.push_back(conversions(compute, 41));
  const std::vector<DType> types = {DType::float32, DType::int8, DType::bfloat16, DType::int32};
  for (DType compute : {DType::float32, DType::int64}) {
    cases.push_back(broadcasting({1000}, {{1000}, {1000}}, {compute}, compute));
    cases.push_back(broadcasting({1003}, {{1003}, {1}}, {compute}, compute));
    cases.push_back(broadcasting({3}, {{3}, {}}, types, compute));
    cases.push_back(broadcasting({}, {{}, {}}, types, compute));
    cases.push_back(broadcasting({0, 4}, {{0, 4}, {4}}, types, compute));
    cases.push_back(broadcasting({70, 24}, {{70, 24}, {24}, {70, 1}}, types, compute));
    cases.push_back(broadcasting({70, 25}, {{70, 25}, {25}, {70, 1}}, types, compute));
    cases.push_back(broadcasting({5, 6, 7, 8}, {{5, 1, 7, 1}, {6, 1, 8}, {8}}, types, compute));
    cases.push_back(
        broadcasting({5, 6, 7, 3}, {{5, 1, 7, 1}, {6, 1, 3}, {5, 6, 7, 3}}, types, compute));
    cases.push_back(broadcasting({300, 1100}, {{300, 1100}, {1100}}, types, compute));
    cases.push_back(broadcasting({1000}, {{1000}, {1000}}, {compute}, compute, 4));
  }
  std::mt19937 generator(3);
  for (int round = 0; round < 12; ++round) {
    Shape shape;
    const int rank = round == 0 ? Shape::max_rank : static_cast<int>(random_int(generator, 1, 5));
    for (int i = 0; i < rank; ++i) shape.push_back(random_int(generator, 1, rank > 5 ? 2 : 8));
    std::vector<Shape> shapes;
    for (int k = 0; k < 3; ++k) {
      Shape own = shape;
      for (int i = 0; i < rank; ++i)
        if (random_int(generator, 0, 1)) own[i] = 1;
      shapes.push_back(own.slice(static_cast<int>(random_int(generator, 0, rank))));
    }
    cases.push_back(broadcasting(shape, shapes, types, DType::float64));
  }
  // A swap in place, of which each operand is still needed.
  CodegenCase swap;
  swap.name = "in place";
  swap.inputs = {random_array(generator, DType::float32, {1301}),
                 random_array(generator, DType::float32, {1301})};
  swap.outputs = {Array(DType::float32, {1301}), Array(DType::float32, {1301})};
  swap.kernel = Fused{Program::make(2, [](std::vector<Expr> x) {
    return std::vector<Expr>{x[1], x[0] + x[1]};
  })};
  swap.overwrites = {0, 1};
  cases.push_back(swap);
  // Constants of every kind, an input that is not read, and an output that is passed on.
  CodegenCase constants;
  constants.name = "constants";
  constants.inputs = {Array(DType::float32, {9}, {1, 2, 3, 4, 5, 6, 7, 8, 9}),
                      Array(DType::float16, {9})};
  constants.outputs.assign(6, Array(DType::float32, {9}));
  constants.kernel = Fused{Program::make(2, [](std::vector<Expr> x) {
    return std::vector<Expr>{
        x[0] * 0.1, x[0] + 1e-40, 7.5, expr::maximum(x[0], inf), expr::minimum(x[0], -inf), x[0]};
  })};
  cases.push_back(constants);
}

// More sets than one launch takes, of different sizes, with numbers among the operands and results
// over operands; also of sizes that vectors divide, with the numbers at one place in all sets.
void add_sets(std::vector<CodegenCase>& cases) {
  std::mt19937 generator(11);
  struct Kind {
    int sets;
    bool even;
    int numbers;  // in one of so many sets; 0: in none
  };
  for (const auto [sets, even, numbers] :
       {Kind{2, false, 2}, Kind{3, false, 2}, Kind{150, false, 2}, Kind{4, true, 1},
        Kind{4, true, 0}, Kind{4, true, 2}, Kind{4, false, 1}, Kind{4, false, 0}}) {
    CodegenCase made;
    made.name = std::to_string(sets) + " sets";
    for (int set = 0; set < sets; ++set) {
      const Shape shape(
          {set % 7 == 3 ? 1 : random_int(generator, 1, set == 1 ? 70000 : 40), even           ? 4
                                                                               : set % 7 == 2 ? 1
                                                                                              : 3});
      const int first = static_cast<int>(made.inputs.size());
      made.inputs.push_back(random_array(generator, DType::float32, shape, -9, 9));
      made.inputs.push_back(random_array(
          generator, DType::bfloat16, numbers != 0 && set % numbers == 0 ? Shape() : shape, -9, 9));
      made.inputs.push_back(random_array(generator, DType::float32, shape, -9, 9));
      made.outputs.emplace_back(DType::float32, shape);
      made.outputs.emplace_back(DType::float16, shape);
      made.overwrites.insert(made.overwrites.end(), {first, -1});
    }
    made.kernel = MultiTensorFused{
        Fused{
            Program::make(3,
                          [](std::vector<Expr> x) {
                            return std::vector<Expr>{x[0] - x[1] * 0.5, expr::maximum(x[2], x[1])};
                          })},
        sets};
    cases.push_back(made);
  }
}

void add_reductions(std::vector<CodegenCase>& cases) {
  const ReduceOp all_ops[] = {ReduceOp::sum,     ReduceOp::product, ReduceOp::maximum,
                              ReduceOp::minimum, ReduceOp::argmax,  ReduceOp::argmin};
  struct Pattern {
    Shape shape;
    InlineVector<int, 6> axes;
  };
  const Pattern patterns[] = {{{}, {}},
                              {{7}, {0}},
                              {{300}, {0}},
                              {{40, 10}, {1}},
                              {{3, 700}, {1}},
                              {{2, 9000}, {1}},
                              {{100000}, {0}},
                              {{50, 20}, {0}},
                              {{30000, 2}, {0}},
                              {{5, 300}, {0}},
                              {{64, 40}, {0}},
                              {{2, 600, 3}, {1}},
                              {{3, 1, 4}, {1}},
                              {{6, 5}, {}},
                              {{200, 7, 11}, {0, 2}},
                              {{4, 3, 5, 2}, {1, 3}},
                              {{4, 3, 5, 2}, {0, 2}},
                              {{4, 3, 5, 2}, {0, 1, 2, 3}},
                              {{3, 0}, {1}},
                              {{0, 4}, {1}},
                              {{20, 30, 64}, {0, 1}}};
  for (const Pattern& pattern : patterns)
    for (ReduceOp op : all_ops) {
      const bool arg = op == ReduceOp::argmax || op == ReduceOp::argmin;
      const bool all = static_cast<int>(pattern.axes.size()) == pattern.shape.rank();
      if (arg && pattern.axes.size() != 1 && !(all && !pattern.axes.empty())) continue;
      if (op == ReduceOp::product && pattern.shape.numel() > 300) continue;
      cases.push_back(reduction(op, DType::float32, pattern.shape, pattern.axes,
                                arg ? DType::int32 : DType::float32));
      if (op != ReduceOp::sum) continue;
      cases.push_back(cases.back());
      cases.back().name += " in two floats";
      cases.back().options.slow_doubles = true;
    }
  for (DType compute : compute_types)
    for (ReduceOp op : all_ops) {
      const bool arg = op == ReduceOp::argmax || op == ReduceOp::argmin;
      cases.push_back(reduction(op, compute, {20, 33}, {1}, arg ? DType::int64 : compute));
      cases.push_back(reduction(op, compute, {33, 20}, {0}, arg ? DType::uint8 : compute));
      cases.push_back(reduction(op, compute, {2, 0}, {1}, arg ? DType::int16 : DType::uint8));
      cases.push_back(reduction(op, compute, {2, 0}, {1}, arg ? DType::int16 : DType::boolean));
    }
  cases.push_back(
      reduction(ReduceOp::sum, DType::float32, {128, 10}, {0, 1}, DType::float16, 1.0 / 1280));
  cases.push_back(cases.back());
  cases.back().options.slow_doubles = true;
  cases.push_back(reduction(ReduceOp::sum, DType::int32, {128, 10}, {0}, DType::int32, 0.5));
  // A prologue over broadcast operands.
  std::mt19937 generator(9);
  for (const InlineVector<int, 6>& axes :
       {InlineVector<int, 6>{1}, InlineVector<int, 6>{0}, InlineVector<int, 6>{0, 1},
        InlineVector<int, 6>{0, 2}}) {
    CodegenCase made;
    made.name = "prologue";
    const Shape shape({30, 40, 12});
    made.inputs = {random_array(generator, DType::float16, {30, 40, 12}, -8, 8),
                   random_array(generator, DType::int8, {40, 1}, -8, 8),
                   random_array(generator, DType::float32, {12}, -8, 8),
                   random_array(generator, DType::float32, {30, 1, 1}, -8, 8)};
    Shape kept;
    for (int a = 0; a < 3; ++a)
      if (std::find(axes.begin(), axes.end(), a) == axes.end()) kept.push_back(shape[a]);
    made.outputs = {Array(DType::float64, kept)};
    made.kernel =
        Reduce{Program::make(4,
                             [](std::vector<Expr> x) {
                               return std::vector<Expr>{expr::square(x[0] - x[1]) * x[2] + x[3]};
                             }),
               DType::float32,
               ReduceOp::sum,
               axes,
               shape,
               0.25};
    made.tolerance = 1e-6;
    cases.push_back(made);
  }
}

void add_random(std::vector<CodegenCase>& cases) {
  const auto add = [&](const Random& kernel, DType dtype, double tolerance = 0) {
    CodegenCase made;
    made.name = "random " + std::to_string(static_cast<int>(kernel.distribution)) + " " +
                std::string(dtype_name(dtype));
    made.inputs = {Array(DType::uint32, {2}, {7, 3000000000.0})};
    made.outputs = {
        Array(dtype, kernel.distribution == Distribution::next_key ? Shape({2}) : Shape({5001}))};
    made.kernel = kernel;
    made.tolerance = tolerance;
    cases.push_back(made);
  };
  for (DType dtype : {DType::float16, DType::bfloat16, DType::float32, DType::float64}) {
    const double tolerance = dtype == DType::float64 ? 1e-13 : 0;
    add({Distribution::uniform, -2, 5}, dtype);
    add({Distribution::normal, 0.5, 3}, dtype, tolerance);
    add({Distribution::truncated_normal, 0, 1}, dtype, tolerance);
  }
  for (DType dtype : {DType::uint8, DType::uint16, DType::uint32, DType::uint64})
    add({Distribution::bits}, dtype);
  for (DType dtype : all_dtypes) {
    if (!is_int(dtype)) continue;
    add({Distribution::randint, -5, 77}, dtype);
    add({Distribution::randint, -1e30, 1e30}, dtype);
  }
  add({Distribution::bernoulli, 0.3}, DType::boolean);
  add({Distribution::next_key}, DType::uint32);
}

}  // namespace

cuda::KernelPlan CodegenCase::plan() {
  std::vector<Operand> in, out;
  for (Array& array : inputs) in.push_back(array.operand());
  for (Array& array : outputs) out.push_back(array.operand());
  return std::visit(
      [&](const auto& k) -> cuda::KernelPlan {
        if constexpr (requires { cuda::plan(k, in, out, options); })
          return cuda::plan(k, in, out, options);
        else
          return {};
      },
      kernel);
}

const std::vector<CodegenCase>& codegen_cases() {
  static const std::vector<CodegenCase> all = [] {
    std::vector<CodegenCase> cases;
    add_fused(cases);
    add_sets(cases);
    add_reductions(cases);
    add_random(cases);
    return cases;
  }();
  return all;
}

}  // namespace cornu::backend::testing
