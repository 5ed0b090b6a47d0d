// Masks of attention for a library: with the kernels around it run on the host, and the library's
// formulas in between, results are those of the CPU.
#include <catch.h>
#include <cornu/backend/cuda/attention_mask.h>

#include <cmath>
#include <map>

#include "../array.h"

namespace attention_mask_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;
using cuda::cudnn::MaskPlan;

namespace {

constexpr int64_t batch = 2, queries = 5, heads = 3, keys = 7, depth = 4;

Array normal(std::mt19937& random, const Shape& shape) {
  std::normal_distribution<double> distribution(0, 1);
  Array array(DType::float32, shape);
  for (int64_t i = 0; i < array.numel(); ++i) array.set(i, distribution(random));
  return array;
}

// A mask with some rows that may attend nowhere.
Array random_mask(std::mt19937& random, DType dtype, const Shape& shape, bool finite) {
  Array mask(dtype, shape);
  const int64_t row = shape.back();
  for (int64_t i = 0; i < mask.numel(); ++i) {
    const bool shown = random_int(random, 0, 2) > 0 && i / row % 3 != 1;
    if (dtype == DType::boolean)
      mask.set(i, shown);
    else
      mask.set(i, shown || finite ? static_cast<double>(random_int(random, -3, 3)) : -HUGE_VAL);
  }
  return mask;
}

struct Problem {
  Attention attention;
  Array q, k, v, mask, y, logsumexp, dy, dq, dk, dv;

  Problem(std::mt19937& random, const Attention& a, const Array& m)
      : attention(a),
        q(normal(random, {batch, queries, heads, depth})),
        k(normal(random, {batch, keys, heads, depth})),
        v(normal(random, {batch, keys, heads, depth})),
        mask(m),
        y(q),
        logsumexp(DType::float32, {batch, heads, queries}),
        dy(normal(random, q.shape())),
        dq(q),
        dk(k),
        dv(v) {}

  void on_cpu() {
    attention.backward = false;
    run(attention, {&q, &k, &v, &mask}, {&y, &logsumexp});
    attention.backward = true;
    run(attention, {&q, &k, &v, &mask, &y, &logsumexp, &dy}, {&dq, &dk, &dv});
  }

  // By the steps of a plan around `library`.
  template <class F>
  void planned(F&& library) {
    std::map<MaskPlan::Place, std::vector<char>> memory;
    const MaskPlan plan(attention, DType::float32, q.shape(), keys, mask.shape(), mask.dtype());
    const auto address = [&](MaskPlan::Place place) -> void* {
      if (place == MaskPlan::mask) return mask.data();
      if (place == MaskPlan::q) return q.data();
      if (place == MaskPlan::logsumexp) return logsumexp.data();
      if (place == MaskPlan::dq) return dq.data();
      std::vector<char>& bytes = memory[place];
      bytes.resize(plan.bytes(place));
      return bytes.data();
    };
    const auto all = [&](MaskPlan::Phase phase) {
      for (const MaskPlan::Step& step : plan.steps[phase]) {
        std::vector<Operand> in;
        for (const MaskPlan::Use& use : step.inputs)
          in.push_back({&use.shape, use.dtype, address(use.place)});
        const Operand out{&step.output.shape, step.output.dtype, address(step.output.place)};
        cpu_backend().run(step.kernel, in, {&out, 1});
      }
    };
    all(MaskPlan::first);
    all(MaskPlan::before);
    const auto* bias = static_cast<const float*>(address(MaskPlan::bias));
    const auto* shown_q = static_cast<const float*>(address(MaskPlan::shown_q));
    auto* sums =
        static_cast<float*>(address(attention.backward ? MaskPlan::sums : MaskPlan::logsumexp));
    library(plan.bias_layout(), bias, shown_q, sums);
    all(MaskPlan::after);
  }

  int64_t at_query(int64_t b, int64_t h, int64_t i) const {
    return ((b * queries + i) * heads + h) * depth;
  }
  int64_t at_key(int64_t b, int64_t h, int64_t j) const {
    return ((b * keys + j) * heads + h) * depth;
  }
  template <class F>
  static void each_row(F&& f) {
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t h = 0; h < heads; ++h)
        for (int64_t i = 0; i < queries; ++i) f(b, h, i);
  }
  // float32 sums, as the library's: large numbers swallow scores.
  float score(const cuda::cudnn::Layout& l, const float* bias, const float* shown_q, int64_t b,
              int64_t h, int64_t i, int64_t j) const {
    const auto size = [&](size_t axis, int64_t at) { return l.sizes[axis] == 1 ? 0 : at; };
    float sum = 0;
    for (int64_t d = 0; d < depth; ++d)
      sum += shown_q[at_query(b, h, i) + d] * static_cast<float>(k[at_key(b, h, j) + d]);
    return sum * static_cast<float>(attention.scale) +
           bias[size(0, b) * l.strides[0] + size(1, h) * l.strides[1] + i * l.strides[2] +
                j * l.strides[3]];
  }

