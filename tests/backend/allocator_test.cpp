// The caching allocator: alignment, reuse, figures, limits and threads; and what kernels keep in
// it.
#include <catch.h>
#include <cornu/backend/cpu/allocator.h>
#include <cornu/backend/cpu/kept_filters.h>
#include <cornu/backend/error.h>

#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace allocator_test {

using namespace cornu;
using backend::cpu::CachingAllocator;
using backend::cpu::KeptFilters;

namespace {
constexpr size_t mebibyte = size_t{1} << 20;
}

TEST_CASE("blocks are aligned, hold what was asked for and are counted exactly") {
  CachingAllocator allocator;
  std::vector<std::pair<void*, size_t>> blocks;
  for (size_t bytes = 0; bytes < 5000; bytes += 7) blocks.emplace_back(nullptr, bytes);
  for (int bits = 12; bits < 23; ++bits)
    for (int more = -1; more <= 1; ++more)
      blocks.emplace_back(nullptr, (size_t{1} << bits) + static_cast<size_t>(more));
  size_t asked = 0, before = 0;
  for (auto& [data, bytes] : blocks) {
    data = allocator.allocate(bytes);
    REQUIRE(reinterpret_cast<uintptr_t>(data) % 64 == 0);
    std::memset(data, 0xab, bytes);
    asked += bytes;
    const size_t rounded = allocator.stats().live - before;
    REQUIRE(rounded >= bytes);
    REQUIRE(rounded % 64 == 0);
    REQUIRE(rounded <= bytes + std::max<size_t>(64, bytes / 8));
    before = allocator.stats().live;
  }
  CHECK(before >= asked);
  CHECK(allocator.stats().peak == before);
  for (auto& [data, bytes] : blocks) allocator.deallocate(data, bytes);
  CHECK(allocator.stats().live == 0);
  CHECK(allocator.stats().cached == (CachingAllocator::caches() ? before : 0));
  CHECK(allocator.stats().peak == before);
  allocator.release();
  CHECK(allocator.stats().cached == 0);
  allocator.reset_peak();
  CHECK(allocator.stats().peak == 0);
}

TEST_CASE("a freed block serves the next request of about its size") {
  CachingAllocator allocator;
  void* first = allocator.allocate(100 * 1000);
  allocator.deallocate(first, 100 * 1000);
  void* second = allocator.allocate(100 * 1000 + 1);
  if (CachingAllocator::caches()) {
    CHECK(second == first);
    CHECK(allocator.stats().cached == 0);
  }
  allocator.deallocate(second, 100 * 1000 + 1);
  allocator.deallocate(nullptr, 0);  // nothing happens
}

TEST_CASE("the limit names what was wanted, and the cache gives way to it") {
  CachingAllocator allocator;
  allocator.set_limit(4 * mebibyte);
  CHECK(allocator.stats().limit == 4 * mebibyte);
  void* kept = allocator.allocate(2 * mebibyte);
  void* freed = allocator.allocate(2 * mebibyte);
  try {
    allocator.allocate(mebibyte);
    FAIL("the limit was passed");
  } catch (const MemoryError& error) {
    const std::string text = error.what();
    CHECK(text.find("1.00 MiB") != std::string::npos);
    CHECK(text.find("live 4.00 MiB") != std::string::npos);
    CHECK(text.find("limit 4.00 MiB") != std::string::npos);
  }
  CHECK(allocator.stats().live == 4 * mebibyte);
  CHECK(allocator.stats().peak == 4 * mebibyte);
  allocator.deallocate(freed, 2 * mebibyte);
  void* smaller = allocator.allocate(mebibyte);  // another size: the cached block must go
  const backend::MemoryStats stats = allocator.stats();
  CHECK(stats.live == 3 * mebibyte);
  CHECK(stats.live + stats.cached <= 4 * mebibyte);
  allocator.set_limit(mebibyte);  // below what is live: nothing is kept any more
  allocator.deallocate(smaller, mebibyte);
  CHECK(allocator.stats().cached == 0);
  CHECK_THROWS_AS(allocator.allocate(1), MemoryError);
  allocator.set_limit(0);
  allocator.deallocate(allocator.allocate(8 * mebibyte), 8 * mebibyte);
  allocator.deallocate(kept, 2 * mebibyte);
  CHECK(allocator.stats().live == 0);
}

TEST_CASE("an impossible request fails and leaves the figures alone") {
  CachingAllocator allocator;
  CHECK_THROWS_AS(allocator.allocate(~size_t{0}), MemoryError);
  CHECK_THROWS_AS(allocator.allocate((size_t{1} << 47) + 1), MemoryError);
  CHECK(allocator.stats().live == 0);
  CHECK(allocator.stats().peak == 0);
}

TEST_CASE("the cache is bounded by what was needed at once") {
  CachingAllocator allocator;
  // One block of ever another size: only some of the old ones may stay.
  for (size_t bytes = 4 * mebibyte; bytes < 256 * mebibyte; bytes += bytes / 8) {
    allocator.deallocate(allocator.allocate(bytes), bytes);
    const backend::MemoryStats stats = allocator.stats();
    REQUIRE(stats.live + stats.cached <= stats.peak + stats.peak / 4 + 64 * mebibyte);
  }
}

