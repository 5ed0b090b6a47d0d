// The caching allocator of CUDA devices on the host's memory.
#include <cornu/backend/cuda/allocator.h>
#include <cornu/backend/error.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <thread>

#include "catch.h"

namespace cuda_allocator_test {

using namespace cornu;
using namespace cornu::backend;

namespace {

constexpr size_t mib = size_t{1} << 20;

class HostSource final : public cuda::MemorySource {
 public:
  ~HostSource() override {
    for (const auto& [data, bytes] : segments) std::free(data);
  }
  void* allocate(size_t bytes) override {
    ++calls;
    settled = false;
    if (used + bytes > capacity) return nullptr;
    used += bytes;
    void* const data = std::aligned_alloc(512, bytes);
    segments[data] = bytes;
    return data;
  }
  bool settle() noexcept override {
    settled = can_settle;
    return can_settle;
  }
  void free(void* data) noexcept override {
    early_frees += !settled;
    used -= segments.at(data);
    segments.erase(data);
    std::free(data);
  }
  size_t free_bytes() override { return capacity - used; }

  size_t capacity = 64 * mib, used = 0;
  int calls = 0, early_frees = 0;
  bool can_settle = true, settled = false;
  std::map<void*, size_t> segments;
};

}  // namespace

TEST_CASE("Exact blocks are segments of the size that was asked for", "[cuda]") {
  HostSource source;
  cuda::CachingAllocator memory(source, "cuda:0", true);
  void *const a = memory.allocate(1000), *const b = memory.allocate(3 * mib + 7);
  CHECK(source.segments.at(a) == 1000);
  CHECK(source.segments.at(b) == 3 * mib + 7);
  CHECK(memory.stats().live == 3 * mib + 1007);
  memory.deallocate(a, 1000);
  // Nobody gets a larger one.
  void* const c = memory.allocate(999);
  CHECK(source.segments.at(c) == 999);
  CHECK(memory.allocate(1000) == a);
  memory.deallocate(b, 3 * mib + 7);
  // A graph's launches use a block again of the very size.
  memory.begin_reserve();
  void* const first = memory.allocate(2000);
  memory.deallocate(first, 2000);
  CHECK(memory.allocate(1500) != first);
  CHECK(memory.allocate(2000) == first);
  memory.deallocate(first, 2000);
  const auto reserve = memory.end_reserve();
  // A full device gives back what is cached, then it is an error.
  void* const large = memory.allocate(63 * mib);
  CHECK(source.segments.count(b) == 0);
  CHECK_THROWS_AS(memory.allocate(2 * mib), MemoryError);
  memory.deallocate(large, 63 * mib);
  memory.release();
  CHECK(source.used == 999 + 1000 + 2000 + 1500);
}

TEST_CASE("A freed block serves the next allocation of its size", "[cuda]") {
  HostSource source;
  cuda::CachingAllocator memory(source, "cuda:0");
  void* const a = memory.allocate(1000);
  REQUIRE(reinterpret_cast<uintptr_t>(a) % 512 == 0);
  void* const b = memory.allocate(0);
  REQUIRE(a != b);
  REQUIRE(memory.stats().live == 1536);
  memory.deallocate(a, 1000);
  REQUIRE(memory.allocate(900) == a);
  REQUIRE(source.calls == 1);
  memory.deallocate(a, 900);
  memory.deallocate(b, 0);
  memory.deallocate(nullptr, 0);
  REQUIRE(memory.stats().live == 0);
  REQUIRE(memory.stats().peak == 1536);
  REQUIRE(memory.stats().cached == 2 * mib);
  memory.release();
  REQUIRE(memory.stats().cached == 0);
  REQUIRE(source.used == 0);
}

TEST_CASE("Neighbors join when they are freed", "[cuda]") {
  HostSource source;
  cuda::CachingAllocator memory(source, "cuda:0");
  std::vector<void*> blocks;
  for (int i = 0; i < 4; ++i) blocks.push_back(memory.allocate(512 << 10));
  REQUIRE(source.calls == 1);
  for (const int i : {0, 2, 1, 3}) memory.deallocate(blocks[static_cast<size_t>(i)], 512 << 10);
  // One block again: it can be given back.
  memory.release();
  REQUIRE(source.used == 0);
}

TEST_CASE("Blocks waste an eighth at most", "[cuda]") {
  HostSource source;
  cuda::CachingAllocator memory(source, "cuda:0");
  for (const size_t bytes :
       {size_t{1}, size_t{513}, size_t{100'000}, mib, mib + 1, 3 * mib, 5 * mib + 5, 17 * mib}) {
    const size_t before = memory.stats().live;
    void* const data = memory.allocate(bytes);
    const size_t size = memory.stats().live - before;
    CHECK(size >= bytes);
    CHECK(size <= bytes + std::max<size_t>(1024, bytes / 8 + 512));
    memory.deallocate(data, bytes);
  }
}

TEST_CASE("What does not fit takes the cache's memory first, then fails with figures", "[cuda]") {
  HostSource source;
  source.capacity = 32 * mib;
  cuda::CachingAllocator memory(source, "cuda:7");
  void* const small = memory.allocate(100);
  void* const a = memory.allocate(20 * mib);
  memory.deallocate(a, 20 * mib);
  void* const b = memory.allocate(28 * mib);  // only without the cached 20 MiB
  REQUIRE(memory.stats().live == 28 * mib + 512);
  try {
    memory.allocate(10 * mib);
    FAIL("expected a MemoryError");
  } catch (const MemoryError& e) {
    const std::string text = e.what();
    INFO(text);
    CHECK(text.find("cuda:7") == 0);
    CHECK(text.find("10.0 MiB") != std::string::npos);
    CHECK(text.find("live 28.0 MiB") != std::string::npos);
    CHECK(text.find("limit none") != std::string::npos);
    CHECK(text.find("free on the device 2.0 MiB") != std::string::npos);
  }
  CHECK_THROWS_AS(memory.allocate(~size_t{0}), MemoryError);
  memory.deallocate(b, 28 * mib);
  memory.deallocate(memory.allocate(10 * mib), 10 * mib);
  memory.deallocate(small, 100);
}

TEST_CASE("Memory goes back to the driver only when the device is done with it", "[cuda]") {
  HostSource source;
  cuda::CachingAllocator memory(source, "cuda:0");
  memory.deallocate(memory.allocate(40 * mib), 40 * mib);
  source.can_settle = false;
  memory.release();
  REQUIRE(source.used == 40 * mib);
  REQUIRE_THROWS_AS(memory.allocate(50 * mib), MemoryError);
  source.can_settle = true;
  void* const large = memory.allocate(50 * mib);
  REQUIRE(source.used == 50 * mib);
  memory.deallocate(large, 50 * mib);
  memory.set_limit(30 * mib);
  REQUIRE(source.used == 0);
  REQUIRE(source.early_frees == 0);
}

TEST_CASE("A limit bounds live and cached memory together", "[cuda]") {
  HostSource source;
  cuda::CachingAllocator memory(source, "cuda:0");
  memory.set_limit(3 * mib);
  void* const a = memory.allocate(5 * mib / 2);
  CHECK(source.used <= 3 * mib);
  CHECK_THROWS_AS(memory.allocate(mib), MemoryError);
  memory.deallocate(a, 5 * mib / 2);
  void* const b = memory.allocate(mib);
  CHECK(source.used <= 3 * mib);
  memory.deallocate(b, mib);
  memory.set_limit(mib);  // less than is cached
  CHECK(source.used == 0);
  memory.set_limit(0);
  memory.deallocate(memory.allocate(8 * mib), 8 * mib);
}

TEST_CASE("Spare memory goes when blocks need it", "[cuda]") {
  HostSource source;
  cuda::CachingAllocator memory(source, "cuda:0");
  char* const data = memory.spare(8 * mib).data;
  REQUIRE(data);
  CHECK(memory.spare(8 * mib).data == data);
  CHECK(source.calls == 1);
  CHECK(memory.stats().live == 0);
  CHECK(memory.stats().cached == 8 * mib);
  memory.release();
  CHECK(source.used == 0);
  CHECK(memory.spare(8 * mib).data);

  void* const block = memory.allocate(60 * mib);
  CHECK(source.used == 60 * mib);
  CHECK_FALSE(memory.spare(8 * mib).data);
  memory.deallocate(block, 60 * mib);
  CHECK_FALSE(memory.spare(8 * mib).data);  // it would come and go
  memory.release();
  CHECK(memory.spare(8 * mib).data);

  memory.set_limit(4 * mib);
  CHECK(source.used == 0);
  CHECK_FALSE(memory.spare(8 * mib).data);
  memory.set_limit(12 * mib);
  CHECK(memory.spare(8 * mib).data);
  memory.deallocate(memory.allocate(10 * mib), 10 * mib);
  CHECK(source.used <= 12 * mib);
}

TEST_CASE("Whoever wants spare memory back waits while it is held", "[cuda]") {
  HostSource source;
  cuda::CachingAllocator memory(source, "cuda:0");
  std::atomic<bool> released = false;
  std::thread thread;
  {
    const auto spare = memory.spare(mib);
    thread = std::thread([&] {
      memory.release();
      released = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK_FALSE(released);
    std::fill_n(spare.data, mib, 'x');
  }
  thread.join();
  CHECK(source.used == 0);
}

TEST_CASE("Reserved blocks serve nobody else until the reserve goes", "[cuda]") {
  HostSource source;
  cuda::CachingAllocator memory(source, "cuda:0");
  void* const before = memory.allocate(2048);
  memory.begin_reserve();
  CHECK_THROWS_AS(memory.begin_reserve(), StateError);
  void* const a = memory.allocate(4096);
  memory.deallocate(a, 4096);
  CHECK(memory.allocate(4096) == a);  // within the reserve blocks are used again
  void* const kept = memory.allocate(8192);
  memory.deallocate(a, 4096);
  memory.deallocate(before, 2048);  // not of the reserve
  std::shared_ptr<void> reserve = memory.end_reserve();
  CHECK(memory.allocate(2048) == before);
  void* const b = memory.allocate(4096);
  CHECK(b != a);
  memory.deallocate(kept, 8192);
  CHECK(memory.allocate(8192) != kept);
  const size_t live = memory.stats().live;
  reserve.reset();
  CHECK(memory.stats().live == live - 4096 - 8192);
  CHECK(memory.allocate(4096) == a);
}

TEST_CASE("Other threads' blocks are no part of a reserve", "[cuda]") {
  HostSource source;
  cuda::CachingAllocator memory(source, "cuda:0");
  memory.begin_reserve();
  void* const a = memory.allocate(4096);
  memory.deallocate(a, 4096);
  void* theirs = nullptr;
  std::thread([&] { theirs = memory.allocate(4096); }).join();
  CHECK(theirs != a);  // which a graph writes to whenever it runs
  const std::shared_ptr<void> reserve = memory.end_reserve();
  memory.deallocate(theirs, 4096);
  CHECK(memory.allocate(4096) == theirs);
}

TEST_CASE("Times of blocks tell what work may still use their memory", "[cuda]") {
  HostSource source;
  cuda::CachingAllocator memory(source, "cuda:0");
  uint64_t clock = 0;
  memory.set_clock([&] { return clock; });
  void* const a = memory.allocate(4096);
  CHECK(memory.times(a).known);
  CHECK(memory.times(a).freed == 0);
  CHECK_FALSE(memory.times(static_cast<char*>(a) + 64).known);
  clock = 7;
  memory.deallocate(a, 4096);
  clock = 9;
  CHECK(memory.allocate(4096) == a);
  CHECK(memory.times(a).taken == 9);
  CHECK(memory.times(a).freed == 7);
}

TEST_CASE("Blocks in use never overlap", "[cuda]") {
  HostSource source;
  cuda::CachingAllocator memory(source, "cuda:0");
  struct Taken {
    char* data;
    size_t bytes;
    char mark;
  };
  std::vector<Taken> taken;
  std::mt19937 random(1);
  size_t sum = 0;
  for (int i = 0; i < 20'000; ++i) {
    if (taken.empty() || (random() % 2 == 0 && sum < 30 * mib)) {
      const size_t bytes = random() % 50 == 0 ? random() % (4 * mib) : random() % 20'000;
      auto* const data = static_cast<char*>(memory.allocate(bytes));
      const char mark = static_cast<char>(random());
      if (bytes > 0) data[0] = data[bytes - 1] = mark;
      taken.push_back({data, bytes, mark});
      sum += bytes;
    } else {
      std::swap(taken[random() % taken.size()], taken.back());
      const Taken block = taken.back();
      taken.pop_back();
      if (block.bytes > 0 &&
          (block.data[0] != block.mark || block.data[block.bytes - 1] != block.mark))
        FAIL("a block was overwritten");
      memory.deallocate(block.data, block.bytes);
      sum -= block.bytes;
    }
    if (i % 5000 == 0) memory.release();
  }
  for (const Taken& block : taken) memory.deallocate(block.data, block.bytes);
  CHECK(memory.stats().live == 0);
  memory.release();
  CHECK(source.used == 0);
}

TEST_CASE("Threads allocate side by side", "[cuda]") {
  HostSource source;
  cuda::CachingAllocator memory(source, "cuda:0");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) {
        void* const data = memory.allocate(static_cast<size_t>(i) * 7);
        memory.deallocate(data, static_cast<size_t>(i) * 7);
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(memory.stats().live == 0);
}

}  // namespace cuda_allocator_test