  void by_library() {
    attention.backward = false;
    planned([&](const auto& l, const float* bias, const float* shown_q, float* sums) {
      each_row([&](int64_t b, int64_t h, int64_t i) {
        float most = -HUGE_VALF, total = 0, scores[keys];
        for (int64_t j = 0; j < keys; ++j)
          most = std::max(most, scores[j] = score(l, bias, shown_q, b, h, i, j));
        for (float& s : scores) total += s = std::exp(s - most);
        for (int64_t d = 0; d < depth; ++d) {
          double sum = 0;
          for (int64_t j = 0; j < keys; ++j) sum += scores[j] / total * v[at_key(b, h, j) + d];
          y.set(at_query(b, h, i) + d, sum);
        }
        sums[(b * heads + h) * queries + i] = most + std::log(total);
      });
    });
    attention.backward = true;
    for (Array* gradient : {&dq, &dk, &dv})
      for (int64_t i = 0; i < gradient->numel(); ++i) gradient->set(i, 0);
    planned([&](const auto& l, const float* bias, const float* shown_q, const float* sums) {
      const auto add = [](Array& to, int64_t at, double value) { to.set(at, to[at] + value); };
      each_row([&](int64_t b, int64_t h, int64_t i) {
        const int64_t row = at_query(b, h, i);
        double product = 0;
        for (int64_t d = 0; d < depth; ++d) product += dy[row + d] * y[row + d];
        for (int64_t j = 0; j < keys; ++j) {
          const int64_t key = at_key(b, h, j);
          const double weight =
              std::exp(score(l, bias, shown_q, b, h, i, j) - sums[(b * heads + h) * queries + i]);
          double slope = 0;
          for (int64_t d = 0; d < depth; ++d) {
            slope += dy[row + d] * v[key + d];
            add(dv, key + d, weight * dy[row + d]);
          }
          slope = weight * (slope - product) * attention.scale;
          for (int64_t d = 0; d < depth; ++d) {
            add(dq, row + d, slope * k[key + d]);
            add(dk, key + d, slope * static_cast<double>(shown_q[row + d]));
          }
        }
      });
    });
  }
};

void check_close(const Array& found, const Array& wanted) {
  double worst = 0;
  for (int64_t i = 0; i < found.numel(); ++i) {
    const double difference = found[i] == wanted[i] ? 0 : std::fabs(found[i] - wanted[i]);
    worst = difference <= worst ? worst : difference;  // NaN counts
  }
  CHECK(worst < 2e-5);
}

}  // namespace

TEST_CASE("attention with a library's mask is that of the CPU") {
  std::mt19937 random(3);
  for (const Shape& shape :
       {Shape{batch, heads, queries, keys}, Shape{batch, 1, queries, keys},
        Shape{batch, 1, 1, keys}, Shape{heads, queries, keys}, Shape{queries, keys}, Shape{keys},
        Shape{batch, 1, queries, 1}, Shape{1, heads, 1, 1}, Shape{}})
    for (DType dtype : {DType::boolean, DType::float32})
      for (bool causal : {false, true})
        for (bool finite : {false, true}) {
          INFO("mask " << dtype_name(dtype) << " " << shape.str() << (causal ? " causal" : ""));
          const Attention attention{.scale = 0.5, .causal = causal, .mask = true};
          const Array mask = shape.rank() == 0 ? Array(dtype, shape, {1})
                                               : random_mask(random, dtype, shape, finite);
          Problem wanted(random, attention, mask);
          Problem found = wanted;
          wanted.on_cpu();
          found.by_library();
          check_close(found.y, wanted.y);
          check_close(found.logsumexp, wanted.logsumexp);
          check_close(found.dq, wanted.dq);
          check_close(found.dk, wanted.dk);
          check_close(found.dv, wanted.dv);
        }
}

TEST_CASE("what a library adds to scores is finite in its dtype") {
  const Attention attention{.mask = true};
  const Shape q{2, 8, 3, 16}, mask{2, 1, 1, 9};
  const MaskPlan half(attention, DType::float16, q, 9, mask, DType::boolean);
  CHECK(half.bias_dtype() == DType::float16);
  CHECK(half.bias_layout() == cuda::cudnn::Layout{{2, 1, 8, 9}, {9, 9, 0, 1}});
  CHECK(half.bytes(MaskPlan::bias) == 2 * 9 * 2);
  CHECK(half.bytes(MaskPlan::q) == 0);
  const MaskPlan added(attention, DType::float16, q, 9, mask, DType::float32);
  CHECK(added.bias_dtype() == DType::float32);
  const MaskPlan causal({.causal = true, .mask = true}, DType::bfloat16, q, 9, mask,
                        DType::boolean);
  CHECK(causal.bias_layout() == cuda::cudnn::Layout{{2, 1, 8, 9}, {72, 72, 9, 1}});
}

}  // namespace attention_mask_test
