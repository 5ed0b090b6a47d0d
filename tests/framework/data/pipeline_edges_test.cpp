// Pipelines at their edges: nothing, one, far too many; elements of all dtypes; positions that no
// walk gave; what a stage says of elements that do not fit together.
#include <cornu/framework/data/pipeline.h>
#include <cornu/framework/ops/core/cast.h>
#include <cornu/framework/ops/numpy/creation.h>

#include <limits>
#include <numeric>

#include "catch.h"
#include "support/contract.h"

namespace pipeline_edges_test {

using namespace cornu;
using test::error_of;
using test::has;

namespace {

using Numbers = std::vector<int64_t>;

constexpr int64_t largest = std::numeric_limits<int64_t>::max();

template <class T>
std::vector<T> all(const data::Pipeline<T>& pipeline, int64_t epoch = 0) {
  std::vector<T> elements;
  for (const T& element : pipeline.epoch(epoch)) elements.push_back(element);
  return elements;
}

Numbers upto(int64_t n) {
  Numbers numbers(static_cast<size_t>(n));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// Batches, each as its list of numbers.
std::vector<Numbers> groups(const data::Pipeline<Batch>& pipeline) {
  std::vector<Numbers> found;
  for (const Batch& batch : pipeline) found.push_back(batch.x.tensor().to_vector<int64_t>());
  return found;
}

const auto is_even = [](int64_t i) { return i % 2 == 0; };
const auto same = [](int64_t i) { return i; };

}  // namespace

TEST_CASE("Stages may ask for more than anything has") {
  const auto indexed = data::range(5);
  const auto sequence = data::range(9).filter(is_even);
  const auto threads = data::range(5).map(same, {.workers = 2});
  for (const int64_t much : {int64_t{5}, int64_t{6}, largest - 1, largest}) {
    INFO("asked for " << much);
    CHECK(all(indexed.take(much)) == upto(5));
    CHECK(all(sequence.take(much)).size() == 5);
    CHECK(all(indexed.skip(much)).empty());
    CHECK(all(sequence.skip(much)).empty());
    CHECK(all(indexed.skip(much).take(much)).empty());
    CHECK(indexed.skip(much).size() == 0);
    CHECK(all(indexed.shuffle({.window = much})).size() == 5);
    CHECK(all(threads.take(much)) == upto(5));
    CHECK(all(indexed.repeat(3).take(much)).size() ==
          static_cast<size_t>(std::min<int64_t>(much, 15)));
  }
  // Batches of all there is.
  for (const int64_t much : {int64_t{5}, int64_t{6}, int64_t{1} << 40}) {
    INFO("batches of " << much);
    CHECK(indexed.batch(much).size() == 1);
    CHECK(groups(indexed.batch(much)) == std::vector<Numbers>{upto(5)});
    CHECK(groups(sequence.batch(much)) == std::vector<Numbers>{{0, 2, 4, 6, 8}});
    CHECK(groups(threads.batch(much)) == std::vector<Numbers>{upto(5)});
    CHECK(groups(indexed.batch(2).rebatch(much)) == std::vector<Numbers>{upto(5)});
    CHECK(groups(indexed.batch(much, {.drop_remainder = true})).size() == (much == 5 ? 1 : 0));
  }
}

TEST_CASE("A batch of the largest size is all that there is") {
  const auto tensors = data::from(Tensor::from(upto(5), {5}));
  CHECK(tensors.batch(largest).size() == 1);
  CHECK(groups(tensors.batch(largest)) == std::vector<Numbers>{upto(5)});
  CHECK(groups(data::range(5).batch(largest)) == std::vector<Numbers>{upto(5)});
  CHECK(groups(data::range(5).batch(2).rebatch(largest)) == std::vector<Numbers>{upto(5)});
  CHECK(data::range(5).batch(2).rebatch(largest).size() == Dataset::unknown);
  CHECK(data::range(0).batch(largest).size() == 0);
  CHECK(data::range(5).batch(largest, {.drop_remainder = true}).size() == 0);
  TensorDataset data(Tensor::from(upto(5), {5}), {}, {}, {.batch_size = largest});
  CHECK(data.size() == 1);
  CHECK(data.batch(0).x.tensor().to_vector<int64_t>() == upto(5));
}

TEST_CASE("Ranges have the numbers of Python's range") {
  struct Case {
    int64_t begin, end, step;
    Numbers expected;
  };
  for (const Case& c : std::vector<Case>{{0, 0, 1, {}},
                                         {3, 0, 1, {}},
                                         {0, 3, -1, {}},
                                         {0, 3, 5, {0}},
                                         {0, 6, 3, {0, 3}},
                                         {0, 7, 3, {0, 3, 6}},
                                         {-3, 3, 2, {-3, -1, 1}},
                                         {3, -3, -2, {3, 1, -1}},
                                         {3, -4, -2, {3, 1, -1, -3}},
                                         {7, 7, -1, {}}}) {
    INFO("range(" << c.begin << ", " << c.end << ", " << c.step << ")");
    const auto range = data::range(c.begin, c.end, c.step);
    CHECK(range.size() == static_cast<int64_t>(c.expected.size()));
    CHECK(all(range) == c.expected);
  }
  CHECK(data::range(-4).size() == 0);
  CHECK(all(data::range(-4)).empty());
}

TEST_CASE("Walks of no elements end at once, in every stage, and again when asked again") {
  const data::MapOptions two{.workers = 2};
  std::vector<data::Pipeline<int64_t>> list;
  for (const auto& none :
       {data::range(0), data::from(Numbers{}), data::range(5).take(0), data::range(5).skip(5),
        data::range(5).filter([](int64_t) { return false; }), data::range(2).shard(0, 3),
        data::generate(0, [](const data::Place& p) { return p.index; }),
        data::generate([] { return std::optional<int64_t>(); })}) {
    list.push_back(none);
    list.push_back(none.map(same));
    list.push_back(none.map(same, two));
    list.push_back(none.prefetch(3));
    list.push_back(none.repeat());
    list.push_back(none.repeat(4));
    list.push_back(none.shuffle({.window = 3}));
    list.push_back(none.cache());
    list.push_back(none.map(same, two).prefetch(2).repeat(2).cache());
    list.push_back(data::interleave<int64_t>({none, none}));
    list.push_back(none.interleave([](int64_t) { return data::range(3); }));
    list.push_back(data::range(4).interleave([none](int64_t) { return none; }));
    list.push_back(data::zip(none, data::range(5)).map([](const std::pair<int64_t, int64_t>& p) {
      return p.first;
    }));
    list.push_back(data::zip(data::range(5), none).map([](const std::pair<int64_t, int64_t>& p) {
      return p.first;
    }));
    list.push_back(none.batch(2, [](const Numbers& n) { return n[0]; }));
  }
  for (size_t i = 0; i < list.size(); ++i) {
    INFO("pipeline " << i);
    for (int64_t epoch = 0; epoch < 2; ++epoch) {
      const auto stream = list[i].open(epoch);
      CHECK_FALSE(stream->next());
      CHECK_FALSE(stream->next());
      CHECK_FALSE(list[i].open(epoch, stream->position())->next());
    }
    CHECK(list[i].size() <= 0);
  }
}

TEST_CASE("Interleaved pipelines take turns, also when one of them is short") {
  const auto letters = [](int64_t first, int64_t count) {
    return data::range(first, first + count);
  };
  CHECK(all(data::interleave<int64_t>({letters(0, 3), letters(10, 1), letters(20, 2)})) ==
        Numbers{0, 10, 20, 1, 21, 2});
  CHECK(all(data::interleave<int64_t>({letters(0, 5), letters(10, 2)}, {.block = 2})) ==
        Numbers{0, 1, 10, 11, 2, 3, 4});
  CHECK(all(data::interleave<int64_t>({letters(0, 0), letters(10, 2)}, {.block = 3})) ==
        Numbers{10, 11});
  CHECK(all(data::interleave<int64_t>({letters(0, 3)}, {.block = 2})) == Numbers{0, 1, 2});
  // As tf.data: a pipeline that has ended makes room for the next one.
  const auto tens = [](int64_t i) { return data::range(10 * i, 10 * i + i); };
  CHECK(all(data::range(1, 4).interleave(tens, {.cycle = 1})) == Numbers{10, 20, 21, 30, 31, 32});
  CHECK(all(data::range(1, 5).interleave(tens, {.cycle = 9, .block = 9})) ==
        Numbers{10, 20, 21, 30, 31, 32, 40, 41, 42, 43});
  CHECK(data::interleave<int64_t>({letters(0, 3), letters(0, 4)}).size() == 7);
  CHECK(data::interleave<int64_t>({letters(0, 3), letters(0, 4).repeat()}).size() ==
        Dataset::endless);
  CHECK(data::interleave<int64_t>({letters(0, 3), letters(0, 4).filter(is_even)}).size() ==
        Dataset::unknown);
}

TEST_CASE("Interleaved pipelines are named one by one, or in braces") {
  const auto a = data::from(Numbers{1, 2}), b = data::from(Numbers{3}),
             c = data::from(Numbers{4, 5, 6});
  CHECK(all(data::interleave(a, b)) == Numbers{1, 3, 2});
  CHECK(all(data::interleave(a, b, c)) == Numbers{1, 3, 4, 2, 5, 6});
  CHECK(all(data::interleave(a, b, c)) == all(data::interleave({a, b, c})));
  CHECK(all(data::interleave({a, b}, {.block = 2})) == Numbers{1, 2, 3});
}

TEST_CASE("Zipped pipelines end with the shorter one, whichever it is") {
  const auto pairs = [](const auto& a, const auto& b) {
    Numbers sums;
    for (const auto& [x, y] : data::zip(a, b)) sums.push_back(100 * x + y);
    return sums;
  };
  const auto three = data::range(3), five = data::range(5);
  CHECK(pairs(three, five) == Numbers{0, 101, 202});
  CHECK(pairs(five, three) == Numbers{0, 101, 202});
  CHECK(pairs(three.repeat(), five) == Numbers{0, 101, 202, 3, 104});
  CHECK(pairs(five, three.repeat()) == Numbers{0, 101, 202, 300, 401});
  CHECK(pairs(five.filter(is_even), three) == Numbers{0, 201, 402});
  CHECK(pairs(three.map(same, {.workers = 2}), five.map(same, {.workers = 1}).prefetch(2)) ==
        Numbers{0, 101, 202});
  CHECK(data::zip(three, five).size() == 3);
  CHECK(data::zip(three, five.repeat()).size() == 3);
  CHECK(data::zip(three.repeat(), five.repeat()).size() == Dataset::endless);
  CHECK(data::zip(three.filter(is_even), five).size() == Dataset::unknown);
  // Each part is shuffled by itself; with the same seed they stay together.
  for (const auto& [x, y] : data::zip(data::range(40).shuffle({.seed = 3}),
                                      data::range(40).shuffle({.seed = 3}).map(same)))
    CHECK(x == y);
}

TEST_CASE("Three pipelines go together as tuples, with indices, in order and on workers") {
  const auto three = data::range(3), five = data::range(5);
  const auto sums = [](const auto& a, const auto& b, const auto& c) {
    Numbers sums;
    for (const auto& [x, y, z] : data::zip(a, b, c)) sums.push_back(10000 * x + 100 * y + z);
    return sums;
  };
  CHECK(sums(three, five, five) == Numbers{0, 10101, 20202});
  CHECK(sums(five.filter(is_even), three.repeat(), five) == Numbers{0, 20101, 40202});
  CHECK(sums(three.map(same, {.workers = 2}), five.prefetch(2), five.map(same, {.workers = 1})) ==
        Numbers{0, 10101, 20202});
  CHECK(data::zip(three, five, five.repeat()).size() == 3);
  CHECK(data::zip(three.repeat(), five.repeat(), three.repeat()).size() == Dataset::endless);
  CHECK(data::zip(three.filter(is_even), five, three).size() == Dataset::unknown);
  CHECK(data::zip(three, five.take(0), three.filter(is_even)).size() == 0);
  // x, y and weights of samples, which may come from three places.
  const auto part = [](float first) { return data::from(ops::arange(3, DType::float32) + first); };
  const Batch batch = *data::zip(part(0), part(10), part(20)).batch(3).begin();
  CHECK(batch.x.tensor().to_vector<float>() == std::vector<float>{0, 1, 2});
  CHECK(batch.y.tensor().to_vector<float>() == std::vector<float>{10, 11, 12});
  CHECK(batch.sample_weight.tensor().to_vector<float>() == std::vector<float>{20, 21, 22});
  // It goes on where it was left.
  auto pass = data::zip(three.filter(is_even), five, five).open(0, {});
  REQUIRE(pass->next());
  const data::Position at = pass->position();
  CHECK(data::zip(three.filter(is_even), five, five).open(0, at)->next() == pass->next());
}

TEST_CASE("Rows of tensors of every dtype become batches of it") {
  for (const DType dtype : {DType::boolean, DType::int8, DType::uint8, DType::int16, DType::uint16,
                            DType::int32, DType::uint32, DType::int64, DType::uint64,
                            DType::float16, DType::bfloat16, DType::float32, DType::float64}) {
    INFO("dtype " << dtype_name(dtype));
    const Tensor x =
        ops::cast(Tensor::from(std::vector<double>{0, 1, 1, 0, 1, 0, 1, 1}, {4, 2}), dtype);
    const auto direct = all(data::from(x).batch(3));
    const auto mapped = all(data::from(x).map([](Batch b) { return b; }, {.workers = 2}).batch(3));
    const auto again = all(data::from(x).batch(1).rebatch(3));
    for (const auto& batches : {direct, mapped, again}) {
      REQUIRE(batches.size() == 2);
      CHECK(batches[0].x.tensor().dtype() == dtype);
      CHECK(batches[0].x.tensor().shape() == Shape{3, 2});
      CHECK(batches[1].x.tensor().shape() == Shape{1, 2});
      CHECK(batches[0].x.tensor().to_vector<double>() == std::vector<double>{0, 1, 1, 0, 1, 0});
      CHECK(batches[1].x.tensor().to_vector<double>() == std::vector<double>{1, 1});
    }
    // Padding of the dtype.
    const auto ragged =
        data::range(1, 3).map([dtype](int64_t n) { return ops::zeros({n}, dtype); });
    const Tensor padded = (*ragged.batch(2, {.pad = true, .pad_value = 1}).begin()).x.tensor();
    CHECK(padded.dtype() == dtype);
    CHECK(padded.to_vector<double>() == std::vector<double>{0, 1, 0, 0});
  }
}

TEST_CASE("Samples may have no values, and batches keep their number") {
  const auto batches = all(data::from(ops::zeros({5, 0, 3}), ops::zeros({5})).batch(2));
  REQUIRE(batches.size() == 3);
  CHECK(batches[0].x.tensor().shape() == Shape{2, 0, 3});
  CHECK(batches[2].x.tensor().shape() == Shape{1, 0, 3});
  const auto joined = all(data::from(ops::zeros({5, 0}), ops::zeros({5})).batch(2).rebatch(5));
  REQUIRE(joined.size() == 1);
  CHECK(joined[0].x.tensor().shape() == Shape{5, 0});
  const auto ragged = data::range(3).map([](int64_t n) { return ops::ones({n, 2}); });
  const Tensor padded = (*ragged.batch(3, {.pad = true, .pad_value = 7}).begin()).x.tensor();
  CHECK(padded.shape() == Shape{3, 2, 2});
  CHECK(padded.to_vector<float>() == std::vector<float>{7, 7, 7, 7, 1, 1, 7, 7, 1, 1, 1, 1});
}

TEST_CASE("Elements that do not fit into one batch are named, with what to do") {
  const auto batch_error = [](const auto& f) {
    return error_of([&] { all(data::range(3).map(f).batch(3)); });
  };
  const Tensor two = ops::ones({2}), three = ops::ones({3});
  std::string text = batch_error([&](int64_t i) { return Batch{two, i == 2 ? three : two}; });
  CHECK(has(text,
            "Stage 'batch', element 0 of epoch 0: y of row 2 (element 2 of 'range') is float32 "
            "(3,), that of row 0 (element 0 of 'range') is float32 (2,)"));
  CHECK(has(text, "pad"));
  CHECK(has(batch_error([&](int64_t i) {
              return i == 1 ? Batch{two, two} : Batch{two};
            }),
            "y: some elements have it and others do not"));
  CHECK(has(batch_error([&](int64_t i) {
              return i == 1 ? Batch{two} : Batch{two, two};
            }),
            "y of row 1"));
  CHECK(has(batch_error([&](int64_t i) {
              return Batch{i < 2 ? Nest{two, two} : Nest{{"a", two}, {"b", two}}};
            }),
            "x of row 2 (element 2 of 'range') is"));
  CHECK(has(batch_error([&](int64_t i) {
              return Batch{Nest{{"a", two}, {i == 0 ? "b" : "c", two}}};
            }),
            "they must be nested alike"));
  CHECK(has(error_of([&] {
              all(data::range(2)
                      .map([&](int64_t i) {
                        return i == 0 ? two : ops::ones({1, 2});
                      })
                      .batch(2, {.pad = true}));
            }),
            "rows of other ranks cannot be padded"));
  CHECK(has(error_of([&] {
              all(data::from(std::vector<std::vector<std::string>>{{"a"}, {"b", "c"}})
                      .map([](const std::vector<std::string>& words) { return Tensor(words); })
                      .batch(2, {.pad = true}));
            }),
            "strings cannot be padded"));
  // Batches that cannot be joined.
  CHECK(has(
      error_of([&] {
        all(data::range(2).map([&](int64_t i) { return Batch{ops::ones({1, 2 + i})}; }).rebatch(2));
      }),
      "differ in more than their samples"));
  CHECK(has(error_of([&] {
              all(data::range(2).map([](int64_t) { return Batch{Tensor(1.0f)}; }).rebatch(2));
            }),
            "scalar"));
}

TEST_CASE("Positions and epochs that no walk has are refused") {
  const auto in_range = data::from(Numbers{1, 2, 3});
  for (const int64_t bad : {int64_t{4}, int64_t{1000}, largest}) {
    INFO("position " << bad);
    CHECK_THROWS_AS(in_range.open(0, {bad}), StateError);
    CHECK_THROWS_AS(in_range.shuffle().open(0, {bad}), StateError);
    CHECK_THROWS_AS(in_range.map(same, {.workers = 2}).open(0, {bad}), StateError);
    CHECK_THROWS_AS(in_range.cache().open(0, {bad}), StateError);
  }
  CHECK(has(error_of([&] { in_range.open(0, {4}); }), "behind 4 elements of stage 'from'"));
  CHECK_FALSE(in_range.open(0, {3})->next());
  CHECK(has(error_of([&] { in_range.open(0, {-1}); }), "not negative"));
  CHECK(has(error_of([&] { in_range.filter(is_even).open(0, {0, -2}); }), "not negative"));
  CHECK_THROWS_AS(in_range.open(-1), ValueError);
  CHECK(has(error_of([&] { in_range.epoch(-1); }), "at least 0, found -1"));
  CHECK(has(error_of([&] { in_range.open(0, {1, 1}); }), "another pipeline's"));
  CHECK(has(error_of([&] { in_range.filter(is_even).open(0, {1, 1, 1}); }), "needs 2"));
  CHECK(has(error_of([&] {
              data::zip(in_range, in_range.filter(is_even)).open(0, {1, 1});
            }),
            "too few"));
}

TEST_CASE("Many batches without samples are passed over") {
  // Enough that a call for each of them would not fit on the stack.
  const auto batches = data::range(200'000).map([](int64_t i) {
    return Batch{i % 100'000 == 99'999 ? ops::ones({3, 1}) : ops::zeros({0, 1})};
  });
  const auto found = all(batches.rebatch(2));
  REQUIRE(found.size() == 3);
  for (const Batch& batch : found) CHECK(batch.x.tensor().shape() == Shape{2, 1});
}

}  // namespace pipeline_edges_test
