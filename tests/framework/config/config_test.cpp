// Config structs to dictionaries and back.
#include <cornu/framework/base/activation.h>
#include <cornu/framework/base/dtype_policy.h>
#include <cornu/framework/base/initializer.h>
#include <cornu/framework/config/config.h>
#include <cornu/framework/initializers/initializers.h>

#include "catch.h"
#include "support/matchers.h"

namespace config_test {

using namespace cornu;
using cornu::test::contains;

namespace {

struct SampleConfig {
  Required<int64_t> units;
  Required<Shape> shape;
  Dims<2> strides = 1;
  double rate = 0.5;
  bool flag = true;
  Activation activation = {};
  Choice<Initializer> initializer = "zeros";
  std::optional<int64_t> seed = {};
  std::vector<std::string> names = {};
  std::string name = "sample";
};

Value::Dict required() { return {{"units", 3}, {"shape", Value::List{2, Value()}}}; }

Value::Dict with(const std::string& key, Value value) {
  Value::Dict dict = required();
  dict.emplace_back(key, std::move(value));
  return dict;
}

}  // namespace

TEST_CASE("options become a dictionary in their order") {
  const Value::Dict dict =
      to_dict(SampleConfig{.units = 4, .shape = {2, std::nullopt}, .strides = {2, 3}});
  std::vector<std::string> keys;
  for (const auto& [key, value] : dict) keys.push_back(key);
  CHECK(keys == std::vector<std::string>{"units", "shape", "strides", "rate", "flag", "activation",
                                         "initializer", "seed", "names", "name"});
  CHECK(dict[0].second.get<int64_t>() == 4);
  CHECK(dict[1].second.get<Value::List>()[1].is_null());
  CHECK(dict[2].second.get<Value::List>()[1].get<int64_t>() == 3);
  CHECK(dict[5].second.get<std::string>() == "linear");
  CHECK(dict[6].second.is<Value::Dict>());
  CHECK(dict[7].second.is_null());
}

TEST_CASE("a dictionary becomes options, with defaults for what is missing") {
  Value::Dict dict = required();
  dict.emplace_back("strides", 2);
  dict.emplace_back("rate", 1);
  dict.emplace_back("activation", "relu");
  dict.emplace_back("names", Value::List{"a", "b"});
  const auto config = from_dict<SampleConfig>(dict);
  CHECK(*config.units == 3);
  CHECK(*config.shape == Shape{2, std::nullopt});
  CHECK(config.strides == Dims<2>{2, 2});
  CHECK(config.rate == 1.0);
  CHECK(config.flag);
  CHECK(config.activation.name() == "relu");
  CHECK(config.initializer);
  CHECK(config.names == std::vector<std::string>{"a", "b"});
  CHECK(config.name == "sample");
  const auto again = from_dict<SampleConfig>(to_dict(config));
  CHECK(again.activation.name() == "relu");
  CHECK(again.strides == config.strides);
}

TEST_CASE("configs say which option is wrong, what was expected, what was found") {
  CHECK_THROWS_WITH(from_dict<SampleConfig>(with("rat", 1)),
                    "unknown option 'rat'. Did you mean 'rate'?");
  CHECK_THROWS_WITH(from_dict<SampleConfig>({{"units", 1}}), "option 'shape' is missing.");
  CHECK_THROWS_WITH(from_dict<SampleConfig>({{"units", "many"}, {"shape", Value::List{}}}),
                    "option 'units': expected an integer, found " + Value("many").kind());
  CHECK_THROWS_WITH(from_dict<SampleConfig>(with("strides", Value::List{1, 2, 3})),
                    "option 'strides': expected 2 sizes, found 3");
  CHECK_THROWS_WITH(from_dict<SampleConfig>(with("flag", "yes")),
                    "option 'flag': expected true or false, found " + Value("yes").kind());
  CHECK_THROWS_AS(from_dict<SampleConfig>(with("initializer", "zeroes_")), ValueError);
  CHECK_THROWS_WITH(from_dict<SampleConfig>(with("activation", "rellu")),
                    contains("option 'activation': activation 'rellu' is not known. Did you mean "
                             "'relu'?"));
  CHECK_THROWS_AS((Dims<2>{1, 2, 3}), ValueError);
}

}  // namespace config_test
