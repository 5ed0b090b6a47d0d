// The objects that Keras writes of metrics, losses, optimizers and schedules are read and written
// again as they are, with defaults and with all options at other values.
#include <cornu/cornu.h>
#include <cornu/framework/config/json.h>

#include <set>

#include "../../support/contract.h"
#include "../../support/golden_json.h"

namespace keras_configs_test {

using namespace cornu;
using test::entry;

namespace {

void check_same_config(const Value& written, const Value& keras) {
  const auto& mine = written.get<Value::Dict>();
  const auto& theirs = keras.get<Value::Dict>();
  std::set<std::string> keys;
  for (const auto& [key, value] : mine) keys.insert(key);
  for (const auto& [key, value] : theirs) {
    INFO("option " << key);
    const Value* const found = detail::find(mine, key);
    CHECK(found);
    // As files have it: 1.0 is as good as 1. Tensors are written as NumPy's arrays, which Keras
    // takes as well.
    std::string where;
    if (found && found->is<Tensor>())
      CHECK(test::difference(found->get<Tensor>(), detail::from_value<Tensor>(value)) == 0);
    else if (found)
      CHECK(test::same(parse_json(cornu::to_json(*found), "Cornu"), value, where));
    keys.erase(key);
  }
  for (const std::string& key : keys) FAIL_CHECK("Keras does not write '" << key << "'");
}

}  // namespace

TEST_CASE("objects of Keras are read and written again as they are") {
  const Value objects = test::golden_file("configs.json");
  for (const Value& object : objects.get<Value::List>()) {
    INFO(cornu::to_json(object));
    std::shared_ptr<Configurable> made;
    try {
      made = deserialize(object);
    } catch (const Error& e) {
      FAIL_CHECK(e.what());
      continue;
    }
    REQUIRE(made);
    const Value written = serialize(*made);
    for (const char* key : {"module", "class_name", "registered_name"})
      CHECK(cornu::to_json(entry(written, key)) == cornu::to_json(entry(object, key)));
    check_same_config(entry(written, "config"), entry(object, "config"));
  }
}

}  // namespace keras_configs_test
