// Samplers by their draws: which token each number between 0 and 1 chooses.
#include <cornu/applications/language/samplers.h>
#include <cornu/backend/error.h>

#include <cmath>

#include "../../catch.h"
#include "../../support/temporary.h"

namespace samplers_test {

using namespace cornu;
using samplers::Sampler;

namespace {

using Row = std::vector<double>;

// Tokens 1, 3, 0, 2 by probability.
const Row some = {0.2, 0.4, 0.1, 0.3};
const double below_one = std::nextafter(1.0, 0.0);

// How often each token comes for draws at equal distances.
std::vector<int> counts(const Sampler& sampler, const Row& probabilities, int draws = 1000) {
  std::vector<int> found(probabilities.size());
  for (int i = 0; i < draws; ++i)
    ++found.at(static_cast<size_t>(sampler(probabilities, (i + 0.5) / draws)));
  return found;
}

}  // namespace

TEST_CASE("Greedy takes the first of the likeliest, whatever was drawn") {
  for (const double draw : {0.0, 0.3, below_one}) {
    CHECK(samplers::Greedy()(some, draw) == 1);
    CHECK(samplers::Greedy()({0.4, 0.1, 0.4, 0.1}, draw) == 0);
    CHECK(samplers::Greedy()({1}, draw) == 0);
    CHECK(samplers::Beam(3)(some, draw) == 1);
  }
}

TEST_CASE("Random takes each token as often as it is likely, in the order of their numbers") {
  CHECK(counts(samplers::Random(), some) == std::vector<int>{200, 400, 100, 300});
  CHECK(samplers::Random()(some, 0) == 0);
  CHECK(samplers::Random()(some, 0.199) == 0);
  CHECK(samplers::Random()(some, 0.201) == 1);
  CHECK(samplers::Random()(some, below_one) == 3);
}

TEST_CASE("TopK shares the draws among the likeliest") {
  CHECK(counts(samplers::TopK(1), some) == std::vector<int>{0, 1000, 0, 0});
  CHECK(counts(samplers::TopK(2), some, 700) == std::vector<int>{0, 400, 0, 300});
  CHECK(counts(samplers::TopK(3), some, 900) == std::vector<int>{200, 400, 0, 300});
  CHECK(counts(samplers::TopK(4), some) == std::vector<int>{200, 400, 100, 300});
  // More than there are, and of equal ones the first.
  CHECK(counts(samplers::TopK(99), some) == std::vector<int>{200, 400, 100, 300});
  CHECK(counts(samplers::TopK(2), {0.25, 0.25, 0.25, 0.25}) == std::vector<int>{500, 500, 0, 0});
}

TEST_CASE("TopP takes as many of the likeliest as make up the probability") {
  CHECK(counts(samplers::TopP(0.01), some) == std::vector<int>{0, 1000, 0, 0});
  CHECK(counts(samplers::TopP(0.39), some) == std::vector<int>{0, 1000, 0, 0});
  CHECK(counts(samplers::TopP(0.41), some, 700) == std::vector<int>{0, 400, 0, 300});
  CHECK(counts(samplers::TopP(0.69), some, 700) == std::vector<int>{0, 400, 0, 300});
  CHECK(counts(samplers::TopP(0.75), some, 900) == std::vector<int>{200, 400, 0, 300});
  CHECK(counts(samplers::TopP(1), some) == std::vector<int>{200, 400, 100, 300});
}

TEST_CASE("No sampler takes a token that is impossible") {
  // Sums of these round, so that something is left for the largest draws.
  Row tenths(13, 0.1);
  tenths[0] = tenths[11] = tenths[12] = 0;
  const Row thirds = {0, 1.0 / 3, 0, 1.0 / 3, 1.0 / 3, 0, 0};
  const Row ninth = {1.0 / 9, 0.7, 0}, fifths = {0, 0.2, 0.1, 0.15, 0};
  const Row uneven = {0, 1e-17, 0.1, 0.2, 0.3, 0.4 - 1e-17, 0};
  for (const Row& row : {tenths, thirds, uneven, ninth, fifths})
    for (const Sampler& sampler : {samplers::Greedy(), samplers::Random(), samplers::TopK(12),
                                   samplers::TopP(1), samplers::TopP(0.95)})
      for (double draw : {0.0, 1e-300, 0.5, 0.9, 1 - 1e-15, below_one}) {
        INFO("drawn " << draw);
        const int64_t token = sampler(row, draw);
        REQUIRE(token >= 0);
        REQUIRE(token < std::ssize(row));
        CHECK(row[static_cast<size_t>(token)] > 0);
      }
}

TEST_CASE("Samplers refuse what makes no sense, with what was given") {
  using test::contains;
  CHECK_THROWS_WITH(samplers::TopK(0), contains("k must be positive, found 0"));
  CHECK_THROWS_WITH(samplers::TopK(-3), contains("found -3"));
  CHECK_THROWS_WITH(samplers::TopP(0), contains("(0, 1], found 0"));
  CHECK_THROWS_WITH(samplers::TopP(1.5), contains("found 1.5"));
  CHECK_THROWS_AS(samplers::TopP(std::nan("")), ValueError);
  CHECK_THROWS_WITH(samplers::Beam(-1), contains("num_beams must be positive, found -1"));
}

}  // namespace samplers_test
