// Errors of pipelines name the elements of their sources: behind shuffle, in batches, and where
// several pipelines come together.
#include <cornu/framework/data/pipeline.h>
#include <cornu/framework/ops/ops.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "catch.h"
#include "support/matchers.h"
#include "support/standard_error.h"

namespace pipeline_errors_test {

using namespace cornu;
using test::contains;

namespace {

// The error that a walk ends with.
template <class P>
data::DataError error_of(const P& pipeline, int64_t epoch = 0) {
  try {
    for (const auto& element : pipeline.epoch(epoch)) static_cast<void>(element);
  } catch (const data::DataError& error) {
    return error;
  }
  FAIL("no error");
  throw std::logic_error("no error");
}

std::string text(const std::string& stage, int64_t index, const std::string& what,
                 int64_t epoch = 0) {
  return "Stage '" + stage + "', element " + std::to_string(index) + " of epoch " +
         std::to_string(epoch) + what;
}

// 0, 1, ..., n - 1 as samples, with targets.
data::Pipeline<Batch> samples(int64_t n) {
  std::vector<float> x(static_cast<size_t>(n));
  std::iota(x.begin(), x.end(), 0.0f);
  return data::from(Tensor(x), Tensor(x));
}

// Throws at the sample with that number.
auto fails_at(float number) {
  return [number](const Batch& sample) {
    for (const float value : sample.x.tensor().to_vector<float>())
      if (value == number) throw std::runtime_error("bad value");
    return sample;
  };
}

// Where in a walk the sample with that number comes.
int64_t place_of(const data::Pipeline<Batch>& pipeline, float number, int64_t epoch = 0) {
  int64_t place = 0;
  for (const Batch& sample : pipeline.epoch(epoch)) {
    if (sample.x.tensor().to_vector<float>()[0] == number) return place;
    ++place;
  }
  return -1;
}

struct Page {
  int64_t number = 0;
  std::string source;
};
Batch as_batch(const Page& page) { return {ops::zeros({page.number == 6 ? 3 : 2})}; }

std::vector<Page> pages(int64_t n) {
  std::vector<Page> all;
  for (int64_t i = 0; i < n; ++i) all.push_back({i, "page" + std::to_string(i) + ".txt"});
  return all;
}

}  // namespace

TEST_CASE("Behind shuffle an error names the sample's number in the source, and its place") {
  const auto shuffled = samples(50).shuffle();
  for (const int64_t epoch : {0, 3}) {
    const int64_t place = place_of(shuffled, 17, epoch);
    REQUIRE(place != 17);
    const std::string expected = text("map", place, " (element 17 of 'from'): bad value", epoch);
    for (const int64_t workers : {0, 2}) {
      const auto error = error_of(shuffled.map(fails_at(17), {.workers = workers}), epoch);
      CHECK(std::string(error.what()) == expected);
      CHECK(error.index() == place);
      CHECK(error.epoch() == epoch);
      REQUIRE(error.made_of().size() == 1);
      CHECK(error.made_of()[0].index == 17);
      CHECK(error.made_of()[0].epoch == epoch);
      CHECK(error.made_of()[0].source == "'from'");
    }
    const auto keeps = [](const Batch& sample) {
      fails_at(17)(sample);
      return true;
    };
    CHECK(std::string(error_of(shuffled.filter(keeps, {.name = "map"}), epoch).what()) == expected);
    CHECK(
        std::string(error_of(shuffled.prefetch(2).filter(keeps, {.name = "map"}), epoch).what()) ==
        expected);
    CHECK(std::string(
              error_of(shuffled.map([](Batch s) { return s; }, {.workers = 2}).map(fails_at(17)),
                       epoch)
                  .what()) == expected);
  }
}

TEST_CASE("Where the number is that of the source, an error does not say it twice") {
  const auto error = error_of(samples(50).map(fails_at(17)));
  CHECK(std::string(error.what()) == text("map", 17, ": bad value"));
  REQUIRE(error.made_of().size() == 1);
  CHECK(error.made_of()[0].index == 17);
  // After what comes in front has moved it, it does.
  CHECK(std::string(error_of(samples(50).skip(10).map(fails_at(17))).what()) ==
        text("map", 7, " (element 17 of 'from'): bad value"));
  CHECK(std::string(error_of(samples(50).shard(1, 4).map(fails_at(17))).what()) ==
        text("map", 4, " (element 17 of 'from'): bad value"));
  CHECK(std::string(error_of(samples(50).map(fails_at(17)).shuffle()).what()) ==
        text("map", 17, ": bad value"));
}

TEST_CASE("An element that is left out is named so in the warning") {
  const auto shuffled = samples(40).shuffle();
  const auto rest =
      shuffled.map(fails_at(11), {.name = "lenient", .on_error = data::OnError::skip});
  int64_t count = 0;
  const std::string said = test::standard_error_of([&] {
    for (const Batch& sample : rest) count += static_cast<bool>(sample.x.tensor());
  });
  CHECK(count == 39);
  CHECK_THAT(said, contains(text("lenient", place_of(shuffled, 11),
                                 " (element 11 of 'from') was left out: bad value")));
}

TEST_CASE("Behind stages without numbers the source's are known as well") {
  const auto even = [](const Batch& sample) {
    return std::fmod(sample.x.tensor().to_vector<float>()[0], 2) == 0;
  };
  const auto filtered = samples(60).shuffle().filter(even);
  const std::string what = " (element 18 of 'from'): bad value";
  const int64_t place = place_of(filtered, 18);
  REQUIRE(place > 1);
  const std::string expected = text("map", place, what);
  for (const int64_t workers : {0, 2}) {
    const data::MapOptions options{.workers = workers};
    CHECK(std::string(error_of(filtered.map(fails_at(18), options)).what()) == expected);
    CHECK(std::string(error_of(filtered.prefetch(3).map(fails_at(18), options)).what()) ==
          expected);
    const auto windows = filtered.shuffle(8);
    CHECK(std::string(error_of(windows.map(fails_at(18), options)).what()) ==
          text("map", place_of(windows, 18), what));
    CHECK(std::string(error_of(filtered.take(1000).map(fails_at(18), options)).what()) == expected);
    CHECK(std::string(error_of(filtered.skip(place - 1).map(fails_at(18), options)).what()) ==
          text("map", 1, what));
    CHECK(std::string(error_of(filtered.shard(place % 3, 3).map(fails_at(18), options)).what()) ==
          text("map", place / 3, what));
    CHECK(std::string(error_of(filtered.cache().map(fails_at(18), options)).what()) == expected);
  }
  // Walks that go on from a position know them too.
  const auto broken = filtered.map(fails_at(18));
  const auto stream = broken.open();
  for (int64_t i = 0; i + 1 < place; ++i) stream->next();
  const auto later = broken.open(0, stream->position());
  later->next();
  CHECK_THROWS_WITH(later->next(), expected);
}

TEST_CASE("A batch names the samples it was made of") {
  const auto batches = samples(40).batch(4);
  CHECK(std::string(error_of(batches.map(fails_at(17))).what()) ==
        text("map", 4, " (elements 16 to 19 of 'from'): bad value"));
  const auto error = error_of(samples(40).shuffle().batch(3).map(fails_at(17)));
  REQUIRE(error.made_of().size() == 3);
  CHECK(std::any_of(error.made_of().begin(), error.made_of().end(),
                    [](const data::SourceElement& one) { return one.index == 17; }));
  CHECK_THAT(error.what(), contains(" of 'from'): bad value") && contains(" and "));
  // Long lists are cut in the text alone.
  const auto large = error_of(samples(500).shuffle().batch(200).map(fails_at(17)));
  CHECK(large.made_of().size() == 200);
  CHECK(std::string(large.what()).size() < 200);
  CHECK_THAT(large.what(), contains(" more of 'from'): bad value"));
  // The same of samples that were made one after the other.
  const auto all = [](const Batch&) { return true; };
  CHECK(std::string(error_of(samples(40).filter(all).batch(4).map(fails_at(17))).what()) ==
        text("map", 4, " (elements 16 to 19 of 'from'): bad value"));
  CHECK(std::string(error_of(samples(40).batch(4).rebatch(5).map(fails_at(17))).what()) ==
        text("map", 3, " (elements 15 to 19 of 'from'): bad value"));
  CHECK(std::string(error_of(samples(40).batch(4).unbatch().skip(3).map(fails_at(17))).what()) ==
        text("map", 14, " (element 17 of 'from'): bad value"));
  const auto length = [](const Batch&) { return 1; };
  CHECK(error_of(samples(40).bucket_by_length(length, 4).map(fails_at(17))).made_of().size() == 4);
  // And of a function of the user's that makes batches.
  const auto join = [](std::vector<int64_t> numbers) -> int64_t {
    if (numbers[1] == 17) throw std::runtime_error("bad value");
    return 0;
  };
  CHECK(std::string(error_of(data::range(40).batch(2, join)).what()) ==
        text("batch", 8, " (elements 16 and 17 of 'range'): bad value"));
}

TEST_CASE("Pipelines that come together are told apart by name, or by number") {
  const auto pair_fails = [](const std::pair<Batch, int64_t>& pair) {
    fails_at(17)(pair.first);
    return pair.first;
  };
  const auto shuffled = samples(30).shuffle();
  const int64_t place = place_of(shuffled, 17);
  CHECK(
      std::string(error_of(data::zip(shuffled, data::range(30)).map(pair_fails)).what()) ==
      text("map", place,
           " (element 17 of 'from', element " + std::to_string(place) + " of 'range'): bad value"));
  const auto joined = samples(10).concatenate(samples(30));
  for (const int64_t workers : {0, 2})
    CHECK(std::string(error_of(joined.map(fails_at(17), {.workers = workers})).what()) ==
          text("map", 27, " (element 17 of 'from' (source 2 of 2)): bad value"));
  // In turn: the 17th of the second one is the 35th of all.
  CHECK(
      std::string(
          error_of(data::interleave({data::from(ops::zeros({40})), samples(30)}).map(fails_at(17)))
              .what()) == text("map", 35, " (element 17 of 'from' (source 2 of 2)): bad value"));
  // Pipelines made of elements: which element, and which of its own.
  const auto inner = [](int64_t i) { return i == 2 ? samples(30) : samples(3); };
  CHECK(std::string(
            error_of(data::range(4).interleave(inner, {.cycle = 1}).map(fails_at(17))).what()) ==
        text("map", 23, " (element 2 of 'range', element 17 of 'from'): bad value"));
}

TEST_CASE("An error inside of a pipeline that was made of an element names that element as well") {
  const auto inner = [](int64_t i) { return samples(i).skip(1).map(fails_at(17)); };
  const auto error = error_of(data::range(10, 30).interleave(inner, {.cycle = 1}));
  CHECK(std::string(error.what()) ==
        text("interleave", 8, "") + ": " + text("map", 16, " (element 17 of 'from'): bad value"));
  CHECK(error.stage() == "map");
  REQUIRE(error.made_of().size() == 2);
  CHECK(error.made_of()[0].source == "'range'");
  CHECK(error.made_of()[0].index == 8);
  CHECK(error.made_of()[1].index == 17);
  CHECK_THROWS_AS(std::rethrow_exception(error.cause()), std::runtime_error);
}

TEST_CASE("Elements of pipelines that have ended are named, and the pipelines are let go") {
  const auto inner = [](int64_t i) { return samples(i == 3 ? 30 : 4).skip(1); };
  const auto turns = data::range(9).interleave(inner, {.cycle = 2});
  const std::string what = " (element 3 of 'range', element 17 of 'from'): bad value";
  for (const auto& pipeline :
       {turns.shuffle(100), turns.prefetch(4), turns.shuffle(100).prefetch(2).skip(1).shard(1, 2)})
    CHECK(std::string(error_of(pipeline.map(fails_at(17))).what()) ==
          text("map", place_of(pipeline, 17), what));
  // As parts of batches: with the elements of both that came in turn.
  const auto error = error_of(turns.shuffle(100).batch(2).rebatch(3).map(fails_at(17)));
  std::vector<std::string> sources;
  for (const data::SourceElement& one : error.made_of()) sources.push_back(one.source);
  CHECK(sources == std::vector<std::string>{"'range'", "'from'", "'range'", "'from'", "'range'",
                                            "'from'", "'range'", "'from'"});
  // Of pipelines within pipelines each has its place, and files are known.
  const auto books = [](int64_t i) { return data::from(pages(6 + i)); };
  const auto shelves = [&](int64_t i) { return data::range(i).interleave(books, {.cycle = 1}); };
  const auto deep = data::range(3, 5).interleave(shelves, {.cycle = 1}).shuffle(1000);
  const auto fails = [](const Page& page) {
    if (page.number == 8) throw std::runtime_error("torn");
    return page;
  };
  const auto torn = error_of(deep.map(fails));
  REQUIRE(torn.made_of().size() == 3);
  CHECK(torn.made_of()[1].index == 3);
  CHECK(torn.made_of()[2].index == 8);
  CHECK(torn.made_of()[2].file == "page8.txt");
  CHECK_THAT(torn.what(), contains("element 8 of 'from', from 'page8.txt'): torn"));
  // What waits in a window does not keep the pipelines that it came from.
  const auto token = std::make_shared<int>();
  const auto holds = [token](int64_t) {
    return samples(3).map([token](Batch sample) { return sample; });
  };
  const auto window = data::range(20).interleave(holds, {.cycle = 2}).shuffle(1000);
  const auto stream = window.open();
  const int64_t before = token.use_count();
  REQUIRE(stream->next());
  CHECK(token.use_count() == before);
}

TEST_CASE("Behind repeat an error says in which of the passes the sample came") {
  const auto repeated = samples(20).repeat(3);
  const auto third = [](Batch sample, const data::Place& place) {
    if (place.index == 45) throw std::runtime_error("bad value");
    return sample;
  };
  CHECK(std::string(error_of(repeated.map(third), 2).what()) ==
        text("map", 45, " (element 5 of epoch 8 of 'from'): bad value", 2));
  const auto all = [](const Batch&) { return true; };
  const auto later = error_of(samples(20).filter(all).repeat(3).map(third), 1);
  CHECK(std::string(later.what()) ==
        text("map", 45, " (element 5 of epoch 5 of 'from'): bad value", 1));
  CHECK(later.made_of()[0].epoch == 5);
}

TEST_CASE("Rows that do not fit into one batch are named by their numbers and files") {
  const auto check = [](const auto& batches, int64_t batch, int64_t row, int64_t first,
                        int64_t of_first) {
    const auto error = error_of(batches);
    const auto name = [](int64_t i, int64_t number) {
      return "row " + std::to_string(i) + " (element " + std::to_string(number) +
             " of 'from', from 'page" + std::to_string(number) + ".txt')";
    };
    CHECK_THAT(error.what(),
               contains("Stage 'batch', element " + std::to_string(batch) + " of epoch 0: x of " +
                        name(row, first) + " is float32 (3,), that of " + name(0, of_first) +
                        " is float32 (2,): rows of a batch have one shape."));
    REQUIRE(error.made_of().size() == 2);
    CHECK(error.made_of()[0].index == first);
    CHECK(error.made_of()[1].index == of_first);
    CHECK(error.made_of()[0].file == "page" + std::to_string(first) + ".txt");
    CHECK_THROWS_AS(std::rethrow_exception(error.cause()), ShapeError);
  };
  check(data::from(pages(9)).batch(4), 1, 2, 6, 4);
  check(data::from(pages(9)).prefetch(2).batch(4), 1, 2, 6, 4);
  check(data::from(pages(9)).skip(1).batch(4), 1, 1, 6, 5);
  const auto all = [](const Page&) { return true; };
  check(data::from(pages(9)).filter(all).batch(4), 1, 2, 6, 4);
  // The source still knows the files of what has become tensors.
  const auto tensors = [](const Page& page) { return as_batch(page); };
  check(data::from(pages(9)).map(tensors).batch(4), 1, 2, 6, 4);
  check(data::from(pages(9)).map(tensors, {.workers = 2}).batch(4).prefetch(2), 1, 2, 6, 4);
}

TEST_CASE("Rows of other dtypes and structures are named as well, and batches that differ") {
  const Tensor two = ops::ones({2});
  const auto of = [&](const auto& f) {
    return std::string(error_of(data::range(8).skip(2).map(f).batch(3)).what());
  };
  CHECK_THAT(of([&](int64_t i) { return i == 6 ? ops::cast(two, DType::int32) : two; }),
             contains("element 1 of epoch 0: x of row 1 (element 6 of 'range') is int32 (2,), that "
                      "of row 0 (element 5 of 'range') is float32 (2,): cast them to one dtype"));
  CHECK_THAT(
      of([&](int64_t i) {
        return i == 4 ? Batch{two, two} : Batch{two};
      }),
      contains("y: some elements have it and others do not: row 2 (element 4 of 'range') has "
               "it, row 0 (element 2 of 'range') has none."));
  CHECK_THAT(of([&](int64_t i) {
               return i == 3 ? Nest{two, two} : Nest{{"a", two}};
             }),
             contains("x of row 1 (element 3 of 'range') is") && contains("nested alike"));
  const auto batches = [&](int64_t i) { return Batch{ops::ones({2, i == 5 ? 4 : 3})}; };
  CHECK_THAT(
      std::string(error_of(data::range(8).skip(2).map(batches).rebatch(3)).what()),
      contains("x of row 1 (element 6 of 'range') is float32 (1, 3), that of row 0 (element 5 "
               "of 'range') is float32 (2, 4)"));
  // A long sequence cannot be padded to an array of more axes.
  const auto ranks = [&](int64_t i) { return i == 6 ? ops::ones({2, 2}) : ops::ones({i}); };
  const auto length = [](const Tensor& t) { return t.shape()[0]; };
  CHECK_THAT(
      std::string(error_of(data::range(2, 9).map(ranks).bucket_by_length(length, 8)).what()),
      contains("(element 4 of 'range')") && contains("rows of other ranks cannot be padded"));
}

}  // namespace pipeline_errors_test
