// Fourier transforms by cuFFT without a GPU: a library of host functions on a driver of host
// functions shows plans, copies and scratch memory; the real library shows its version.
#include <cornu/backend/cuda/cufft_transform.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <numbers>

#include "../array.h"
#include "fake_bench.h"

// Null when the tests are linked without the sources of the plugin.
namespace cornu::backend::cuda {
[[gnu::weak]] std::unique_ptr<Executable> cufft_transform(const Fft&, std::span<const Operand>,
                                                          std::span<const Operand>, Context&,
                                                          const Cufft&);
[[gnu::weak]] std::string cufft_version(std::string*);
}  // namespace cornu::backend::cuda

namespace cufft_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {

// What cufft.h says its functions do. One at a time in a process.
struct FakeCufft {
  struct Plan {
    long long n, rows, in_row, out_row;
    int type;
    bool automatic = true;
    CUstream_st* stream = nullptr;
    char* work = nullptr;
  };
  static constexpr size_t work_bytes = 1000;

  FakeDriver& driver;
  std::map<int, Plan> plans;
  int made = 0, runs = 0;
  bool refuses = false;
  cuda::Cufft table;
  static inline FakeCufft* current = nullptr;

  explicit FakeCufft(FakeDriver& d) : driver(d) {
    current = this;
    table.create = [](int* plan) {
      current->plans[*plan = ++current->made] = {};
      return 0;
    };
    table.destroy = [](int plan) { return current->plans.erase(plan) == 1 ? 0 : 1; };
    table.set_stream = [](int plan, CUstream_st* stream) {
      current->plans.at(plan).stream = stream;
      return 0;
    };
    table.set_auto_allocation = [](int plan, int on) {
      current->plans.at(plan).automatic = on != 0;
      return 0;
    };
    table.set_work_area = [](int plan, void* work) {
      current->plans.at(plan).work = static_cast<char*>(work);
      return 0;
    };
    table.make_plan = [](int plan, int rank, long long* n, long long* in, long long in_step,
                         long long in_row, long long* out, long long out_step, long long out_row,
                         int type, long long rows, size_t* work) {
      CHECK((rank == 1 && in_step == 1 && out_step == 1 && *in == *n && *out == out_row));
      CHECK_FALSE(current->plans.at(plan).automatic);
      if (current->refuses) return 8;
      Plan& made = current->plans.at(plan);
      made.n = *n, made.rows = rows, made.in_row = in_row, made.out_row = out_row;
      made.type = type;
      *work = work_bytes;
      return 0;
    };
    table.c2c = [](int plan, void* from, void* to, int sign) {
      return run<float>(plan, 0x29, from, to, sign);
    };
    table.z2z = [](int plan, void* from, void* to, int sign) {
      return run<double>(plan, 0x69, from, to, sign);
    };
    table.r2c = [](int plan, void* from, void* to) { return run<float>(plan, 0x2a, from, to, -1); };
    table.d2z = [](int plan, void* from, void* to) {
      return run<double>(plan, 0x6a, from, to, -1);
    };
  }
  ~FakeCufft() { current = nullptr; }

  template <class T>
  static int run(int plan, int type, void* from, void* to, int sign) {
    const Plan p = current->plans.at(plan);
    CHECK(p.type == type);
    ++current->runs;
    const bool real = type == 0x2a || type == 0x6a;
    current->driver.enqueue(p.stream, [=] {
      std::fill(p.work, p.work + work_bytes, 'w');
      for (long long row = 0; row < p.rows; ++row) {
        std::vector<std::complex<double>> x;
        for (long long j = 0; j < p.n; ++j)
          x.push_back(real ? static_cast<const T*>(from)[row * p.in_row + j]
                           : static_cast<std::complex<double>>(
                                 static_cast<const std::complex<T>*>(from)[row * p.in_row + j]));
        for (long long k = 0; k < (real ? p.n / 2 + 1 : p.n); ++k) {
          std::complex<double> sum = 0;
          for (long long j = 0; j < p.n; ++j)
            sum += x[static_cast<size_t>(j)] *
                   std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(j * k % p.n) /
                                       static_cast<double>(p.n));
          static_cast<std::complex<T>*>(to)[row * p.out_row + k] =
              static_cast<std::complex<T>>(sum);
        }
      }
    });
    return 0;
  }
};

Array normals(std::mt19937& generator, DType dtype, const Shape& shape) {
  std::normal_distribution<double> normal(0, 1);
  Array array(dtype, shape);
  for (int64_t i = 0; i < array.numel(); ++i) array.set(i, normal(generator));
  return array;
}

void* put(cuda::CudaBackend& backend, Array& array) {
  const size_t bytes = static_cast<size_t>(array.numel()) * size_of(array.dtype());
  void* const data = backend.allocator().allocate(bytes);
  backend.copy_from_host(data, array.data(), bytes);
  return data;
}

