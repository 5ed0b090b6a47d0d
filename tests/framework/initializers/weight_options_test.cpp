// Initializers, regularizers, constraints and quantizers with each of their options against Keras,
// on weights of all ranks and types. tools/goldens/weight_option_goldens.py records them.
#include <cornu/cornu.h>
#include <cornu/framework/config/json.h>

#include <cmath>

#include "../../catch.h"
#include "../../support/contract.h"
#include "../../support/golden_json.h"
#include "../../support/pattern.h"

namespace weight_options_test {

using namespace cornu;
using test::entry;
using test::matches_golden;

namespace {

double tolerance_of(DType dtype) {
  return dtype == DType::bfloat16 ? 1e-2 : dtype == DType::float16 ? 2e-3 : 5e-6;
}

// Calls `check` with the object of each case in this part of the file, which is made from Keras's
// config and has the same, and with the case.
template <class T>
void for_each(const char* part, const std::function<void(T&, const Value&)>& check) {
  const Value file = test::golden_file("weight_options.json");
  for (const Value& recorded : entry(file, part).get<Value::List>()) {
    INFO(cornu::to_json(recorded));
    try {
      const ClassInfo* const info =
          catalog().find("keras." + std::string(part), entry(recorded, "class").get<std::string>());
      REQUIRE(info);
      const Value& config = entry(recorded, "config");
      const auto object = std::dynamic_pointer_cast<T>(info->make(config.get<Value::Dict>()));
      REQUIRE(object);
      CHECK(cornu::to_json(object->get_config()) == cornu::to_json(config));
      check(*object, recorded);
    } catch (const Error& e) {
      FAIL_CHECK(e.what());
    }
  }
}

Tensor weight_of(const Value& recorded) { return test::pattern_at(recorded, "x"); }

}  // namespace

TEST_CASE("initializers with each of their options draw what Keras draws") {
  for_each<Initializer>("initializers", [](Initializer& initializer, const Value& recorded) {
    const Shape shape(detail::from_value<std::vector<int64_t>>(entry(recorded, "of")));
    const DType dtype = dtype_of(entry(recorded, "in").get<std::string>());
    const Tensor values = initializer(shape, dtype);
    CHECK(matches_golden(values, recorded, tolerance_of(dtype)));
    // An initializer with a seed repeats itself.
    CHECK(test::identical(initializer(shape, dtype), values));
  });
}

TEST_CASE("the gain of an identity matrix is kept in files, in which Keras loses it") {
  for (const double gain : {2.5, 0.0, -1.0}) {
    const initializers::Identity identity({.gain = gain});
    const auto copy = test::remade<Initializer>(*identity);
    for (const DType dtype : {DType::float32, DType::float16, DType::float64})
      CHECK(test::matches((*copy)(Shape{2, 3}, dtype), {gain, 0, 0, 0, gain, 0}, 0));
  }
}

TEST_CASE("regularizers with each of their options cost what they cost in Keras") {
  for_each<Regularizer>("regularizers", [](Regularizer& regularizer, const Value& recorded) {
    const Tensor weight = weight_of(recorded);
    CHECK(matches_golden(regularizer(weight), recorded, tolerance_of(weight.dtype())));
    Function compiled([&](const Nest& x) { return Nest(regularizer(x.tensor())); });
    for (int i = 0; i < 3; ++i)
      CHECK(
          matches_golden(compiled(Nest(weight)).tensor(), recorded, tolerance_of(weight.dtype())));
  });
}

TEST_CASE("penalties pull at all weights but those that are zero") {
  for_each<Regularizer>("regularizers", [](Regularizer& regularizer, const Value& recorded) {
    const Tensor weight = weight_of(recorded);
    if (weight.dtype() != DType::float32 || weight.size() == 0) return;
    GradientTape tape;
    tape.watch(weight);
    const Tensor slope = tape.gradient(regularizer(weight), weight);
    REQUIRE(slope);
    CHECK(slope.shape() == weight.shape());
    for (const double v : slope.to_vector<double>()) CHECK(std::isfinite(v));
  });
}

TEST_CASE("constraints with each of their options leave what they leave in Keras") {
  for_each<Constraint>("constraints", [](Constraint& constraint, const Value& recorded) {
    const Tensor weight = weight_of(recorded);
    const double tolerance = tolerance_of(weight.dtype());
    CHECK(matches_golden(constraint(weight), recorded, tolerance));
    Function compiled([&](const Nest& x) { return Nest(constraint(x.tensor())); });
    for (int i = 0; i < 3; ++i)
      CHECK(matches_golden(compiled(Nest(weight)).tensor(), recorded, tolerance));
    // By an optimizer, whose step of rate 0 leaves the constraint alone.
    Variable constrained(weight, {.constraint = [&](const Tensor& x) { return constraint(x); }});
    optimizers::SGD({.learning_rate = 0})->apply({ops::ones_like(weight)}, {constrained});
    CHECK(matches_golden(constrained.value(), recorded, tolerance));
  });
}

TEST_CASE("quantizers with each of their options give Keras's integers and scales") {
  for_each<Quantizer>("quantizers", [](Quantizer& quantizer, const Value& recorded) {
    const Tensor weight = weight_of(recorded);
    const auto [outputs, scale] = quantizer(weight, std::nullopt);
    CHECK(matches_golden(outputs, entry(recorded, "outputs"), 0));
    CHECK(matches_golden(scale, entry(recorded, "scale"), tolerance_of(weight.dtype())));
  });
}

TEST_CASE("weights that do not fit their options are refused with the reason") {
  using test::error_of;
  using test::has;
  const Tensor matrix = ops::ones({2, 3});
  CHECK_THROWS_AS(constraints::MaxNorm({.axis = 2})(matrix), ValueError);
  CHECK_THROWS_AS(constraints::UnitNorm({.axis = -3})(matrix), ValueError);
  CHECK_THROWS_AS(constraints::MinMaxNorm({.axis = {0, 5}})(matrix), ValueError);
  CHECK(has(error_of([&] {
              regularizers::OrthogonalRegularizer()(ops::ones({2, 3, 4}));
            }),
            "(2, 3, 4)"));
  CHECK(has(error_of([] { regularizers::L1({.l1 = -0.5}); }), "-0.5"));
  CHECK(has(error_of([] { regularizers::L1L2({.l1 = 0.1, .l2 = NAN}); }), "l2"));
  CHECK(has(error_of([] { regularizers::OrthogonalRegularizer({.factor = -1}); }), "factor"));
  CHECK(has(error_of([] {
              initializers::Identity()(Shape{2, 2, 2}, DType::float32);
            }),
            "(2, 2, 2)"));
  CHECK(has(error_of([] { initializers::Orthogonal()(Shape{}, DType::float32); }), "()"));
  CHECK(
      has(error_of([] { initializers::VarianceScaling({.distribution = "unifrom"}); }), "uniform"));
  CHECK_THROWS_AS(initializers::VarianceScaling({.input_axes = std::vector<int64_t>{3},
                                                 .output_axes = std::vector<int64_t>{0}})(
                      Shape{2, 2}, DType::float32),
                  ValueError);
  CHECK(has(error_of([] { initializers::STFT({.scaling = "densty"}); }), "density"));
  CHECK(has(error_of([] { initializers::STFT({.window = "hammin"}); }), "hamming"));
}

TEST_CASE("options of weights that are misspelt in files are answered with the nearest") {
  const auto message = [](const char* kind, const char* name, const Value::Dict& config) {
    const ClassInfo* const info = catalog().find(kind, name);
    REQUIRE(info);
    return test::error_of([&] { static_cast<void>(info->make(config)); });
  };
  CHECK(test::has(message("keras.initializers", "HeNormal", {{"sead", 1}}), "seed"));
  CHECK(test::has(message("keras.regularizers", "L1L2", {{"l11", 0.1}}), "l1"));
  CHECK(test::has(message("keras.constraints", "MaxNorm", {{"max_valu", 2}}), "max_value"));
  CHECK(test::has(message("keras.constraints", "MinMaxNorm", {{"rate", "fast"}}), "rate"));
  CHECK(test::has(message("keras.initializers", "Constant", {{"value", "one"}}), "value"));
}

}  // namespace weight_options_test
