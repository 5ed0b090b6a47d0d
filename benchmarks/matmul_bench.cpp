// Times matrix products and convolutions of the CPU: nanoseconds per call and GFLOP/s.
//
//   matmul_bench [threads]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "../backend/cpu/kernels.h"

namespace {

using namespace cornu;
using namespace cornu::backend;

struct Array {
  Shape shape;
  DType dtype;
  std::vector<double> storage;  // doubles for their alignment

  Array(const Shape& sizes, DType type)
      : shape(sizes),
        dtype(type),
        storage((static_cast<size_t>(sizes.numel()) * size_of(type) + 7) / 8, 0.0) {}
  Operand operand() { return {&shape, dtype, storage.data()}; }
};

// The best of several rounds, in seconds per call: what the code can do when nothing disturbs it.
template <class F>
double seconds(F&& f) {
  using Clock = std::chrono::steady_clock;
  const auto timed = [&](int count) {
    const auto start = Clock::now();
    for (int i = 0; i < count; ++i) f();
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  f();
  int count = 1;
  while (timed(count) < 0.01 && count < 1 << 24) count *= 2;
  double best = 1e30;
  for (int round = 0; round < 15; ++round) best = std::min(best, timed(count) / count);
  return best;
}

void matmul(int64_t m, int64_t k, int64_t n, DType dtype, Matmul kernel = {}) {
  Array a(kernel.transpose_a ? Shape{k, m} : Shape{m, k}, dtype);
  Array b(kernel.transpose_b ? Shape{n, k} : Shape{k, n}, dtype);
  Array c({m, n}, dtype);
  const Operand inputs[] = {a.operand(), b.operand()}, outputs[] = {c.operand()};
  const double time = seconds([&] { cpu::run(kernel, inputs, outputs); });
  const auto executable = cpu_backend().prepare(kernel, inputs, outputs);
  void* const data[] = {a.storage.data(), b.storage.data(), c.storage.data()};
  const double prepared = seconds([&] { executable->run(data); });
  const double flops = 2.0 * static_cast<double>(m * n * k);
  std::printf(
      "matmul %s (%lld, %lld)%s x (%lld, %lld)%s  %.0f ns, prepared %.0f ns  %.1f GFLOP/s\n",
      dtype_name(dtype).data(), static_cast<long long>(m), static_cast<long long>(k),
      kernel.transpose_a ? "^T" : "", static_cast<long long>(k), static_cast<long long>(n),
      kernel.transpose_b ? "^T" : "", time * 1e9, prepared * 1e9, flops / prepared * 1e-9);
}

// The products of a dense layer's step: forward, and the gradients of its input and its kernel.
void dense(int64_t batch, int64_t in, int64_t out) {
  matmul(batch, in, out, DType::float32);
  matmul(batch, out, in, DType::float32, {.transpose_b = true});
  matmul(in, batch, out, DType::float32, {.transpose_a = true});
}

void conv(int64_t batch, int64_t size, int64_t in, int64_t out, int64_t window, DType dtype) {
  const int64_t pad = window / 2;
  Array x({batch, size, size, in}, dtype), w({window, window, in, out}, dtype),
      y({batch, size, size, out}, dtype);
  Conv kernel;
  kernel.strides = kernel.dilation = {1, 1};
  kernel.pad_low = kernel.pad_high = {pad, pad};
  const double flops = 2.0 * static_cast<double>(batch * size * size * in * out * window * window);
  const auto report = [&](const char* pass, std::initializer_list<Operand> inputs, Operand output) {
    const double time = seconds([&] {
      cpu::run(kernel, std::span<const Operand>(inputs.begin(), inputs.size()), {&output, 1});
    });
    std::printf("conv %s %lldx%lld %lld-%lld %lldx%lld batch %lld %s  %.3f ms  %.1f GFLOP/s\n",
                dtype_name(dtype).data(), static_cast<long long>(window),
                static_cast<long long>(window), static_cast<long long>(in),
                static_cast<long long>(out), static_cast<long long>(size),
                static_cast<long long>(size), static_cast<long long>(batch), pass, time * 1e3,
                flops / time * 1e-9);
  };
  report("forward", {x.operand(), w.operand()}, y.operand());
  kernel.pass = ConvPass::backward_data;
  report("backward_data", {y.operand(), w.operand()}, x.operand());
  kernel.pass = ConvPass::backward_weights;
  report("backward_weights", {x.operand(), y.operand()}, w.operand());
}

void pool(bool maximum, int64_t window) {
  Array x({16, 56, 56, 64}, DType::float32), dx = x,
                                             y({16, 56 / window, 56 / window, 64}, DType::float32);
  Pool kernel{maximum, false, {window, window}, {window, window}, {0, 0}, {0, 0}};
  const Operand forward[] = {x.operand()}, backward[] = {x.operand(), y.operand(), y.operand()};
  const Operand y_out = y.operand(), dx_out = dx.operand();
  const double time = seconds([&] { cpu::run(kernel, forward, {&y_out, 1}); });
  kernel.backward = true;
  const double back = seconds([&] { cpu::run(kernel, backward, {&dx_out, 1}); });
  std::printf("%s pool %lldx%lld of (16, 56, 56, 64)  %.3f ms, backward %.3f ms\n",
              maximum ? "max" : "average", static_cast<long long>(window),
              static_cast<long long>(window), time * 1e3, back * 1e3);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) set_threads(std::atoi(argv[1]));
  std::printf("%d threads\n", threads());
  constexpr Matmul plain{}, first{.transpose_a = true}, second{.transpose_b = true};
  const auto f32 = DType::float32, f64 = DType::float64;
  for (const auto& kernel : {plain, first, second}) {
    matmul(1, 20, 10, f32, kernel);
    matmul(1, 10, 1, f32, kernel);
    matmul(20, 1, 10, f32, kernel);
    matmul(32, 20, 10, f32, kernel);
    matmul(32, 10, 1, f32, kernel);
    matmul(32, 32, 32, f32, kernel);
    matmul(48, 48, 48, f32, kernel);
    matmul(64, 64, 64, f32, kernel);
    matmul(1, 784, 512, f32, kernel);
    matmul(8, 512, 512, f32, kernel);
    matmul(128, 784, 512, f32, kernel);
    matmul(1024, 1024, 1024, f32, kernel);
    matmul(128, 784, 512, f64, kernel);
    matmul(1024, 1024, 1024, f64, kernel);
  }
  for (const int64_t batch : {1, 32}) {
    dense(batch, 20, 20);
    dense(batch, 20, 10);
    dense(batch, 10, 1);
  }
  dense(128, 784, 512);
  dense(128, 512, 512);
  dense(128, 512, 10);
  dense(2048, 256, 1024);
  dense(2048, 256, 5000);
  dense(2560, 128, 512);
  matmul(128, 784, 512, DType::bfloat16);
  matmul(128, 784, 512, DType::float16);
  matmul(128, 784, 512, DType::int8);
  conv(1, 28, 1, 32, 3, f32);
  conv(64, 28, 1, 32, 3, f32);
  conv(8, 224, 3, 64, 7, f32);
  conv(1, 8, 8, 8, 3, f32);
  conv(16, 56, 64, 64, 3, f32);
  conv(16, 56, 64, 256, 1, f32);
  conv(16, 56, 64, 64, 3, DType::bfloat16);
  conv(1, 28, 32, 32, 3, f64);
  pool(true, 2);
  pool(false, 2);
}
