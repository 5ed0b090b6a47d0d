// Caches in files: whole or not there, the same bits for whoever reads them, and refused where they
// are damaged or another pipeline's.
#include <cornu/framework/data/pipeline.h>
#include <cornu/framework/data/sample_shards.h>
#include <cornu/framework/io/shards.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <signal.h>
#include <sys/wait.h>

#include <atomic>
#include <numeric>
#include <thread>

#include "../../support/temporary.h"
#include "catch.h"

namespace cache_file_test {

using namespace cornu;
using test::contains;
namespace fs = std::filesystem;

namespace {

using Numbers = std::vector<int64_t>;

template <class T>
std::vector<T> all(const data::Pipeline<T>& pipeline, int64_t epoch = 0) {
  std::vector<T> elements;
  for (const T& element : pipeline.epoch(epoch)) elements.push_back(element);
  return elements;
}

// Draws, counts its calls, and says in which epoch it was made.
auto drawing(std::atomic<int>& made) {
  return [&made](int64_t i, const data::Place& place) {
    ++made;
    return 10000 * i + 10 * place.random().below(1000) + place.epoch;
  };
}

bool even(int64_t i) { return i % 2 == 0; }

data::Pipeline<int64_t> indexed(const fs::path& file, std::atomic<int>& made, int64_t workers) {
  return data::range(40).map(drawing(made), {.workers = workers}).cache({.file = file});
}

data::Pipeline<int64_t> sequence(const fs::path& file, std::atomic<int>& made, int64_t workers) {
  return data::range(40)
      .filter(even)
      .map(drawing(made), {.workers = workers})
      .cache({.file = file});
}

}  // namespace

TEST_CASE("A cache in a file is written by the first whole pass and read by all others") {
  const test::TemporaryFolder folder;
  std::atomic<int> made = 0, once = 0;
  for (const int64_t workers : {0, 2})
    for (const bool numbered : {true, false}) {
      INFO("workers " << workers << (numbered ? ", indexed" : ", one after the other"));
      const auto path = folder / (std::to_string(workers) + (numbered ? "i" : "s"));
      const auto make = [&](std::atomic<int>& count) {
        return numbered ? indexed(path, count, workers) : sequence(path, count, workers);
      };
      const int count = numbered ? 40 : 20;
      made = 0;
      const auto first = make(made);
      CHECK(first.size() == (numbered ? 40 : Dataset::unknown));
      const Numbers expected = all(first);
      CHECK(static_cast<int>(expected.size()) == count);
      CHECK(made == count);
      CHECK(first.size() == count);
      CHECK(all(first, 3) == expected);
      CHECK(made == count);
      once = 0;
      CHECK(all(make(once), 7) == expected);
      CHECK(once == 0);
      // Memory gives the same.
      const auto in_memory = numbered ? data::range(40).map(drawing(once)).cache()
                                      : data::range(40).filter(even).map(drawing(once)).cache();
      CHECK(all(in_memory, 5) == expected);
      CHECK(folder.count() >= 1);
    }
  CHECK(folder.count() == 4);
}

TEST_CASE(
    "Elements of a cache do not depend on the epoch, the order or the start of the first walk") {
  const test::TemporaryFolder folder;
  std::atomic<int> made = 0;
  const Numbers expected = all(indexed(folder / "whole", made, 0));
  for (const int64_t workers : {0, 2}) {
    const auto cached = indexed(folder / ("shuffled" + std::to_string(workers)), made, workers);
    const auto shuffled = cached.shuffle().map([](int64_t i) { return i; }, {.workers = workers});
    Numbers one = all(shuffled, 4);
    CHECK(one != expected);
    std::sort(one.begin(), one.end());
    CHECK(one == expected);
    CHECK(fs::exists(folder / ("shuffled" + std::to_string(workers))));
    CHECK(all(cached, 1) == expected);
  }
  // A run that is resumed in the middle of its first epoch writes the cache in its second.
  const auto resumed = indexed(folder / "resumed", made, 2);
  const auto stream = resumed.open(0, {30});
  for (int64_t i = 30; i < 40; ++i) CHECK(stream->next() == expected[static_cast<size_t>(i)]);
  CHECK_FALSE(stream->next());
  CHECK_FALSE(fs::exists(folder / "resumed"));
  CHECK(all(resumed, 1) == expected);
  CHECK(fs::exists(folder / "resumed"));
  const Numbers evens = all(sequence(folder / "evens", made, 0));
  for (const int64_t workers : {0, 2}) {
    const auto later = sequence(folder / ("evens" + std::to_string(workers)), made, workers);
    const auto rest = later.open(0, {15});
    for (int64_t i = 15; i < 20; ++i) CHECK(rest->next() == evens[static_cast<size_t>(i)]);
    CHECK_FALSE(rest->next());
    CHECK(fs::exists(folder / ("evens" + std::to_string(workers))));
    const auto read = later.open(3, {18});
    CHECK(read->next() == evens[18]);
    CHECK(read->position() == data::Position{19});
  }
}

TEST_CASE("An epoch that stops early leaves no cache, and what it made is used again") {
  const test::TemporaryFolder folder;
  std::atomic<int> made = 0;
  {
    const auto cached = indexed(folder / "cache", made, 2);
    {
      const auto stream = cached.open();
      for (int i = 0; i < 7; ++i) stream->next();
    }
    CHECK_FALSE(fs::exists(folder / "cache"));
  }
  CHECK(folder.count() == 0);
  const auto faulty = data::range(10)
                          .map([](int64_t i) {
                            if (i == 5) throw std::runtime_error("no five");
                            return i;
                          })
                          .cache({.file = folder / "cache"});
  CHECK_THROWS_WITH(all(faulty), contains("no five"));
  CHECK_FALSE(fs::exists(folder / "cache"));
}

TEST_CASE("A process that is killed while it writes leaves no cache behind") {
  const test::TemporaryFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<int> made = 0;
    const auto cached = indexed(folder / "cache", made, 0);
    const auto stream = cached.open();
    for (int i = 0; i < 39; ++i) stream->next();
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  REQUIRE(WIFSIGNALED(status));
  CHECK_FALSE(fs::exists(folder / "cache"));
  std::atomic<int> made = 0;
  CHECK(all(indexed(folder / "cache", made, 0)).size() == 40);
  CHECK(made == 40);
  CHECK(folder.count() == 1);  // the remains are gone
}

TEST_CASE("A cache may be named by its file alone") {
  const test::TemporaryFolder folder;
  const std::string name = (folder / "cache").string();
  CHECK(all(data::range(3).cache(name)) == Numbers{0, 1, 2});
  CHECK(fs::exists(name));
  CHECK(all(data::range(3).cache(name.c_str())) == Numbers{0, 1, 2});
  CHECK(all(data::range(3).cache(fs::path(name))) == Numbers{0, 1, 2});
  CHECK_THROWS_AS(data::range(3).cache(""), ValueError);
}

TEST_CASE("Two pipelines may write one cache at a time") {
  const test::TemporaryFolder folder;
  std::atomic<int> made = 0;
  const auto a = indexed(folder / "cache", made, 2), b = indexed(folder / "cache", made, 0);
  const auto one = a.open(), other = b.open();
  for (int i = 0; i < 40; ++i) CHECK(one->next() == other->next());
  CHECK(all(a, 1) == all(b, 2));
  CHECK(folder.count() == 1);
}

TEST_CASE("A cache of other elements is refused") {
  const test::TemporaryFolder folder;
  const auto path = folder / "cache";
  const auto twice = [](int64_t i) { return 2 * i; };
  const auto made = [&](int64_t n, const char* name, const std::string& version) {
    return data::range(n).map(twice, {.name = name}).cache({.file = path, .version = version});
  };
  const Numbers expected = all(made(5, "twice", "1"));
  CHECK(all(made(5, "twice", "1")) == expected);
  CHECK_THROWS_WITH(all(made(6, "twice", "1")),
                    contains("its elements have the number 5 where those of this pipeline have the "
                             "number 6. Delete it to have it written again"));
  CHECK_THROWS_WITH(all(made(5, "double", "1")),
                    contains("stage 'twice' with seed") && contains("stage 'double' with seed"));
  CHECK_THROWS_WITH(all(made(5, "twice", "2")), contains("version '1'") && contains("version '2'"));
  CHECK_THROWS_WITH(all(made(5, "twice", "1").with({.seed = 1})),
                    contains("stage 'twice' with seed"));
  CHECK_THROWS_WITH(
      all(data::range(5)
              .map([](int64_t i) { return static_cast<double>(i); }, {.name = "twice"})
              .cache({.file = path, .version = "1"})),
      contains("type"));
  // Seeds of stages that draw nothing do not count, and that of a stage may be fixed.
  const auto fixed = [&](int64_t seed) {
    return data::range(5)
        .map(twice, {.seed = 3})
        .take(4)
        .cache({.file = folder / "fixed"})
        .with({.seed = seed});
  };
  CHECK(all(fixed(0)) == all(fixed(1)));
  // One pipeline with two seeds.
  std::atomic<int> count = 0;
  const auto both = indexed(folder / "both", count, 0);
  all(both);
  CHECK_THROWS_WITH(all(both.with({.seed = 9})), contains("is in use"));
  CHECK_THROWS_AS(data::range(5).cache({}), ValueError);
}

TEST_CASE("What is no cache stays as it is") {
  const test::TemporaryFolder folder;
  const auto cached = [&](const char* name) {
    return data::range(3).cache({.file = folder / name});
  };
  test::spill(folder / "file", "mine");
  CHECK_THROWS_WITH(all(cached("file")), contains("it is no cache, or damaged"));
  CHECK(test::slurp(folder / "file") == "mine");
  fs::create_directory(folder / "folder");
  test::spill(folder / "folder" / "letter", "mine");
  CHECK_THROWS_AS(all(cached("folder")), data::DataError);
  CHECK(test::slurp(folder / "folder" / "letter") == "mine");
  data::SampleWriter(folder.path() / "shards").finish();
  CHECK_THROWS_WITH(all(cached("shards")), contains("are not a cache"));
  CHECK_THROWS_WITH(all(cached("none/cache")), contains("create it first"));
  // What comes to be there while the first pass goes on is not replaced.
  const auto late = cached("late");
  const auto stream = late.open();
  stream->next();
  fs::create_directory(folder / "late");
  test::spill(folder / "late" / "letter", "mine");
  stream->next();
  CHECK_THROWS_AS(stream->next(), data::DataError);
  CHECK(test::slurp(folder / "late" / "letter") == "mine");
}

TEST_CASE("A damaged cache is an error wherever the damage is") {
  const test::TemporaryFolder folder;
  std::atomic<int> made = 0;
  const Numbers expected = all(indexed(folder / "cache", made, 0));
  made = 0;
  int refused = 0;
  for (const char* name : {"00000.shard", "index.json"}) {
    const std::string whole = test::slurp(folder / "cache" / name);
    for (size_t at = 0; at < whole.size(); at += 1 + whole.size() / 199) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x41);
      test::spill(folder / "cache" / name, damaged);
      try {
        const Numbers found = all(indexed(folder / "cache", made, 0));
        // Bytes between arrays, and spaces of the index, mean nothing.
        CHECK(found == expected);
      } catch (const data::DataError& error) {
        ++refused;
        CHECK_THAT(error.what(), contains("cache"));
      }
    }
    // The index ends with a line feed, without which it is whole.
    for (const size_t size : {size_t{0}, whole.size() / 2, whole.size() - 2}) {
      test::spill(folder / "cache" / name, whole.substr(0, size));
      CHECK_THROWS_WITH(all(indexed(folder / "cache", made, 0)), contains("Delete it"));
    }
    test::spill(folder / "cache" / name, whole);
  }
  CHECK(refused > 100);
  CHECK(made == 0);
  CHECK(all(indexed(folder / "cache", made, 0)) == expected);
}

