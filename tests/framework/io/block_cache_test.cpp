// Blocks that are kept: how many, which, and made once by several threads.
#include <cornu/framework/io/block_cache.h>

#include <array>
#include <atomic>
#include <stdexcept>
#include <thread>

#include "catch.h"

namespace block_cache_test {

using cornu::io::BlockCache;

TEST_CASE("the blocks used last are kept, up to a number of bytes") {
  BlockCache cache(100);
  int made = 0;
  const auto get = [&](uint64_t number, size_t size = 40) {
    return cache.get(number, [&] {
      ++made;
      return std::vector<std::byte>(size, std::byte(number));
    });
  };
  CHECK((*get(1))[0] == std::byte{1});
  get(2);
  get(1);
  CHECK(made == 2);
  get(3);  // drives 2 out
  CHECK(cache.bytes() == 80);
  get(1);
  CHECK(made == 3);
  get(2);
  CHECK(made == 4);
  // One that is larger than all stays until the next.
  const BlockCache::Block large = get(4, 1000);
  CHECK(cache.bytes() == 1000);
  get(4);
  CHECK(made == 5);
  get(5);
  CHECK(cache.bytes() == 40);
  CHECK(large->size() == 1000);
}

TEST_CASE("a block that cannot be made is tried again") {
  BlockCache cache(100);
  CHECK_THROWS_AS(cache.get(1, []() -> BlockCache::Bytes { throw std::runtime_error("no"); }),
                  std::runtime_error);
  CHECK(cache.bytes() == 0);
  CHECK(cache.get(1, [] { return BlockCache::Bytes(3); })->size() == 3);
  CHECK(cache.bytes() == 3);
}

TEST_CASE("threads that want one block make it once") {
  BlockCache cache(1 << 20);
  std::atomic<int> made = 0;
  std::array<std::thread, 4> threads;
  for (std::thread& thread : threads)
    thread = std::thread([&] {
      for (uint64_t number = 0; number < 500; ++number)
        cache.get(number, [&] {
          ++made;
          std::this_thread::yield();
          return BlockCache::Bytes(8);
        });
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(made == 500);
  CHECK(cache.bytes() == 4000);
}

}  // namespace block_cache_test
