// Fuzz target: JSON texts of models and of single objects. The mutator knows JSON, so that most
// inputs reach the code behind the parser.
#include <cornu/framework/config/configurable.h>
#include <cornu/framework/config/json.h>
#include <cornu/framework/config/loading.h>
#include <cornu/framework/model/model.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "fuzz_support.h"

using namespace cornu;
using fuzz::expect_own_errors;
using Json = nlohmann::ordered_json;

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

void collect(Json& value, std::vector<Json*>& all) {
  all.push_back(&value);
  if (value.is_structured())
    for (Json& element : value) collect(element, all);
}

Json odd_value(std::minstd_rand& random) {
  static const Json odd = Json::parse(R"json([
    null, true, false, 0, 1, -1, 2, 3, 1000000, 2147483648, 1000000000000000, 9223372036854775807,
    -9223372036854775808, 1e308, 0.5, -0.5, 1e-7, 18446744073709551615, "", "a", "relu", "linear",
    "valid", "same", "channels_first", "float64", "mixed_float16", "dense", "input_layer", "\u0000",
    "../../etc/passwd", "name/with/slashes", [], {}, [[]], [1], [-1], [0, 0], [null], [null, 8],
    [null, null, null], [2, 2, 2, 2, 2, 2, 2, 2, 2], [4294967296, 4294967296], ["input_layer", 0, 0],
    ["input_layer", -1, 7], [["dense", 0, 0, {}]], {"class_name": "__tuple__", "items": [1, 2]},
    {"class_name": "__tensor__", "config": {"value": [[1], [2, 3]], "dtype": "float32"}},
    {"class_name": "__numpy__", "config": {"value": 3, "dtype": "complex64"}},
    {"class_name": "__slice__", "config": {"start": null, "stop": -1, "step": 0}},
    {"class_name": "__lambda__", "config": {"value": ["4wEAAA==", null, null]}},
    {"class_name": "__keras_tensor__", "config": {"shape": [null, 4], "dtype": "float32",
     "keras_history": ["input_layer", 0, 0]}},
    {"class_name": "__bytes__", "config": {"value": "x"}}, {"class_name": "__ellipsis__", "config": {}},
    {"module": "keras.layers", "class_name": "Dense", "config": {"units": 2}, "registered_name": null},
    {"module": "keras", "class_name": "DTypePolicy", "config": {"name": "float16"}},
    {"module": "builtins", "class_name": "function", "config": "relu", "registered_name": "function"}
  ])json");
  return odd[random() % odd.size()];
}

// Changes one place of the tree.
void mutate(Json& root, std::minstd_rand& random) {
  std::vector<Json*> all;
  collect(root, all);
  Json& place = *all[random() % all.size()];
  switch (random() % 6) {
    case 0:
    case 1:
      place = odd_value(random);
      break;
    case 2: {
      const Json copy = *all[random() % all.size()];
      place = copy;
      break;
    }
    case 3:
      if (place.is_array() && !place.empty()) place.erase(random() % place.size());
      if (place.is_object() && !place.empty())
        place.erase(std::next(place.begin(), static_cast<long>(random() % place.size())));
      break;
    case 4:
      if (place.is_array()) place.push_back(place.empty() ? odd_value(random) : Json(place.back()));
      if (place.is_object()) place["shared_object_id"] = random() % 3;
      break;
    default:
      if (place.is_number_integer())
        place = place.get<int64_t>() / 2 - static_cast<int64_t>(random() % 3);
      else
        place = odd_value(random);
  }
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  std::minstd_rand random(seed);
  if (random() % 8 == 0) return LLVMFuzzerMutate(data, size, max_size);
  Json root = Json::parse(data, data + size, nullptr, false);
  if (root.is_discarded()) return LLVMFuzzerMutate(data, size, max_size);
  for (unsigned n = 1 + random() % 3; n > 0; --n) mutate(root, random);
  const std::string text = root.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (text.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, text.data(), text.size());
  return text.size();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  // As while a file is read: no config gets more memory for weights than this.
  const LoadingScope weights(uint64_t{1} << 24);
  expect_own_errors([&] {
    const auto model = model_from_json(text);
    // What was accepted can be written and read again.
    model_from_json(model->to_json());
  });
  expect_own_errors([&] {
    const SharedObjectsScope objects(SharedObjectsScope::Mode::reading);
    deserialize(cornu::parse_json(text, "fuzz", cornu::NonNumbers::allow));
  });
  return 0;
}
