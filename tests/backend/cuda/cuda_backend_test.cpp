// The CUDA backend on a driver of host functions: memory, copies, and launches.
#include <cornu/backend/error.h>
#include <cornu/backend/optional_kernels.h>

#include <cstring>
#include <numeric>
#include <thread>

#include "fake_bench.h"

namespace cuda_backend_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {
const Shape four{4};

}  // namespace

TEST_CASE("A device names itself", "[cuda]") {
  Bench bench;
  CHECK(bench.backend().name() == "cuda:0");
  CHECK_FALSE(bench.backend().on_host());
  const std::string text = bench.backend().description();
  CHECK(text.find("Fake GPU, 0 GiB") == 0);
  CHECK(text.find("CUDA 13.0") != std::string::npos);
}

TEST_CASE("Values go to the device and back, whatever becomes of the host's", "[cuda]") {
  Bench bench;
  for (const size_t count : {size_t{1}, size_t{1000}, size_t{6'000'000}}) {
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), 0.f);
    const std::vector<float> expected = values;
    float* const data = bench.device(values);
    std::fill(values.begin(), values.end(), -1.f);
    auto* const twin = static_cast<float*>(bench.backend().allocator().allocate(count * 4));
    bench.backend().copy(twin, data, count * 4);
    CHECK(bench.host(twin, count) == expected);
  }
  bench.backend().copy_from_host(nullptr, nullptr, 0);
  bench.backend().copy_to_host(nullptr, nullptr, 0);
  bench.backend().copy(nullptr, nullptr, 0);
  bench.backend().synchronize();
}

TEST_CASE("Large copies overtake work that does not use their memory", "[cuda]") {
  Bench bench;
  constexpr size_t count = 1 << 18;
  cuda::CudaBackend& backend = bench.backend();
  auto& memory = backend.allocator();
  const std::vector<float> ones(count, 1.f), twos(count, 2.f);
  float* const small = bench.device({1, 2});
  float* data = bench.device(ones);
  const int waits = bench.driver.calls["stream_wait"];
  CHECK(waits == 1);  // a new block: only what follows waits for the copy

  std::vector<float> seen;
  bench.driver.enqueue(backend.device().stream(), [&] { seen.assign(data, data + count); });
  backend.copy(small + 1, small, 4);
  memory.deallocate(data, count * 4);
  data = bench.device(twos);  // the same memory: the copy stops on the way, for its reader
  CHECK(bench.driver.calls["stream_wait"] == waits + 1);
  CHECK(bench.host(data, count) == twos);
  CHECK(seen == ones);

  memory.deallocate(data, count * 4);
  for (int i = 0; i < 100; ++i) backend.copy(small + 1, small, 4);
  data = bench.device(ones);
  CHECK(bench.driver.calls["stream_wait"] == waits + 2);
  backend.copy(small + 1, data, 4);
  CHECK(bench.host(small, 2) == std::vector<float>{1, 1});
  CHECK(bench.host(data, count) == ones);
}

TEST_CASE("A generated kernel is compiled and loaded once", "[cuda]") {
  Bench bench;
  cuda::CudaBackend& backend = bench.backend();
  float* const x = bench.device({1, 2, 3, 4});
  float* const y = bench.device({10, 20, 30, 40});
  float* const z = bench.device({0, 0, 0, 0});
  const Kernel kernel = adder();
  const Operand in[] = {{&four, DType::float32, x}, {&four, DType::float32, y}};
  const Operand out[] = {{&four, DType::float32, z}};
  bench.add_adder(kernel, in, out);
  backend.run(kernel, in, out);
  CHECK(bench.host(z, 4) == std::vector<float>{11, 22, 33, 44});
  const Operand swapped[] = {{&four, DType::float32, z}, {&four, DType::float32, y}};
  backend.run(adder(), swapped, out);
  CHECK(bench.host(z, 4) == std::vector<float>{21, 42, 63, 84});
  CHECK(bench.compiled == 1);
  CHECK(bench.driver.calls["module_load"] == 1);
  CHECK(backend.cached() == 1);
  CHECK(bench.library_calls == 1);
  REQUIRE(bench.driver.launches.size() == 2);
  CHECK(bench.driver.launches[0].threads == cuda::Stage::block);

  // Prepared kernels read the addresses of each run.
  const Operand nowhere[] = {{&four, DType::float32, nullptr}, {&four, DType::float32, nullptr}};
  const auto prepared = backend.prepare(kernel, nowhere, {{{&four, DType::float32, nullptr}}});
  const int allocations = bench.driver.calls["memory_allocate"];
  for (int i = 0; i < 3; ++i) {
    void* const data[] = {x, z, z};
    prepared->run(data);
  }
  CHECK(bench.host(z, 4) == std::vector<float>{24, 48, 72, 96});
  CHECK(bench.driver.calls["memory_allocate"] == allocations);
  CHECK(bench.compiled == 1);
}

