// Functions of nested shapes.
#include <catch.h>
#include <cornu/framework/dispatch/shape_tree.h>
#include <cornu/framework/ops/numpy/creation.h>

#include "support/matchers.h"

namespace shape_tree_test {

using namespace cornu;
using cornu::test::contains;

TEST_CASE("shapes are leaves of lists and dictionaries") {
  const Value structure = Value::Dict{
      {"b", Value::List{Shape{4}, Shape{}}}, {"a", Shape{2, std::nullopt}}, {"c", Value::List{}}};
  std::vector<Shape> seen;
  const Value ranks = tree::map_shape_structure(
      [&](const Shape& shape) {
        seen.push_back(shape);
        return Value(shape.rank());
      },
      structure);
  CHECK(seen == std::vector<Shape>{{2, std::nullopt}, {4}, {}, {}});
  const auto& dict = ranks.get<Value::Dict>();
  CHECK(dict[0].first == "b");
  CHECK(dict[0].second.get<Value::List>()[0].get<int64_t>() == 1);
  CHECK(dict[1].second.get<int64_t>() == 2);
  CHECK(dict[2].second.get<int64_t>() == 0);

  const Nest zeros = tree::map_shape_structure([](const Shape& s) { return ops::zeros(s); },
                                               Value::List{Shape{2, 3}, Value::List{Shape{4}}})
                         .nest();
  CHECK(zeros.list()[0].tensor().shape() == Shape{2, 3});
  CHECK(zeros.list()[1].list()[0].tensor().shape() == Shape{4});
}

TEST_CASE("what is no shape is refused") {
  const auto nothing = [](const Shape&) { return Value(); };
  CHECK_THROWS_WITH(tree::map_shape_structure(nothing, Value::List{"text"}),
                    contains("expected shapes in lists and dictionaries"));
  CHECK_THROWS_AS(tree::map_shape_structure(nothing, 5), ValueError);
  CHECK(tree::is_shape(Value::List{Value(), 3}));
  CHECK_FALSE(tree::is_shape(Value::List{Value::List{}}));
}

}  // namespace shape_tree_test
