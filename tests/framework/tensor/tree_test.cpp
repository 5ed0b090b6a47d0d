// keras.tree: functions of nests.
#include <catch.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/framework/tensor/tree.h>

namespace tree_test {

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

TEST_CASE("trees are traversed from above and from below, and parts replaced") {
  const Nest nest{{"b", Nest{Tensor(1), Tensor(2)}}, {"a", Tensor(3)}};
  std::vector<std::string> seen;
  const auto note = [&](const Nest& part) -> std::optional<Nest> {
    seen.push_back(part.is_tensor() ? std::to_string(int(part.item())) : part.structure());
    return {};
  };
  const std::string whole = nest.structure(), list = nest["b"].structure();
  CHECK(tree::traverse(note, nest).same_structure(nest));
  CHECK(seen == std::vector<std::string>{whole, "3", list, "1", "2"});
  seen.clear();
  tree::traverse(note, nest, false);
  CHECK(seen == std::vector<std::string>{"3", "1", "2", list, whole});

  seen.clear();
  const auto replace_lists = [&](const Nest& part) -> std::optional<Nest> {
    note(part);
    if (part.is_list()) return Nest(Tensor(7));
    return {};
  };
  const Nest replaced = tree::traverse(replace_lists, nest);
  CHECK(replaced["b"].item() == 7);
  CHECK(seen == std::vector<std::string>{whole, "3", list});
  // Going up, a list is seen with its tensors replaced already.
  const auto to_lists = [](const Nest& part) -> std::optional<Nest> {
    if (part.is_tensor()) return Nest{part, part};
    if (part.is_list()) return Nest(Tensor(double(part.flatten().size())));
    return {};
  };
  CHECK(tree::traverse(to_lists, nest, false)["b"].item() == 4);
  CHECK(tree::traverse(
            [](const Nest& part) { return std::optional(part.is_tensor() ? Nest() : part); },
            Tensor(1))
            .empty());
}

TEST_CASE("trees are mapped down to where another one ends") {
  const Nest shallow{{"b", Nest()}, {"a", Nest{Tensor(0), Tensor(0)}}};
  const Nest nest{{"a", Nest{Tensor(1), Nest{Tensor(2), Tensor(3)}}},
                  {"b", Nest{Tensor(4), Tensor(5)}}};
  const auto count = [](const Nest& part) { return Nest(Tensor(double(part.flatten().size()))); };
  const Nest counts = tree::map_structure_up_to(shallow, count, nest);
  CHECK(counts["b"].item() == 2);
  CHECK(counts["a"][0].item() == 1);
  CHECK(counts["a"][1].item() == 2);
  const auto both = [](const Nest& a, const Nest& b) { return Nest{a, b}; };
  CHECK(tree::map_structure_up_to(shallow, both, nest, shallow)["a"][1].structure() ==
        "[[*, *], *]");
  CHECK_THROWS_AS(tree::map_structure_up_to(nest, count, shallow), ValueError);
  CHECK_THROWS_AS(
      tree::map_structure_up_to(shallow, count, Nest{{"b", Tensor(1)}, {"c", nest["a"]}}),
      ValueError);
  CHECK_THROWS_AS(tree::map_structure_up_to(shallow, both, nest, Tensor(1)), ValueError);
}

}  // namespace tree_test
