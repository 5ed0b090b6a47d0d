// Times the convolutions of ResNet-50 and of a small CNN for MNIST: GFLOP/s of each pass and
// layout, and the fraction of what sgemm reaches in the same process.
//
//   conv_bench [batch] [threads] [seconds per measurement]
//
// ONEDNN_MAX_CPU_ISA=AVX2 shows a machine without AVX-512.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "../backend/cpu/prepare_conv.h"

namespace {

using namespace cornu;
using namespace cornu::backend;

double budget = 0.2;

struct Array {
  Shape shape;
  std::vector<double> storage;  // doubles for their alignment

  explicit Array(const Shape& sizes)
      : shape(sizes), storage((static_cast<size_t>(sizes.numel()) + 1) / 2) {
    auto* const values = reinterpret_cast<float*>(storage.data());
    for (int64_t i = 0; i < sizes.numel(); ++i) values[i] = static_cast<float>(i % 17) - 8;
  }
  Operand operand() { return {&shape, DType::float32, storage.data()}; }
};

// The best of many calls, in seconds: what the code can do when nothing disturbs it.
template <class F>
double seconds(F&& f) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  double best = 1e30;
  for (int calls = 0; calls < 4 || Clock::now() - begin < std::chrono::duration<double>(budget);
       ++calls) {
    const auto start = Clock::now();
    f();
    if (calls > 0)
      best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

double peak() {
  constexpr int64_t size = 1536;
  Array a({size, size}), b({size, size}), c({size, size});
  const Operand inputs[] = {a.operand(), b.operand()}, output = c.operand();
  const double time = seconds([&] { cpu_backend().run(Matmul{}, inputs, {&output, 1}); });
  return 2.0 * size * size * size / time * 1e-9;
}

struct Layer {
  const char* name;
  int count;  // how often the network has it
  int64_t batch, in, out, size, window, stride, pad;

  int64_t y() const { return (size + 2 * pad - window) / stride + 1; }
  double flops() const {
    return 2.0 * static_cast<double>(batch * y() * y() * window * window * in * out);
  }
};

Shape data_shape(int64_t batch, int64_t size, int64_t channels, int64_t block) {
  if (block == 0) return {batch, size, size, channels};
  return {batch, channels / block, size, size, block};
}

struct Timing {
  double seconds = 0;
  std::string method;
};

Timing time_of(const Layer& l, ConvPass pass, int64_t block_x, int64_t block_y) {
  Conv kernel{pass, {l.stride, l.stride}, {1, 1}, {l.pad, l.pad}, {l.pad, l.pad}, 1, false};
  kernel.block_x = block_x;
  kernel.block_y = block_y;
  Array x(data_shape(l.batch, l.size, l.in, block_x));
  Array y(data_shape(l.batch, l.y(), l.out, block_y));
  Array w({l.window, l.window, l.in, l.out});
  const Operand operands[3] = {x.operand(), w.operand(), y.operand()};
  const std::array<size_t, 3> order = pass == ConvPass::forward ? std::array<size_t, 3>{0, 1, 2}
                                      : pass == ConvPass::backward_data
                                          ? std::array<size_t, 3>{2, 1, 0}
                                          : std::array<size_t, 3>{0, 2, 1};
  const Operand inputs[] = {operands[order[0]], operands[order[1]]}, output = operands[order[2]];
  void* const data[] = {inputs[0].data, inputs[1].data, output.data};
  const auto prepared = cpu::prepare_conv(kernel, inputs, {&output, 1});
  if (prepared == nullptr) return {};
  return {seconds([&] { prepared->run(data); }), cpu::conv_method(kernel, inputs, {&output, 1})};
}

constexpr ConvPass passes[] = {ConvPass::forward, ConvPass::backward_data,
                               ConvPass::backward_weights};
constexpr const char* pass_names[] = {"forward", "backward data", "backward weights"};

// Prints each layer's passes, and the network's sums: of each layout, and of the better one.
void network(const char* name, const std::vector<Layer>& layers, double sgemm) {
  const int64_t block = cpu_backend().channel_block();
  std::printf("\n%s, batch %lld: GFLOP/s (fraction of sgemm) channels last | blocks of %lld\n",
              name, static_cast<long long>(layers[0].batch), static_cast<long long>(block));
  std::array<double, 3> flops{}, last_sum{}, block_sum{};
  for (const Layer& l : layers)
    for (size_t pass = 0; pass < 3; ++pass) {
      const bool first = l.in < 8;  // the first layer: nobody asks for its dx
      if (first && passes[pass] == ConvPass::backward_data) continue;
      const Timing last = time_of(l, passes[pass], 0, 0);
      const Timing blocked = block == 0 ? last : time_of(l, passes[pass], first ? 0 : block, block);
      const auto speed = [&](const Timing& t) { return l.flops() / t.seconds * 1e-9; };
      std::printf("%-14s x%d %-17s %7.1f %3.0f%% %-26s | %7.1f %3.0f%% %s\n", l.name, l.count,
                  pass_names[pass], speed(last), 100 * speed(last) / sgemm, last.method.c_str(),
                  speed(blocked), 100 * speed(blocked) / sgemm, blocked.method.c_str());
      std::fflush(stdout);
      flops[pass] += l.count * l.flops();
      last_sum[pass] += l.count * last.seconds;
      block_sum[pass] += l.count * blocked.seconds;
    }
  const auto report = [&](const char* what, double work, double last, double blocked) {
    std::printf("%-36s %7.1f %3.0f%% %8.1f ms                | %7.1f %3.0f%% %8.1f ms\n", what,
                work / last * 1e-9, work / last * 1e-7 / sgemm, last * 1e3, work / blocked * 1e-9,
                work / blocked * 1e-7 / sgemm, blocked * 1e3);
  };
  double all = 0, all_last = 0, all_blocked = 0;
  for (size_t pass = 0; pass < 3; ++pass) {
    report(pass_names[pass], flops[pass], last_sum[pass], block_sum[pass]);
    all += flops[pass];
    all_last += last_sum[pass];
    all_blocked += block_sum[pass];
  }
  report("training step", all, all_last, all_blocked);
}

std::vector<Layer> resnet50(int64_t n) {
  return {{"7x7/2 3-64", 1, n, 3, 64, 230, 7, 2, 0},
          {"56 64-64", 1, n, 64, 64, 56, 1, 1, 0},
          {"56 256-64", 2, n, 256, 64, 56, 1, 1, 0},
          {"56 3x3 64", 3, n, 64, 64, 56, 3, 1, 1},
          {"56 64-256", 4, n, 64, 256, 56, 1, 1, 0},
          {"56/2 256-128", 1, n, 256, 128, 56, 1, 2, 0},
          {"28 512-128", 3, n, 512, 128, 28, 1, 1, 0},
          {"28 3x3 128", 4, n, 128, 128, 28, 3, 1, 1},
          {"28 128-512", 4, n, 128, 512, 28, 1, 1, 0},
          {"56/2 256-512", 1, n, 256, 512, 56, 1, 2, 0},
          {"28/2 512-256", 1, n, 512, 256, 28, 1, 2, 0},
          {"14 1024-256", 5, n, 1024, 256, 14, 1, 1, 0},
          {"14 3x3 256", 6, n, 256, 256, 14, 3, 1, 1},
          {"14 256-1024", 6, n, 256, 1024, 14, 1, 1, 0},
          {"28/2 512-1024", 1, n, 512, 1024, 28, 1, 2, 0},
          {"14/2 1024-512", 1, n, 1024, 512, 14, 1, 2, 0},
          {"7 2048-512", 2, n, 2048, 512, 7, 1, 1, 0},
          {"7 3x3 512", 3, n, 512, 512, 7, 3, 1, 1},
          {"7 512-2048", 3, n, 512, 2048, 7, 1, 1, 0},
          {"14/2 1024-2048", 1, n, 1024, 2048, 14, 1, 2, 0}};
}

void pool(int64_t batch, int64_t size, int64_t channels, int64_t window, int64_t stride) {
  for (const int64_t block : {int64_t{0}, cpu_backend().channel_block()}) {
    const int64_t pooled = (size - window) / stride + 1;
    Array x(data_shape(batch, size, channels, block)), dx = x;
    Array y(data_shape(batch, pooled, channels, block)), dy = y;
    std::printf("pool %lldx%lld/%lld of (%lld, %lld, %lld, %lld), block %lld:",
                static_cast<long long>(window), static_cast<long long>(window),
                static_cast<long long>(stride), static_cast<long long>(batch),
                static_cast<long long>(size), static_cast<long long>(size),
                static_cast<long long>(channels), static_cast<long long>(block));
    for (const bool maximum : {true, false}) {
      Pool kernel{maximum, false, {window, window}, {stride, stride}, {0, 0}, {0, 0}, block};
      const Operand inputs[] = {x.operand(), y.operand(), dy.operand()};
      const Operand y_out = y.operand(), dx_out = dx.operand();
      const auto forward = cpu::prepare_pool(kernel, {inputs, 1}, {&y_out, 1});
      kernel.backward = true;
      const auto backward = cpu::prepare_pool(kernel, inputs, {&dx_out, 1});
      void* const forward_data[] = {x.storage.data(), y.storage.data()};
      void* const data[] = {x.storage.data(), y.storage.data(), dy.storage.data(),
                            dx.storage.data()};
      const double ahead = seconds([&] { forward->run(forward_data); });
      const double back = seconds([&] { backward->run(data); });
      std::printf(" %s %.3f ms, backward %.3f ms", maximum ? "max" : "average", ahead * 1e3,
                  back * 1e3);
    }
    std::printf("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int64_t batch = argc > 1 ? std::atoll(argv[1]) : 16;
  if (argc > 2) set_threads(std::atoi(argv[2]));
  if (argc > 3) budget = std::atof(argv[3]);
  const double sgemm = peak();
  std::printf("%d threads, sgemm %.1f GFLOP/s\n", threads(), sgemm);
  network(
      "MNIST CNN",
      {{"28 3x3 1-32", 1, 128, 1, 32, 28, 3, 1, 0}, {"13 3x3 32-64", 1, 128, 32, 64, 13, 3, 1, 0}},
      sgemm);
  network("ResNet-50", resnet50(batch), sgemm);
  pool(128, 26, 32, 2, 2);
  pool(batch, 114, 64, 3, 2);
  std::printf("sgemm again %.1f GFLOP/s\n", peak());
}
