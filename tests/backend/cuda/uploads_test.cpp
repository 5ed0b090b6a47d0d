// How blocks of the host travel beside kernels, on a driver of host functions.
#include <cornu/backend/error.h>

#include <algorithm>

#include "fake_bench.h"

namespace uploads_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {

constexpr size_t mib = size_t{1} << 20;
constexpr size_t staging = 16 * mib;  // a sixteenth of the fake device's memory

struct Traffic : Bench {
  CUstream_st* compute() { return backend().device().stream(); }
  // What was put on streams since the last call: 'c' on the compute stream, 'o' on the other.
  std::string put() {
    std::string text;
    for (; told < driver.put.size(); ++told) {
      const FakeDriver::Step& step = driver.put[told];
      if (step.stream != compute()) other = step.stream;
      text += (text.empty() ? "" : " ") + std::string(step.stream == compute() ? "c:" : "o:") +
              step.what;
    }
    return text;
  }
  std::vector<float> filled(float value, size_t bytes) {
    return std::vector<float>(bytes / 4, value);
  }
  // A block that kernels use: work that adds the sum of its ends to `seen`.
  float* busy(float value, size_t bytes) {
    float* const data = device(filled(value, bytes));
    use(data, bytes);
    return data;
  }
  void use(float* data, size_t bytes) {
    driver.enqueue(compute(), [=, this] { seen.push_back(data[0] + data[bytes / 4 - 1]); });
    backend().device().count_work();
  }
  void upload(float* data, float value, size_t bytes) {
    backend().copy_from_host(data, filled(value, bytes).data(), bytes);
  }
  bool holds(const float* data, float value, size_t bytes) {
    return host(data, bytes / 4) == filled(value, bytes);
  }
  bool faults(const char* function, int fault, float* data, const char* expected) {
    driver.faults[function] = fault;
    std::string text;
    try {
      upload(data, 3, mib);
    } catch (const Error& e) {
      text = e.what();
    }
    driver.faults.clear();
    INFO(text);
    CHECK(text.find(expected) != std::string::npos);
    return !text.empty();
  }

  std::vector<float> seen;
  CUstream_st* other = nullptr;
  size_t told = 0;
};

const char* const staged = "o:copy_in c:wait c:copy_within";

}  // namespace

TEST_CASE("A large block travels while kernels run that were launched before", "[cuda]") {
  Traffic t;
  float* const data = t.busy(1, mib);
  CHECK(t.put() == "o:copy_in c:wait c:work");  // a new block: straight to it
  t.driver.run_all();
  t.use(data, mib);
  t.put();
  const size_t ran = t.driver.ran.size();
  t.upload(data, 2, mib);
  CHECK(t.put() == staged);

  t.driver.run(t.other);  // no kernel is waited for, and none is disturbed
  REQUIRE(t.driver.ran.size() == ran + 1);
  CHECK(t.driver.ran.back().what == "copy_in");
  CHECK(data[0] == 1);
  t.use(data, mib);  // launched after the call: sees the new values
  CHECK(t.holds(data, 2, mib));
  CHECK(t.seen == std::vector<float>{2, 2, 4});
}

TEST_CASE("Small blocks stay on the compute stream", "[cuda]") {
  Traffic t;
  constexpr size_t small = (64 << 10) - 4;
  float* const data = t.busy(1, small);
  t.upload(data, 2, small);
  CHECK(t.put() == "c:copy_in c:work c:copy_in");
  CHECK(t.holds(data, 2, small));
  CHECK(t.driver.calls["stream_wait"] == 0);
}

TEST_CASE("A batch that gets the last one's memory does not wait for its reader", "[cuda]") {
  Traffic t;
  float* data = t.busy(1, mib);
  for (float value = 2; value < 6; ++value) {
    t.backend().allocator().deallocate(data, mib);
    t.put();
    float* const next = t.busy(value, mib);
    CHECK(next == data);
    CHECK(t.put() == std::string(staged) + " c:work");
    t.driver.run(t.other);
    CHECK(t.seen.empty());
    data = next;
  }
  t.backend().synchronize();
  CHECK(t.seen == std::vector<float>{2, 4, 6, 8, 10});
}

TEST_CASE("A full place on the device waits for its oldest piece", "[cuda]") {
  Traffic t;
  constexpr size_t bytes = 3 * mib, count = 24;
  std::vector<float*> blocks;
  for (size_t i = 0; i < count; ++i) blocks.push_back(t.busy(0, bytes));
  t.put();
  const auto upload = [&](size_t i) {
    t.upload(blocks[i], static_cast<float>(i + 1), bytes);
    t.driver.run(t.other);
  };
  t.driver.run(t.other);
  const int waits = t.driver.calls["event_synchronize"];
  upload(0);
  const int allocations = t.driver.calls["memory_allocate"];
  for (size_t i = 1; i < 5; ++i) upload(i);
  CHECK(t.driver.calls["event_synchronize"] == waits);  // five of 3 MiB fit
  CHECK(t.seen.empty());
  for (size_t i = 5; i < count; ++i) upload(i);
  CHECK(t.driver.calls["event_synchronize"] > waits);
  CHECK(t.driver.calls["memory_allocate"] == allocations);
  for (size_t i = 0; i < count; ++i) CHECK(t.holds(blocks[i], static_cast<float>(i + 1), bytes));
  CHECK(t.seen == std::vector<float>(count, 0));
}

TEST_CASE("A block may be larger than the place", "[cuda]") {
  Traffic t;
  constexpr size_t bytes = 41 * mib + 12;
  float* const data = t.busy(1, bytes);
  std::vector<float> values(bytes / 4);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 1000003);
  t.backend().copy_from_host(data, values.data(), bytes);
  CHECK(t.host(data, values.size()) == values);
  CHECK(t.seen == std::vector<float>{2});
}

