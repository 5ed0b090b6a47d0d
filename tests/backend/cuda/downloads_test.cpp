// Copies from a device to the host, and what others do meanwhile.
#include <cornu/backend/cuda/downloads.h>
#include <cornu/backend/error.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>

#include "fake_bench.h"

namespace downloads_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

TEST_CASE("Values of all sizes come back whole", "[cuda]") {
  Bench bench;
  const size_t piece = cuda::Downloads::piece_bytes / sizeof(float);
  for (const size_t count : {size_t{1}, piece - 1, piece, piece + 1, 2 * piece, 5 * piece + 3}) {
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), 1.f);
    float* const data = bench.device(values);
    CHECK(bench.host(data, count) == values);
    bench.backend().allocator().deallocate(data, count * 4);
  }
  // Pinned memory and events are used again.
  const int pinned = bench.driver.calls["host_allocate"],
            events = bench.driver.calls["event_create"];
  float* const data = bench.device(std::vector<float>(3 * piece, 1.f));
  for (int i = 0; i < 10; ++i) bench.host(data, 3 * piece);
  CHECK(bench.driver.calls["host_allocate"] == pinned);
  CHECK(bench.driver.calls["event_create"] <= events + 2);
}

TEST_CASE("Whoever waits for values keeps nobody from the device", "[cuda]") {
  Bench bench;
  cuda::CudaBackend& backend = bench.backend();
  float* const data = bench.device({1, 2, 3, 4});
  std::atomic<bool> reading = false, launched = false, in_time = false;
  bench.driver.enqueue(backend.device().stream(), [&] {
    reading = true;
    // What the reader waits for runs until somebody else has used the device.
    for (int i = 0; i < 5000 && !launched; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    in_time = launched.load();
  });
  std::vector<float> values;
  std::thread reader([&] { values = bench.host(data, 4); });
  while (!reading) std::this_thread::yield();
  backend.copy(data, data + 2, 8);
  launched = true;
  reader.join();
  CHECK(in_time);
  CHECK(values == std::vector<float>{1, 2, 3, 4});
  CHECK(bench.host(data, 4) == std::vector<float>{3, 4, 3, 4});
}

TEST_CASE("More readers than places for their values", "[cuda]") {
  Bench bench;
  const size_t count = 3 * cuda::Downloads::piece_bytes / sizeof(float);
  float* const data = bench.device(std::vector<float>(count, 7.f));
  std::atomic<int> right = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < 12; ++i)
    readers.emplace_back([&] {
      const std::vector<float> values = bench.host(data, count);
      right += std::count(values.begin(), values.end(), 7.f) == static_cast<std::ptrdiff_t>(count);
    });
  for (std::thread& reader : readers) reader.join();
  CHECK(right == 12);
  CHECK(bench.driver.calls["host_allocate"] <= 9);  // with that of uploads
}

TEST_CASE("A copy to the host that fails is an error, and the next one works", "[cuda]") {
  Bench bench;
  float* const data = bench.device({1, 2});
  for (const char* function : {"host_allocate", "copy_out", "event_record", "event_synchronize"}) {
    bench.driver.faults[function] = 1;
    INFO(function);
    CHECK_THROWS_AS(bench.host(data, 2), StateError);
    bench.driver.faults.clear();
    CHECK(bench.host(data, 2) == std::vector<float>{1, 2});
  }
  CHECK_THROWS_AS(bench.backend().capture([&] { bench.host(data, 2); }), StateError);
  CHECK(bench.host(data, 2) == std::vector<float>{1, 2});
}

}  // namespace downloads_test
