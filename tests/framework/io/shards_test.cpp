// Shards: what is written is read, in any order, by several threads; what is damaged is named.
#include <catch.h>
#include <cornu/backend/error.h>
#include <cornu/framework/io/crc32c.h>
#include <cornu/framework/io/shards.h>

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <thread>

#include "../../support/temporary.h"

namespace shards_test {

using namespace cornu;
using namespace cornu::io;
using cornu::test::bytes_of;
using cornu::test::contains;
using cornu::test::slurp;
using cornu::test::spill;
using cornu::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

// A picture of its own size and value for each number, and a label for most.
std::vector<ShardArray> record(int64_t i, std::vector<std::byte>& pixels, int64_t& label) {
  const Shape shape({1 + i % 3, 2 + i % 5, 3});
  pixels.assign(static_cast<size_t>(shape.numel()), static_cast<std::byte>(i));
  label = i * i;
  std::vector<ShardArray> arrays = {{"image", DType::uint8, shape, pixels}};
  if (i % 4 != 3)
    arrays.push_back({"label", DType::int64, Shape(), std::as_bytes(std::span(&label, 1))});
  return arrays;
}

void add_records(ShardWriter& writer, int64_t from, int64_t to) {
  std::vector<std::byte> pixels;
  int64_t label = 0;
  for (int64_t i = from; i < to; ++i) writer.add(record(i, pixels, label));
}

void write_records(const fs::path& folder, int64_t from, int64_t to, ShardOptions options = {}) {
  ShardWriter writer(folder, options);
  add_records(writer, from, to);
  writer.finish();
}

bool is_record(const ShardReader& reader, int64_t i) {
  std::vector<std::byte> pixels;
  int64_t label = 0;
  const auto expected = record(i, pixels, label), found = reader[i];
  if (found.size() != expected.size()) return false;
  for (size_t a = 0; a < found.size(); ++a)
    if (found[a].name != expected[a].name || found[a].dtype != expected[a].dtype ||
        found[a].shape != expected[a].shape ||
        !std::equal(found[a].data.begin(), found[a].data.end(), expected[a].data.begin(),
                    expected[a].data.end()))
      return false;
  return true;
}

}  // namespace

TEST_CASE("CRC-32C is that of RFC 3720") {
  CHECK(crc32c(bytes_of("123456789")) == 0xE3069283u);
  CHECK(crc32c(bytes_of(std::string(32, '\0'))) == 0x8A9136AAu);
  CHECK(crc32c({}) == 0);
}

TEST_CASE("Shards give their records in any order") {
  const TemporaryFolder folder;
  const fs::path path = folder / "s.shards";
  // A small size makes many files.
  write_records(path, 0, 100, {.shard_bytes = 2000, .classes = {"cat", "dog"}});
  const ShardReader reader(path);
  CHECK(reader.size() == 100);
  CHECK(reader.fields() == std::vector<std::string>{"image", "label"});
  CHECK(reader.classes() == std::vector<std::string>{"cat", "dog"});
  CHECK(std::distance(fs::directory_iterator(path), fs::directory_iterator()) > 5);
  for (int64_t i = 0; i < 100; ++i) CHECK(is_record(reader, i * 37 % 100));
  // Arrays begin where any instruction may read them, and outlive the reader.
  std::vector<ShardArray> kept;
  {
    const ShardReader other(path);
    kept = other[42];
  }
  CHECK(reinterpret_cast<uintptr_t>(kept[0].data.data()) % 64 == 0);
  CHECK(kept[0].data[0] == static_cast<std::byte>(42));
  CHECK_THROWS_WITH(reader[100], contains("has 100 records, there is no number 100"));
  CHECK_THROWS_AS(reader[-1], ValueError);
}

TEST_CASE("Several threads read shards at a time") {
  const TemporaryFolder folder;
  write_records(folder / "s", 0, 60, {.shard_bytes = 3000});
  const ShardReader reader(folder / "s");
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int64_t i = 0; i < 60; ++i) right += is_record(reader, (i * 7 + t) % 60);
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(right == 240);
}

