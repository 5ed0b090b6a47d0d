// InputSpec: what a layer of one's own says of its inputs is checked before anything else happens.
#include <cornu/cornu.h>

#include "catch.h"
#include "support/matchers.h"

namespace input_spec_test {

using namespace cornu;
using cornu::test::contains;

namespace {

// The sum of its inputs.
class Checked : public Layer {
 public:
  explicit Checked(std::vector<InputSpec> specs) { set_input_spec(std::move(specs)); }
  void build_many(const Nest&) override { ++builds; }
  Nest call_many(const Nest& inputs, const Call&) override {
    Tensor sum(0.0f);
    for (const Tensor& t : inputs.flatten())
      if (t) sum = sum + ops::sum(ops::cast(t, "float32"));
    return sum;
  }
  int builds = 0;
};

}  // namespace

TEST_CASE("A layer says how many axes its input has") {
  const auto layer = make<Checked>(std::vector<InputSpec>{{.ndim = 2}});
  CHECK(layer(ops::ones({2, 3})).item() == 6);
  CHECK_THROWS_WITH(layer(ops::ones({3})), contains("input 0 must have 2 axes, found shape (3,)"));
  CHECK_THROWS_AS(layer(ops::ones({3})), ShapeError);
  const auto ranged = make<Checked>(std::vector<InputSpec>{{.max_ndim = 3, .min_ndim = 2}});
  CHECK_NOTHROW(ranged(ops::ones({1, 1, 1})));
  CHECK_THROWS_WITH(ranged(ops::ones({1})), contains("at least 2 axes"));
  CHECK_THROWS_WITH(ranged(ops::ones({1, 1, 1, 1})), contains("at most 3 axes"));
}

TEST_CASE("A mistake is found before the layer is built, and names the layer") {
  const auto layer = make<Checked>(std::vector<InputSpec>{{.min_ndim = 2, .axes = {{-1, 784}}}});
  CHECK_THROWS_WITH(layer(ops::ones({2, 783})), contains("'checked'") &&
                                                    contains("size 784 along axis -1") &&
                                                    contains("(2, 783)"));
  CHECK(layer->builds == 0);
  CHECK_FALSE(layer->built());
  layer(ops::ones({2, 784}));
  CHECK(layer->builds == 1);
  // In a graph too.
  CHECK_THROWS_AS(layer(Input({7})), ShapeError);
}

TEST_CASE("A shape with open axes, and one whose last axis of 1 may be missing") {
  const auto open = make<Checked>(std::vector<InputSpec>{{.shape = Shape{Shape::unknown, 3}}});
  CHECK(open(ops::ones({5, 3})).item() == 15);
  CHECK_THROWS_WITH(open(ops::ones({5, 4})), contains("must have shape (None, 3), found (5, 4)"));
  const auto squeezed = make<Checked>(std::vector<InputSpec>{
      {.shape = Shape{Shape::unknown, 2, 1}, .allow_last_axis_squeeze = true}});
  CHECK(squeezed(ops::ones({5, 2})).item() == 10);
  CHECK(squeezed(ops::ones({5, 2, 1})).item() == 10);
  CHECK_THROWS_AS(squeezed(ops::ones({5, 3, 1})), ShapeError);
}

TEST_CASE("A dtype, several inputs, inputs by name, and those that may be missing") {
  const auto whole = make<Checked>(std::vector<InputSpec>{{.dtype = "int32"}});
  CHECK(whole(ops::array({1, 2})).item() == 3);
  CHECK_THROWS_WITH(whole(ops::ones({2})), contains("must be int32, found float32"));

  const auto two = make<Checked>(std::vector<InputSpec>{{.ndim = 1}, {.ndim = 2}});
  CHECK(two({ops::ones({2}), ops::ones({2, 2})})[0].item() == 6);
  CHECK_THROWS_WITH(two(ops::ones({2})), contains("expected 2 inputs"));
  CHECK_THROWS_WITH(two({ops::ones({2}), ops::ones({2})}), contains("input 1 must have 2 axes"));

  const auto named =
      make<Checked>(std::vector<InputSpec>{{.ndim = 1, .name = "b"}, {.ndim = 2, .name = "a"}});
  CHECK(named(Nest{{"a", ops::ones({1, 1})}, {"b", ops::ones({3})}}).item() == 4);
  CHECK_THROWS_WITH(named(Nest{{"a", ops::ones({1})}, {"b", ops::ones({3})}}),
                    contains("input 'a' must have 2 axes"));

  const auto optional =
      make<Checked>(std::vector<InputSpec>{{.ndim = 1}, {.ndim = 1, .optional = true}});
  CHECK(optional({ops::ones({2}), Tensor()})[0].item() == 2);
  const auto required = make<Checked>(std::vector<InputSpec>{{.ndim = 1}, {.ndim = 1}});
  CHECK_THROWS_WITH(required({ops::ones({2}), Tensor()}), contains("input 1 is missing"));
}

}  // namespace input_spec_test
