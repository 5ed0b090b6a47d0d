// Streams of the program, and copies between devices, on a driver of host functions.
#include <cornu/backend/error.h>

#include <algorithm>
#include <memory>

#include "fake_bench.h"
#include "support/matchers.h"

namespace other_streams_test {

namespace other_streams_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;
using cornu::test::contains;

namespace {

constexpr size_t large = size_t{1} << 20;

// A stream of the program on a device's context, as other code has it.
struct Outside {
  explicit Outside(FakeDriver& made_by, int device = 0)
      : driver(made_by), context(driver.table(), device), scope(context), stream(driver.table()) {}
  // The fake driver's streams do not outlive their handles.
  ~Outside() { driver.run_all(); }
  FakeDriver& driver;
  cuda::PrimaryContext context;
  cuda::ContextScope scope;
  cuda::Stream stream;
};

// Two devices of one driver.
struct Pair {
  Pair() {
    driver.devices = 2;
    driver.reach = {{1, 0}};
    services.driver = &driver.table();
  }
  ~Pair() {
    first.reset();
    second.reset();
    CHECK(driver.early_frees == 0);
  }
  void open() {
    first = std::make_unique<cuda::CudaBackend>(0, services);
    second = std::make_unique<cuda::CudaBackend>(1, services);
  }
  static float* filled(Backend& device, float value, size_t bytes) {
    auto* const data = static_cast<float*>(device.allocator().allocate(bytes));
    fill(device, data, value, bytes);
    return data;
  }
  static void fill(Backend& device, float* data, float value, size_t bytes) {
    const std::vector<float> values(bytes / 4, value);
    device.copy_from_host(data, values.data(), bytes);
  }
  static bool holds(Backend& device, const float* data, float value, size_t bytes) {
    std::vector<float> values(bytes / 4);
    device.copy_to_host(values.data(), data, bytes);
    return values == std::vector<float>(bytes / 4, value);
  }
  bool copies() {
    float* const from = filled(*first, 3, 4096);
    float* const to = filled(*second, 0, 4096);
    const bool done = second->copy_from(*first, to, from, 4096);
    CHECK(holds(*second, to, done ? 3 : 0, 4096));
    first->allocator().deallocate(from, 4096);
    second->allocator().deallocate(to, 4096);
    return done;
  }

