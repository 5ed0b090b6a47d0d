// Graphs of launches, and faults, of the CUDA backend on a driver of host functions.
#include <cornu/backend/error.h>

#include "fake_bench.h"

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {
const Shape four{4};
}

TEST_CASE("A captured graph launches everything by one call", "[cuda]") {
  Bench bench;
  cuda::CudaBackend& backend = bench.backend();
  auto& memory = backend.allocator();
  float* const x = bench.device({1, 2, 3, 4});
  float* const y = bench.device({1, 1, 1, 1});
  const Kernel kernel = adder();
  const Operand in[] = {{&four, DType::float32, x}, {&four, DType::float32, y}};
  const Operand out[] = {{&four, DType::float32, x}};
  bench.add_adder(kernel, in, out);
  void* temporary = nullptr;
  auto graph = backend.capture([&] {
    temporary = memory.allocate(16);
    backend.copy(temporary, x, 16);
    for (int i = 0; i < 3; ++i) backend.run(kernel, in, out);
    backend.copy(y, temporary, 16);
    memory.deallocate(temporary, 16);
  });
  CHECK(bench.host(x, 4) == std::vector<float>{1, 2, 3, 4});  // nothing ran
  CHECK(memory.allocate(16) != temporary);                    // the graph writes there
  const size_t launches = bench.driver.launches.size();
  graph->run(nullptr);
  CHECK(bench.host(x, 4) == std::vector<float>{4, 5, 6, 7});
  CHECK(bench.host(y, 4) == std::vector<float>{1, 2, 3, 4});
  graph->run(nullptr);
  CHECK(bench.host(x, 4) == std::vector<float>{7, 11, 15, 19});
  CHECK(bench.driver.launches.size() == launches);
  CHECK(bench.driver.calls["graph_launch"] == 2);
  CHECK(bench.driver.calls["graph_destroy"] == 1);
  graph.reset();
  CHECK(bench.driver.calls["graph_exec_destroy"] == 1);
  CHECK(memory.allocate(16) == temporary);
}

TEST_CASE("A graph cannot hold what involves the host", "[cuda]") {
  Bench bench;
  cuda::CudaBackend& backend = bench.backend();
  float* const x = bench.device({1, 2, 3, 4});
  float value = 0;
  const auto refuses = [&](const std::function<void()>& work) {
    CHECK_THROWS_AS(backend.capture(work), StateError);
    CHECK(bench.host(x, 1)[0] == 1);  // the device works on
  };
  refuses([&] { backend.copy_to_host(&value, x, 4); });
  refuses([&] { backend.copy_from_host(x, &value, 4); });
  refuses([&] { backend.synchronize(); });
  refuses([&] { backend.capture([] {}); });
  CHECK_THROWS_AS(backend.capture([] { throw ValueError("mine"); }), ValueError);
  bench.driver.faults["capture_end"] = 901;
  try {
    backend.capture([&] { backend.copy(x + 1, x, 4); });
    FAIL("expected a StateError");
  } catch (const StateError& e) {
    CHECK(std::string(e.what()).find("CUDA_ERROR_STREAM_CAPTURE_INVALIDATED") != std::string::npos);
  }
  bench.driver.faults.clear();
  bench.driver.faults["graph_instantiate"] = 2;
  CHECK_THROWS_AS(backend.capture([&] { backend.copy(x + 1, x, 4); }), MemoryError);
  bench.driver.faults.clear();
  bench.driver.faults["capture_begin"] = 1;
  CHECK_THROWS_AS(backend.capture([] {}), StateError);
  bench.driver.faults.clear();
  backend.capture([&] { backend.copy(x + 1, x, 4); })->run(nullptr);
  CHECK(bench.host(x, 2) == std::vector<float>{1, 1});
}

TEST_CASE("Faults of the driver are errors with names", "[cuda]") {
  Bench bench;
  cuda::CudaBackend& backend = bench.backend();
  CHECK_THROWS_AS(backend.allocator().allocate(size_t{1} << 40), MemoryError);
  float* const x = bench.device({1, 2, 3, 4});
  const Operand in[] = {{&four, DType::float32, x}, {&four, DType::float32, x}};
  const Operand out[] = {{&four, DType::float32, x}};
  const auto message = [&](const char* function, int fault, const auto& call) {
    bench.driver.faults[function] = fault;
    std::string text;
    try {
      call();
    } catch (const StateError& e) {
      text = e.what();
    }
    bench.driver.faults.clear();
    return text;
  };
  const std::string launch = message("launch", 719, [&] { backend.run(adder(), in, out); });
  INFO(launch);
  CHECK(launch.find("CUDA: the launch of cornu_fused") == 0);
  CHECK(launch.find("CUDA_ERROR_LAUNCH_FAILED") != std::string::npos);
  CHECK(launch.find("cannot use the device any more") != std::string::npos);
  CHECK_FALSE(message("stream_synchronize", 1, [&] { backend.synchronize(); }).empty());
  CHECK_FALSE(message("copy_in", 1, [&] { bench.device({1}); }).empty());
  CHECK_FALSE(message("context_get", 1, [&] { backend.synchronize(); }).empty());
  CHECK(bench.host(x, 4) == std::vector<float>{1, 2, 3, 4});
}

TEST_CASE("A machine without a driver says so", "[cuda]") {
  try {
    const cuda::Driver& driver = cuda::Driver::get();
    CHECK(driver.launch != nullptr);
  } catch (const UnsupportedError& e) {
    INFO(e.what());
    CHECK(std::string(e.what()).find("CUDA: ") == 0);
    CHECK(std::string(e.what()).find("libcuda.so.1") != std::string::npos);
  }
}

TEST_CASE("Everything is given back in the end", "[cuda]") {
  Bench bench;
  bench.device({1, 2, 3});
  const std::vector<float> many(1 << 20);
  float* const data = bench.device(many);
  const auto graph = [&] {
    return bench.backend().capture([&] { bench.backend().copy(data + 1, data, 4); });
  };
  graph()->run(nullptr);
  bench.backend().synchronize();
  bench.backend().allocator().deallocate(data, many.size() * 4);
  bench.made.reset();
  CHECK(bench.driver.objects() == 0);
  CHECK(bench.driver.allocated() == 0);
}
