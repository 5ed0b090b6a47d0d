// Random chains of stages against the same chains on vectors: elements, sizes, epochs, positions.
#include <cornu/framework/data/pipeline.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "catch.h"

namespace pipeline_random_test {

using namespace cornu;

namespace {

using Numbers = std::vector<int64_t>;
using Pipeline = data::Pipeline<int64_t>;

// A pipeline, what it is to give, and how it was made.
struct Chain {
  Pipeline pipeline;
  Numbers expected;
  std::string text;
};

Numbers all(const Pipeline& pipeline, int64_t epoch = 0) {
  Numbers elements;
  for (const int64_t element : pipeline.epoch(epoch)) elements.push_back(element);
  return elements;
}

class Dice {
 public:
  explicit Dice(uint64_t seed) : engine_(seed) {}
  int64_t below(int64_t n) { return static_cast<int64_t>(engine_() % static_cast<uint64_t>(n)); }
  bool coin() { return below(2) == 1; }

 private:
  std::mt19937_64 engine_;
};

Chain source(Dice& dice) {
  const int64_t n = dice.below(3) == 0 ? dice.below(2) : dice.below(23);
  Numbers numbers(static_cast<size_t>(n));
  switch (dice.below(4)) {
    case 0: {
      const int64_t step = dice.coin() ? 3 : -2;
      for (int64_t i = 0; i < n; ++i) numbers[i] = 5 + step * i;
      return {data::range(5, 5 + step * n, step), numbers, "range of " + std::to_string(n)};
    }
    case 1:
      for (int64_t& x : numbers) x = dice.below(50);
      return {data::from(numbers), numbers, "vector of " + std::to_string(n)};
    case 2:
      std::iota(numbers.begin(), numbers.end(), 0);
      return {data::generate([i = int64_t{0}, n]() mutable {
                return i < n ? std::optional<int64_t>(i++) : std::nullopt;
              }),
              numbers, "generator of " + std::to_string(n)};
    default:
      for (int64_t i = 0; i < n; ++i) numbers[i] = i * i;
      return {data::generate(n, [](const data::Place& p) { return p.index * p.index; }), numbers,
              "numbered generator of " + std::to_string(n)};
  }
}

Chain then(Chain before, Dice& dice, bool nested = true) {
  Pipeline& p = before.pipeline;
  Numbers& e = before.expected;
  std::string& text = before.text;
  const int64_t size = static_cast<int64_t>(e.size());
  const int64_t count = dice.below(size + 3);
  switch (dice.below(nested ? 13 : 10)) {
    case 0: {
      const int64_t workers = dice.below(3);
      p = p.map([](int64_t x) { return 3 * x + 1; }, {.workers = workers});
      for (int64_t& x : e) x = 3 * x + 1;
      text += ", map by " + std::to_string(workers);
      break;
    }
    case 1: {
      const bool none = dice.below(4) == 0;
      const auto kept = [none](int64_t x) { return !none && x % 3 != 0; };
      p = p.filter(kept);
      std::erase_if(e, [&](int64_t x) { return !kept(x); });
      text += none ? ", filter of nothing" : ", filter";
      break;
    }
    case 2:
      p = p.take(count);
      e.resize(static_cast<size_t>(std::min(size, count)));
      text += ", take " + std::to_string(count);
      break;
    case 3:
      p = p.skip(count);
      e.erase(e.begin(), e.begin() + std::min(size, count));
      text += ", skip " + std::to_string(count);
      break;
    case 4: {
      const int64_t ranks = 1 + dice.below(4), rank = dice.below(ranks);
      p = p.shard(rank, ranks);
      Numbers part;
      for (int64_t i = 0; i < size / ranks; ++i) part.push_back(e[rank + i * ranks]);
      e = part;
      text += ", shard " + std::to_string(rank) + " of " + std::to_string(ranks);
      break;
    }
    case 5: {
      const int64_t times = 1 + dice.below(3);
      p = p.repeat(times);
      const Numbers once = e;
      for (int64_t i = 1; i < times; ++i) e.insert(e.end(), once.begin(), once.end());
      text += ", repeat " + std::to_string(times);
      break;
    }
    case 6:
      p = p.repeat().take(count);
      if (size > 0)
        for (int64_t i = size; i < count; ++i) e.push_back(e[static_cast<size_t>(i - size)]);
      e.resize(static_cast<size_t>(size > 0 ? count : 0));
      text += ", repeat for ever, take " + std::to_string(count);
      break;
    case 7: {
      const int64_t batch = 1 + count;
      const bool drop = dice.coin();
      const auto sum = [](const Numbers& n) {
        return std::accumulate(n.begin(), n.end(), static_cast<int64_t>(n.size()));
      };
      p = p.batch(batch, sum, {.drop_remainder = drop});
      Numbers sums;
      for (int64_t i = 0; i < size; i += batch) {
        const int64_t end = std::min(size, i + batch);
        if (drop && end - i < batch) break;
        sums.push_back(sum(Numbers(e.begin() + i, e.begin() + end)));
      }
      e = sums;
      text += ", batch " + std::to_string(batch) + (drop ? " without a rest" : "");
      break;
    }
    case 8:
      p = dice.coin() ? p.cache() : p.prefetch(1 + dice.below(5));
      text += ", cache or prefetch";
      break;
    case 9:
      p = p.shuffle({.window = 1});
      text += ", shuffle with a window of 1";
      break;
    case 10: {
      Chain other = then(source(dice), dice, false);
      p = data::zip(p, other.pipeline).map([](const std::pair<int64_t, int64_t>& both) {
        return both.first - 2 * both.second;
      });
      e.resize(std::min(e.size(), other.expected.size()));
      for (size_t i = 0; i < e.size(); ++i) e[i] -= 2 * other.expected[i];
      text += ", zip with (" + other.text + ")";
      break;
    }
    case 11: {
      p = p.interleave([](int64_t x) { return data::range(x, x + std::abs(x % 4)); }, {.cycle = 1});
      Numbers flat;
      for (const int64_t x : e)
        for (int64_t i = 0; i < std::abs(x % 4); ++i) flat.push_back(x + i);
      e = flat;
      text += ", one range after the other";
      break;
    }
    default: {
      Chain other = then(source(dice), dice, false);
      p = dice.coin() ? p.concatenate(other.pipeline)
                      : data::interleave({p, other.pipeline}, {.block = 1 << 20});
      e.insert(e.end(), other.expected.begin(), other.expected.end());
      text += ", followed by (" + other.text + ")";
    }
  }
  return before;
}

Chain chain(uint64_t seed) {
  Dice dice(seed);
  Chain made = source(dice);
  for (int64_t stages = 1 + dice.below(6); stages > 0; --stages) made = then(made, dice);
  return made;
}

}  // namespace

TEST_CASE("Random chains of stages give what the same steps give on vectors") {
  for (uint64_t seed = 0; seed < 600; ++seed) {
    const Chain c = chain(seed);
    INFO("chain " << seed << ": " << c.text);
    CHECK(all(c.pipeline) == c.expected);
    CHECK(all(c.pipeline, 3) == c.expected);
    const int64_t size = c.pipeline.size();
    CHECK(size != Dataset::endless);
    // A source of unknown size may turn out to be empty, and then repeats nothing for ever.
    if (size >= 0 && c.text.find("for ever") == std::string::npos)
      CHECK(size == static_cast<int64_t>(c.expected.size()));
    else if (size >= 0)
      CHECK(size >= static_cast<int64_t>(c.expected.size()));
  }
}

TEST_CASE("Random chains of stages go on behind any element") {
  for (uint64_t seed = 1000; seed < 1200; ++seed) {
    const Chain c = chain(seed);
    INFO("chain " << seed << ": " << c.text);
    for (size_t k = 0; k <= c.expected.size(); k += 1 + k / 4) {
      const auto stream = c.pipeline.open(1);
      for (size_t i = 0; i < k; ++i) REQUIRE(stream->next());
      const auto rest = c.pipeline.open(1, stream->position());
      Numbers elements(c.expected.begin(), c.expected.begin() + static_cast<int64_t>(k));
      while (const auto element = rest->next()) elements.push_back(*element);
      CHECK(elements == c.expected);
      CHECK_FALSE(rest->next());
    }
  }
}

TEST_CASE("Random chains of stages with a shuffle give each element once, in the order of a seed") {
  for (uint64_t seed = 2000; seed < 2150; ++seed) {
    Dice dice(seed);
    const Chain c = chain(seed);
    const Pipeline shuffled = c.pipeline.shuffle({.window = 1 + dice.below(9), .seed = 5});
    INFO("chain " << seed << ": " << c.text);
    Numbers got = all(shuffled), expected = c.expected;
    CHECK(all(shuffled) == got);
    std::sort(got.begin(), got.end());
    std::sort(expected.begin(), expected.end());
    CHECK(got == expected);
  }
}

TEST_CASE("Random chains of stages may be left at any element") {
  for (uint64_t seed = 3000; seed < 3200; ++seed) {
    const Chain c = chain(seed);
    INFO("chain " << seed << ": " << c.text);
    size_t seen = 0;
    for (const int64_t element : c.pipeline) {
      CHECK(element == c.expected[seen]);
      if (++seen > c.expected.size() / 2) break;
    }
    CHECK(all(c.pipeline) == c.expected);
  }
}

}  // namespace pipeline_random_test
