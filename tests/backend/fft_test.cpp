// The Fft kernel against the sum that defines it, in double precision.
#include <cmath>
#include <complex>
#include <numbers>
#include <thread>

#include "array.h"
#include "catch.h"

namespace fft_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {

struct Size {
  Shape x;
  int64_t bins;
};

Array normals(std::mt19937& generator, DType dtype, const Shape& shape) {
  std::normal_distribution<double> normal(0, 1);
  Array array(dtype, shape);
  for (int64_t i = 0; i < array.numel(); ++i) array.set(i, normal(generator));
  return array;
}

Shape with_last(Shape shape, int64_t size) {
  shape[shape.rank() - 1] = size;
  return shape;
}

// The largest difference to the sums of some terms of all rows, relative to the size of a sum of n
// random numbers.
double worst_error(const Array& re, const Array* im, const Array& y_re, const Array& y_im,
                   bool inverse) {
  const int64_t n = re.shape().back(), bins = y_re.shape().back();
  const int64_t step = std::max<int64_t>(1, n * bins / 300'000);
  std::vector<std::complex<double>> roots;
  for (int64_t k = 0; k < n; ++k)
    roots.push_back(std::polar(1.0, (inverse ? 2 : -2) * std::numbers::pi * static_cast<double>(k) /
                                        static_cast<double>(n)));
  double worst = 0;
  for (int64_t row = 0; row < re.numel() / n; ++row)
    for (int64_t k = row % step; k < bins; k += step) {
      std::complex<double> sum = 0;
      for (int64_t j = 0; j < n; ++j)
        sum += std::complex<double>(re[row * n + j], im ? (*im)[row * n + j] : 0) *
               roots[static_cast<size_t>(j * k % n)];
      const std::complex<double> got(y_re[row * bins + k], y_im[row * bins + k]);
      const double error = std::abs(got - sum) / std::sqrt(static_cast<double>(n));
      worst = error <= worst ? worst : error;  // NaN counts
    }
  return worst;
}

void check(const Size& size, DType dtype, bool real, bool inverse) {
  std::mt19937 generator(3);
  Array re = normals(generator, dtype, size.x), im = normals(generator, dtype, size.x);
  const Shape out = with_last(size.x, size.bins);
  Array y_re(dtype, out), y_im(dtype, out);
  if (real)
    run(Fft{inverse}, {&re}, {&y_re, &y_im});
  else
    run(Fft{inverse}, {&re, &im}, {&y_re, &y_im});
  INFO(size.x.str() << " bins " << size.bins << " " << dtype_name(dtype) << " real " << real
                    << " inverse " << inverse);
  CHECK(worst_error(re, real ? nullptr : &im, y_re, y_im, inverse) <
        (dtype == DType::float64 ? 5e-14 : 4e-6));
}

}  // namespace

TEST_CASE("Fourier transforms of all kinds of sizes are the sums that define them") {
  // Products of small and of large factors, primes below and above what is done directly.
  for (const int64_t n : {1,   2,   3,    7,    8,    12,   64,   100,  257,   360,
                          512, 600, 1018, 1021, 2048, 4096, 5003, 6561, 16384, 30030})
    for (const DType dtype : {DType::float32, DType::float64})
      for (const bool real : {false, true}) {
        const int64_t rows = n > 2000 ? 2 : 5;
        check({{rows, n}, n}, dtype, real, false);
        check({{rows, n}, n}, dtype, real, true);
        check({{rows, n}, n / 2 + 1}, dtype, real, false);
        check({{rows, n}, std::min<int64_t>(n, 5)}, dtype, real, true);
      }
}

TEST_CASE("Fourier transforms have any axes before the last") {
  for (const int64_t n : {6, 77, 600}) {
    check({{n}, n}, DType::float32, false, false);
    check({{2, 3, n}, n - 1}, DType::float32, true, false);
    check({{2, 1, 3, 2, n}, n}, DType::float64, false, true);
    check({{64, n}, 1}, DType::float32, false, false);
    check({{0, n}, n}, DType::float32, false, false);
    check({{3, n}, 0}, DType::float32, true, false);
  }
}

TEST_CASE("Fourier transforms run in several threads, and forget old sizes") {
  std::vector<std::thread> team;
  std::vector<int> right(4, 0);
  for (size_t worker = 0; worker < right.size(); ++worker)
    team.emplace_back([&, worker] {
      std::mt19937 generator(static_cast<unsigned>(worker));
      for (int64_t n = 2; n < 120; ++n) {
        Array re = normals(generator, DType::float64, {2, n}), im = re, back = re, zeros = re;
        Array y_re = re, y_im = re;
        run(Fft{}, {&re}, {&y_re, &y_im});
        run(Fft{true}, {&y_re, &y_im}, {&back, &zeros});
        bool same = true;
        for (int64_t i = 0; i < back.numel(); ++i)
          same &= std::fabs(back[i] / static_cast<double>(n) - re[i]) < 1e-13 &&
                  std::fabs(zeros[i]) < 1e-11;
        right[worker] += same;
      }
    });
  for (std::thread& thread : team) thread.join();
  for (const int count : right) CHECK(count == 118);
}

TEST_CASE("Fourier transforms give the same bits each time, and give back their memory") {
  std::mt19937 generator(5);
  for (const int64_t n : {512, 5003}) {
    Array re = normals(generator, DType::float32, {3, n}), im = re;
    Array y_re = re, y_im = re, again_re = re, again_im = re;
    run(Fft{}, {&re, &im}, {&y_re, &y_im});
    const size_t live = cpu_backend().allocator().stats().live;
    run(Fft{}, {&re, &im}, {&again_re, &again_im});
    CHECK(cpu_backend().allocator().stats().live == live);
    CHECK((again_re == y_re && again_im == y_im));
  }
}

}  // namespace fft_test
