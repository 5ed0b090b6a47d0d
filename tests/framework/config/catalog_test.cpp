// The catalog of classes: finding them, making objects from files, users' own.
#include <cornu/framework/base/layer.h>
#include <cornu/framework/initializers/initializers.h>
#include <cornu/framework/regularizers/regularizers.h>
#include <cornu/layers/core/dense.h>

#include "catch.h"
#include "support/matchers.h"

namespace catalog_test {

using namespace cornu;
using cornu::test::contains;

namespace {

struct ScaleConfig {
  double factor = 2;
  std::string name = "";
};

class ScaleLayer : public LayerOf<ScaleLayer, ScaleConfig> {
 public:
  using LayerOf::LayerOf;
  Tensor call(const Tensor& x, const Call&) override { return x; }
};
CORNU_REGISTER("catalog_test>Scale", ScaleLayer);

struct Forgotten : Layer {};

Value::Dict dense(Value::Dict config) {
  return {{"module", "keras.layers"},
          {"class_name", "Dense"},
          {"config", std::move(config)},
          {"registered_name", Value()}};
}

}  // namespace

TEST_CASE("classes are found by module, class and short names") {
  CHECK(catalog().find("keras.layers", "Dense"));
  CHECK_FALSE(catalog().find("keras.layers", "dense"));
  CHECK_FALSE(catalog().find("keras.losses", "Dense"));
  CHECK(catalog().find_by_name("keras.initializers", "glorot_uniform"));
  CHECK(catalog().find_by_name("keras.initializers", "GlorotUniform"));
  CHECK(catalog().find_by_name("keras.regularizers", "l2"));
  CHECK(catalog().find_by_name("keras.losses", "mse"));
  const auto names = catalog().names("keras.layers");
  CHECK(std::find(names.begin(), names.end(), "Dense") != names.end());
}

TEST_CASE("objects are made again from what serialize says") {
  const layers::Dense layer({.units = 3, .activation = "relu", .name = "hidden"});
  const Value value = serialize(*layer);
  const auto again = std::dynamic_pointer_cast<layers::DenseLayer>(deserialize(value));
  REQUIRE(again);
  CHECK(again->name() == "hidden");
  CHECK(*again->config.units == 3);
  CHECK(again->config.activation.name() == "relu");
}

TEST_CASE("a user's class is registered under its package") {
  const auto layer = std::make_shared<ScaleLayer>(ScaleConfig{.factor = 5});
  const Value value = serialize(*layer);
  const auto& dict = value.get<Value::Dict>();
  CHECK(detail::find(dict, "registered_name")->get<std::string>() == "catalog_test>Scale");
  const auto again = std::dynamic_pointer_cast<ScaleLayer>(deserialize(value));
  REQUIRE(again);
  CHECK(again->config.factor == 5);
  CHECK_THROWS_WITH(catalog().add_custom<ScaleLayer>("Scale"),
                    "CORNU_REGISTER: 'Scale' is not of the form \"package>Name\".");
  CHECK_THROWS_WITH(catalog().add_custom<Forgotten>("catalog_test>Scale"),
                    contains("for another class already"));
  catalog().add_custom<ScaleLayer>("catalog_test>Scale");
}

TEST_CASE("the catalog says what it does not know") {
  CHECK_THROWS_WITH(
      make_by_name("keras.initializers", "glorot_unifrom"),
      "'glorot_unifrom' is not known in keras.initializers. Did you mean 'glorot_uniform'?");
  CHECK_THROWS_WITH(
      deserialize(Value::Dict{
          {"module", "keras.layers"}, {"class_name", "Dens"}, {"config", Value::Dict{}}}),
      contains("Cornu has no class 'Dens' in 'keras.layers'. Did you mean 'Dense'?"));
  CHECK_THROWS_WITH(
      deserialize(Value::Dict{
          {"class_name", "X"}, {"registered_name", "mine>X"}, {"config", Value::Dict{}}}),
      contains("The class 'mine>X' is not registered."));
  CHECK_THROWS_WITH(deserialize(dense({{"units", 3}, {"unit", 4}})),
                    contains("Dense: unknown option 'unit'. Did you "
                             "mean 'units'?"));
  CHECK_THROWS_WITH(deserialize(dense({})), "Dense: option 'units' is missing.");
  CHECK_THROWS_AS(deserialize(3), ValueError);
  CHECK_THROWS_WITH(deserialize(Value::Dict{{"config", Value::Dict{}}}),
                    contains("class_name is missing"));
  CHECK_THROWS_WITH(deserialize(Value::Dict{{"class_name", "Dense"}}),
                    contains("'config' is not a dictionary"));
  Forgotten layer;
  CHECK_THROWS_AS(serialize(layer), StateError);
  CHECK_THROWS_WITH(serialize(layer), contains("CORNU_REGISTER"));
  CHECK_THROWS_WITH(
      Choice<Regularizer>(std::shared_ptr<Configurable>(initializers::Zeros().shared())),
      "expected an object of keras.regularizers, found Zeros.");
}

}  // namespace catalog_test