TEST_CASE("Records are appended, and a writer that does not finish changes nothing") {
  const TemporaryFolder folder;
  const fs::path path = folder / "s";
  write_records(path, 0, 10);
  CHECK_THROWS_WITH(ShardWriter(path), contains("has shards already"));
  {
    ShardWriter unfinished(path, {.shard_bytes = 500, .append = true});
    add_records(unfinished, 10, 40);
    CHECK(unfinished.size() == 40);
  }
  CHECK(ShardReader(path).size() == 10);
  write_records(path, 10, 25, {.append = true});
  write_records(path, 25, 26, {.append = true});
  const ShardReader reader(path);
  REQUIRE(reader.size() == 26);
  for (int64_t i = 0; i < 26; ++i) CHECK(is_record(reader, i));
  CHECK_THROWS_WITH(ShardWriter(path, {.classes = {"a"}, .append = true}),
                    contains("of other classes"));
  // Without records.
  write_records(folder / "empty", 0, 0);
  CHECK(ShardReader(folder / "empty").size() == 0);
  CHECK_THROWS_AS(ShardReader(folder / "empty")[0], ValueError);
}

TEST_CASE("A record that cannot be written leaves the shards as they are") {
  const TemporaryFolder folder;
  ShardWriter writer(folder / "s");
  add_records(writer, 0, 1);
  const float number = 1;
  const auto bytes = std::as_bytes(std::span(&number, 1));
  const auto add = [&](std::vector<ShardArray> arrays) { writer.add(arrays); };
  CHECK_THROWS_WITH(
      add({{"new", DType::float32, Shape(), bytes}, {"image", DType::float32, Shape(), bytes}}),
      contains("'image' is float32 here, and uint8"));
  CHECK_THROWS_WITH(
      add({{"a", DType::float32, Shape(), bytes}, {"a", DType::float32, Shape(), bytes}}),
      contains("two arrays are named 'a'"));
  CHECK_THROWS_WITH(add({{"a", DType::float32, Shape({2}), bytes}}), contains("has 4 bytes"));
  CHECK_THROWS_WITH(add({{"a", DType::string, Shape(), bytes}}), contains("of strings"));
  writer.finish();
  const ShardReader reader(folder / "s");
  CHECK(reader.fields() == std::vector<std::string>{"image", "label"});
  CHECK(is_record(reader, 0));
  CHECK_THROWS_AS(ShardWriter(folder / "t", {.shard_bytes = 0}), ValueError);
  spill(folder / "file", "");
  CHECK_THROWS_WITH(ShardWriter(folder / "file"), contains("cannot be made"));
}

TEST_CASE("A file of shards that cannot be made is not in the index") {
  const TemporaryFolder folder;
  const fs::path path = folder / "s";
  ShardWriter writer(path);
  fs::remove_all(path);
  CHECK_THROWS_AS(add_records(writer, 0, 1), FileError);
  fs::create_directory(path);
  add_records(writer, 0, 2);
  writer.finish();
  const ShardReader reader(path);
  REQUIRE(reader.size() == 2);
  for (int64_t i = 0; i < 2; ++i) CHECK(is_record(reader, i));
}

TEST_CASE("A record that was written in part is in no other's way") {
  const TemporaryFolder folder;
  const fs::path path = folder / "s";
  ShardWriter writer(path);
  add_records(writer, 0, 2);
  const std::vector<std::byte> large(20000);
  const std::vector<ShardArray> too_much = {{"image", DType::uint8, Shape({20000}), large}};
  struct rlimit before {};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit small = before;
  small.rlim_cur = 10000;
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  bool failed = false;
  try {
    writer.add(too_much);
  } catch (const FileError&) {
    failed = true;
  }
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, handler);
  CHECK(failed);
  add_records(writer, 2, 4);
  writer.finish();
  const ShardReader reader(path);
  REQUIRE(reader.size() == 4);
  for (int64_t i = 0; i < 4; ++i) CHECK(is_record(reader, i));
}