TEST_CASE("Kernels that can be compiled beside others are loaded by their first run", "[cuda]") {
  FakeDriver driver;
  std::vector<std::string> begun;
  int compiled = 0;
  cuda::Services services;
  services.driver = &driver.table();
  services.prefetch = [&](const std::shared_ptr<const cuda::Source>& source, int architecture) {
    CHECK(architecture == 90);
    begun.push_back(source->name);
  };
  services.compile = [&](const cuda::Source& source, int) {
    ++compiled;
    return std::make_shared<const std::string>(source.name);
  };
  cuda::CudaBackend backend(0, services);
  const Operand in[] = {{&four, DType::float32, nullptr}, {&four, DType::float32, nullptr}};
  const Operand out[] = {{&four, DType::float32, nullptr}};
  const auto first = backend.prepare(adder(), in, out), again = backend.prepare(adder(), in, out);
  CHECK(begun.size() == 2);
  CHECK(compiled == 0);
  CHECK(driver.calls["module_load"] == 0);
  void* const block = backend.allocator().allocate(64);
  void* const data[] = {block, block, block};
  for (const auto* kernel : {&first, &again, &first}) (*kernel)->run(data);
  CHECK(compiled == 1);
  CHECK(driver.calls["module_load"] == 1);
  const auto known = backend.prepare(adder(), in, out);
  CHECK(begun.size() == 2);
  known->run(data);
  backend.synchronize();
  backend.allocator().deallocate(block, 64);
  CHECK(compiled == 1);
}

TEST_CASE("Parts of tensors reach kernels by aligned copies", "[cuda]") {
  Bench bench;
  cuda::CudaBackend& backend = bench.backend();
  float* const x = bench.device({0, 1, 2, 3, 4});
  float* const y = bench.device({0, 0, 10, 20, 30, 40});
  float* const z = bench.device(std::vector<float>(8, -1.f));
  const Kernel kernel = adder();
  const Operand in[] = {{&four, DType::float32, x + 1}, {&four, DType::float32, y + 2}};
  const Operand out[] = {{&four, DType::float32, z + 3}};
  bench.add_adder(kernel, in, out);
  backend.run(kernel, in, out);
  CHECK(bench.host(z, 8) == std::vector<float>{-1, -1, -1, 11, 22, 33, 44, -1});
  REQUIRE(bench.driver.launches.size() == 1);
  for (size_t i = 0; i < 3; ++i) CHECK(bench.driver.launches[0].block[i] % 16 == 0);

  // In place, and as a part of a graph.
  const auto prepared = backend.prepare(kernel, in, out);
  void* const data[] = {z + 3, y + 2, z + 3};
  prepared->run(data);
  CHECK(bench.host(z, 8) == std::vector<float>{-1, -1, -1, 21, 42, 63, 84, -1});
  const auto graph = backend.capture([&] { prepared->run(data); });
  for (int i = 0; i < 2; ++i) graph->run(nullptr);
  CHECK(bench.host(z, 8) == std::vector<float>{-1, -1, -1, 41, 82, 123, 164, -1});
  for (const FakeDriver::Launch& launch : bench.driver.launches)
    for (size_t i = 0; i < 3; ++i) CHECK(launch.block[i] % 16 == 0);
}

