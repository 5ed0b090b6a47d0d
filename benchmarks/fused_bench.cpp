// Compares the tile interpreter with loops fused by hand (AVX2), and times small kernels. Prints
// ratios beside the limits they should keep: 1.5 for one thread on a million floats, 1 us and 0.5
// us for small ones.
#include <cornu/backend/backend.h>
#include <immintrin.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <vector>

namespace {

using namespace cornu;
using namespace cornu::backend;

/// Floats from the backend's allocator: aligned as those of tensors are.
class Floats {
 public:
  explicit Floats(int64_t n, float value = 0) : size_(static_cast<size_t>(n)) {
    data_ = static_cast<float*>(cpu_backend().allocator().allocate(size_ * sizeof(float)));
    std::fill_n(data_, size_, value);
  }
  Floats(const Floats&) = delete;
  Floats& operator=(const Floats&) = delete;
  ~Floats() { cpu_backend().allocator().deallocate(data_, size_ * sizeof(float)); }
  float* data() { return data_; }
  float& operator[](int64_t i) { return data_[i]; }

 private:
  size_t size_;
  float* data_;
};

/// Best of several runs, in nanoseconds a call.
double best_time(int calls, const std::function<void()>& f) {
  double best = 1e30;
  for (int attempt = 0; attempt < 60; ++attempt) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) f();
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
    best = std::min(best, spent.count() / calls);
  }
  return best;
}

#define AVX2 __attribute__((target("avx2,fma")))

AVX2 inline __m256 polynomial(__m256 x, std::initializer_list<float> coefficients) {
  __m256 sum = _mm256_setzero_ps();
  for (float c : coefficients) sum = _mm256_fmadd_ps(sum, x, _mm256_set1_ps(c));
  return sum;
}

AVX2 inline __m256 exp_negative(__m256 x) {
  const __m256 q = _mm256_round_ps(_mm256_mul_ps(x, _mm256_set1_ps(1.44269504f)),
                                   _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  __m256 r = _mm256_fnmadd_ps(q, _mm256_set1_ps(0.693359375f), x);
  r = _mm256_fnmadd_ps(q, _mm256_set1_ps(-2.12194440e-4f), r);
  const __m256 p = polynomial(r, {1.f / 5040, 1.f / 720, 1.f / 120, 1.f / 24, 1.f / 6, 0.5f, 1, 1});
  const __m256i exponent = _mm256_slli_epi32(_mm256_cvtps_epi32(q), 23);
  return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(p), exponent));
}

AVX2 inline __m256 erf(__m256 a) {
  const __m256 sign = _mm256_set1_ps(-0.0f), x = _mm256_andnot_ps(sign, a);
  const __m256 p = polynomial(_mm256_mul_ps(a, a), {-0.00059538835f, 0.0049859746f, -0.026761750f,
                                                    0.11281684f, -0.37612480f, 0.12837915f});
  const __m256 near = _mm256_fmadd_ps(p, a, a);
  const __m256 t = _mm256_min_ps(x, _mm256_set1_ps(3.95f));
  const __m256 q = polynomial(t, {1.0433119e-05f, -0.00031485816f, 0.0036103420f, -0.023694566f,
                                  0.10615905f, 0.63519806f, 1.1286371f});
  const __m256 decay = exp_negative(_mm256_xor_ps(sign, _mm256_mul_ps(q, t)));
  const __m256 far = _mm256_or_ps(_mm256_sub_ps(_mm256_set1_ps(1), decay), _mm256_and_ps(sign, a));
  return _mm256_blendv_ps(near, far, _mm256_cmp_ps(x, _mm256_set1_ps(0.93f), _CMP_GE_OQ));
}