TEST_CASE("Damaged shards are named, wherever the damage is") {
  const TemporaryFolder folder;
  const fs::path path = folder / "s";
  write_records(path, 0, 3);
  const fs::path file = path / "00000.shard";
  const std::string whole = slurp(file);
  for (size_t i = 0; i < whole.size(); ++i) {
    // Behind the magic number and between records there is room that nobody reads.
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
    spill(file, damaged);
    INFO("byte " << i);
    try {
      const ShardReader reader(path);
      bool same = true;
      for (int64_t r = 0; r < 3; ++r) same &= is_record(reader, r);
      CHECK(same);
      CHECK((i >= 8 && i < 64));
    } catch (const FileError& e) {
      CHECK(std::string(e.what()).find("00000.shard") != std::string::npos);
    }
  }
  // Without the check of sums nothing that is read may lie outside of the file.
  for (size_t i = 64; i < whole.size(); ++i)
    for (const char change : {'\x01', '\x80', '\xFF'}) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ change);
      spill(file, damaged);
      try {
        const ShardReader reader(path, false);
        bool inside = true;
        for (int64_t r = 0; r < 3; ++r)
          for (const ShardArray& array : reader[r])
            inside &= array.data.size() ==
                      static_cast<size_t>(array.shape.numel()) * size_of(array.dtype);
        CHECK(inside);
      } catch (const FileError&) {
      }
    }
  spill(file, whole.substr(0, whole.size() / 2));
  CHECK_THROWS_AS(ShardReader(path), FileError);
  fs::remove(file);
  CHECK_THROWS_WITH(ShardReader(path), contains("is missing"));
  for (const char* index : {"", "{}", "[1]", R"({"format": "cornu shards 2"})",
                            R"({"format": "cornu shards 1", "fields": 3})",
                            R"({"format": "cornu shards 1", "fields": [], "classes": [],
                                "shards": [{"file": "../x", "records": 1, "bytes": 1}]})"}) {
    spill(path / "index.json", index);
    CHECK_THROWS_WITH(ShardReader(path), contains("index.json"));
  }
  CHECK_THROWS_AS(ShardReader(folder / "nothing"), FileError);
}

TEST_CASE("One writer at a time gets at a folder of shards") {
  const TemporaryFolder folder;
  const fs::path path = folder / "s";
  const std::string me = "process " + std::to_string(::getpid());
  {
    ShardWriter first(path);
    add_records(first, 0, 3);
    CHECK_THROWS_WITH(ShardWriter(path), contains(path.string()) && contains(me));
    first.finish();
    CHECK_THROWS_AS(add_records(first, 3, 4), StateError);
    // What is finished is in nobody's way, though the object is still there.
    write_records(path, 3, 5, {.append = true});
  }
  {
    ShardWriter appending(path, {.append = true});
    add_records(appending, 5, 8);
    CHECK_THROWS_WITH(ShardWriter(path, {.append = true}), contains("wait until it has ended"));
    CHECK(ShardReader(path).size() == 5);
  }
  CHECK_FALSE(fs::exists(path / ".lock"));
  write_records(path, 5, 7, {.append = true});
  const ShardReader reader(path);
  REQUIRE(reader.size() == 7);
  for (int64_t i = 0; i < 7; ++i) CHECK(is_record(reader, i));
}

TEST_CASE("Threads that append to one folder lose no record") {
  const TemporaryFolder folder;
  const fs::path path = folder / "s";
  write_records(path, 0, 0);
  std::vector<std::thread> threads;
  std::atomic<int64_t> refused = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int64_t round = 0; round < 5;) try {
          write_records(path, round, round + 3, {.append = true});
          ++round;
        } catch (const FileError&) {
          ++refused;
          std::this_thread::yield();
        }
    });
  for (std::thread& thread : threads) thread.join();
  INFO(refused << " were told to wait");
  const ShardReader reader(path);
  REQUIRE(reader.size() == 4 * 5 * 3);
  // Each writer's records follow each other.
  for (int64_t i = 0; i < reader.size(); i += 3) {
    const auto first = static_cast<int64_t>(reader[i][0].data[0]);
    for (int64_t k = 0; k < 3; ++k)
      CHECK(static_cast<int64_t>(reader[i + k][0].data[0]) == first + k);
  }
}

TEST_CASE("A writer of another process is named, and one that was killed leaves no lock") {
  const TemporaryFolder folder;
  const fs::path path = folder / "s";
  write_records(path, 0, 4);
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ShardWriter writer(path, {.append = true});
    add_records(writer, 4, 9);
    (void)!::write(ready[1], "!", 1);
    for (;;) ::pause();
  }
  char byte = 0;
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  CHECK_THROWS_WITH(ShardWriter(path, {.append = true}),
                    contains("is being written by process " + std::to_string(child)));
  REQUIRE(::kill(child, SIGKILL) == 0);
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  ::close(ready[0]);
  ::close(ready[1]);
  CHECK(fs::exists(path / ".lock"));
  write_records(path, 4, 6, {.append = true});
  CHECK_FALSE(fs::exists(path / ".lock"));
  const ShardReader reader(path);
  REQUIRE(reader.size() == 6);
  for (int64_t i = 0; i < 6; ++i) CHECK(is_record(reader, i));
}

}  // namespace shards_test