namespace mine {

struct Recording {
  std::vector<float> samples;
  std::string speaker;
  bool operator==(const Recording&) const = default;
};
void store(data::ElementWriter& to, const Recording& r) {
  store(to, r.samples);
  store(to, r.speaker);
}
void restore(data::ElementReader& from, Recording& r) {
  restore(from, r.samples);
  restore(from, r.speaker);
}

}  // namespace mine

namespace {

// As a cache writes and reads it.
template <class T>
T through_file(const T& element) {
  const test::TemporaryFolder folder;
  const auto cached = data::from(std::vector<T>{element}).cache({.file = folder / "cache"});
  all(cached);
  return all(data::from(std::vector<T>{element}).cache({.file = folder / "cache"})).at(0);
}

void check_same(const Tensor& a, const Tensor& b) {
  REQUIRE(static_cast<bool>(a) == static_cast<bool>(b));
  if (!a) return;
  CHECK(a.is_weak() == b.is_weak());
  REQUIRE(a.spec() == b.spec());
  if (a.dtype() == DType::string)
    CHECK(a.to_strings() == b.to_strings());
  else if (a.bytes() > 0)
    CHECK(std::memcmp(a.host_data(), b.host_data(), a.bytes()) == 0);
}

}  // namespace

TEST_CASE("Elements of all kinds come back from a file bit by bit") {
  CHECK(through_file(std::string("a\0b", 3)) == std::string("a\0b", 3));
  CHECK(through_file(std::vector<bool>{true, false}) == std::vector<bool>{true, false});
  CHECK(through_file(std::pair(1.5f, std::string("x"))) == std::pair(1.5f, std::string("x")));
  CHECK(through_file(std::tuple(int8_t{-3}, std::vector<std::string>{"", "y"})) ==
        std::tuple(int8_t{-3}, std::vector<std::string>{"", "y"}));
  CHECK(through_file(mine::Recording{{1, 2.5f}, "me"}) == mine::Recording{{1, 2.5f}, "me"});
  for (int d = 0; d <= static_cast<int>(DType::float8_e5m2); ++d) {
    const auto dtype = static_cast<DType>(d);
    if (dtype == DType::string) continue;
    std::vector<uint8_t> bytes(6 * size_of(dtype));
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<uint8_t>(dtype == DType::boolean ? i % 2 : 37 * i);
    const Tensor t = Tensor::copy_of(bytes.data(), {2, 3}, dtype);
    INFO(dtype_name(dtype));
    check_same(through_file(t), t);
  }
  for (const Tensor& t : {Tensor(), Tensor(2.3), Tensor(int64_t{1} << 40), Tensor(7), Tensor(true),
                          Tensor::empty({0, 4}, DType::float32),
                          Tensor::strings({"a", "", "cc"}, {3, 1}), Tensor::strings({}, {0})})
    check_same(through_file(t), t);
  const Batch batch{Nest::dict({{"b", Tensor(std::vector<float>{1})},
                                {"a", Nest(Nest::List{Tensor(2), Nest(Nest::List{})})}}),
                    Tensor(std::vector<int32_t>{4}), Nest()};
  const Batch back = through_file(batch);
  CHECK(back.x.structure() == batch.x.structure());
  CHECK(back.x.entries()[0].first == "b");
  check_same(back.x["a"][0].tensor(), Tensor(2));
  check_same(back.y.tensor(), batch.y.tensor());
  CHECK(back.sample_weight.empty());
  data::Sample sample{
      .image = ops::ones({2, 3, 3}), .points = ops::zeros({1, 2}), .label = Tensor(3)};
  sample.more["flow"] = {ops::ones({2, 3}), data::Follow::linear};
  sample.box_format = "xywh";
  sample.source = "a.png";
  const data::Sample same = through_file(sample);
  check_same(same.image, sample.image);
  check_same(same.points, sample.points);
  check_same(same.label, sample.label);
  check_same(same.mask, sample.mask);
  check_same(same.more.at("flow").value, sample.more["flow"].value);
  CHECK(same.more.at("flow").follow == data::Follow::linear);
  CHECK((same.box_format == "xywh" && same.source == "a.png"));
}