/// gelu(x * w + b); w and b repeat every `columns`.
AVX2 void gelu_by_hand(const float* x, const float* w, const float* b, float* y, int64_t rows,
                       int64_t columns) {
  for (int64_t r = 0; r < rows; ++r, x += columns, y += columns)
    for (int64_t i = 0; i < columns; i += 8) {
      const __m256 z = _mm256_add_ps(_mm256_mul_ps(_mm256_loadu_ps(x + i), _mm256_loadu_ps(w + i)),
                                     _mm256_loadu_ps(b + i));
      const __m256 e = erf(_mm256_mul_ps(z, _mm256_set1_ps(0.70710678f)));
      const __m256 half = _mm256_mul_ps(z, _mm256_set1_ps(0.5f));
      _mm256_storeu_ps(y + i, _mm256_mul_ps(half, _mm256_add_ps(e, _mm256_set1_ps(1))));
    }
}

AVX2 void adam_by_hand(float* p, float* m, float* v, const float* g, float rate, int64_t n) {
  const __m256 b1 = _mm256_set1_ps(0.1f), b2 = _mm256_set1_ps(0.001f), lr = _mm256_set1_ps(rate),
               epsilon = _mm256_set1_ps(1e-7f);
  for (int64_t i = 0; i < n; i += 8) {
    const __m256 gradient = _mm256_loadu_ps(g + i);
    __m256 mean = _mm256_loadu_ps(m + i), square = _mm256_loadu_ps(v + i);
    mean = _mm256_add_ps(mean, _mm256_mul_ps(_mm256_sub_ps(gradient, mean), b1));
    square = _mm256_add_ps(
        square, _mm256_mul_ps(_mm256_sub_ps(_mm256_mul_ps(gradient, gradient), square), b2));
    const __m256 step =
        _mm256_div_ps(_mm256_mul_ps(mean, lr), _mm256_add_ps(_mm256_sqrt_ps(square), epsilon));
    _mm256_storeu_ps(m + i, mean);
    _mm256_storeu_ps(v + i, square);
    _mm256_storeu_ps(p + i, _mm256_sub_ps(_mm256_loadu_ps(p + i), step));
  }
}

Operand operand(const Shape& shape, Floats& data) { return {&shape, DType::float32, data.data()}; }

void report(const char* name, double hand, double ours) {
  std::printf("%-38s by hand %8.1f us, interpreter %8.1f us, ratio %.2f (limit 1.5)\n", name,
              hand / 1000, ours / 1000, ours / hand);
}

