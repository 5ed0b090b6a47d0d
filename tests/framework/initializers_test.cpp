// Initializers, regularizers and constraints against Keras.
#include <catch.h>
#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/config/json.h>
#include <cornu/framework/constraints/constraints.h>
#include <cornu/framework/initializers/initializers.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/framework/ops/numpy/logic.h>
#include <cornu/framework/ops/numpy/products.h>
#include <cornu/framework/ops/operators.h>
#include <cornu/framework/regularizers/regularizers.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "paths.h"
#include "support/all_close.h"

namespace initializers_test {

using namespace cornu;
using nlohmann::ordered_json;

namespace {

ordered_json read_goldens() {
  std::ifstream file(test::source_path("tests/data/initializers.json"));
  return ordered_json::parse(file);
}

Value value_of(const ordered_json& json) { return cornu::parse_json(json.dump(), "a golden"); }

void check_close(const Tensor& got, const ordered_json& want, double tolerance) {
  const auto values = got.to_vector<double>();
  const auto expected = want.get<std::vector<double>>();
  REQUIRE(values.size() == expected.size());
  for (size_t i = 0; i < values.size(); ++i)
    CHECK(values[i] == Approx(expected[i]).epsilon(tolerance).margin(tolerance));
}

template <class F>
std::string message_of(F mistake) {
  try {
    mistake();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("initializers give Keras's values") {
  const auto goldens = read_goldens();
  for (const auto& c : goldens["initializers"]) {
    INFO(c["object"].dump());
    const Value object = value_of(c["object"]);
    const auto initializer = std::dynamic_pointer_cast<Initializer>(deserialize(object));
    REQUIRE(initializer);
    CHECK(cornu::to_json(serialize(*initializer)) == cornu::to_json(object));
    const Shape shape(c["shape"].get<std::vector<int64_t>>());
    const Tensor values = (*initializer)(shape, DType::float32);
    CHECK(values.shape() == shape);
    // What is drawn is Keras's to the last bit; an orthogonal matrix is computed from it.
    check_close(values, c["values"], c["object"]["class_name"] == "Orthogonal" ? 1e-5 : 1e-8);
    CHECK((*initializer)(shape, DType::float16).dtype() == DType::float16);
  }
}

TEST_CASE("initializers without a seed repeat themselves and differ from each other") {
  initializers::GlorotUniform a, b;
  const auto draw = [](initializers::GlorotUniform& i) {
    return (*i)({4, 4}, DType::float32).to_vector<float>();
  };
  CHECK(draw(a) == draw(a));
  CHECK(draw(a) != draw(b));
  CHECK(cornu::to_json(a->get_config()) ==
        "{\"seed\": null, \"input_axes\": null, \"output_axes\": null}");
}

TEST_CASE("initializers, regularizers and constraints are found by Keras's names") {
  for (const char* name : {"zeros",
                           "ones",
                           "zero",
                           "one",
                           "constant",
                           "identity",
                           "uniform",
                           "normal",
                           "random_uniform",
                           "random_normal",
                           "truncated_normal",
                           "variance_scaling",
                           "glorot_uniform",
                           "glorot_normal",
                           "he_uniform",
                           "he_normal",
                           "lecun_uniform",
                           "lecun_normal",
                           "orthogonal",
                           "GlorotUniform"})
    CHECK(std::dynamic_pointer_cast<Initializer>(make_by_name("keras.initializers", name)));
  for (const char* name : {"l1", "l2", "l1_l2", "L1L2", "orthogonal_regularizer"})
    CHECK(std::dynamic_pointer_cast<Regularizer>(make_by_name("keras.regularizers", name)));
  for (const char* name : {"max_norm", "min_max_norm", "non_neg", "unit_norm"})
    CHECK(std::dynamic_pointer_cast<Constraint>(make_by_name("keras.constraints", name)));
}

TEST_CASE("constants of files may be truth values") {
  const auto constant = initializers::ConstantInitializer::from_config({{"value", true}});
  CHECK((*constant)({2}, DType::float32).to_vector<float>() == std::vector<float>{1, 1});
}

TEST_CASE("orthogonal matrices are orthogonal") {
  for (const Shape& shape : {Shape{40, 40}, Shape{3, 4, 5}, Shape{6, 30}, Shape{1, 1}}) {
    initializers::Orthogonal orthogonal({.seed = 3});
    const int64_t columns = shape.back(), rows = shape.numel() / columns;
    const Tensor q = (*orthogonal)(shape, DType::float64).with_shape({rows, columns});
    const bool tall = rows >= columns;
    const Tensor product = ops::matmul_transposed(q, q, tall, !tall);
    CHECK(test::all_close(product, ops::eye(std::min(rows, columns), {}, 0, DType::float64), 1e-12,
                          1e-12));
  }
}

TEST_CASE("penalties and constraints give Keras's values") {
  const ordered_json goldens = read_goldens()["penalties"];
  const Tensor x = Tensor::from(goldens["x"].get<std::vector<float>>(), {3, 4});
  for (const auto& c : goldens["cases"]) {
    INFO(c["object"].dump());
    const Value object = value_of(c["object"]);
    const auto made = deserialize(object);
    CHECK(cornu::to_json(serialize(*made)) == cornu::to_json(object));
    if (const auto regularizer = std::dynamic_pointer_cast<Regularizer>(made)) {
      const Tensor y = (*regularizer)(x);
      CHECK(y.shape() == Shape{});
      check_close(y, c["values"], 2e-6);
    } else {
      const auto constraint = std::dynamic_pointer_cast<Constraint>(made);
      REQUIRE(constraint);
      check_close((*constraint)(x), c["values"], 2e-6);
    }
  }
}

TEST_CASE("a SeedGenerator as seed draws other values in each call and is written as it was read") {
  const auto make = [](const std::string& name, const std::string& seed) {
    return std::dynamic_pointer_cast<Initializer>(deserialize(
        cornu::parse_json(R"({"module": "keras.initializers", "class_name": ")" + name +
                              R"(", "config": {"seed": )" + seed + R"(}, "registered_name": null})",
                          "an initializer")));
  };
  const std::string generator =
      R"({"module": "keras.random", "class_name": "SeedGenerator", "config": {"seed": 7, )"
      R"("name": "mine"}, "registered_name": null})";
  const auto draw = [](const std::shared_ptr<Initializer>& initializer) {
    return (*initializer)({2, 2}, DType::float32);
  };
  struct Golden {
    const char* name;
    std::vector<double> first, second;
  };
  // Of Keras.
  for (const auto& [name, first, second] :
       std::vector<Golden>{{"RandomNormal",
                            {-0.021897534, -0.029476289, 0.012277987, 0.030089846},
                            {0.055792283, -0.097475402, -0.043974213, 0.023774285}},
                           {"RandomUniform",
                            {-0.016928900, -0.022224570, 0.009698845, 0.022634530},
                            {0.036775589, -0.047438264, -0.031043066, 0.018277956}},
                           {"TruncatedNormal",
                            {-0.020839820, -0.027981410, 0.011708750, 0.028556842},
                            {0.052041527, -0.083630577, -0.041424938, 0.022613542}},
                           {"Orthogonal",
                            {-0.87224495, 0.48906928, 0.48906928, 0.87224495},
                            {0.78537774, -0.61901689, -0.61901689, -0.78537768}},
                           {"GlorotUniform",
                            {-0.41467166, -0.54438859, 0.23757219, 0.55443048},
                            {0.90081429, -1.16199541, -0.76039672, 0.44771665}},
                           {"LecunNormal",
                            {-0.33505112, -0.44986966, 0.18824683, 0.45912114},
                            {0.83669490, -1.34456623, -0.66600728, 0.36356804}}}) {
    INFO(name);
    const auto initializer = make(name, generator);
    CHECK(test::all_close(draw(initializer), Tensor::from(first, {2, 2}), 1e-6, 1e-6));
    CHECK(test::all_close(draw(initializer), Tensor::from(second, {2, 2}), 1e-6, 1e-6));
    const Value::Dict config = initializer->get_config();
    CHECK(cornu::to_json(*config.find("seed")) == generator);
    // What was written draws the same again.
    const auto again = std::dynamic_pointer_cast<Initializer>(deserialize(serialize(*initializer)));
    CHECK(test::all_close(draw(again), Tensor::from(first, {2, 2}), 1e-6, 1e-6));
  }
  const auto chosen =
      make("GlorotUniform", R"({"class_name": "SeedGenerator", "config": {"seed": null}})");
  CHECK(draw(chosen).to_vector<float>() != draw(chosen).to_vector<float>());
  CHECK(message_of([&] { make("HeNormal", R"({"class_name": "Adam", "config": {}})"); }) ==
        "HeNormal: option 'seed': expected an integer, or a SeedGenerator with class_name and "
        "config, found 'Adam'");
}

TEST_CASE("penalties have gradients") {
  const Variable w(Tensor::from({3.0f, -2.0f}, {2}));
  regularizers::L1L2 penalty({.l1 = 0.5, .l2 = 0.25});
  GradientTape tape;
  const Tensor y = (*penalty)(w);
  CHECK(y.item() == Approx(5.75));
  CHECK(tape.gradient(y, w.value()).to_vector<float>() == std::vector<float>{2.0f, -1.5f});
}

TEST_CASE("mistakes with initializers, penalties and constraints are explained") {
  CHECK_THROWS_AS((*initializers::Identity())({3}, DType::float32), ShapeError);
  CHECK_THROWS_AS((*initializers::Orthogonal())({3}, DType::float32), ShapeError);
  CHECK(message_of([&] {
          static_cast<void>(initializers::VarianceScaling({.mode = "fan_inn"}));
        }).find("fan_in") != std::string::npos);
  CHECK_THROWS_AS(initializers::VarianceScaling({.scale = 0}), ValueError);
  CHECK_THROWS_AS(regularizers::L2({.l2 = -1}), ValueError);
  CHECK_THROWS_AS(regularizers::OrthogonalRegularizer({.mode = "diagonals"}), ValueError);
}

}  // namespace initializers_test
