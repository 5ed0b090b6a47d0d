// keras.tree: functions of nests.
#include <catch.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/framework/tensor/tree.h>

using namespace cornu;

TEST_CASE("trees are flattened, packed and mapped") {
  const Nest nest{{"b", Tensor(1)}, {"a", Nest{Tensor(2), Tensor(3)}}};
  CHECK(tree::is_nested(nest));
  CHECK_FALSE(tree::is_nested(Tensor(1)));
  REQUIRE(tree::flatten(nest).size() == 3);
  CHECK(tree::flatten(nest)[0].item() == 2);
  const Nest again = tree::pack_sequence_as(nest, tree::flatten(nest));
  CHECK(again["b"].item() == 1);
  CHECK_THROWS_AS(tree::pack_sequence_as(nest, {Tensor(1)}), ValueError);
  CHECK(tree::map_structure([](const Tensor& x) { return x * 2; }, nest)["a"][1].item() == 6);
  const auto sum = [](const Tensor& a, const Tensor& b) { return a + b; };
  CHECK(tree::map_structure(sum, nest, again)["b"].item() == 2);
  CHECK_THROWS_AS(tree::map_structure(sum, nest, Tensor(1)), ValueError);
}

TEST_CASE("trees know the places of their tensors") {
  const Nest nest{{"b", Tensor(1)}, {"a", Nest{Tensor(2), Tensor(3)}}};
  const auto places = tree::flatten_with_path(nest);
  REQUIRE(places.size() == 3);
  CHECK(places[1].first == tree::Path{"a", "1"});
  CHECK(places[1].second.item() == 3);
  CHECK(places[2].first == tree::Path{"b"});
  CHECK(tree::flatten_with_path(Tensor(1))[0].first.empty());
  CHECK_NOTHROW(tree::assert_same_structure(
      nest, tree::map_structure([](const Tensor& x) { return -x; }, nest)));
  CHECK_THROWS_AS(tree::assert_same_structure(nest, Nest{Tensor(1)}), ValueError);
  CHECK_NOTHROW(tree::assert_same_paths(Nest{Tensor(1)}, Nest{Tensor(2)}));
  CHECK_THROWS_AS(tree::assert_same_paths(nest, Nest{Tensor(1)}), ValueError);
}