void large(int64_t rows, int64_t columns) {
  const int64_t n = rows * columns;
  const Shape shape({rows, columns}), row({columns}), scalar;
  Floats x(n), y(n), z(n), w(columns, 1.1f), b(columns, 0.1f);
  for (int64_t i = 0; i < n; ++i)
    x[i] = static_cast<float>(std::sin(0.37 * static_cast<double>(i)) * 4);

  const Kernel gelu = Fused{Program::make(3, [](std::vector<Expr> in) {
    const Expr s = in[0] * in[1] + in[2];
    return std::vector<Expr>{s * 0.5 * (expr::erf(s * 0.7071067811865476) + 1.0)};
  })};
  const Operand inputs[] = {operand(shape, x), operand(row, w), operand(row, b)};
  const Operand outputs[] = {operand(shape, y)};
  const double ours = best_time(1, [&] { cpu_backend().run(gelu, inputs, outputs); });
  const double hand =
      best_time(1, [&] { gelu_by_hand(x.data(), w.data(), b.data(), z.data(), rows, columns); });
  float difference = 0;
  for (int64_t i = 0; i < n; ++i) difference = std::max(difference, std::fabs(y[i] - z[i]));
  report("gelu(x * w + b)", hand, ours);
  std::printf("%-38s largest difference %.1e\n", "", static_cast<double>(difference));

  const Kernel adam = Fused{Program::make(5, [](std::vector<Expr> in) {
    const Expr p = in[0], m = in[1], v = in[2], g = in[3], rate = in[4];
    const Expr mean = expr::lerp(m, g, 0.1), square = expr::lerp(v, g * g, 0.001);
    return std::vector<Expr>{p - expr::div_sqrt_eps(mean * rate, square, 1e-7), mean, square};
  })};
  Floats p(n, 1), m(n), v(n), rate(1, 1e-3f);
  const Operand adam_inputs[] = {operand(shape, p), operand(shape, m), operand(shape, v),
                                 operand(shape, x), operand(scalar, rate)};
  const Operand adam_outputs[] = {operand(shape, p), operand(shape, m), operand(shape, v)};
  const double adam_ours =
      best_time(1, [&] { cpu_backend().run(adam, adam_inputs, adam_outputs); });
  const double adam_hand =
      best_time(1, [&] { adam_by_hand(p.data(), m.data(), v.data(), x.data(), 1e-3f, n); });
  report("Adam update", adam_hand, adam_ours);

  const Kernel sums[] = {
      Reduce{program_of(Opcode::square), DType::float32, ReduceOp::sum, {0, 1}, shape},
      Reduce{program_of(Opcode::square), DType::float32, ReduceOp::sum, {0}, shape},
      Reduce{program_of(Opcode::square), DType::float32, ReduceOp::sum, {1}, shape}};
  const char* names[] = {"sum of squares, all axes", "sum of squares, axis 0",
                         "sum of squares, axis 1"};
  const Shape results[] = {Shape(), Shape({columns}), Shape({rows})};
  for (int i = 0; i < 3; ++i) {
    const Operand in[] = {operand(shape, x)}, out[] = {operand(results[i], y)};
    const double time = best_time(1, [&] { cpu_backend().run(sums[i], in, out); });
    std::printf("%-38s %8.1f us, %.1f GB/s\n", names[i], time / 1000,
                static_cast<double>(n) * 4 / time);
  }
  const Operand in[] = {operand(shape, x)}, out[] = {operand(shape, y)};
  const Kernel softmax = Softmax{};
  const double time = best_time(1, [&] { cpu_backend().run(softmax, in, out); });
  std::printf("%-38s %8.1f us, %.2f ns an element\n", "softmax", time / 1000,
              time / static_cast<double>(n));
}

void small() {
  const Shape shape({20, 10}), twenty({20}), ten({10});
  Floats x(200, 1.5f), y(200), z(200);
  const auto time = [](const char* name, double limit, const Kernel& kernel,
                       std::vector<Operand> inputs, std::vector<Operand> outputs) {
    const double spent = best_time(5000, [&] { cpu_backend().run(kernel, inputs, outputs); });
    std::printf("%-38s %8.0f ns (limit %.0f)\n", name, spent, limit);
  };
  const auto fused = [](Opcode op) { return Fused{program_of(op)}; };
  time("x + y, 20 elements", 1000, fused(Opcode::add), {operand(twenty, x), operand(twenty, y)},
       {operand(twenty, z)});
  time("tanh(x), 20 elements", 1000, fused(Opcode::tanh), {operand(twenty, x)},
       {operand(twenty, z)});
  time("x + bias, 20 x 10", 1000, fused(Opcode::add), {operand(shape, x), operand(ten, y)},
       {operand(shape, z)});
  const auto sum = [&](int axis) {
    return Reduce{program_of(Opcode::identity), DType::float32, ReduceOp::sum, {axis}, shape};
  };
  time("sum over axis 0, 20 x 10", 500, sum(0), {operand(shape, x)}, {operand(ten, z)});
  time("sum over axis 1, 20 x 10", 500, sum(1), {operand(shape, x)}, {operand(twenty, z)});
  time("softmax, 20 x 10", 1000, Softmax{}, {operand(shape, x)}, {operand(shape, z)});
}

}  // namespace

int main() {
  set_threads(1);
  std::printf("1024 x 1024, one thread\n");
  large(1024, 1024);
  std::printf("16384 x 64, one thread\n");
  large(16384, 64);
  std::printf("small\n");
  small();
}