TEST_CASE("Partial results lie in the device's workspace", "[cuda]") {
  Bench bench;
  ProgramBuilder builder(1);
  const Shape shape{1 << 20}, none{};
  const Reduce reduce{
      builder.finish({builder.input(0)}), DType::float32, ReduceOp::sum, {0}, shape};
  const std::vector<float> values(1 << 20, 1.f);
  float* const x = bench.device(values);
  float* const y = bench.device({0});
  const Operand in[] = {{&shape, DType::float32, x}};
  const Operand out[] = {{&none, DType::float32, y}};
  const cuda::KernelPlan plan = cuda::plan(reduce, in, out);
  REQUIRE(plan.stages.size() == 2);
  REQUIRE(plan.workspace_bytes > 0);
  for (const cuda::Stage& stage : plan.stages)
    bench.driver.kernels[stage.source->name].words = stage.arguments().size();
  bench.backend().run(reduce, in, out);
  REQUIRE(bench.driver.launches.size() == 2);
  // Both stages have the same workspace, which is neither operand.
  const auto workspace = [&](size_t stage) {
    const auto& pointers = plan.stages[stage].pointers;
    for (size_t i = 0; i < pointers.size(); ++i)
      if (pointers[i] == 2) return bench.driver.launches[stage].block[i];
    return uint64_t{0};
  };
  CHECK(workspace(0) != 0);
  CHECK(workspace(0) == workspace(1));
  CHECK(workspace(0) != cuda::address_of(x));
  bench.backend().run(reduce, in, out);
  CHECK(bench.driver.launches[2].block == bench.driver.launches[0].block);
}

TEST_CASE("Numbers of the program are copied to the device once", "[cuda]") {
  Bench bench;
  cuda::CudaBackend& backend = bench.backend();
  float* const x = bench.device({1, 2, 3, 4});
  const Shape none{};
  float number = 0.5f;
  const Kernel kernel = adder();
  const Operand in[] = {{&four, DType::float32, x}, {&none, DType::float32, &number, true}};
  const Operand out[] = {{&four, DType::float32, x}};
  bench.add_adder(kernel, in, out);
  backend.run(kernel, in, out);
  const int copies = bench.driver.calls["copy_in"];
  backend.run(kernel, in, out);
  CHECK(bench.driver.calls["copy_in"] == copies);
  number = 2;  // the launches above do not see this
  backend.run(kernel, in, out);
  CHECK(bench.driver.calls["copy_in"] == copies + 1);
  CHECK(bench.host(x, 4) == std::vector<float>{4, 5, 6, 7});
  const auto prepared = backend.prepare(kernel, in, out);
  void* const data[] = {x, &number, x};
  prepared->run(data);
  CHECK(bench.driver.calls["copy_in"] == copies + 1);
  CHECK(bench.host(x, 4) == std::vector<float>{6, 7, 8, 9});
}

TEST_CASE("A table of numbers is replaced when it is full", "[cuda]") {
  int slabs = 0;
  cuda::NumberTable table({[&](size_t bytes) {
                             ++slabs;
                             return std::shared_ptr<void>(std::malloc(bytes), std::free);
                           },
                           [](void* to, const void* from, size_t n) { std::memcpy(to, from, n); }});
  std::shared_ptr<void> first;
  for (int i = 0; i <= static_cast<int>(cuda::NumberTable::slots); ++i) {
    void* const at = table.address(DType::int32, &i);
    CHECK(*static_cast<int*>(at) == i);
    if (i == 0) first = table.slab();
  }
  CHECK(slabs == 2);
  CHECK(*static_cast<int*>(first.get()) == 0);
  const int64_t wide = 1;
  const int narrow = 1;
  CHECK(table.address(DType::int64, &wide) != table.address(DType::int32, &narrow));
}

