// Graphs of launches, and faults, of the CUDA backend on a driver of host functions.
#include <cornu/backend/error.h>

#include <set>

#include "fake_bench.h"

namespace cuda_capture_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {
const Shape four{4};

using Edges = std::vector<std::set<size_t>>;

// A bench with eight floats on its device, and steps that use these.
struct Steps {
  Bench bench;
  float* const x = bench.device({1, 2, 3, 4, 5, 6, 7, 8});

  // A step that copies number `from` to number `to`.
  void copy(int to, int from) {
    begin({{x + from, 4}}, {{x + to, 4}});
    bench.backend().copy(x + to, x + from, 4);
  }
  void begin(const std::vector<MemoryRange>& reads, const std::vector<MemoryRange>& writes) {
    bench.backend().begin_step(reads, writes);
  }
  // A step that takes scratch memory and launches something.
  void* scratch(size_t bytes, int number = 0) {
    begin({}, {{x + number, 4}});
    void* const memory = bench.backend().device().workspace(bytes);
    launch();
    return memory;
  }
  void launch() {
    bench.driver.enqueue(bench.backend().device().stream(), [] {});
  }
  std::unique_ptr<Executable> capture(const std::function<void()>& work) {
    return bench.backend().capture(work);
  }
  const Edges& edges(const std::function<void()>& work) {
    capture(work);
    return bench.driver.edges;
  }
};
}  // namespace

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

TEST_CASE("Steps of a graph wait for those whose memory they touch", "[cuda]") {
  Steps steps;
  SECTION("no others") {
    CHECK(steps.edges([&] {
      steps.copy(0, 1);
      steps.copy(2, 1);
      steps.copy(3, 4);
    }) == Edges{{}, {}, {}});
  }
  SECTION("one that reads what was written") {
    CHECK(steps.edges([&] {
      steps.copy(0, 1);
      steps.copy(2, 3);
      steps.copy(4, 0);
    }) == Edges{{}, {}, {0}});
  }
  SECTION("one that writes what was read") {
    CHECK(steps.edges([&] {
      steps.copy(0, 1);
      steps.copy(2, 1);
      steps.copy(1, 3);
    }) == Edges{{}, {}, {0, 1}});
  }
  SECTION("one that writes what was written") {
    CHECK(steps.edges([&] {
      steps.copy(0, 1);
      steps.copy(2, 3);
      steps.copy(0, 4);
    }) == Edges{{}, {}, {0}});
  }
  SECTION("ranges that share a part") {
    CHECK(steps.edges([&] {
      steps.copy(1, 6);
      steps.copy(3, 6);
      steps.begin({{steps.x, 8}}, {{steps.x + 4, 4}});
      steps.launch();
      steps.begin({}, {{steps.x + 2, 8}});
      steps.launch();
    }) == Edges{{}, {}, {0}, {1}});
  }
  SECTION("without edges that follow from others") {
    CHECK(steps.edges([&] {
      steps.copy(0, 1);
      steps.copy(2, 0);
      steps.begin({{steps.x, 4}, {steps.x + 2, 4}}, {{steps.x + 3, 4}});
      steps.launch();
    }) == Edges{{}, {0}, {1}});
  }
  SECTION("past one that launches nothing") {
    CHECK(steps.edges([&] {
      steps.copy(0, 1);
      steps.begin({{steps.x, 4}}, {{steps.x + 2, 4}});
      steps.copy(3, 2);
      steps.copy(4, 5);
    }) == Edges{{}, {0}, {}});
  }
  SECTION("with all launches in a step as a sequence") {
    CHECK(steps.edges([&] {
      steps.copy(0, 1);
      steps.launch();
      steps.copy(2, 3);
      steps.copy(4, 0);
    }) == Edges{{}, {0}, {}, {1}});
  }
  SECTION("and all wait for what came before the first") {
    CHECK(steps.edges([&] {
      steps.launch();
      steps.launch();
      steps.copy(0, 1);
      steps.copy(2, 3);
    }) == Edges{{}, {0}, {1}, {1}});
  }
  SECTION("also if it was not told, as of copies") {
    CHECK(steps.edges([&] {
      steps.copy(0, 1);
      steps.begin({}, {});
      steps.launch();
      steps.bench.backend().copy(steps.x + 2, steps.x, 4);
    }) == Edges{{}, {}, {0, 1}});
  }
}

