// Features and crosses as files have them.
#include "feature_space.h"

namespace cornu::detail {
namespace {

constexpr const char* feature_module = "keras.src.layers.preprocessing.feature_space";

// As Keras serializes objects of classes that it does not export.
Value feature_object(const std::string& class_name, Value::Dict config) {
  return Value::Dict{{"module", feature_module},
                     {"class_name", class_name},
                     {"config", std::move(config)},
                     {"registered_name", class_name}};
}

const Value::Dict& config_in(const Value& v) {
  const Value* config = find(v.get<Value::Dict>(), "config");
  return config ? config->get<Value::Dict>() : v.get<Value::Dict>();
}

std::string text_in(const Value::Dict& config, const char* key) {
  const Value* text = find(config, key);
  if (!text) missing_key(key);
  return text->get<std::string>();
}

}  // namespace

Value OptionCodec<utils::Features>::encode(const utils::Features& v) {
  Value::Dict all;
  for (const auto& [name, option] : v.list) {
    if (const auto* kind = std::get_if<std::string>(&option)) {
      all.emplace_back(name, *kind);
      continue;
    }
    const auto& feature = std::get<utils::Feature>(option);
    all.emplace_back(
        name, feature_object("Feature",
                             {{"dtype", feature.dtype},
                              {"preprocessor", OptionCodec<AnyLayer>::encode(feature.preprocessor)},
                              {"output_mode", feature.output_mode}}));
  }
  return all;
}

utils::Features OptionCodec<utils::Features>::decode(const Value& v) {
  utils::Features features;
  for (const auto& [name, value] : v.get<Value::Dict>()) {
    if (value.is<std::string>()) {
      features.list.emplace_back(name, value.get<std::string>());
      continue;
    }
    const Value::Dict& config = config_in(value);
    const Value* layer = find(config, "preprocessor");
    if (!layer) missing_key("preprocessor");
    features.list.emplace_back(
        name, utils::Feature{text_in(config, "dtype"), OptionCodec<AnyLayer>::decode(*layer),
                             text_in(config, "output_mode")});
  }
  return features;
}

Value OptionCodec<utils::Cross>::encode(const utils::Cross& v) {
  return feature_object("Cross", {{"feature_names", Value(v.feature_names)},
                                  {"crossing_dim", v.crossing_dim},
                                  {"output_mode", v.output_mode}});
}

utils::Cross OptionCodec<utils::Cross>::decode(const Value& v) {
  if (v.is<Value::List>()) return {from_value<std::vector<std::string>>(v)};
  const Value::Dict& config = config_in(v);
  const Value *names = find(config, "feature_names"), *bins = find(config, "crossing_dim");
  if (!names) missing_key("feature_names");
  return {from_value<std::vector<std::string>>(*names), bins ? bins->get<int64_t>() : 0,
          text_in(config, "output_mode")};
}

}  // namespace cornu::detail