void compare(cuda::CudaBackend& backend, const FakeCufft& library, const Shape& shape, int64_t bins,
             DType dtype, bool real, bool inverse) {
  std::mt19937 generator(1);
  std::vector<Array> in = {normals(generator, dtype, shape)}, out;
  if (!real) in.push_back(normals(generator, dtype, shape));
  Shape kept = shape;
  kept[kept.rank() - 1] = bins;
  out.assign(2, Array(dtype, kept));
  std::vector<Operand> inputs, outputs;
  std::vector<void*> data;
  for (Array& array : in) inputs.push_back(array.operand());
  for (Array& array : out) outputs.push_back(array.operand());
  for (std::vector<Array>* list : {&in, &out})
    for (Array& array : *list) data.push_back(put(backend, array));
  {
    const cuda::Session session(backend.device());
    const auto executable =
        cuda::cufft_transform(Fft{inverse}, inputs, outputs, backend.device(), library.table);
    REQUIRE(executable);
    for (int i = 0; i < 2; ++i) executable->run(data.data());
    backend.synchronize();
  }
  cpu_backend().run(Fft{inverse}, inputs, outputs);
  INFO(shape.str() << " bins " << bins << " " << dtype_name(dtype) << " real " << real
                   << " inverse " << inverse);
  for (size_t i = 0; i < 2; ++i) {
    Array found(dtype, kept);
    backend.copy_to_host(found.data(), data[in.size() + i],
                         static_cast<size_t>(found.numel()) * size_of(dtype));
    double worst = 0;
    for (int64_t k = 0; k < found.numel(); ++k)
      worst = std::max(worst, std::fabs(found[k] - out[i][k]));
    CHECK(worst < (dtype == DType::float64 ? 1e-12 : 2e-5));
  }
}

bool linked() {
  const bool all = cuda::cufft_version != nullptr;
  if (!all) WARN("Not tested: built without the CUDA plugin");
  return all;
}

}  // namespace

TEST_CASE("cuFFT's plans and the copies around them give the terms that are wanted", "[cuda]") {
  if (!linked()) return;
  Bench bench;
  bench.library = true;  // for the copies
  cuda::CudaBackend& backend = bench.backend();
  FakeCufft library(bench.driver);
  for (const DType dtype : {DType::float32, DType::float64})
    for (const int64_t n : {1, 6, 9})
      for (const Shape& shape : {Shape{n}, Shape{3, n}, Shape{2, 2, n}})
        for (const bool inverse : {false, true})
          for (const bool real : {false, true})
            for (const int64_t bins : {n, n / 2 + 1, int64_t{1}})
              compare(backend, library, shape, bins, dtype, real, inverse);
  // One for each type, size and number of rows.
  CHECK(library.made == 2 * 2 * 3 * 3);
  bench.made.reset();
  CHECK(library.plans.empty());
}

TEST_CASE("what cuFFT does not take is left to others", "[cuda]") {
  if (!linked()) return;
  Bench bench;
  bench.library = true;
  cuda::CudaBackend& backend = bench.backend();
  FakeCufft library(bench.driver);
  const Shape shape({2, 5}), none({0, 5});
  const auto made = [&](DType dtype, const Shape& of) {
    const std::vector<Operand> operands(2, Operand{&of, dtype, nullptr});
    const cuda::Session session(backend.device());
    return cuda::cufft_transform(Fft{}, operands, operands, backend.device(), library.table) !=
           nullptr;
  };
  CHECK(made(DType::float32, shape));
  CHECK_FALSE(made(DType::float16, shape));
  CHECK_FALSE(made(DType::float32, none));
  library.refuses = true;
  CHECK_FALSE(made(DType::float64, shape));
  bench.made.reset();
  CHECK(library.plans.empty());
}

TEST_CASE("without cuFFT a transform is composed, and its roots stay on the device", "[cuda]") {
  Bench bench;
  cuda::Services services;
  services.driver = &bench.driver.table();
  // All kernels but the transform by the CPU.
  services.library = [&](const Kernel& kernel, std::span<const Operand> inputs,
                         std::span<const Operand> outputs,
                         cuda::Context& context) -> std::unique_ptr<Executable> {
    if (std::holds_alternative<Fft>(kernel)) return nullptr;
    return std::make_unique<ByCpu>(bench.driver, context, kernel, inputs, outputs);
  };
  bench.made = std::make_unique<cuda::CudaBackend>(0, services);
  cuda::CudaBackend& backend = bench.backend();
  std::mt19937 generator(2);
  for (const int64_t n : {5, 600, 1031}) {
    const Shape shape({2, n});
    Array re = normals(generator, DType::float32, shape), im = re, y_re = re, y_im = re;
    run(Fft{}, {&re, &im}, {&y_re, &y_im});
    const Operand in[] = {{&shape, DType::float32, put(backend, re)},
                          {&shape, DType::float32, put(backend, im)}};
    const Operand out[] = {{&shape, DType::float32, put(backend, re)},
                           {&shape, DType::float32, put(backend, im)}};
    void* const data[] = {in[0].data, in[1].data, out[0].data, out[1].data};
    const auto prepared = backend.prepare(Fft{}, in, out);
    prepared->run(data);
    const int copies = bench.driver.calls["copy_in"];
    prepared->run(data);
    // A graph would refuse copies.
    CHECK(bench.driver.calls["copy_in"] == copies);
    Array found = re;
    backend.copy_to_host(found.data(), out[0].data, static_cast<size_t>(re.numel()) * 4);
    CHECK(found == y_re);
    // The device's memory comes back with the kernel.
    const size_t live = backend.allocator().stats().live;
    backend.prepare(Fft{true}, in, out)->run(data);
    CHECK(backend.allocator().stats().live == live);
  }
}

TEST_CASE("cuFFT tells its version", "[cuda]") {
  if (!linked()) return;
  std::string why;
  const std::string version = cuda::cufft_version(&why);
  if (version.empty()) {
    WARN("Not tested: " << why);
    return;
  }
  CHECK(std::count(version.begin(), version.end(), '.') == 2);
}

}  // namespace cufft_test