TEST_CASE("A graph with branches computes what its steps do one by one", "[cuda]") {
  Steps steps;
  const auto graph = steps.capture([&] {
    for (int i = 0; i < 8; ++i) steps.copy((i * 3 + 1) % 8, i);
    for (int i = 0; i < 8; ++i) steps.copy((i * 5 + 2) % 8, (i + 2) % 8);
  });
  std::vector<float> expected{1, 2, 3, 4, 5, 6, 7, 8};
  for (size_t i = 0; i < 8; ++i) expected[(i * 3 + 1) % 8] = expected[i];
  for (size_t i = 0; i < 8; ++i) expected[(i * 5 + 2) % 8] = expected[(i + 2) % 8];
  graph->run(nullptr);
  CHECK(steps.bench.host(steps.x, 8) == expected);
}

TEST_CASE("Steps of a graph have small scratch memory of their own", "[cuda]") {
  Steps steps;
  constexpr size_t small = cuda::StepScratch::most_bytes;
  void *first = nullptr, *again = nullptr, *second = nullptr;
  CHECK(steps.edges([&] {
    first = steps.scratch(small, 0);
    again = steps.bench.backend().device().workspace(100);
    second = steps.scratch(small, 1);
  }) == Edges{{}, {}});
  CHECK(first == again);
  CHECK(first != second);

  CHECK(steps.edges([&] {
    first = steps.scratch(small + 1, 0);
    second = steps.scratch(small + 1, 1);
    steps.scratch(0, 2);
  }) == Edges{{}, {0}, {}});
  CHECK(first == second);

  // Not without end.
  constexpr size_t most = cuda::StepScratch::most_bytes_together / small;
  const size_t before = steps.bench.backend().allocator().stats().live;
  float* const y = steps.bench.device(std::vector<float>(most + 2));
  const auto graph = steps.capture([&] {
    for (size_t i = 0; i < most + 2; ++i) {
      steps.begin({}, {{y + i, 4}});
      steps.bench.backend().device().workspace(small);
      steps.launch();
    }
  });
  Edges expected(most + 2);
  expected[most] = {0};
  expected[most + 1] = {1};
  CHECK(steps.bench.driver.edges == expected);
  CHECK(steps.bench.backend().allocator().stats().live <=
        before + cuda::StepScratch::most_bytes_together + 4096);
}

TEST_CASE("Steps of a graph that take memory run one after the other", "[cuda]") {
  Steps steps;
  cuda::CudaBackend& backend = steps.bench.backend();
  const auto takes = [&](int number) {
    steps.begin({}, {{steps.x + number, 4}});
    void* const memory = backend.allocator().allocate(64);
    steps.launch();
    backend.allocator().deallocate(memory, 64);
  };
  CHECK(steps.edges([&] {
    takes(0);
    steps.copy(1, 2);
    takes(3);
    // Its own memory may be the one that another has given back.
    steps.scratch(64, 4);
  }) == Edges{{}, {}, {0}, {2}});
}

TEST_CASE("Equal kernels that a graph's steps are made of run one after the other", "[cuda]") {
  Steps steps;
  cuda::CudaBackend& backend = steps.bench.backend();
  float* const y = steps.bench.device({1, 1, 1, 1});
  float* const z = steps.bench.device({1, 1, 1, 1});
  const Kernel kernel = adder();
  const auto add = [&](float* a) {
    const Operand in[] = {{&four, DType::float32, a}, {&four, DType::float32, a}};
    const Operand out[] = {{&four, DType::float32, a}};
    steps.bench.add_adder(kernel, in, out);
    steps.begin({}, {{a, 16}});
    backend.run(kernel, in, out);
  };
  CHECK(steps.edges([&] {
    add(y);
    add(z);
  }) == Edges{{}, {0}});
}

