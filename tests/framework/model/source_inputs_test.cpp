// get_source_inputs.
#include <catch.h>
#include <cornu/framework/model/input.h>
#include <cornu/framework/model/source_inputs.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/layers/core/dense.h>

namespace source_inputs_test {

using namespace cornu;

TEST_CASE("a tensor's source inputs are found once each, in the order of the calls") {
  Input a({3}, {.name = "a"}), b({3}, {.name = "b"}), c({3}, {.name = "c"});
  const Tensor shared = layers::Dense({.units = 3})(b);
  const Tensor y = ops::add(ops::multiply(shared, a), ops::add(shared, b) * 2);
  const auto names = [](const Tensor& t) {
    std::vector<std::string> found;
    for (const Tensor& source : utils::get_source_inputs(t))
      found.push_back(source.origin().node->operation->name());
    return found;
  };
  CHECK(names(y) == std::vector<std::string>{"b", "a"});
  CHECK(names(c) == std::vector<std::string>{"c"});
  CHECK(names(ops::concatenate({c, y})) == std::vector<std::string>{"c", "b", "a"});
}

TEST_CASE("a tensor with values is its own source") {
  const Tensor x = ops::ones({2});
  CHECK(utils::get_source_inputs(x)[0].shape() == Shape{2});
  CHECK_THROWS_AS(utils::get_source_inputs(Tensor()), ValueError);
}

}  // namespace source_inputs_test