TEST_CASE("A kernel may have numbers of a full table and of the next one", "[cuda]") {
  int freed = 0;
  cuda::NumberTable table({[&](size_t bytes) {
                             return std::shared_ptr<void>(std::malloc(bytes), [&](void* p) {
                               ++freed;
                               std::free(p);
                             });
                           },
                           [](void* to, const void* from, size_t n) { std::memcpy(to, from, n); }});
  constexpr int slots = static_cast<int>(cuda::NumberTable::slots);
  void* last = nullptr;
  for (int i = 0; i < slots; ++i) last = table.address(DType::int32, &i);
  for (int i = slots; i < 2 * slots; ++i) {
    table.address(DType::int32, &i);
    REQUIRE(freed == 0);
  }
  CHECK(*static_cast<int*>(last) == slots - 1);
  const int beyond = 2 * slots;
  table.address(DType::int32, &beyond);
  CHECK(freed == 1);
  table.clear();
  CHECK(freed == 3);
}

TEST_CASE("Libraries come first, compositions last", "[cuda]") {
  Bench bench;
  bench.library = true;
  cuda::CudaBackend& backend = bench.backend();
  const Shape square{2, 2}, empty{0, 2}, tall{2, 0};
  float* const x = bench.device({1, 2, 3, 4});
  float* const y = bench.device({0, 0, 0, 0});
  const Operand in[] = {{&square, DType::float32, x}, {&square, DType::float32, x}};
  const Operand out[] = {{&square, DType::float32, y}};
  backend.run(Matmul{}, in, out);
  CHECK(bench.host(y, 4) == std::vector<float>{7, 10, 15, 22});
  CHECK(bench.compiled == 0);

  // Nothing to do, and sums over nothing.
  const Operand no_rows[] = {{&empty, DType::float32, x}, {&square, DType::float32, x}};
  backend.run(Matmul{}, no_rows, {{{&empty, DType::float32, y}}});
  CHECK(bench.library_calls == 1);
  CHECK(bench.driver.launches.empty());

  bench.library = false;
  Pool blocked;
  blocked.block = 16;
  try {
    backend.run(blocked, {in, 1}, out);
    FAIL("expected an UnsupportedError");
  } catch (const UnsupportedError& e) {
    INFO(e.what());
    CHECK(std::string(e.what()).find("cuda:0: expected a kernel pool of (float32 (2, 2))") == 0);
  }
}

TEST_CASE("What nobody else has is composed", "[cuda]") {
  Bench bench;
  bench.composition = [&](const Kernel& kernel, std::span<const Operand> inputs,
                          std::span<const Operand> outputs,
                          cuda::Context& context) -> std::unique_ptr<Executable> {
    CHECK(std::holds_alternative<Rnn>(kernel));
    class Twice final : public Executable {
     public:
      explicit Twice(std::unique_ptr<Executable> adder) : adder_(std::move(adder)) {}
      void run(void* const* data) override {
        void* const all[] = {data[0], data[0], data[1]};
        adder_->run(all);
      }

     private:
      std::unique_ptr<Executable> adder_;
    };
    const Operand twice[] = {inputs[0], inputs[0]};
    return std::make_unique<Twice>(context.prepare(adder(), twice, outputs));
  };
  float* const x = bench.device({1, 2, 3, 4});
  const Operand in[] = {{&four, DType::float32, x}, {&four, DType::float32, x}};
  const Operand out[] = {{&four, DType::float32, x}};
  bench.add_adder(adder(), in, out);
  bench.backend().run(Rnn{}, {in, 1}, out);
  CHECK(bench.compiled == 1);
  CHECK(bench.host(x, 4) == std::vector<float>{2, 4, 6, 8});
}