TEST_CASE("In a graph a kernel that follows kernels only is put in place early", "[cuda]") {
  const int architecture = GENERATE(90, 80);
  Bench bench;
  bench.driver.architectures[0] = architecture;
  cuda::CudaBackend& backend = bench.backend();
  float* const x = bench.device({1, 2, 3, 4});
  float* const y = bench.device({1, 1, 1, 1});
  const Kernel kernel = adder();
  const Operand in[] = {{&four, DType::float32, x}, {&four, DType::float32, y}};
  const Operand out[] = {{&four, DType::float32, x}};
  bench.add_adder(kernel, in, out);
  const auto work = [&] {
    for (int i = 0; i < 2; ++i) backend.run(kernel, in, out);
    backend.copy(y, x, 16);
    for (int i = 0; i < 2; ++i) backend.run(kernel, in, out);
  };
  const auto early = [&] {
    bench.driver.launches.clear();
    backend.capture(work)->run(nullptr);
    std::vector<bool> all;
    for (const FakeDriver::Launch& launch : bench.driver.launches) all.push_back(launch.early);
    return all;
  };
  using Early = std::vector<bool>;
  const Early none(4, false);
  // Neither the first one, nor what follows a copy.
  CHECK(early() == (architecture >= 90 ? Early{false, true, false, true} : none));
  CHECK(bench.host(x, 4) == std::vector<float>{9, 12, 15, 18});
  bench.driver.launches.clear();
  work();
  for (const FakeDriver::Launch& launch : bench.driver.launches) CHECK_FALSE(launch.early);
  SECTION("where the driver does not refuse it") {
    bench.driver.faults["launch_with"] = 400;
    // One before the refusal, and all of them after it.
    CHECK(early() == Early(architecture >= 90 ? 5 : 4, false));
    // It is not asked again.
    bench.driver.faults.clear();
    CHECK(early() == none);
  }
  SECTION("where the driver can do that") { bench.driver.table().launch_with = nullptr; }
  SECTION("where the driver tells what is a kernel") { bench.driver.table().node_type = nullptr; }
  SECTION("where the driver tells what comes before") {
    bench.driver.table().capture_info = nullptr;
  }
  if (!bench.driver.table().launch_with || !bench.driver.table().node_type ||
      !bench.driver.table().capture_info)
    CHECK(early() == none);
}

TEST_CASE("Where a driver cannot order launches, a graph is a sequence", "[cuda]") {
  Steps steps;
  const auto work = [&] {
    for (int i = 0; i < 3; ++i) steps.copy(2 * i, 2 * i + 1);
  };
  const Edges sequence{{}, {0}, {1}};
  SECTION("for lack of a function") {
    steps.bench.driver.table().capture_depend = nullptr;
    CHECK(steps.edges(work) == sequence);
  }
  SECTION("because it refuses") {
    steps.bench.driver.faults["capture_depend"] = 1;
    CHECK(steps.edges(work) == sequence);
  }
  SECTION("because it does not tell") {
    steps.bench.driver.faults["capture_info"] = 1;
    CHECK(steps.edges(work) == sequence);
  }
  SECTION("any more") {
    CHECK(steps.edges([&] {
      work();
      steps.bench.driver.faults["capture_info"] = 1;
      steps.copy(6, 7);
      steps.copy(1, 3);
    }) == Edges{{}, {}, {}, {0, 1, 2}, {3}});
  }
  SECTION("or it is none") {
    CHECK_THROWS_AS(steps.capture([&] {
      work();
      steps.bench.driver.faults["capture_depend"] = 1;
      steps.copy(6, 7);
    }),
                    StateError);
    steps.bench.driver.faults.clear();
    CHECK(steps.edges(work) == Edges{{}, {}, {}});
  }
  SECTION("or the caller knows of no steps") {
    CHECK(steps.edges([&] {
      for (int i = 0; i < 3; ++i) steps.bench.backend().copy(steps.x + 2 * i, steps.x + 1, 4);
    }) == sequence);
  }
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

}  // namespace cuda_capture_test
