// The kernels that the generator's larger texts are tested with.
#include "kernel_cases.h"

#include <cmath>
#include <variant>

namespace cornu::backend::testing {
namespace {

const double inf = HUGE_VAL, nan_value = std::nan("");
constexpr DType float_types[] = {DType::float16, DType::bfloat16, DType::float32, DType::float64};
/// One dtype of each kind of code.
constexpr DType some_types[] = {DType::boolean, DType::int8,    DType::uint16,
                                DType::int64,   DType::float16, DType::float32};

std::string text(const Kernel& kernel, const Array& x) {
  return std::string(kernel_name(kernel)) + " " + std::string(dtype_name(x.dtype())) + " " +
         x.shape().str();
}

/// Numbers around 0 with fractions, for floats; whole numbers else.
Array numbers(std::mt19937& generator, DType dtype, const Shape& shape) {
  Array x = random_array(generator, dtype, shape, -40, 40);
  if (is_float(dtype))
    for (int64_t i = 0; i < x.numel(); ++i) x.set(i, x[i] / 16);
  return x;
}

class Cases {
 public:
  CodegenCase& add(const Kernel& kernel, std::vector<Array> inputs, std::vector<Array> outputs) {
    CodegenCase& made = all.emplace_back();
    made.name = text(kernel, inputs.empty() ? outputs[0] : inputs[0]);
    made.kernel = kernel;
    made.inputs = std::move(inputs);
    made.outputs = std::move(outputs);
    return made;
  }
  std::vector<CodegenCase> all;
  std::mt19937 generator{5};
};

View dense(const Shape& shape, int64_t offset = 0) {
  View view{offset, {}};
  for (int i = 0; i < shape.rank(); ++i) view.strides.push_back(shape.slice(i + 1).numel());
  return view;
}

void add_permutation(Cases& cases, DType dtype, const Shape& shape, const std::vector<int>& axes) {
  const View from = dense(shape);
  Copy::Part part;
  Shape to;
  for (int axis : axes) {
    to.push_back(shape[axis]);
    part.from.strides.push_back(from.strides[static_cast<size_t>(axis)]);
  }
  part.sizes = to;
  part.to = dense(to);
  cases.add(Copy{{part}, to}, {numbers(cases.generator, dtype, shape)}, {Array(dtype, to)});
}

void add_copies(Cases& cases) {
  for (DType dtype : {DType::boolean, DType::float16, DType::float32, DType::float64}) {
    add_permutation(cases, dtype, {45, 70}, {1, 0});
    add_permutation(cases, dtype, {3, 33, 40}, {0, 2, 1});
    add_permutation(cases, dtype, {12, 5, 40}, {2, 0, 1});
    add_permutation(cases, dtype, {4, 3, 5, 6}, {1, 3, 0, 2});
    add_permutation(cases, dtype, {7, 64}, {0, 1});
    add_permutation(cases, dtype, {2, 3, 2, 3, 2, 3}, {5, 4, 3, 2, 1, 0});
    // Flipped, every second row; repeated; padded with a value.
    const Array x = numbers(cases.generator, dtype, {9, 13});
    cases.add(Copy{{{Shape{5, 13}, {8 * 13 + 12, {-26, -1}}, dense({5, 13})}}, Shape{5, 13}}, {x},
              {Array(dtype, {5, 13})});
    cases.add(Copy{{{Shape{9, 4, 13}, {0, {13, 0, 1}}, dense({9, 4, 13})}}, Shape{9, 4, 13}}, {x},
              {Array(dtype, {9, 4, 13})});
    Copy padded{
        {{Shape{9, 13}, dense({9, 13}), {2 * 16 + 1, {16, 1}}}}, Shape{12, 16}, -1.5, false};
    cases.add(padded, {x}, {Array(dtype, {12, 16})});
    // Written backwards.
    cases.add(Copy{{{Shape{9, 13}, dense({9, 13}), {8 * 13 + 12, {-13, -1}}}}, Shape{9, 13}}, {x},
              {Array(dtype, {9, 13})});
    // Neighbors of even and odd widths, and one of none.
    const Array wide = numbers(cases.generator, dtype, {9, 8});
    const Array none(dtype, {9, 0});
    cases.add(Copy{{{Shape{9, 8}, dense({9, 8}), {0, {21, 1}}},
                    {Shape{9, 0}, dense({9, 0}), {8, {21, 1}}},
                    {Shape{9, 13}, dense({9, 13}), {8, {21, 1}}}},
                   Shape{9, 21}},
              {wide, none, x}, {Array(dtype, {9, 21})});
    cases.add(Copy{{{Shape{9, 8}, dense({9, 8}), {0, {24, 1}}},
                    {Shape{9, 16}, {0, {0, 0}}, {8, {24, 1}}}},
                   Shape{9, 24}},
              {wide, wide}, {Array(dtype, {9, 24})});
    cases.add(Copy{{{Shape{}, {3, {}}, {0, {}}}}, Shape{}}, {x}, {Array(dtype, {})});
    cases.add(Copy{{}, Shape{1025}, 300, false}, {}, {Array(dtype, {1025})});
    CodegenCase& unaligned =
        cases.add(Copy{{{Shape{4, 16}, dense({4, 16}), dense({4, 16})}}, Shape{4, 16}},
                  {numbers(cases.generator, dtype, {4, 16})}, {Array(dtype, {4, 16})});
    unaligned.options.alignment = static_cast<int>(size_of(dtype));
  }
  cases.add(Copy{{}, Shape{0, 3}, 1, false}, {}, {Array(DType::int32, {0, 3})});
  cases.add(Copy{{}, Shape{33}, 1e30, false}, {}, {Array(DType::int16, {33})});
}

void add_gathers(Cases& cases) {
  for (DType dtype : {DType::boolean, DType::bfloat16, DType::float32, DType::int64})
    for (DType index : {DType::int32, DType::int64})
      for (const Shape& shape : {Shape{6, 5, 4}, Shape{6, 5, 32}})
        for (int axis : {0, 1, 2}) {
          const Array x = numbers(cases.generator, dtype, shape);
          const Array picks = random_array(cases.generator, index, {2, 3}, -9, 9);
          Shape out = concat(concat(shape.slice(0, axis), {2, 3}), shape.slice(axis + 1));
          cases.add(Gather{axis}, {x, picks}, {Array(dtype, out)});
          Shape along = shape;
          along[axis] = 7;
          cases.add(Gather{axis, true}, {x, random_array(cases.generator, index, along, -9, 9)},
                    {Array(dtype, along)});
        }
  cases.add(Gather{0}, {Array(DType::float32, {0, 3}), Array(DType::int32, {2}, {0, 1})},
            {Array(DType::float32, {2, 3})});
  cases.add(Gather{0}, {Array(DType::float32, {4, 3}), Array(DType::int32, {0})},
            {Array(DType::float32, {0, 3})});
}

void add_scatter(Cases& cases, const Scatter& kernel, DType dtype, DType index, const Shape& shape,
                 const Shape& picks) {
  const int64_t n = shape[kernel.axis];
  Shape updates = picks;
  if (!kernel.along)
    updates = concat(concat(shape.slice(0, kernel.axis), picks), shape.slice(kernel.axis + 1));
  cases.add(kernel,
            {random_array(cases.generator, dtype, shape, -9, 9),
             random_array(cases.generator, index, picks, -n - 1, n + 1),
             random_array(cases.generator, dtype, updates, -9, 9)},
            {Array(dtype, shape)});
}

void add_scatters(Cases& cases) {
  for (ScatterOp op : {ScatterOp::add, ScatterOp::maximum, ScatterOp::minimum, ScatterOp::set}) {
    for (DType dtype : some_types) {
      add_scatter(cases, {1, false, op}, dtype, DType::int32, {3, 5, 4}, {2, 6});
      add_scatter(cases, {1, true, op}, dtype, DType::int64, {3, 5, 4}, {3, 9, 4});
    }
    // Sorted: within a tile, and by merges.
    for (DType dtype : {DType::float16, DType::float32}) {
      add_scatter(cases, {0, false, op}, dtype, DType::int32, {20, 3}, {100});
      add_scatter(cases, {0, true, op}, dtype, DType::int64, {20, 3}, {100, 3});
    }
    add_scatter(cases, {1, false, op}, DType::float32, DType::int64, {2, 300, 3}, {5000});
    add_scatter(cases, {1, true, op}, DType::int32, DType::int32, {2, 9, 2}, {2, 2500, 2});
  }
  add_scatter(cases, {}, DType::float32, DType::int32, {4, 3}, {0});
  add_scatter(cases, {}, DType::float32, DType::int32, {4, 0}, {3});
}

void add_cumulatives(Cases& cases) {
  for (DType dtype : all_dtypes)
    for (bool product : {false, true})
      for (bool reverse : {false, true}) {
        if (dtype != DType::float32 && product != reverse) continue;
        const Array x =
            random_array(cases.generator, dtype, {3, 6, 5}, product ? 1 : -9, product ? 2 : 9);
        for (int axis : {0, 1, 2})
          cases.add(Cumulative{axis, product, reverse}, {x}, {Array(dtype, {3, 6, 5})});
      }
  for (DType dtype : {DType::int32, DType::float16, DType::float32, DType::float64})
    for (bool reverse : {false, true}) {
      cases.add(Cumulative{1, false, reverse},
                {random_array(cases.generator, dtype, {2, 1500, 3}, -1, 1)},
                {Array(dtype, {2, 1500, 3})});
      // Several blocks for a lane, the last of which has less to do, or nothing.
      cases.add(Cumulative{1, false, reverse},
                {random_array(cases.generator, dtype, {2, 12345, 2}, -1, 1)},
                {Array(dtype, {2, 12345, 2})});
      cases.add(Cumulative{0, false, reverse},
                {random_array(cases.generator, dtype, {70001}, -1, 1)}, {Array(dtype, {70001})});
      cases.add(Cumulative{0, false, reverse},
                {random_array(cases.generator, DType::boolean, {1300}, 0, 1)},
                {Array(dtype, {1300})});
    }
}

void add_sorts(Cases& cases) {
  for (DType dtype : all_dtypes)
    for (bool descending : {false, true}) {
      for (const Shape& shape : {Shape{}, Shape{3, 7}, Shape{40, 33}}) {
        Array x = random_array(cases.generator, dtype, shape, -50, 50);
        const double special[] = {nan_value, inf, -0.0, 0.0, -inf, nan_value, 1e-40};
        if (is_float(dtype) && x.numel() >= 40)
          for (int i = 0; i < 7; ++i) x.set(5 * i, special[i]);
        const int64_t n = shape.empty() ? 1 : shape.back();
        for (int64_t count : {n, (n + 2) / 3}) {
          Shape out = shape;
          if (!out.empty()) out[out.rank() - 1] = count;
          cases.add(Sort{descending, count}, {x}, {Array(dtype, out), Array(DType::int32, out)});
        }
      }
    }
  for (DType dtype : {DType::int16, DType::float32, DType::float64})
    for (int64_t n : {2048, 2049, 9001}) {
      const Shape shape({2, n}), out({2, n - 3});
      cases.add(Sort{n % 2 == 0, n - 3}, {random_array(cases.generator, dtype, shape, -500, 500)},
                {Array(dtype, out), Array(DType::int32, out)});
    }
}

void add_softmaxes(Cases& cases) {
  for (bool log : {false, true})
    for (DType dtype : float_types)
      for (const Shape& shape :
           {Shape{}, Shape{5, 1}, Shape{9, 3}, Shape{17, 40}, Shape{3, 700}, Shape{2, 1500}}) {
        Array x = numbers(cases.generator, dtype, shape);
        if (shape.rank() == 2 && shape[1] == 40) {
          x.set(3, -inf);
          x.set(40, -inf);
          x.set(85, nan_value);
          x.set(125, inf);
          for (int i = 160; i < 200; ++i) x.set(i, -inf);
        }
        CodegenCase& made = cases.add(Softmax{log}, {x}, {Array(dtype, shape)});
        made.tolerance = dtype == DType::float64   ? 1e-13
                         : dtype == DType::float32 ? 4e-6
                         : dtype == DType::float16 ? 1e-3
                                                   : 8e-3;
        made.slack = dtype == DType::float16 ? 1e-7 : 0;
        if (log || shape.rank() == 0) continue;
        const DType wide = dtype == DType::float64 ? DType::float64 : DType::float32;
        CodegenCase& sums = cases.add(Softmax{.sums = true}, {x},
                                      {Array(wide, Shape{shape[0]}), Array(wide, Shape{shape[0]})});
        sums.tolerance = dtype == DType::float64 ? 1e-13 : 4e-6;
      }
}

void add_pools(Cases& cases) {
  struct Pattern {
    Shape x, y;
    InlineVector<int64_t, 3> window, strides, pad;
  };
  const Pattern patterns[] = {{{2, 11, 3}, {2, 5, 3}, {3}, {2}, {0}},
                              {{2, 8, 6, 4}, {2, 4, 3, 4}, {2, 2}, {2, 2}, {0, 0}},
                              {{1, 7, 9, 3}, {1, 4, 9, 3}, {3, 3}, {2, 1}, {1, 1}},
                              {{2, 5, 4, 6, 2}, {2, 3, 2, 6, 2}, {2, 3, 2}, {2, 2, 1}, {1, 1, 0}},
                              {{2, 5, 5, 3}, {2, 1, 1, 3}, {5, 5}, {1, 1}, {0, 0}},
                              // Windows that lie apart, with pixels that are in none.
                              {{2, 5, 7, 3}, {2, 2, 3, 3}, {2, 2}, {2, 2}, {0, 0}},
                              {{2, 11, 12, 3}, {2, 3, 3, 3}, {2, 3}, {4, 4}, {1, 0}}};
  for (bool maximum : {true, false})
    for (const Pattern& pattern : patterns)
      for (DType dtype : {DType::boolean, DType::uint8, DType::int32, DType::float16,
                          DType::float32, DType::float64}) {
        Pool kernel{maximum, false, pattern.window, pattern.strides, pattern.pad, pattern.pad};
        Array x = random_array(cases.generator, dtype, pattern.x, is_float(dtype) ? -6 : 0, 6);
        if (dtype == DType::float64) x.set(4, nan_value);
        Array y(dtype, pattern.y);
        CodegenCase& forward = cases.add(kernel, {x}, {y});
        forward.tolerance = dtype == DType::float32 ? 1e-6 : dtype == DType::float64 ? 1e-14 : 1e-3;
        run(kernel, {&x}, {&y});
        kernel.backward = true;
        CodegenCase& backward =
            cases.add(kernel, {x, y, random_array(cases.generator, dtype, pattern.y, 0, 9)},
                      {Array(dtype, pattern.x)});
        backward.tolerance = forward.tolerance;
        if (!maximum || !is_float(dtype)) continue;
        CodegenCase with_relu = backward;
        kernel.relu = true;
        with_relu.kernel = kernel;
        cases.all.push_back(std::move(with_relu));
      }
  // Channels that are taken in packs of 16 bytes, or are not, with windows that overlap (of which
  // few or many reach an element) or lie apart along some axes.
  const Pattern packed[] = {{{2, 9, 7, 16}, {2, 4, 3, 16}, {3, 3}, {2, 2}, {0, 0}},
                            {{2, 8, 7, 8}, {2, 4, 4, 8}, {3, 3}, {2, 2}, {1, 1}},
                            {{1, 6, 5, 24}, {1, 6, 5, 24}, {3, 3}, {1, 1}, {1, 1}},
                            {{2, 13, 5}, {2, 5, 5}, {5}, {2}, {0}},
                            {{2, 40, 8}, {2, 13, 8}, {6}, {3}, {2}},
                            {{1, 9, 10, 8}, {1, 3, 4, 8}, {5, 2}, {2, 3}, {0, 1}},
                            {{1, 8, 8, 8}, {1, 3, 3, 8}, {7, 7}, {2, 2}, {2, 2}},
                            {{1, 5, 6, 7, 8}, {1, 2, 3, 4, 8}, {3, 3, 3}, {2, 2, 2}, {0, 1, 1}},
                            {{1, 6, 5, 4, 5}, {1, 2, 3, 4, 5}, {2, 3, 1}, {3, 2, 1}, {0, 1, 0}},
                            {{2, 6, 10, 8}, {2, 2, 3, 8}, {2, 3}, {4, 4}, {0, 1}},
                            {{2, 7, 8}, {2, 1, 8}, {3}, {100}, {0}}};
  for (const Pattern& pattern : packed)
    for (bool maximum : {true, false})
      for (DType dtype : {DType::bfloat16, DType::float32, DType::float64}) {
        Pool kernel{maximum, false, pattern.window, pattern.strides, pattern.pad, pattern.pad};
        // Few values, so that windows have their maximum more than once.
        Array x = random_array(cases.generator, dtype, pattern.x, -3, 3);
        for (int64_t i = 0; i < x.numel(); i += 29) x.set(i, i % 2 == 0 ? nan_value : -inf);
        for (int64_t i = 0; i < x.numel() / 4; ++i)
          if (i % 8 == 1) x.set(i, -inf);
        Array y(dtype, pattern.y);
        run(kernel, {&x}, {&y});
        kernel.backward = true;
        CodegenCase& backward = cases.add(
            kernel, {x, y, numbers(cases.generator, dtype, pattern.y)}, {Array(dtype, pattern.x)});
        // Averages may cancel.
        if (!maximum) backward.tolerance = backward.slack = dtype == DType::float64 ? 1e-14 : 1e-6;
        if (!maximum && dtype == DType::bfloat16) backward.tolerance = 8e-3;
        if (!maximum) continue;
        CodegenCase with_relu = backward, unaligned = backward;
        kernel.relu = true;
        with_relu.kernel = kernel;
        unaligned.options.alignment = static_cast<int>(size_of(dtype));
        cases.all.push_back(std::move(with_relu));
        cases.all.push_back(std::move(unaligned));
      }
}

/// The backward case of a normalization with programs in front and behind, and the forward one.
void add_normalize_programs(Cases& cases, Normalize kernel, DType dtype,
                            std::vector<Array> backward, const std::vector<Array>& results,
                            double tolerance) {
  const Shape& shape = backward[0].shape();
  const DType one_type = dtype == DType::float64 ? dtype : DType::float32;
  const Array one(one_type, Shape{}, {1.5}),
      z = numbers(cases.generator, dtype, shape),
      other = numbers(cases.generator, DType::float32, shape);
  kernel.before = Program::make(3, [](std::vector<Expr> v) {
    return std::vector{expr::select(v[1] > 0.0, v[0], 0.0) * v[2]};
  });
  kernel.after = Program::make(2, [](std::vector<Expr> v) {
    return std::vector{expr::maximum(v[0] * 0.5 + v[1], -1.0) * 2.0};
  });
  std::vector<Array> forward = {backward[0], backward[4], backward[4]};
  for (std::vector<Array>* inputs : {&backward, &forward})
    inputs->insert(inputs->end(), {z, one, other});
  CodegenCase& slopes = cases.add(kernel, backward, results);
  slopes.tolerance = tolerance;
  slopes.slack = tolerance * 20;
  kernel.backward = false;
  CodegenCase& values = cases.add(kernel, forward, {backward[0], backward[1], backward[2]});
  values.tolerance = tolerance;
  values.slack = tolerance * 10;
}

void add_normalizations(Cases& cases) {
  for (DType dtype : {DType::bfloat16, DType::float32, DType::float64})
    for (bool channels : {true, false})
      for (const Shape& shape :
           {Shape{6, 8}, Shape{3, 5, 7}, Shape{2500, 5}, Shape{300, 40}, Shape{4, 1500},
            Shape{3, 300}, Shape{70, 1}, Shape{2100, 128}, Shape{20, 384}})
        for (int options : {7, 0, 1, 2, 3, 4, 5, 6}) {
          const bool every = shape[0] == 6 || (shape[0] == 2100 && !channels);
          if (options != 7 && (!every || dtype != DType::float32)) continue;
          Normalize kernel{channels, (options & 1) != 0, (options & 2) != 0, (options & 4) != 0};
          const DType statistics = dtype == DType::float64 ? DType::float64 : DType::float32;
          const Shape vector({shape.back()});
          const Shape kept = channels ? vector : shape.slice(0, shape.rank() - 1);
          Array x = numbers(cases.generator, dtype, shape);
          if (shape[0] == 2500)  // far from 0
            for (int64_t i = 0; i < x.numel(); ++i) x.set(i, x[i] + 50);
          Array scale = numbers(cases.generator, statistics, vector);
          Array offset = numbers(cases.generator, statistics, vector);
          Array y(dtype, shape), mean(statistics, kept), variance(statistics, kept);
          std::vector<Array> inputs = {x};
          if (kernel.scale) inputs.push_back(scale);
          if (kernel.offset) inputs.push_back(offset);
          const double tolerance = dtype == DType::float64   ? 1e-11
                                   : dtype == DType::float32 ? 2e-5
                                                             : 2e-2;
          CodegenCase& forward = cases.add(kernel, inputs, {y, mean, variance});
          forward.tolerance = tolerance;
          forward.slack = tolerance;
          std::vector<Array*> in;
          for (Array& input : inputs) in.push_back(&input);
          run(kernel, in, {&y, &mean, &variance});
          kernel.backward = true;
          inputs = {x, mean, variance, numbers(cases.generator, dtype, shape)};
          if (kernel.scale) inputs.push_back(scale);
          std::vector<Array> outputs = {Array(dtype, shape)};
          if (kernel.scale) outputs.emplace_back(statistics, vector);
          if (kernel.offset) outputs.emplace_back(statistics, vector);
          CodegenCase& backward = cases.add(kernel, inputs, outputs);
          backward.tolerance = tolerance;
          backward.slack = tolerance * 10;
          if (options == 7)
            add_normalize_programs(cases, kernel, dtype, inputs, outputs, tolerance);
        }
  cases.add(
      Normalize{true, true, false, false}, {Array(DType::float32, {0, 3})},
      {Array(DType::float32, {0, 3}), Array(DType::float32, {3}), Array(DType::float32, {3})});
  cases.add(
      Normalize{true, true, true, true, true},
      {Array(DType::float32, {0, 3}), Array(DType::float32, {3}), Array(DType::float32, {3}),
       Array(DType::float32, {0, 3}), Array(DType::float32, {3})},
      {Array(DType::float32, {0, 3}), Array(DType::float32, {3}), Array(DType::float32, {3})});
}

void add_matmuls(Cases& cases) {
  const auto add = [&](const Matmul& kernel, DType a, DType b, DType c, const Shape& a_shape,
                       const Shape& b_shape, const Shape& out) {
    std::vector<Array> inputs = {random_array(cases.generator, a, a_shape, -3, 3),
                                 random_array(cases.generator, b, b_shape, -3, 3)};
    if (kernel.bias) inputs.push_back(random_array(cases.generator, c, {out.back()}, -9, 9));
    cases.add(kernel, inputs, {Array(c, out)});
  };
  for (DType dtype : all_dtypes)
    add({false, false, true}, dtype, dtype, dtype, {5, 70}, {70, 33}, {5, 33});
  for (bool ta : {false, true})
    for (bool tb : {false, true})
      for (bool bias : {false, true}) {
        add({ta, tb, bias}, DType::float32, DType::float32, DType::float32,
            ta ? Shape{37, 70} : Shape{70, 37}, tb ? Shape{90, 37} : Shape{37, 90}, {70, 90});
        add({ta, tb, bias}, DType::int8, DType::int8, DType::int32,
            ta ? Shape{2, 1, 9, 6} : Shape{2, 1, 6, 9}, tb ? Shape{3, 8, 9} : Shape{3, 9, 8},
            {2, 3, 6, 8});
        // Few results of many products.
        add({ta, tb, bias}, DType::float64, DType::float64, DType::float64,
            ta ? Shape{2, 2000, 5} : Shape{2, 5, 2000}, tb ? Shape{7, 2000} : Shape{2000, 7},
            {2, 5, 7});
      }
  for (bool bias : {false, true})
    add({.bias = bias, .relu = true}, DType::float32, DType::float32, DType::float32, {70, 37},
        {37, 90}, {70, 90});
  add({}, DType::float16, DType::float16, DType::float32, {3, 4, 5}, {5, 6}, {3, 4, 6});
  add({}, DType::float32, DType::float32, DType::float32, {3, 0}, {0, 4}, {3, 4});
  add({}, DType::float32, DType::float32, DType::float32, {0, 3}, {3, 4}, {0, 4});
  add({}, DType::int8, DType::float32, DType::float32, {3, 3}, {3, 4}, {3, 4});
  for (const DType a : {DType::float8_e4m3fn, DType::float8_e5m2})
    for (const DType b : {DType::float8_e4m3fn, DType::float8_e5m2}) {
      add({.float8_a = a, .float8_b = b}, a, b, DType::float32, {2, 70, 37}, {37, 90}, {2, 70, 90});
      add({.transpose_b = true, .bias = true, .relu = true, .float8_a = a, .float8_b = b}, a, b,
          DType::float32, {5, 37}, {9, 37}, {5, 9});
    }
}

// All 8-bit floats as numbers; and as such what lies between them and beyond them.
void add_float8_casts(Cases& cases) {
  const auto add = [&](Opcode op, DType from, DType to, const std::vector<double>& values) {
    const Shape shape{static_cast<int64_t>(values.size())};
    cases.add(Fused{program_of(op)}, {Array(from, shape, values)}, {Array(to, shape)});
  };
  for (const DType dtype : {DType::float8_e4m3fn, DType::float8_e5m2}) {
    const bool wide = dtype == DType::float8_e5m2;
    std::vector<double> bits, numbers{inf, -inf, nan_value, 1e-30, -0.0, 464, 464.1, 61439, -61440};
    for (int i = 0; i < 256; ++i) {
      bits.push_back(i);
      const double x = float8_to_float(static_cast<uint8_t>(i), dtype);
      for (const double factor : {0.94, 1.0, 1.0625, 1.125, 1.19}) numbers.push_back(x * factor);
    }
    for (const DType other : {DType::float32, DType::float16, DType::bfloat16, DType::float64}) {
      add(wide ? Opcode::e5m2_number : Opcode::e4m3_number, DType::uint8, other, bits);
      add(wide ? Opcode::e5m2_bits : Opcode::e4m3_bits, other, DType::uint8, numbers);
    }
  }
}

void add_convolutions(Cases& cases) {
  struct Pattern {
    Shape x, weights, y;
    InlineVector<int64_t, 3> strides, dilation, pad;
    int64_t groups;
  };
  const Pattern patterns[] = {
      {{2, 12, 3}, {3, 3, 5}, {2, 12, 5}, {1}, {1}, {1}, 1},
      {{2, 9, 8, 4}, {3, 3, 4, 6}, {2, 5, 4, 6}, {2, 2}, {1, 1}, {1, 1}, 1},
      {{1, 10, 11, 4}, {2, 3, 2, 6}, {1, 8, 7, 6}, {1, 1}, {2, 2}, {0, 0}, 2},
      {{2, 6, 6, 5}, {3, 3, 1, 10}, {2, 6, 6, 10}, {1, 1}, {1, 1}, {1, 1}, 5},
      {{2, 30, 12, 40}, {3, 2, 1, 40}, {2, 30, 11, 40}, {1, 1}, {1, 1}, {1, 0}, 40},
      {{1, 9, 12}, {3, 6, 10}, {1, 9, 10}, {1}, {1}, {1}, 2},
      {{1, 4, 5, 6, 2}, {2, 3, 2, 2, 3}, {1, 3, 3, 3, 3}, {1, 2, 2}, {1, 1, 1}, {0, 1, 0}, 1},
      {{2, 20, 20, 3}, {1, 1, 3, 20}, {2, 20, 20, 20}, {1, 1}, {1, 1}, {0, 0}, 1},
      // Of few input channels.
      {{2, 13, 14, 1}, {3, 3, 1, 8}, {2, 11, 12, 8}, {1, 1}, {1, 1}, {0, 0}, 1},
      {{3, 9, 9, 3}, {3, 3, 3, 12}, {3, 5, 5, 12}, {2, 2}, {1, 1}, {1, 1}, 1},
      {{2, 40, 2}, {5, 2, 16}, {2, 36, 16}, {1}, {2}, {2}, 1},
      {{1, 5, 6, 7, 1}, {2, 2, 2, 1, 4}, {1, 4, 5, 6, 4}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, 1}};
  for (const Pattern& p : patterns)
    for (DType dtype : {DType::int32, DType::float16, DType::float32, DType::float64}) {
      Conv kernel{ConvPass::forward, p.strides, p.dilation, p.pad, p.pad, p.groups};
      const Array x = random_array(cases.generator, dtype, p.x, -3, 3);
      const Array weights = random_array(cases.generator, dtype, p.weights, -3, 3);
      const Array dy = random_array(cases.generator, dtype, p.y, -3, 3);
      cases.add(kernel, {x, weights}, {Array(dtype, p.y)});
      kernel.bias = kernel.relu = true;
      cases.add(kernel, {x, weights, random_array(cases.generator, dtype, {p.y.back()}, -9, 9)},
                {Array(dtype, p.y)});
      kernel.bias = kernel.relu = false;
      kernel.pass = ConvPass::backward_data;
      cases.add(kernel, {dy, weights}, {Array(dtype, p.x)});
      kernel.pass = ConvPass::backward_weights;
      cases.add(kernel, {x, dy}, {Array(dtype, p.weights)});
    }
  // No images.
  cases.add(Conv{ConvPass::backward_weights, {1}, {1}, {0}, {0}},
            {Array(DType::float32, {0, 5, 2}), Array(DType::float32, {0, 4, 3})},
            {Array(DType::float32, {2, 2, 3})});
}

}  // namespace

const std::vector<CodegenCase>& kernel_cases() {
  static const std::vector<CodegenCase> all = [] {
    Cases cases;
    add_copies(cases);
    add_gathers(cases);
    add_scatters(cases);
    add_cumulatives(cases);
    add_sorts(cases);
    add_softmaxes(cases);
    add_pools(cases);
    add_normalizations(cases);
    add_matmuls(cases);
    add_float8_casts(cases);
    add_convolutions(cases);
    return cases.all;
  }();
  return all;
}

}  // namespace cornu::backend::testing