TEST_CASE("Attention without a library is a sequence of kernels", "[cuda]") {
  use_attention_kernel();
  Bench bench;
  bench.composition = nullptr;
  bench.library = true;  // all but attention
  const Shape shape{1, 2, 1, 2}, rows{1, 1, 2};
  std::vector<float> q = {1, 0, 0, 1}, y(4), sums(2), expected(4), expected_sums(2);
  float* const x = bench.device(q);
  float* const out_data = bench.device(y);
  float* const sums_data = bench.device(sums);
  const auto run = [&](Backend& backend, float* in, float* out, float* logsumexp) {
    const Operand inputs[] = {
        {&shape, DType::float32, in}, {&shape, DType::float32, in}, {&shape, DType::float32, in}};
    const Operand outputs[] = {{&shape, DType::float32, out}, {&rows, DType::float32, logsumexp}};
    backend.run(Attention{}, inputs, outputs);
  };
  run(bench.backend(), x, out_data, sums_data);
  run(cpu_backend(), q.data(), expected.data(), expected_sums.data());
  y = bench.host(out_data, 4);
  for (size_t i = 0; i < 4; ++i) CHECK(y[i] == Approx(expected[i]));
  CHECK(bench.library_calls > 2);
}

TEST_CASE("A setting makes kernels anew", "[cuda]") {
  Bench bench;
  bench.library = true;
  const Shape square{2, 2};
  float* const x = bench.device({1, 2, 3, 4});
  float* const y = bench.device({0, 0, 0, 0});
  const Operand in[] = {{&square, DType::float32, x}, {&square, DType::float32, x}};
  const Operand out[] = {{&square, DType::float32, y}};
  bench.backend().run(Matmul{}, in, out);
  bench.backend().run(Matmul{}, in, out);
  CHECK(bench.library_calls == 1);
  const bool before = bench.backend().tf32();
  bench.backend().set_tf32(!before);
  CHECK(cuda::tf32() != before);
  bench.backend().run(Matmul{}, in, out);
  CHECK(bench.library_calls == 2);
  bench.backend().set_tf32(before);
}

TEST_CASE("The cache of executables drops what was used longest ago", "[cuda]") {
  cuda::ExecutableCache cache(2);
  class Idle final : public Executable {
    void run(void* const*) override {}
  };
  int made = 0;
  const auto get = [&](int64_t size, DType dtype = DType::float32) {
    const Shape shape{size};
    const Operand operand{&shape, dtype, nullptr};
    cache.get(Softmax{}, {&operand, 1}, {&operand, 1}, [&] {
      ++made;
      return std::make_unique<Idle>();
    });
  };
  get(1);
  get(2);
  get(1);
  CHECK(made == 2);
  get(3);  // drops 2
  CHECK(cache.size() == 2);
  get(1);
  CHECK(made == 3);
  get(2);
  CHECK(made == 4);
  get(2, DType::float64);
  CHECK(made == 5);
  cache.clear();
  get(2);
  CHECK(made == 6);
  CHECK(cuda::kernel_hash(Softmax{false}) != cuda::kernel_hash(Softmax{true}));
  CHECK(cuda::kernel_hash(adder()) == cuda::kernel_hash(adder()));
  CHECK(cuda::kernel_hash(Copy{{}, {3}, 0.0}) == cuda::kernel_hash(Copy{{}, {3}, -0.0}));
}

TEST_CASE("Threads share a device", "[cuda]") {
  Bench bench;
  bench.library = true;
  bench.backend();
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      cuda::CudaBackend& backend = bench.backend();
      for (int i = 0; i < 50; ++i) {
        const Shape shape{64 + i};
        std::vector<float> values(static_cast<size_t>(shape.numel()), static_cast<float>(t));
        float* const x = bench.device(values);
        const Operand in[] = {{&shape, DType::float32, x}, {&shape, DType::float32, x}};
        const Operand out[] = {{&shape, DType::float32, x}};
        backend.run(adder(), in, out);
        if (bench.host(x, values.size()) != std::vector<float>(values.size(), 2.f * t))
          throw std::logic_error("another thread's values");
        backend.allocator().deallocate(x, values.size() * 4);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace cuda_backend_test
