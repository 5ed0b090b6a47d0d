// Every class that the catalog knows: made from its options, written and made again; each option by
// its name when it is misspelt, and when its value is of a kind that no option has.
#include <cornu/cornu.h>
#include <cornu/framework/config/json.h>

#include <map>
#include <set>

#include "../../support/contract.h"

namespace every_class_test {

using namespace cornu;

namespace {

using List = Value::List;
using Dict = Value::Dict;

Value described(const char* module, const char* class_name, Dict config) {
  return Dict{{"module", module},
              {"class_name", class_name},
              {"config", std::move(config)},
              {"registered_name", Value()}};
}

const Value dense = described("keras.layers", "Dense", {{"units", 2}});
const Value sgd = described("keras.optimizers", "SGD", {});

// What options without a default, or with one that has to be given, are here.
const std::map<std::string, Value>& wanted() {
  static const std::map<std::string, Value> values = {
      {"kernel_size", 2},
      {"output_size", 2},
      {"pool_size", 2},
      {"equation", "ab,bc->ac"},
      {"output_shape", List{4}},
      {"layer", dense},
      {"rate", 0.5},
      {"stddev", 0.5},
      {"dims", List{2, 1}},
      {"factor", 0.5},
      {"height_factor", 0.25},
      {"bin_boundaries", List{1.0}},
      {"activation", "relu"},
      {"inner_optimizer", sgd},
      {"default_optimizer", sgd},
      {"target_class_ids", List{0}},
      {"recall", 0.5},
      {"precision", 0.5},
      {"specificity", 0.5},
      {"sensitivity", 0.5},
      {"name", "thing"},
      {"fn", "mean_squared_error"},
      {"monitor", "loss"},
      {"boundaries", List{1}},
      {"values", List{1.0, 0.5}},
      {"cell", described("keras.layers", "LSTMCell", {{"units", 2}})},
      {"cells", List{described("keras.layers", "LSTMCell", {{"units", 2}})}}};
  return values;
}

// The class made from as few options as it takes; null when it takes more than is known here.
std::shared_ptr<Configurable> made(const ClassInfo& info, Dict& given) {
  for (int round = 0; round < 8; ++round) {
    try {
      return info.make(given);
    } catch (const ValueError& e) {
      const std::string text = e.what();
      const size_t begin = text.find("option '"), end = text.find('\'', begin + 8);
      if (begin != 0 || end == std::string::npos) return nullptr;
      const std::string key = text.substr(8, end - 8);
      if (detail::find(given, key)) return nullptr;
      const auto known = wanted().find(key);
      given.emplace_back(key, known == wanted().end() ? Value(2) : known->second);
    } catch (const Error&) {
      return nullptr;
    }
  }
  return nullptr;
}

// Calls f with each class that can be made, and its config.
void for_each_class(const std::function<void(const ClassInfo&, const Dict&)>& f) {
  for (const char* module : {"keras.layers", "keras.optimizers", "keras.optimizers.schedules",
                             "keras.losses", "keras.metrics", "keras.initializers",
                             "keras.regularizers", "keras.constraints", "keras.quantizers"})
    for (const std::string& name : catalog().names(module)) {
      const ClassInfo* const info = catalog().find(module, name);
      REQUIRE(info);
      Dict given;
      if (name.starts_with("Random")) given.emplace_back("factor", 0.5);
      std::shared_ptr<Configurable> object = made(*info, given);
      if (!object && !given.empty()) {
        given.clear();
        object = made(*info, given);
      }
      if (!object) continue;
      INFO(module << "." << name);
      f(*info, object->get_config());
    }
}

std::string error_of_config(const ClassInfo& info, const Dict& config) {
  return test::error_of([&] { static_cast<void>(info.make(config)); });
}

}  // namespace

TEST_CASE("nearly every class is made from few options") {
  std::map<std::string, int> count;
  for_each_class([&](const ClassInfo& info, const Dict&) { ++count[info.module]; });
  CHECK(count["keras.layers"] > 120);
  CHECK(count["keras.optimizers"] >= 14);
  CHECK(count["keras.optimizers.schedules"] >= 6);
  CHECK(count["keras.losses"] >= 22);
  CHECK(count["keras.metrics"] >= 45);
  CHECK(count["keras.initializers"] >= 16);
  CHECK(count["keras.regularizers"] == 4);
  CHECK(count["keras.constraints"] == 4);
}

TEST_CASE("every class is the same from its config, through JSON") {
  for_each_class([](const ClassInfo& info, const Dict& config) {
    const auto object = info.make(config);
    const std::string text = cornu::to_json(serialize(*object));
    const auto again = deserialize(parse_json(text, "text"));
    REQUIRE(again);
    CHECK(typeid(*again) == typeid(*object));
    CHECK(cornu::to_json(serialize(*again)) == text);
    // No option twice.
    std::set<std::string> keys;
    for (const auto& [key, value] : config) CHECK(keys.insert(key).second);
  });
}

TEST_CASE("the order of options in a config does not matter") {
  for_each_class([](const ClassInfo& info, const Dict& config) {
    const Dict turned(config.rbegin(), config.rend());
    CHECK(cornu::to_json(serialize(*info.make(turned))) ==
          cornu::to_json(serialize(*info.make(config))));
  });
}

TEST_CASE("an option that is misspelt is answered with its name") {
  for_each_class([](const ClassInfo& info, const Dict& config) {
    // It takes the options of its function too.
    if (info.class_name == "MeanMetricWrapper") return;
    for (const auto& [key, value] : config) {
      if (key.size() < 4 || (info.class_name == "HashedCrossing" && key == "trainable")) continue;
      Dict misspelt = config;
      misspelt.emplace_back(key + "x", value);
      const std::string error = error_of_config(info, misspelt);
      INFO(key << ": " << error);
      CHECK((error.find("'" + key + "x'") != std::string::npos));
      CHECK((error.find("Did you mean '" + key + "'?") != std::string::npos));
    }
  });
}

TEST_CASE("an option of a kind that none has is named") {
  // These take what files may hold of older versions, or say more than the option's name.
  const std::set<std::string> others = {"x_factor",   "y_factor",        "standardize",  "split",
                                        "mask_value", "renorm_clipping", "label_weights"};
  for_each_class([&](const ClassInfo& info, const Dict& config) {
    for (const auto& [key, value] : config) {
      if (others.contains(key)) continue;
      for (const Value& odd : List{Value(Slice{}), Value(Dict{{"a", 1}})}) {
        Dict wrong = config;
        for (auto& [name, held] : wrong)
          if (name == key) held = odd;
        const std::string error = error_of_config(info, wrong);
        INFO(key << ", " << odd.kind() << ": " << error);
        CHECK((error.find(key) != std::string::npos));
      }
    }
  });
}

TEST_CASE("numbers out of all bounds are refused, or taken as they are") {
  const std::vector<Value> numbers = {Value(0),    Value(-1),   Value(int64_t{1} << 40),
                                      Value(-0.5), Value(1e30), Value(-1e30)};
  for_each_class([&](const ClassInfo& info, const Dict& config) {
    for (const auto& [key, value] : config) {
      if (!value.is_number()) continue;
      for (const Value& number : numbers) {
        // A table of so many numbers is made at once.
        if (number.number() > 1e9 && info.module == "keras.metrics") continue;
        Dict changed = config;
        for (auto& [name, held] : changed)
          if (name == key) held = number;
        INFO(key << " = " << number.number());
        try {
          const auto object = info.make(changed);
          const Dict after = object->get_config();
          CHECK(cornu::to_json(Value(info.make(after)->get_config())) ==
                cornu::to_json(Value(after)));
        } catch (const Error& e) {
          CHECK_FALSE(std::string(e.what()).empty());
        }
      }
    }
  });
}

}  // namespace every_class_test
