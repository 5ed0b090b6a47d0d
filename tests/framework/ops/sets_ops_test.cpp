// Searching, counting, sets.
#include <cornu/framework/model/input.h>
#include <cornu/framework/ops/ops.h>

#include <algorithm>

#include "catch.h"
#include "op_goldens.h"

namespace sets_ops_test {

using namespace cornu;
using test::error_of;

namespace {

std::vector<int32_t> read(const Tensor& t) { return t.to_vector<int32_t>(); }
Tensor ints(std::vector<int32_t> v) { return Tensor(v); }

}  // namespace

TEST_CASE("searchsorted finds the first or the last place") {
  const Tensor sorted = ints({1, 2, 2, 2, 5});
  CHECK(read(ops::searchsorted(sorted, ints({0, 1, 2, 3, 5, 9}))) ==
        std::vector<int32_t>{0, 0, 1, 4, 4, 5});
  CHECK(read(ops::searchsorted(sorted, ints({0, 1, 2, 3, 5, 9}), "right")) ==
        std::vector<int32_t>{0, 1, 4, 4, 5, 5});
  CHECK(ops::searchsorted(sorted, 2).shape() == Shape{});
  CHECK(read(ops::searchsorted(Tensor::from({1.0f, NAN, NAN}, {3}),
                               Tensor::from({2.0f, NAN}, {2}))) == std::vector<int32_t>{1, 1});
  CHECK(read(ops::digitize(Tensor::from({0.2f, 6.4f, 3.0f, 1.6f}, {4}),
                           Tensor::from({0.0f, 1.0f, 2.5f, 4.0f, 10.0f}, {5}))) ==
        std::vector<int32_t>{1, 4, 3, 2});
  // Falling bins.
  CHECK(read(ops::digitize(Tensor::from({4.0f, 3.0f, 2.0f, 1.0f, 0.5f, 0.0f, -1.0f, NAN}, {8}),
                           Tensor::from({3.0f, 1.0f, 0.0f}, {3}))) ==
        std::vector<int32_t>{0, 0, 1, 1, 2, 2, 3, 0});
  CHECK(read(ops::digitize(ints({4, 3}), ints({3, 3, 1, 1}))) == std::vector<int32_t>{0, 0});
  CHECK(read(ops::digitize(ints({4, 3}), ops::zeros({0}, DType::int32))) ==
        std::vector<int32_t>{0, 0});
  CHECK_THROWS_AS(ops::searchsorted(ops::zeros({2, 2}), sorted), ShapeError);
  CHECK_THROWS_AS(ops::searchsorted(sorted, sorted, "middle"), ValueError);
  // Each length up to one that needs several halvings.
  for (int64_t n = 1; n < 20; ++n) {
    const auto places = read(ops::searchsorted(ops::arange(0, n), ops::arange(-1, 21)));
    for (int64_t v = -1; v < 21; ++v) CHECK(places[v + 1] == std::clamp<int64_t>(v, 0, n));
  }
}

TEST_CASE("isin looks elements up") {
  CHECK(ops::isin(ints({1, 5, 2}), ints({2, 3, 1})).to_vector<bool>() ==
        std::vector<bool>{true, false, true});
  CHECK(ops::isin(ints({1, 5, 2}), ints({2, 3, 1}), false, true).to_vector<bool>() ==
        std::vector<bool>{false, true, false});
  CHECK(ops::isin(2, ints({2})).item() == 1);
  CHECK(ops::isin(ints({1}), ops::zeros({0}, DType::int32)).item() == 0);
}

TEST_CASE("unique gives values, first places, groups and counts") {
  const auto all =
      ops::unique(Tensor::from({3, 1, 3, 2}, {2, 2}), true, true, true, true).flatten();
  CHECK(read(all[0]) == std::vector<int32_t>{1, 2, 3});
  CHECK(read(all[1]) == std::vector<int32_t>{1, 3, 0});
  CHECK(all[2].shape() == Shape{2, 2});
  CHECK(read(all[2]) == std::vector<int32_t>{2, 0, 2, 1});
  CHECK(read(all[3]) == std::vector<int32_t>{1, 1, 2});
  const auto rows =
      ops::unique(Tensor::from({1, 2, 0, 9, 1, 2}, {3, 2}), true, true, true, false, 0).flatten();
  CHECK(read(rows[0]) == std::vector<int32_t>{0, 9, 1, 2});
  CHECK(read(rows[1]) == std::vector<int32_t>{1, 0});
  CHECK(read(rows[2]) == std::vector<int32_t>{1, 0, 1});
  const auto sized = ops::unique(ints({4, 4, 7}), true, true, false, true, {}, 3, -1.0).flatten();
  CHECK(read(sized[0]) == std::vector<int32_t>{4, 7, -1});
  CHECK(read(sized[1]) == std::vector<int32_t>{0, 2, 1});
  CHECK(read(sized[2]) == std::vector<int32_t>{2, 1, 0});
  CHECK(read(ops::unique(ints({5, 4, 7}), true, false, false, false, {}, 2).flatten()[0]) ==
        std::vector<int32_t>{4, 5});
  CHECK(ops::unique(ops::zeros({0})).flatten()[0].size() == 0);
  const Tensor symbolic = Input({4});
  CHECK(ops::unique(symbolic, true, false, false, false, {}, 3).flatten()[0].shape() == Shape{3});
  CHECK(error_of([&] { ops::unique(symbolic); }).find("not known in a graph") != std::string::npos);
}

TEST_CASE("counting and finding") {
  CHECK(read(ops::bincount(ints({1, 2, 1, 5}))) == std::vector<int32_t>{0, 2, 1, 0, 0, 1});
  CHECK(read(ops::bincount(ints({1, 0}), {}, 4)) == std::vector<int32_t>{1, 1, 0, 0});
  CHECK(ops::bincount(ints({1, 1}), Tensor::from({0.5f, 2.0f}, {2})).to_vector<float>() ==
        std::vector<float>{0, 2.5f});
  CHECK(read(ops::bincount(Tensor::from({0, 1, 1, 1}, {2, 2}))) ==
        std::vector<int32_t>{1, 1, 0, 2});
  const auto places = ops::nonzero(Tensor::from({0, 3, 4, 0}, {2, 2}));
  REQUIRE(places.size() == 2);
  CHECK(read(places[0]) == std::vector<int32_t>{0, 1});
  CHECK(read(places[1]) == std::vector<int32_t>{1, 0});
  CHECK(ops::nonzero(ints({0, 0}))[0].size() == 0);
  const auto parts = ops::unravel_index(ints({0, 5, 11}), {2, 2, 3});
  CHECK(read(parts[0]) == std::vector<int32_t>{0, 0, 1});
  CHECK(read(parts[1]) == std::vector<int32_t>{0, 1, 1});
  CHECK(read(parts[2]) == std::vector<int32_t>{0, 2, 2});
  CHECK(read(ops::argpartition(ints({7, 1, 5, 3}), 1)) == std::vector<int32_t>{1, 3, 0, 2});
}

}  // namespace sets_ops_test
