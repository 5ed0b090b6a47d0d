// Large blocks: cutting, joining, growing, and giving back.
#include <catch.h>
#include <cornu/backend/cpu/large_blocks.h>

#include <cstring>
#include <map>
#include <random>

namespace large_blocks_test {

using cornu::backend::cpu::LargeBlocks;

namespace {

constexpr size_t mebibyte = size_t{1} << 20;

// One free block of so many bytes: where several are mapped, only the system knows how they lie.
char* free_block(LargeBlocks& blocks, size_t bytes) {
  void* const data = blocks.map(bytes);
  blocks.give(data, 0);
  return static_cast<char*>(data);
}

}  // namespace

TEST_CASE("the smallest free block that holds a request is cut") {
  if (!LargeBlocks::available()) return;
  LargeBlocks blocks;
  CHECK(blocks.take(mebibyte) == nullptr);
  char* const start = free_block(blocks, 9 * mebibyte);
  CHECK(blocks.idle() == 9 * mebibyte);
  // Blocks are cut from the upper end.
  CHECK(blocks.take(2 * mebibyte) == start + 7 * mebibyte);
  CHECK(blocks.take(mebibyte) == start + 6 * mebibyte);
  CHECK(blocks.take(6 * mebibyte) == start);
  CHECK(blocks.take(mebibyte) == nullptr);
  CHECK(blocks.idle() == 0);
  CHECK(blocks.give(start, 1) == 6 * mebibyte);
  CHECK(blocks.give(start + 7 * mebibyte, 2) == 2 * mebibyte);
  CHECK(blocks.idle() == 8 * mebibyte);
  CHECK(blocks.take(7 * mebibyte) == nullptr);
  CHECK(blocks.take(mebibyte) == start + 8 * mebibyte);
  CHECK(blocks.take(2 * mebibyte) == start + 4 * mebibyte);
  CHECK(blocks.idle() == 5 * mebibyte);
  // What is left of both and the block between them become one.
  blocks.give(start + 6 * mebibyte, 3);
  blocks.give(start + 4 * mebibyte, 4);
  blocks.give(start + 8 * mebibyte, 5);
  CHECK(blocks.idle() == 9 * mebibyte);
  CHECK(blocks.take(9 * mebibyte) == start);
  CHECK(blocks.idle() == 0);
}

TEST_CASE("a free block at the end of what is mapped grows, or a new one is mapped") {
  if (!LargeBlocks::available()) return;
  LargeBlocks blocks;
  char* const start = free_block(blocks, 8 * mebibyte);
  char* const larger = static_cast<char*>(blocks.map(12 * mebibyte));
  REQUIRE(larger != nullptr);
  if (larger == start - 4 * mebibyte) {
    CHECK(blocks.idle() == 0);
  } else {
    CHECK((larger + 12 * mebibyte <= start || larger >= start + 8 * mebibyte));
    CHECK(blocks.idle() == 8 * mebibyte);
  }
  std::memset(larger, 1, 12 * mebibyte);
}

TEST_CASE("a block that another thread has freed meanwhile is taken whole") {
  if (!LargeBlocks::available()) return;
  // Of the size that is asked for, and larger.
  for (const size_t freed : {mebibyte, 2 * mebibyte}) {
    LargeBlocks blocks;
    void* const first = blocks.map(freed);
    blocks.give(first, 1);
    void* const again = blocks.map(mebibyte);
    CHECK(again == static_cast<char*>(first) + (freed - mebibyte));
    CHECK(blocks.idle() == freed - mebibyte);
    CHECK(blocks.give(again, 2) == mebibyte);
    CHECK(blocks.idle() == freed);
    // Unmapped as one.
    CHECK(blocks.forget_oldest() == std::pair(first, freed));
    LargeBlocks::unmap(first, freed);
  }
}

TEST_CASE("what has been free for longest is forgotten first") {
  if (!LargeBlocks::available()) return;
  LargeBlocks blocks;
  CHECK(blocks.oldest() == ~uint64_t{0});
  char* const start = free_block(blocks, 4 * mebibyte);
  char* const first = static_cast<char*>(blocks.take(mebibyte));
  char* const kept = static_cast<char*>(blocks.take(mebibyte));
  char* const second = static_cast<char*>(blocks.take(2 * mebibyte));
  REQUIRE(second == start);
  blocks.give(second, 10);
  blocks.give(first, 20);
  CHECK(blocks.oldest() == 10);
  const auto forgotten = blocks.forget_oldest();
  CHECK(forgotten.first == second);
  CHECK(forgotten.second == 2 * mebibyte);
  LargeBlocks::unmap(forgotten.first, forgotten.second);
  CHECK(blocks.idle() == mebibyte);
  // Its neighbor is not joined with what is no longer there.
  blocks.give(kept, 30);
  CHECK(blocks.idle() == 2 * mebibyte);
  CHECK(blocks.take(3 * mebibyte) == nullptr);
  CHECK(blocks.take(2 * mebibyte) == kept);
}

TEST_CASE("blocks never overlap, whatever is asked for and given back") {
  if (!LargeBlocks::available()) return;
  LargeBlocks blocks;
  std::mt19937 generator(7);
  std::map<char*, std::pair<size_t, unsigned char>> held;
  uint64_t now = 0;
  size_t in_use = 0, owned = 0;  // owned: in use and free
  for (int step = 0; step < 3000; ++step) {
    if (held.size() < 12 && generator() % 5 < 3) {
      const size_t bytes = LargeBlocks::rounded(mebibyte / 2 + generator() % (3 * mebibyte));
      const size_t free_before = blocks.idle();
      char* data = static_cast<char*>(blocks.take(bytes));
      if (data == nullptr) {
        data = static_cast<char*>(blocks.map(bytes));
        // Only what borders on a free block is less than asked for.
        owned += bytes - (free_before - blocks.idle());
      }
      REQUIRE(data != nullptr);
      const auto value = static_cast<unsigned char>(step);
      const auto place = held.emplace(data, std::pair(bytes, value)).first;
      if (place != held.begin()) {
        const auto below = std::prev(place);
        REQUIRE(below->first + below->second.first <= data);
      }
      if (std::next(place) != held.end()) REQUIRE(data + bytes <= std::next(place)->first);
      data[0] = data[bytes - 1] = static_cast<char>(value);
      in_use += bytes;
    } else if (!held.empty()) {
      auto place = std::next(held.begin(), static_cast<long>(generator() % held.size()));
      const auto [bytes, value] = place->second;
      REQUIRE(static_cast<unsigned char>(place->first[0]) == value);
      REQUIRE(static_cast<unsigned char>(place->first[bytes - 1]) == value);
      REQUIRE(blocks.give(place->first, ++now) == bytes);
      in_use -= bytes;
      held.erase(place);
    }
    if (step % 500 == 499 && blocks.idle() > 0) {
      const auto [data, bytes] = blocks.forget_oldest();
      LargeBlocks::unmap(data, bytes);
      owned -= bytes;
    }
    REQUIRE(in_use + blocks.idle() == owned);
  }
  for (const auto& [data, block] : held) blocks.give(data, ++now);
  while (blocks.idle() > 0) {
    const auto [data, bytes] = blocks.forget_oldest();
    LargeBlocks::unmap(data, bytes);
  }
}

}  // namespace large_blocks_test