TEST_CASE("Bytes that are no element are refused") {
  data::ElementWriter writer;
  store(writer, Batch{Nest{Tensor(std::vector<float>{1, 2}),
                           Nest::dict({{"k", Tensor::strings({"s"}, {1})}})},
                      Tensor(3)});
  const auto read = [](std::span<const std::byte> bytes) {
    data::ElementReader reader(bytes);
    Batch batch;
    restore(reader, batch);
    reader.finish();
  };
  const std::vector<std::byte> bytes = writer.written();
  CHECK_NOTHROW(read(bytes));
  for (size_t size = 0; size < bytes.size(); ++size)
    CHECK_THROWS_AS(read(std::span(bytes).first(size)), Error);
  for (size_t at = 0; at < bytes.size(); ++at)
    for (const int value : {0, 1, 5, 127, 255}) {
      std::vector<std::byte> other = bytes;
      other[at] = static_cast<std::byte>(value);
      try {
        read(other);  // another number, or an error of Cornu's
      } catch (const Error&) {
      }
    }
  // Lists in lists without an end.
  data::ElementWriter deep;
  for (int i = 0; i < 100000; ++i) {
    store(deep, uint8_t{4});
    deep.number(1);
  }
  CHECK_THROWS_AS(read(deep.written()), FileError);
}

TEST_CASE("Several threads write and read one cache") {
  const test::TemporaryFolder folder;
  std::atomic<int> made = 0;
  const auto cached = indexed(folder / "cache", made, 2);
  std::vector<Numbers> results(4);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < results.size(); ++i)
    threads.emplace_back([&, i] {
      for (int epoch = 0; epoch < 3; ++epoch) results[i] = all(cached.prefetch(4), epoch);
    });
  for (std::thread& thread : threads) thread.join();
  for (const Numbers& one : results) CHECK(one == results[0]);
  CHECK(results[0].size() == 40);
}

}  // namespace cache_file_test