TEST_CASE("a large free block serves any request that it can hold") {
  if (!CachingAllocator::caches()) return;
  CachingAllocator allocator;
  char* const whole = static_cast<char*>(allocator.allocate(8 * mebibyte));
  allocator.deallocate(whole, 8 * mebibyte);
  char* const part = static_cast<char*>(allocator.allocate(3 * mebibyte));
  CHECK(part == whole + 5 * mebibyte);
  CHECK(allocator.stats().cached == 5 * mebibyte);
  void* const other = allocator.allocate(5 * mebibyte);
  CHECK(other == whole);
  CHECK(allocator.stats().cached == 0);
  // Neighbors are one block again once both are free.
  allocator.deallocate(part, 3 * mebibyte);
  allocator.deallocate(other, 5 * mebibyte);
  CHECK(allocator.stats().cached == 8 * mebibyte);
  CHECK(allocator.allocate(8 * mebibyte) == whole);
  allocator.deallocate(whole, 8 * mebibyte);
  CHECK(allocator.stats().live == 0);
}

TEST_CASE("scratch memory takes the place of what it outgrew") {
  if (!CachingAllocator::caches()) return;
  CachingAllocator allocator;
  allocator.deallocate(allocator.allocate_scratch(8 * mebibyte), 8 * mebibyte);
  void* const part = allocator.allocate_scratch(3 * mebibyte);
  CHECK(allocator.stats().cached == 5 * mebibyte);
  allocator.deallocate(part, 3 * mebibyte);
  allocator.deallocate(allocator.allocate_scratch(12 * mebibyte), 12 * mebibyte);
  CHECK(allocator.stats().cached == 12 * mebibyte);
  CHECK(allocator.stats().live == 0);
  allocator.deallocate(allocator.allocate_scratch(1000), 1000);
  CHECK_THROWS_AS(allocator.allocate_scratch(~size_t{0}), MemoryError);
}

TEST_CASE("blocks of all sizes come and go under a limit") {
  CachingAllocator allocator;
  allocator.set_limit(24 * mebibyte);
  std::mt19937 generator(3);
  std::vector<std::pair<char*, size_t>> held;
  size_t refused = 0;
  for (int step = 0; step < 4000; ++step) {
    if (generator() % 2 == 0) {
      const size_t bytes = 1 + generator() % (size_t{1} << (6 + generator() % 18));
      try {
        char* const data = static_cast<char*>(allocator.allocate(bytes));
        data[0] = data[bytes - 1] = static_cast<char>(bytes % 100);
        held.emplace_back(data, bytes);
      } catch (const MemoryError&) {
        ++refused;
      }
    } else if (!held.empty()) {
      std::swap(held[generator() % held.size()], held.back());
      const auto [data, bytes] = held.back();
      held.pop_back();
      REQUIRE(data[0] == static_cast<char>(bytes % 100));
      REQUIRE(data[bytes - 1] == static_cast<char>(bytes % 100));
      allocator.deallocate(data, bytes);
    }
    const backend::MemoryStats stats = allocator.stats();
    REQUIRE(stats.live + stats.cached <= stats.limit);
  }
  CHECK(refused > 0);
  for (const auto& [data, bytes] : held) allocator.deallocate(data, bytes);
  allocator.release();
  CHECK(allocator.stats().live == 0);
  CHECK(allocator.stats().cached == 0);
}

TEST_CASE("equal filters are kept once") {
  const auto live = [] { return backend::cpu_backend().allocator().stats().live; };
  constexpr size_t bytes = mebibyte;
  const size_t before = live();
  KeptFilters first, second, other;
  const auto fill = [&](KeptFilters& kept, int value) {
    std::memset(kept.make(bytes), value, bytes);
    kept.share();
  };
  fill(first, 1);
  fill(second, 1);
  fill(other, 2);
  CHECK(first.data() == second.data());
  CHECK(other.data() != first.data());
  CHECK(live() == before + 2 * bytes);
  // New numbers for one of them leave the other's alone.
  fill(second, 3);
  CHECK(*static_cast<const char*>(first.data()) == 1);
  CHECK(*static_cast<const char*>(second.data()) == 3);
  CHECK(live() == before + 3 * bytes);
  first = {};
  fill(second, 1);
  CHECK(live() == before + 2 * bytes);
}

TEST_CASE("threads share the allocator") {
  CachingAllocator allocator;
  std::vector<std::thread> threads;
  std::vector<int> damaged(4);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::mt19937 generator(static_cast<unsigned>(t));
      std::vector<std::pair<unsigned char*, size_t>> held;
      for (int step = 0; step < 5000; ++step) {
        if (held.size() < 20 && generator() % 2 == 0) {
          const size_t bytes = 1 + generator() % 3000;
          auto* data = static_cast<unsigned char*>(allocator.allocate(bytes));
          std::memset(data, t + 1, bytes);
          held.emplace_back(data, bytes);
        } else if (!held.empty()) {
          auto [data, bytes] = held.back();
          held.pop_back();
          for (size_t i = 0; i < bytes; ++i) damaged[static_cast<size_t>(t)] += data[i] != t + 1;
          allocator.deallocate(data, bytes);
        }
        if (step % 1000 == 0) allocator.release();
      }
      for (auto [data, bytes] : held) allocator.deallocate(data, bytes);
    });
  for (std::thread& thread : threads) thread.join();
  for (int count : damaged) CHECK(count == 0);
  CHECK(allocator.stats().live == 0);
}

TEST_CASE("the backend copies to and from the host, and is one object") {
  backend::Backend& cpu = backend::cpu_backend();
  CHECK(&cpu == &backend::cpu_backend());
  CHECK(cpu.name() == "cpu");
  const std::vector<int> numbers = {1, 2, 3};
  void* data = cpu.allocator().allocate(12);
  cpu.copy_from_host(data, numbers.data(), 12);
  std::vector<int> back(3);
  cpu.copy_to_host(back.data(), data, 12);
  cpu.copy_to_host(nullptr, nullptr, 0);
  CHECK(back == numbers);
  cpu.allocator().deallocate(data, 12);
}

}  // namespace allocator_test
