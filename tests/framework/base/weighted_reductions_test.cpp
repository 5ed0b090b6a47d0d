// What losses and metrics make of values with weights and masks, in all combinations of shapes:
// tests/data/weighted_reductions.json, written by tools/goldens/weighted_reduction_goldens.py.
#include <cornu/cornu.h>

#include <cmath>

#include "support/contract.h"
#include "support/golden_json.h"

namespace weighted_reductions_test {

using namespace cornu;
using test::entry;
using test::error_of;
using test::has;

namespace {

const std::vector<std::string> reductions = {"sum_over_batch_size", "sum", "mean",
                                             "mean_with_sample_weight", "none"};

Tensor named(const Value& file, const char* kind, const Value& name, DType dtype) {
  const Value& value = entry(entry(file, kind), name.get<std::string>());
  return value.is_null() ? Tensor() : ops::cast(detail::from_value<Tensor>(value), dtype);
}

struct Case {
  Tensor values, weights, mask;
  std::string name;
  const Value* recorded;
};

void for_each_case(const std::function<void(const Case&)>& f) {
  const Value file = test::golden_file("weighted_reductions.json");
  for (const Value& recorded : entry(file, "cases").get<Value::List>()) {
    const auto& names = entry(recorded, "case").get<Value::List>();
    Case c{named(file, "values", names[0], DType::float32),
           named(file, "weights", names[1], DType::float32),
           named(file, "masks", names[2], DType::boolean),
           {},
           &recorded};
    for (const Value& name : names) c.name += name.get<std::string>() + " ";
    INFO("values, weights and mask: " << c.name);
    f(c);
  }
}

bool matches(const Tensor& found, const Value& expected) {
  UNSCOPED_INFO("found " << found.str());
  if (found.shape() != detail::from_value<Shape>(entry(expected, "shape"))) return false;
  return test::equals(found, detail::from_value<std::vector<double>>(entry(expected, "numbers")));
}

// The loss of each value is the value.
class Itself : public Loss {
 public:
  explicit Itself(const std::string& reduction) : Loss("itself", reduction) {}
  Tensor call(const Tensor&, const Tensor& y_pred) override { return y_pred; }
};

}  // namespace

TEST_CASE("losses reduce values with weights and masks as Keras's do") {
  int refused = 0;
  for_each_case([&](const Case& c) {
    const auto& expected = entry(*c.recorded, "reduced").get<Value::List>();
    for (size_t i = 0; i < reductions.size(); ++i) {
      INFO(reductions[i]);
      const auto reduce = [&] {
        return reduce_weighted_values(c.values, c.weights, c.mask, reductions[i]);
      };
      if (expected[i].is_null()) {
        CHECK_THROWS_AS(reduce(), ShapeError);
        ++refused;
      } else {
        CHECK(matches(reduce(), expected[i]));
      }
    }
  });
  CHECK(refused > 100);
}

TEST_CASE("a loss of one's own is reduced so, eagerly and compiled, with the mask of predictions") {
  for_each_case([&](const Case& c) {
    const auto& expected = entry(*c.recorded, "reduced").get<Value::List>();
    const Tensor y = c.mask ? c.values.with_mask(c.mask) : c.values;
    for (size_t i = 0; i < reductions.size(); ++i) {
      INFO(reductions[i]);
      Itself loss(reductions[i]);
      if (expected[i].is_null()) {
        CHECK_THROWS_AS(loss(c.values, y, c.weights), ShapeError);
        continue;
      }
      CHECK(matches(loss(c.values, y, c.weights), expected[i]));
      // What the predictions are of does not matter for the result's type.
      CHECK(loss(c.values, y, c.weights).dtype() == DType::float32);
    }
    // One reduction compiled: the others have the same steps.
    if (expected[0].is_null()) return;
    Itself loss(reductions[0]);
    auto compiled = function([&](const Tensor& values) -> Tensor {
      return loss(values, c.mask ? values.with_mask(c.mask) : values, c.weights);
    });
    for (int call = 0; call < 3; ++call) CHECK(matches(compiled(c.values), expected[0]));
  });
}

TEST_CASE("gradients of reduced losses are their weights, and finite where nothing counts") {
  for_each_case([&](const Case& c) {
    const auto& expected = entry(*c.recorded, "reduced").get<Value::List>();
    for (size_t i = 0; i < reductions.size(); ++i) {
      if (expected[i].is_null()) continue;
      INFO(reductions[i]);
      GradientTape tape;
      tape.watch(c.values);
      const Tensor total =
          ops::sum(reduce_weighted_values(c.values, c.weights, c.mask, reductions[i]));
      const Tensor g = tape.gradient(total, c.values);
      REQUIRE(g);
      // Reductions are linear: the values times the gradient are the result.
      CHECK(ops::sum(g * c.values).item() == Approx(total.item()).margin(1e-5));
      for (const double v : g.to_vector<double>()) CHECK(std::isfinite(v));
    }
  });
}

TEST_CASE("the mean of a function weighs samples as Keras's does") {
  for_each_case([&](const Case& c) {
    const Value& expected = entry(*c.recorded, "mean");
    FunctionMetric metric([](const Tensor&, const Tensor& y_pred) { return y_pred; });
    const Tensor y = c.mask ? c.values.with_mask(c.mask) : c.values;
    if (expected.is_null()) {
      CHECK_THROWS_AS(metric.update_state(y, y, c.weights), ShapeError);
      CHECK(metric.variables()[0].value().item() == 0);
      CHECK(metric.variables()[1].value().item() == 0);
      CHECK(metric.result().item() == 0);
      return;
    }
    const auto numbers = detail::from_value<std::vector<double>>(expected);
    // Twice: sums go on.
    for (const int updates : {1, 2}) {
      metric.update_state(y, y, c.weights);
      CHECK(metric.variables()[0].value().item() == Approx(updates * numbers[0]).margin(1e-5));
      CHECK(metric.variables()[1].value().item() == Approx(updates * numbers[1]).margin(1e-5));
    }
    const double mean = numbers[1] == 0 ? 0 : numbers[0] / numbers[1];
    CHECK(metric.result().item() == Approx(mean).margin(1e-5));
    metric.reset_state();
    CHECK(metric.result().item() == 0);
    // As a function of its state.
    const auto state =
        metric.stateless_update_state(metric.stateless_reset_state(), y, y, c.weights);
    CHECK(metric.stateless_result(state).item() == Approx(mean).margin(1e-5));
    CHECK(metric.variables()[1].value().item() == 0);
  });
}

TEST_CASE("a last axis of one is squeezed or given, whichever is needed") {
  const auto same = [](const Shape& a, const Shape& b, bool expand) {
    const auto [x, y] = squeeze_or_expand_to_same_rank(ops::zeros(a), ops::zeros(b), expand);
    return std::pair(x.shape(), y.shape());
  };
  using Shapes = std::pair<Shape, Shape>;
  CHECK(same({2, 1}, {2}, true) == Shapes{{2, 1}, {2, 1}});
  CHECK(same({2}, {2, 1}, true) == Shapes{{2, 1}, {2, 1}});
  CHECK(same({2, 1}, {2}, false) == Shapes{{2}, {2}});
  CHECK(same({2}, {2, 1}, false) == Shapes{{2}, {2}});
  CHECK(same({2, 3, 1}, {2, 3}, true) == Shapes{{2, 3}, {2, 3}});
  CHECK(same({2, 3}, {2, 3, 1}, true) == Shapes{{2, 3}, {2, 3}});
  CHECK(same({2, 3}, {2}, true) == Shapes{{2, 3}, {2}});
  CHECK(same({2, 3, 1}, {2}, true) == Shapes{{2, 3, 1}, {2}});
  CHECK(same({1}, {}, true) == Shapes{{}, {}});
  CHECK(same({}, {}, true) == Shapes{{}, {}});
}

TEST_CASE("losses of no tensor, and of unknown reductions, say so") {
  const Tensor x = ops::ones({2, 3});
  for (const auto& loss : {losses::get("mse"), losses::get("categorical_crossentropy")}) {
    CHECK(error_of([&] { (*loss)(Tensor(), x); }) ==
          "Loss '" + loss->name() + "': y_true is an empty Tensor.");
    CHECK(error_of([&] { (*loss)(x, Tensor()); }) ==
          "Loss '" + loss->name() + "': y_pred is an empty Tensor.");
  }
  FunctionLoss own([](const Tensor& t, const Tensor& p) { return ops::mean(t - p, -1); }, "own");
  CHECK(error_of([&] { own(x, {}); }) == "Loss 'own': y_pred is an empty Tensor.");
  CHECK(has(error_of([] { Itself loss("sums"); }), "Did you mean 'sum'?"));
  CHECK(has(error_of([] { Itself loss("Sum"); }), "reduction 'Sum' is not one of"));
  CHECK(has(error_of([] { Itself loss(""); }), "reduction '' is not one of"));
}

}  // namespace weighted_reductions_test
