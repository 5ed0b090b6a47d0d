// What stages of pipelines give: elements, sizes, orders, batches, positions; the same for any
// number of workers.
#include <cornu/framework/data/pipeline.h>
#include <cornu/framework/ops/numpy/creation.h>

#include <numeric>
#include <ranges>
#include <set>

#include "catch.h"
#include "support/temporary.h"

namespace pipeline_elements_test {

using namespace cornu;
using test::contains;

namespace {

template <class T>
std::vector<T> all(const data::Pipeline<T>& pipeline, int64_t epoch = 0) {
  std::vector<T> elements;
  for (const T& element : pipeline.epoch(epoch)) elements.push_back(element);
  return elements;
}

using Numbers = std::vector<int64_t>;

Numbers upto(int64_t n) {
  Numbers numbers(static_cast<size_t>(n));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

Numbers sorted(Numbers numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::vector<float> floats(const Nest& nest) { return nest.tensor().to_vector<float>(); }

Tensor column(int64_t n) {
  std::vector<float> values(static_cast<size_t>(n));
  std::iota(values.begin(), values.end(), 0.0f);
  return Tensor::from(values, {n, 1});
}

// One of each element, in order, none left out: every kind of stage on every kind of source.
std::vector<data::Pipeline<int64_t>> pipelines(int64_t workers) {
  const data::MapOptions options{.workers = workers};
  const auto draw = [](int64_t i, const data::Place& place) {
    return 1000 * i + place.random().below(1000);
  };
  const auto even = [](int64_t i) { return i % 2 == 0; };
  const auto indexed = data::range(61).map(draw, options);
  const auto sequence = data::range(120).map(draw, options).filter(even);
  return {
      indexed,
      indexed.shuffle(),
      indexed.shuffle({.window = 7}).map(draw, options),
      indexed.shuffle().repeat(3).skip(5).take(100).shard(1, 3),
      data::range(61).shuffle().map(draw, options).prefetch(3),
      data::range(30).prefetch(4, {.workers = std::max<int64_t>(workers, 1)}).map(draw, options),
      sequence,
      sequence.map(draw, options).prefetch(2),
      sequence.shuffle({.window = 9}).repeat(2).skip(3).take(50).shard(0, 2),
      data::interleave({sequence, indexed}, {.block = 3}),
      indexed.concatenate(indexed.map(draw, options)),
      indexed.concatenate(data::range(20)).shuffle().repeat(2),
      data::range(20).concatenate(indexed).batch(
          7, [](const Numbers& n) { return n.front() + n.back(); }),
      sequence.concatenate(indexed),
      indexed.concatenate(sequence).concatenate(data::range(0)).repeat(2),
      sequence.enumerate(5).map(
          [](const std::pair<int64_t, int64_t>& p) { return p.first - p.second; }),
      indexed.shuffle().enumerate().shuffle().map(
          [](const std::pair<int64_t, int64_t>& p) { return p.first - p.second; }),
      data::range(9).interleave([](int64_t i) { return data::range(10 * i, 11 * i); },
                                {.cycle = 3, .block = 2}),
      data::zip(sequence, indexed).map([](const std::pair<int64_t, int64_t>& p) {
        return p.first + p.second;
      }),
      data::generate([i = int64_t{0}]() mutable {
        return i < 40 ? std::optional<int64_t>(i++) : std::nullopt;
      }).map(draw, options),
      data::generate([](const data::Place& place) { return place.random().below(100); }).take(33),
      data::range(50).batch(7, [](const Numbers& n) { return n.front() + n.back(); }),
      sequence.batch(7, [](const Numbers& n) { return n.front() + n.back(); }),
      indexed.batch(4, [](const Numbers& n) { return n[0]; }).shuffle(),
      sequence.cache().map(draw, options),
      indexed.cache().repeat(2),
  };
}

}  // namespace

TEST_CASE("Elements do not depend on the number of workers, but on the epoch where stages draw") {
  const auto alone = pipelines(0);
  for (const int64_t workers : {1, 2, 8}) {
    const auto together = pipelines(workers);
    for (size_t i = 0; i < alone.size(); ++i) {
      INFO("pipeline " << i << ", workers " << workers);
      for (const int64_t epoch : {0, 1, 5}) CHECK(all(together[i], epoch) == all(alone[i], epoch));
    }
  }
  CHECK(all(alone[1], 0) != all(alone[1], 1));
  CHECK(all(alone[0], 0) != all(alone[0], 1));
}

TEST_CASE("A walk goes on at any position with the same elements") {
  for (const int64_t workers : {0, 2}) {
    const auto list = pipelines(workers);
    for (size_t i = 0; i < list.size(); ++i) {
      INFO("pipeline " << i << ", workers " << workers);
      const Numbers whole = all(list[i], 2);
      if (list[i].size() >= 0) CHECK(list[i].size() == static_cast<int64_t>(whole.size()));
      const auto walk = list[i].open(2);
      for (size_t k = 0; k <= whole.size(); k += 1 + k / 9) {
        const auto stream = list[i].open(2);
        for (size_t j = 0; j < k; ++j) stream->next();
        const auto rest = list[i].open(2, stream->position());
        for (size_t j = k; j < whole.size(); ++j) {
          const auto element = rest->next();
          if (!element || *element != whole[j]) {
            FAIL("behind " << k << ", element " << j);
            break;
          }
        }
        CHECK_FALSE(rest->next());
        CHECK_FALSE(rest->next());
      }
    }
  }
}

TEST_CASE("Sizes are known where they can be") {
  const auto even = [](int64_t i) { return i % 2 == 0; };
  CHECK(data::range(2, 11, 3).size() == 3);
  CHECK(all(data::range(2, 11, 3)) == Numbers{2, 5, 8});
  CHECK(all(data::range(5, 0, -2)) == Numbers{5, 3, 1});
  CHECK(data::range(10).batch(3).size() == 4);
  CHECK(data::range(10).batch(3, {.drop_remainder = true}).size() == 3);
  CHECK(data::range(10).repeat().size() == Dataset::endless);
  CHECK(data::range(10).repeat().take(7).size() == 7);
  CHECK(data::range(10).filter(even).size() == Dataset::unknown);
  CHECK(data::range(10).filter(even).repeat().size() == Dataset::endless);
  CHECK(data::range(10).shard(1, 3).size() == 3);
  CHECK(data::range(10).skip(12).size() == 0);
  CHECK(all(data::range(0).repeat().take(3)).empty());
  CHECK(all(data::range(3).filter([](int64_t) { return false; }).repeat()).empty());
  CHECK(all(data::range(10).filter(even).repeat().take(12)).size() == 12);
  CHECK(data::range(10).concatenate(data::range(3)).size() == 13);
  CHECK(data::range(10).concatenate(data::range(3).repeat()).size() == Dataset::endless);
  CHECK(data::range(10).concatenate(data::range(3).filter(even)).size() == Dataset::unknown);
  CHECK(data::range(10).enumerate().size() == 10);
  CHECK(data::range(10).repeat().enumerate().size() == Dataset::endless);
  CHECK(data::range(10).filter(even).enumerate().size() == Dataset::unknown);
}

TEST_CASE("Stages of tf.data are there by their names") {
  const auto add = [](int64_t sum, int64_t i) { return sum + i; };
  CHECK(data::range(5).reduce(int64_t{1}, add) == 11);
  CHECK_THROWS_WITH(data::range(5).repeat().reduce(int64_t{0}, add), contains("have no end"));
  CHECK(all(data::range(2).concatenate(data::range(7, 9))) == Numbers{0, 1, 7, 8});
  CHECK(all(data::range(0).concatenate(data::range(7, 9)).repeat(2)) == Numbers{7, 8, 7, 8});
  CHECK(all(data::range(7, 9).concatenate(data::range(0)).repeat(2)) == Numbers{7, 8, 7, 8});
  const auto counted = all(data::range(5, 8).shuffle().enumerate(3));
  REQUIRE(counted.size() == 3);
  CHECK(sorted({counted[0].second, counted[1].second, counted[2].second}) == Numbers{5, 6, 7});
  for (int64_t i = 0; i < 3; ++i) CHECK(counted[static_cast<size_t>(i)].first == 3 + i);
  CHECK(data::range(5).batch(2, true).size() == 2);
  CHECK(data::range(5).batch(2, false).size() == 3);
  CHECK(all(data::range(50).shuffle(10)) == all(data::range(50).shuffle({.window = 10})));
  CHECK(all(data::range(50).shuffle(10, 4)) ==
        all(data::range(50).shuffle({.window = 10, .seed = 4})));
  CHECK_THROWS_WITH(data::range(5).shuffle(0), contains("window must be at least 1, found 0"));

  const auto rows = data::from(column(5), column(5)).batch(2).unbatch();
  CHECK(rows.size() == Dataset::unknown);
  const auto stream = rows.open();
  for (int i = 0; i < 3; ++i) CHECK(floats(stream->next()->y) == std::vector<float>{float(i)});
  const auto later = rows.open(0, stream->position());
  const auto fourth = later->next();
  CHECK(fourth->x.tensor().shape() == Shape{1});
  CHECK(floats(fourth->x) == std::vector<float>{3});
  later->next();
  CHECK_FALSE(later->next());
  CHECK(floats(rows.batch(3).begin()->x) == std::vector<float>{0, 1, 2});
}

TEST_CASE("Shuffles are permutations, other in each epoch and for each seed") {
  const auto shuffled = data::range(1000).shuffle();
  CHECK(sorted(all(shuffled)) == upto(1000));
  CHECK(all(shuffled) == all(shuffled));
  CHECK(all(shuffled) != all(shuffled, 1));
  CHECK(all(shuffled) != all(shuffled.with({.seed = 1})));
  CHECK(all(data::range(1000).shuffle({.seed = 4})) ==
        all(data::range(1000).shuffle({.seed = 4}).with({.seed = 1})));
  const Numbers windows = all(data::range(100).shuffle({.window = 10}));
  for (int64_t i = 0; i < 100; ++i) CHECK(windows[static_cast<size_t>(i)] / 10 == i / 10);
  const auto passes = all(data::range(20).shuffle().repeat(2));
  CHECK(sorted({passes.begin(), passes.begin() + 20}) == upto(20));
  CHECK(sorted({passes.begin() + 20, passes.end()}) == upto(20));
  CHECK(Numbers(passes.begin(), passes.begin() + 20) != Numbers(passes.begin() + 20, passes.end()));
  // Beyond the numbers that are sorted out.
  CHECK(sorted(all(data::range(70'000).shuffle())) == upto(70'000));
}

TEST_CASE("Shards are disjoint and of equal size") {
  std::set<int64_t> seen;
  for (int64_t rank = 0; rank < 3; ++rank) {
    const Numbers part = all(data::range(11).shuffle().shard(rank, 3));
    CHECK(part.size() == 3);
    for (const int64_t i : part) CHECK(seen.insert(i).second);
  }
}

TEST_CASE("Samples of tensors become batches") {
  const auto samples = data::from(column(10), column(10));
  CHECK(samples.size() == 10);
  CHECK((*samples.begin()).x.tensor().shape() == Shape{1});
  const std::vector<Batch> batches = all(samples.batch(4));
  REQUIRE(batches.size() == 3);
  CHECK(batches[2].x.tensor().shape() == Shape{2, 1});
  CHECK(floats(batches[1].x) == std::vector<float>{4, 5, 6, 7});
  CHECK(floats(batches[1].y) == floats(batches[1].x));
  CHECK(batches[0].sample_weight.empty());
  // The same through a stage that has no rows.
  const auto same = [](Batch b) { return b; };
  const auto slowly = all(samples.map(same, {.workers = 2}).batch(4));
  for (size_t i = 0; i < 3; ++i) CHECK(floats(slowly[i].x) == floats(batches[i].x));
  // As fit shuffles tensors.
  TensorDataset data(column(10), Nest(), Nest(), {.batch_size = 4, .shuffle = true, .seed = 3});
  data.on_epoch_begin(2);
  const auto shuffled = all(samples.shuffle({.seed = 3}).batch(4), 2);
  for (int64_t i = 0; i < 3; ++i)
    CHECK(floats(data.batch(i).x) == floats(shuffled[static_cast<size_t>(i)].x));
}

TEST_CASE("Nests and strings stay what they are") {
  const Nest x = Nest::dict({{"a", column(4)}, {"b", Tensor::strings({"k", "l", "m", "n"}, {4})}});
  const auto pipeline = data::from(x, Nest{column(4), column(4)}, column(4));
  for (const Batch& batch : pipeline.skip(1).batch(2).take(1)) {
    CHECK(floats(batch.x["a"]) == std::vector<float>{1, 2});
    CHECK(batch.x["b"].tensor().to_strings() == std::vector<std::string>{"l", "m"});
    CHECK(batch.y.size() == 2);
    CHECK(floats(batch.sample_weight) == std::vector<float>{1, 2});
  }
  for (const Batch& batch : pipeline.map([](Batch b) { return b; }).batch(3).rebatch(2).take(1)) {
    CHECK(batch.x["b"].tensor().to_strings() == std::vector<std::string>{"k", "l"});
    CHECK(floats(batch.y[1]) == std::vector<float>{0, 1});
  }
}

namespace user {

struct Pair {
  float x;
  int64_t y;
};
Batch as_batch(const Pair& p) {
  return {Tensor::from<float>({p.x}, {1}), Tensor::from<int64_t>({p.y}, {})};
}

struct Word {
  std::string text;
};
Batch collate(std::vector<Word> words, const data::BatchOptions&) {
  std::vector<std::string> texts;
  for (const Word& word : words) texts.push_back(word.text);
  return {Tensor(texts)};
}

}  // namespace user

TEST_CASE("Elements of other types become batches") {
  const auto first = [](const auto& pipeline) { return *pipeline.batch(2).begin(); };
  CHECK(floats(first(data::from(std::vector<float>{1, 2})).x) == std::vector<float>{1, 2});
  CHECK(first(data::from(std::vector<bool>{true, false})).x.tensor().dtype() == DType::boolean);
  CHECK(first(data::range(2)).x.tensor().dtype() == DType::int64);
  CHECK(first(data::from(std::vector<std::string>{"a", "b"})).x.tensor().to_strings()[1] == "b");
  const Batch pair = first(data::zip(data::range(2), data::range(5, 7)));
  CHECK(floats(pair.y) == std::vector<float>{5, 6});
  const Batch zipped = first(data::zip(data::from(column(3)), data::from(column(3))));
  CHECK(zipped.x.tensor().shape() == Shape{2, 1});
  CHECK(floats(zipped.y) == std::vector<float>{0, 1});
  CHECK(zipped.sample_weight.empty());
  const Batch numbered = first(data::from(column(3)).enumerate());
  CHECK(floats(numbered.x) == std::vector<float>{0, 1});
  CHECK(floats(numbered.y) == std::vector<float>{0, 1});
  CHECK_THROWS_WITH(first(data::zip(data::from(column(3), column(3)), data::from(column(3)))),
                    contains("targets or weights of its own"));
  const Batch triple = first(data::range(2).map([](int64_t i) {
    return std::tuple(Tensor::from<float>({1, 2}, {2}), std::vector<float>{3}, double(i));
  }));
  CHECK(triple.x.tensor().shape() == Shape{2, 2});
  CHECK(triple.y.tensor().shape() == Shape{2, 1});
  CHECK(floats(triple.sample_weight) == std::vector<float>{0, 1});
  const Batch own = first(data::from(std::vector<user::Pair>{{1, 2}, {3, 4}}));
  CHECK(own.x.tensor().shape() == Shape{2, 1});
  CHECK(floats(own.y) == std::vector<float>{2, 4});
  CHECK(first(data::from(std::vector<user::Word>{{"a"}, {"b"}})).x.tensor().to_strings()[0] == "a");
}

TEST_CASE("Rows of different shapes are padded, or named") {
  const auto ragged = data::range(1, 5).map([](int64_t i) {
    return ops::full({i, 2 * i}, static_cast<float>(i));
  });
  const Batch padded = *ragged.batch(4, {.pad = true, .pad_value = -1}).begin();
  CHECK(padded.x.tensor().shape() == Shape{4, 4, 8});
  const auto values = floats(padded.x);
  CHECK(std::accumulate(values.begin(), values.end(), 0.0f) ==
        2 + 2 * 8 + 3 * 18 + 4 * 32 - (128 - 2 - 8 - 18 - 32));
  CHECK(values[2] == -1);
  CHECK(values[32 + 8] == 2);
  CHECK_THROWS_WITH(ragged.batch(4).begin(),
                    contains("x of row 1 (element 1 of 'range') is float32 (2, 4)"));
  const auto mixed = data::range(2).map([](int64_t i) {
    return i == 0 ? Tensor::from<float>({1}, {1}) : Tensor::from<int32_t>({1}, {1});
  });
  CHECK_THROWS_WITH(mixed.batch(2).begin(), contains("cast them to one dtype"));
}

TEST_CASE("Buckets hold samples of about equal length") {
  const auto words = data::range(100).map([](int64_t i) { return ops::ones({1 + (i * 37) % 50}); });
  int64_t samples = 0, padded = 0, batches = 0;
  const auto length = [](const Tensor& t) { return t.size(); };
  const auto buckets = words.bucket_by_length(length, 10, {.window = 50, .pad_value = 0});
  CHECK(buckets.size() == 10);
  for (const Batch& batch : buckets) {
    const Tensor& x = batch.x.tensor();
    samples += x.shape()[0];
    for (const float v : floats(x)) padded += v == 0;
    ++batches;
  }
  CHECK(samples == 100);
  CHECK(batches == 10);
  CHECK(padded < 500);
}

TEST_CASE("Rebatch cuts and joins") {
  const auto batches = data::from(column(23)).batch(5).rebatch(4);
  std::vector<float> values;
  std::vector<int64_t> sizes;
  for (const Batch& batch : batches) {
    sizes.push_back(batch.x.tensor().shape()[0]);
    for (const float v : floats(batch.x)) values.push_back(v);
  }
  CHECK(values == floats(column(23)));
  CHECK(sizes == std::vector<int64_t>{4, 4, 4, 4, 4, 3});
  CHECK(all(data::from(column(23)).batch(5).rebatch(4, {.drop_remainder = true})).size() == 5);
  for (size_t k = 0; k <= 6; ++k) {
    const auto stream = batches.open();
    for (size_t i = 0; i < k; ++i) stream->next();
    const auto rest = batches.open(0, stream->position());
    for (size_t i = 4 * k; i < 23; i += 4)
      CHECK(floats(rest->next()->x)[0] == static_cast<float>(i));
    CHECK_FALSE(rest->next());
  }
}

TEST_CASE("A cache makes each element once") {
  std::atomic<int> made = 0;
  const auto count = [&](int64_t i, const data::Place& place) {
    ++made;
    return i + 100 * place.epoch;
  };
  for (const int64_t workers : {0, 2}) {
    made = 0;
    const auto cached = data::range(20).map(count, {.workers = workers}).cache();
    CHECK(all(cached) == upto(20));
    CHECK(all(cached.shuffle(), 1).size() == 20);
    CHECK(all(cached, 3) == upto(20));
    CHECK(made == 20);
    made = 0;
    const auto filtered = data::range(20)
                              .map(count, {.workers = workers})
                              .filter([](int64_t i) { return i % 2 == 0; })
                              .cache();
    CHECK(filtered.size() == Dataset::unknown);
    const Numbers first = all(filtered);
    CHECK(all(filtered, 2) == first);
    CHECK(filtered.size() == 10);
    CHECK(made == 20);
  }
}

TEST_CASE("Generators begin anew in each pass") {
  const auto counted = data::generate([i = 0]() mutable { return i++; });
  CHECK(counted.size() == Dataset::endless);
  CHECK(all(counted.take(3)) == std::vector<int>{0, 1, 2});
  CHECK(all(counted.take(3)) == std::vector<int>{0, 1, 2});
  const auto known = data::generate(4, [i = 0]() mutable { return i++; });
  CHECK(known.size() == 4);
  CHECK(all(known) == std::vector<int>{0, 1, 2, 3});
  const auto placed = data::generate(4, [](const data::Place& p) { return p.epoch + p.index; });
  CHECK(all(placed.shuffle({.window = 1}), 2) == Numbers{2, 3, 4, 5});
  const auto too_few = data::generate(4, [](const data::Place& p) {
    return p.index < 2 ? std::optional<int64_t>(p.index) : std::nullopt;
  });
  CHECK_THROWS_WITH(all(too_few), contains("no element 2 though 4 were announced"));
}

TEST_CASE("Generators may take the number of the element alone") {
  const auto squares = data::generate(5, [](int64_t i) { return i * i; });
  CHECK(squares.size() == 5);
  CHECK(all(squares) == Numbers{0, 1, 4, 9, 16});
  // Each can be made by itself.
  CHECK(all(squares.shuffle()).size() == 5);
  CHECK(all(data::generate(3, [](int i) { return static_cast<int64_t>(i) + 1; })) ==
        Numbers{1, 2, 3});
  const auto ends =
      data::generate([](int64_t i) { return i < 3 ? std::optional<int64_t>(i) : std::nullopt; });
  CHECK(all(ends) == Numbers{0, 1, 2});
  // One that cannot be copied.
  auto offset = std::make_unique<int64_t>(7);
  const auto moved = data::generate(2, [o = std::move(offset)](int64_t i) { return *o + i; });
  CHECK(all(moved) == Numbers{7, 8});
  STATIC_REQUIRE(data::detail::GeneratorFunction<int64_t (*)(const data::Place&)>);
  STATIC_REQUIRE(data::detail::GeneratorFunction<int64_t (*)()>);
  STATIC_REQUIRE_FALSE(data::detail::GeneratorFunction<int64_t (*)(std::string)>);
}

TEST_CASE("A pipeline is a range") {
  STATIC_REQUIRE(std::ranges::input_range<data::Pipeline<int64_t>>);
  int64_t sum = 0;
  for (const int64_t i : data::range(10) | std::views::transform([](int64_t n) { return 2 * n; }))
    sum += i;
  CHECK(sum == 90);
}

TEST_CASE("Wrong options and positions are told before work starts") {
  const auto even = [](int64_t i) { return i % 2 == 0; };
  CHECK_THROWS_WITH(data::range(3).batch(0), contains("at least 1, found 0"));
  CHECK_THROWS_WITH(data::range(3).map(even, {.workers = -1}), contains("workers"));
  CHECK_THROWS_WITH(data::range(3).prefetch(0), contains("prefetch"));
  const auto batches = data::from(column(4)).batch(2);
  CHECK_THROWS_WITH(batches.rebatch(3, {.pad = true}), contains("rebatch: options 'pad'"));
  CHECK_THROWS_WITH(batches.rebatch(3, {.pad_value = 1}), contains("rebatch: options 'pad'"));
  CHECK_THROWS_WITH(
      data::range(4).batch(2, [](std::vector<int64_t> group) { return group; }, {.pad = true}),
      contains("a function of one's own: options 'pad'"));
  CHECK_THROWS_WITH(data::range(3).shard(3, 3), contains("rank 3 of 3"));
  CHECK_THROWS_WITH(data::range(3).repeat().shuffle(), contains("has no end"));
  CHECK_THROWS_WITH(data::range(3).filter(even, {.name = "even"}).shuffle(),
                    contains("stage 'even' before it gives its elements one after the other"));
  CHECK_THROWS_WITH(data::range(0, 3, 0), contains("step must not be 0"));
  CHECK_THROWS_WITH(data::from(column(3), column(4)), contains("y has 4 samples"));
  CHECK_THROWS_WITH(data::from(Tensor(1.0)), contains("first axis must be the samples"));
  CHECK_THROWS_WITH(data::range(3).open(0, {1, 2}), contains("another pipeline's"));
  CHECK_THROWS_WITH(data::range(3).filter(even).open(0, {1}), contains("too few"));
  CHECK_THROWS_WITH(std::shared_ptr<Dataset>(data::from(column(3))), contains("add .batch(32)"));
}

}  // namespace pipeline_elements_test
