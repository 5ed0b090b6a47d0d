// What asks about elements: the same answers as tensors, as conditions of C++, in graphs and in
// compiled functions.
#include <catch.h>
#include <cornu/framework/compile/function.h>
#include <cornu/framework/model/functional.h>
#include <cornu/framework/model/input.h>
#include <cornu/framework/ops/ops.h>

#include <cmath>
#include <functional>
#include <limits>

#include "support/matchers.h"

namespace conditions_test {

using namespace cornu;
using cornu::test::contains;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
const float nan = std::nanf("");

struct Question {
  std::string name;
  std::function<Condition(const Tensor&)> ask;
  std::vector<bool> answers;  // for the numbers of `asked`
};

Tensor asked() { return Tensor::from({-inf, -1.0f, 0.0f, 2.0f, inf, nan}, {6}); }

std::vector<Question> questions() {
  return {
      {"isnan", [](const Tensor& x) { return ops::isnan(x); }, {0, 0, 0, 0, 0, 1}},
      {"isinf", [](const Tensor& x) { return ops::isinf(x); }, {1, 0, 0, 0, 1, 0}},
      {"isfinite", [](const Tensor& x) { return ops::isfinite(x); }, {0, 1, 1, 1, 0, 0}},
      {"isneginf", [](const Tensor& x) { return ops::isneginf(x); }, {1, 0, 0, 0, 0, 0}},
      {"isposinf", [](const Tensor& x) { return ops::isposinf(x); }, {0, 0, 0, 0, 1, 0}},
      {"isreal", [](const Tensor& x) { return ops::isreal(x); }, {1, 1, 1, 1, 1, 1}},
      {"logical_not", [](const Tensor& x) { return ops::logical_not(x); }, {0, 0, 1, 0, 0, 0}},
      {"less", [](const Tensor& x) { return x < 2.0; }, {1, 1, 1, 0, 0, 0}},
      {"less_equal", [](const Tensor& x) { return x <= 2.0; }, {1, 1, 1, 1, 0, 0}},
      {"greater", [](const Tensor& x) { return x > 0.0; }, {0, 0, 0, 1, 1, 0}},
      {"greater_equal", [](const Tensor& x) { return x >= 0.0; }, {0, 0, 1, 1, 1, 0}},
      {"equal", [](const Tensor& x) { return x == x; }, {1, 1, 1, 1, 1, 0}},
      {"not_equal", [](const Tensor& x) { return x != x; }, {0, 0, 0, 0, 0, 1}},
      {"and", [](const Tensor& x) { return (x > -2.0) & (x < 1.0); }, {0, 1, 1, 0, 0, 0}},
      {"or", [](const Tensor& x) { return (x < -2.0) | (x > 1.0); }, {1, 0, 0, 1, 1, 0}},
      {"xor", [](const Tensor& x) { return (x < 1.0) ^ (x < 0.0); }, {0, 0, 1, 0, 0, 0}},
      {"not", [](const Tensor& x) { return ~(x > 0.0); }, {1, 1, 1, 0, 0, 1}},
      {"isclose", [](const Tensor& x) { return ops::isclose(x, 2.0); }, {0, 0, 0, 1, 0, 0}},
  };
}

}  // namespace

TEST_CASE("questions about elements give a bool for each") {
  for (const Question& question : questions()) {
    CAPTURE(question.name);
    const Condition found = question.ask(asked());
    CHECK(found.spec() == TensorSpec{{6}, DType::boolean});
    CHECK(found.to_vector<bool>() == question.answers);
  }
}

TEST_CASE("a question about one element is a condition, about several an error") {
  for (const Question& question : questions()) {
    CAPTURE(question.name);
    for (int64_t i = 0; i < 6; ++i)
      CHECK(bool(question.ask(asked()[{Slice(i, i + 1)}])) ==
            question.answers[static_cast<size_t>(i)]);
    CHECK_THROWS_WITH(bool(question.ask(asked())), contains("found the shape (6,)"));
  }
}

TEST_CASE("questions are replayed by compiled functions") {
  for (const Question& question : questions()) {
    CAPTURE(question.name);
    const auto step = function([&](const Tensor& x) { return Tensor(question.ask(x)); });
    for (int i = 0; i < 3; ++i) CHECK(step(asked()).to_vector<bool>() == question.answers);
    CHECK(step->report().replays > 0);
  }
}

TEST_CASE("questions in graphs are asked when the model runs") {
  for (const Question& question : questions()) {
    CAPTURE(question.name);
    const Input in({6});
    Functional model(in, question.ask(in));
    const Tensor row = ops::reshape(asked(), {1, 6});
    const auto found = model.predict(row, {.verbose = 0});
    CHECK(found[0].to_vector<bool>() == question.answers);
    CHECK_THROWS_AS(bool(question.ask(in)), StateError);
  }
}

TEST_CASE("all and any of nothing are as in logic") {
  const Tensor none = ops::zeros({0});
  CHECK(bool(ops::all(none > 0)));
  CHECK_FALSE(bool(ops::any(none > 0)));
  const Tensor grid = ops::array({{1.0, 0.0}, {1.0, 1.0}});
  CHECK(ops::all(grid, 1).to_vector<bool>() == std::vector<bool>{false, true});
  CHECK(ops::any(grid, 0, true).shape() == Shape{1, 2});
  CHECK_FALSE(bool(ops::all(grid)));
  CHECK(bool(ops::any(grid)));
}

TEST_CASE("whether arrays are close is one answer") {
  const Tensor x = ops::array({1.0, 2.0});
  CHECK(bool(ops::allclose(x, x + 1e-7)));
  CHECK_FALSE(bool(ops::allclose(x, x + 1.0)));
  CHECK_FALSE(bool(ops::allclose(asked(), asked())));
  CHECK(ops::isin(ops::array({1, 2, 3}), ops::array({3, 1})).to_vector<bool>() ==
        std::vector<bool>{true, false, true});
}

}  // namespace conditions_test