  FakeDriver driver;
  cuda::Services services;
  std::unique_ptr<cuda::CudaBackend> first, second;
};

}  // namespace

TEST_CASE("Work stands in the order of a stream of the program, and the host waits for nothing",
          "[cuda]") {
  const bool null = GENERATE(false, true);
  CAPTURE(null);
  Bench bench;
  cuda::CudaBackend& backend = bench.backend();
  float* const x = bench.device({1, 1});
  float* const y = bench.device({2, 2});
  const Outside outside(bench.driver);
  CUstream_st* const handle = null ? nullptr : outside.stream.handle();
  bench.driver.run_all();
  auto calls = bench.driver.calls;

  std::vector<float> seen;
  bench.driver.enqueue(handle, [=] { x[0] = x[1] = 7; });
  backend.wait_for_stream(handle);
  backend.copy(y, x, 8);
  backend.let_stream_wait(handle);
  bench.driver.enqueue(handle, [=, &seen] { seen.assign(y, y + 2); });
  CHECK(seen.empty());
  CHECK(x[0] == 1);
  for (const char* wait : {"stream_synchronize", "event_synchronize", "copy_out"})
    CHECK(bench.driver.calls[wait] == calls[wait]);
  CHECK(bench.driver.calls["stream_wait"] == calls["stream_wait"] + 2);
  bench.driver.run_all();
  CHECK(seen == std::vector<float>{7, 7});
  CHECK(bench.host(y, 2) == std::vector<float>{7, 7});

  // One pair of events serves all later waits.
  calls = bench.driver.calls;
  for (int i = 0; i < 10; ++i) {
    backend.wait_for_stream(handle);
    backend.let_stream_wait(handle);
  }
  CHECK(bench.driver.calls["event_create"] == calls["event_create"]);
}

TEST_CASE("Memory that a stream of the program used comes back after its work", "[cuda]") {
  Bench bench;
  cuda::CudaBackend& backend = bench.backend();
  const std::vector<float> ones(large / 4, 1.f), twos(large / 4, 2.f);
  float* const data = bench.device(ones);
  const Outside outside(bench.driver);
  CUstream_st* const stream = outside.stream.handle();
  backend.synchronize();
  for (int i = 0; i < 100; ++i) backend.device().count_work();
  bench.driver.run_all();

  float sum = 0;
  bench.driver.enqueue(stream, [=, &sum] { sum = data[0] + data[large / 4 - 1]; });
  backend.wait_for_stream(stream);
  backend.allocator().deallocate(data, large);
  float* const again = bench.device(twos);  // the same block: no copy may overtake the reader
  REQUIRE(again == data);
  CHECK(bench.host(again, large / 4) == twos);
  bench.driver.run_all();
  CHECK(sum == 2);
}

TEST_CASE("Streams that work cannot be ordered with are refused", "[cuda]") {
  Pair pair;
  pair.open();
  // Nothing was computed yet, so there is nothing to wait for, and no device is opened for it.
  pair.first->let_stream_wait(nullptr);
  CHECK(pair.driver.calls["stream_create"] == 0);
  pair.first->device();
  {
    const Outside other(pair.driver, 1);
    CHECK_THROWS_AS(pair.first->wait_for_stream(other.stream.handle()), StateError);
    CHECK_THROWS_AS(pair.first->let_stream_wait(other.stream.handle()), StateError);
  }
  const Outside outside(pair.driver);
  CUstream_st* const stream = outside.stream.handle();
  cuda::Driver& table = pair.driver.table();
  REQUIRE(table.capture_begin(stream, 2) == 0);
  CHECK_THROWS_WITH(pair.first->wait_for_stream(stream), contains("being captured"));
  CHECK_THROWS_WITH(pair.first->let_stream_wait(stream), contains("being captured"));
  CUgraph_st* graph = nullptr;
  REQUIRE(table.capture_end(stream, &graph) == 0);
  table.graph_destroy(graph);
  pair.first->wait_for_stream(stream);

  const auto inside = [&](const std::function<void()>& call) {
    CHECK_THROWS_WITH(pair.first->capture(call), contains("only work of the device"));
  };
  inside([&] { pair.first->wait_for_stream(stream); });
  inside([&] { pair.first->let_stream_wait(stream); });
}

TEST_CASE("Devices that reach each other copy without the host", "[cuda]") {
  Pair pair;
  pair.open();
  REQUIRE(pair.copies());
  pair.driver.run_all();
  float* const from = Pair::filled(*pair.first, 1, large);
  float* const to = Pair::filled(*pair.second, 2, large);
  pair.driver.run_all();
  auto calls = pair.driver.calls;

  // What was launched before on both devices comes before the copy, and what comes later after it.
  std::vector<float> before;
  CUstream_st *const one = pair.first->device().stream(), *const two =
                                                              pair.second->device().stream();
  pair.driver.enqueue(one, [=] { std::fill(from, from + large / 4, 5.f); });
  pair.driver.enqueue(two, [=, &before] { before.assign(to, to + 2); });
  CHECK(pair.second->copy_from(*pair.first, to, from, large));
  pair.first->allocator().deallocate(from, large);
  CHECK(Pair::filled(*pair.first, 9, large) == from);
  CHECK(to[0] == 2);
  for (const char* wait :
       {"stream_synchronize", "event_synchronize", "copy_out", "can_reach", "let_reach"})
    CHECK(pair.driver.calls[wait] == calls[wait]);
  CHECK(pair.driver.calls["copy_across"] == calls["copy_across"] + 1);
  CHECK(Pair::holds(*pair.second, to, 5, large));
  CHECK(before == std::vector<float>{2, 2});
  CHECK(Pair::holds(*pair.first, from, 9, large));

  CHECK(pair.second->copy_from(*pair.first, to, from, 0));
  // The other direction is another question to the driver, which says no here.
  CHECK_FALSE(pair.first->copy_from(*pair.second, from, to, large));
  CHECK(Pair::holds(*pair.first, from, 9, large));
  // Nor is a device another of its own, or of another kind.
  CHECK_FALSE(pair.first->copy_from(*pair.first, from, from, large));
  CHECK_FALSE(pair.first->copy_from(cpu_backend(), from, from, large));
}

TEST_CASE("Where devices do not reach each other, nothing is copied", "[cuda]") {
  Pair pair;
  SECTION("the driver says so") { pair.driver.reach.clear(); }
  SECTION("what arrives in the trial is damaged") { pair.driver.damages = true; }
  SECTION("the driver lets too few devices reach others") { pair.driver.faults["let_reach"] = 711; }
  SECTION("the driver knows of no such copies") { pair.driver.table().copy_across = nullptr; }
  pair.open();
  CHECK_FALSE(pair.copies());
  const int asked = pair.driver.calls["can_reach"];
  CHECK_FALSE(pair.copies());
  CHECK(pair.driver.calls["can_reach"] == asked);
}

TEST_CASE("Other code of the process may have let devices reach each other", "[cuda]") {
  Pair pair;
  pair.open();
  pair.first->device();
  {
    const cuda::PrimaryContext zero(pair.driver.table(), 0), one(pair.driver.table(), 1);
    const cuda::ContextScope scope(one);
    REQUIRE(pair.driver.table().let_reach(zero.handle(), 0) == 0);
  }
  CHECK(pair.copies());
}

TEST_CASE("A copy between devices that fails says so, and the devices go on", "[cuda]") {
  Pair pair;
  pair.open();
  REQUIRE(pair.copies());
  float* const from = Pair::filled(*pair.first, 1, large);
  float* const to = Pair::filled(*pair.second, 2, large);
  pair.driver.faults["copy_across"] = 1;
  CHECK_THROWS_WITH(pair.second->copy_from(*pair.first, to, from, large),
                    contains("a copy from another device"));
  pair.driver.faults.clear();
  CHECK(Pair::holds(*pair.second, to, 2, large));
  CHECK(pair.second->copy_from(*pair.first, to, from, large));
  CHECK(Pair::holds(*pair.second, to, 1, large));
}

}  // namespace other_streams_test

}  // namespace other_streams_test