TEST_CASE("The place on the device comes with its first use and goes with release", "[cuda]") {
  Traffic t;
  auto& memory = t.backend().allocator();
  float* const data = t.busy(1, mib);
  const size_t before = t.driver.allocated(), live = memory.stats().live;
  t.upload(data, 2, mib);
  CHECK(t.driver.allocated() == before + staging);
  CHECK(memory.stats().live == live);
  CHECK(memory.stats().live + memory.stats().cached == before + staging);
  memory.release();  // while the block is under way
  CHECK(t.driver.allocated() == before);
  CHECK(t.holds(data, 2, mib));
  t.use(data, mib);
  t.put();
  t.upload(data, 3, mib);
  CHECK(t.put() == staged);
  CHECK(t.holds(data, 3, mib));
  CHECK(t.driver.allocated() == before + staging);
}

TEST_CASE("Without memory for the place blocks go straight", "[cuda]") {
  Traffic t;
  auto& memory = t.backend().allocator();
  float* const data = t.busy(1, mib);
  const size_t before = t.driver.allocated();
  const auto uploads = [&](float value, const char* expected) {
    t.use(data, mib);
    t.put();
    t.upload(data, value, mib);
    CHECK(t.put() == expected);
    CHECK(t.holds(data, value, mib));
  };
  SECTION("under a limit") {
    memory.set_limit(before + staging - 1);
    uploads(2, "c:copy_in");
    CHECK(t.driver.allocated() == before);
    memory.set_limit(before + staging);
    uploads(3, staged);
    memory.set_limit(before);  // takes it back
    CHECK(t.driver.allocated() == before);
    uploads(4, "c:copy_in");
  }
  SECTION("when the device has none left") {
    t.driver.faults["memory_allocate"] = 2;
    uploads(2, "c:copy_in");
    const int tries = t.driver.calls["memory_allocate"];
    uploads(3, "c:copy_in");
    CHECK(t.driver.calls["memory_allocate"] == tries);  // it is not asked again and again
    t.driver.faults.clear();
    memory.release();
    uploads(4, staged);
  }
  SECTION("when blocks need it") {
    uploads(2, staged);
    const size_t rest = t.driver.capacity - before - staging / 2;
    void* const large = memory.allocate(rest);
    uploads(3, "c:copy_in");
    memory.deallocate(large, rest);
    uploads(4, "c:copy_in");
    memory.release();
    uploads(5, staged);
  }
  SECTION("the copy stream waits for the memory's last user, where that is known") {
    float* const fresh = t.busy(1, mib);
    memory.deallocate(fresh, mib);
    {
      const cuda::Session session(t.backend().device());
      for (int i = 0; i < 64; ++i) t.backend().device().count_work();
    }
    memory.set_limit(t.driver.allocated());
    t.put();
    CHECK(t.busy(2, mib) == fresh);
    CHECK(t.put() == "o:wait o:copy_in c:wait c:work");
    CHECK(t.holds(fresh, 2, mib));
  }
}

TEST_CASE("A fault on the way is an error, and the next block arrives", "[cuda]") {
  Traffic t;
  float* const data = t.busy(1, mib);
  t.upload(data, 2, mib);
  for (const char* function : {"copy_in", "copy_within", "event_record", "stream_wait"})
    CHECK(t.faults(function, 1, data, "CUDA: "));
  CHECK(t.faults("copy_in", 2, data, "CUDA_ERROR_OUT_OF_MEMORY"));
  t.backend().allocator().release();
  CHECK(t.faults("memory_allocate", 719, data, "an allocation on the device"));
  CHECK(t.holds(data, 2, mib) != t.holds(data, 3, mib));  // one of them is there
  t.upload(data, 4, mib);
  CHECK(t.holds(data, 4, mib));
}

TEST_CASE("Memory of the host that cannot be pinned is an error", "[cuda]") {
  Traffic t;
  auto* const data = static_cast<float*>(t.backend().allocator().allocate(mib));
  t.driver.faults["host_allocate"] = 2;
  CHECK_THROWS_AS(t.upload(data, 1, mib), MemoryError);
  t.use(data, mib);
  CHECK_THROWS_AS(t.upload(data, 1, mib), MemoryError);
  t.driver.faults.clear();
  t.upload(data, 2, mib);
  CHECK(t.holds(data, 2, mib));
}

TEST_CASE("Blocks arrive around graphs, never inside", "[cuda]") {
  Traffic t;
  cuda::CudaBackend& backend = t.backend();
  float* const x = t.busy(1, mib);
  float* const y = t.busy(1, mib);
  const size_t before = t.driver.allocated();
  t.put();
  CHECK_THROWS_AS(backend.capture([&] { t.upload(x, 2, mib); }), StateError);
  CHECK(t.put() == "");
  CHECK(t.driver.allocated() == before);
  t.upload(x, 2, mib);
  const auto graph = backend.capture([&] { backend.copy(y, x, mib); });
  for (float value = 3; value < 6; ++value) {
    t.upload(x, value, mib);
    graph->run(nullptr);
    t.upload(x, 0, mib);
    CHECK(t.holds(y, value, mib));
  }
}

TEST_CASE("Blocks under way end with the device", "[cuda]") {
  Traffic t;
  float* const data = t.busy(1, mib);
  t.upload(data, 2, mib);
  t.made.reset();
  CHECK(t.driver.objects() == 0);
  CHECK(t.driver.allocated() == 0);
}

}  // namespace uploads_test
