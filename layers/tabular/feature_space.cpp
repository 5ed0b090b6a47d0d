// Encoding tables.
#include "feature_space.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "../../framework/model/input.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/nn/one_hot.h"
#include "../../framework/ops/numpy/joining.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../core/identity.h"
#include "../image/rescaling.h"
#include "../text/integer_lookup.h"
#include "../text/string_lookup.h"
#include "../text/text_vectorization.h"
#include "category_encoding.h"
#include "discretization.h"
#include "hashed_crossing.h"
#include "hashing.h"
#include "normalization.h"

namespace cornu::utils {
namespace {

std::string layer_name(const std::string& name) {
  return name.empty() ? "" : name + "_preprocessor";
}

Feature feature_of_kind(const std::string& name, const std::string& kind,
                        const FeatureSpaceConfig& config) {
  if (kind == "float") return FeatureSpace::plain_float(name);
  if (kind == "float_normalized") return FeatureSpace::float_normalized(name);
  if (kind == "float_rescaled") return FeatureSpace::float_rescaled({.name = name});
  if (kind == "float_discretized")
    return FeatureSpace::float_discretized(
        {.num_bins = config.num_discretization_bins, .name = name});
  if (kind == "integer_categorical") return FeatureSpace::integer_categorical({.name = name});
  if (kind == "string_categorical") return FeatureSpace::string_categorical({.name = name});
  if (kind == "integer_hashed")
    return FeatureSpace::integer_hashed({.num_bins = config.hashing_dim, .name = name});
  if (kind == "string_hashed")
    return FeatureSpace::string_hashed({.num_bins = config.hashing_dim, .name = name});
  throw ValueError(fmt::format(
      "feature '{}' has the kind '{}'.{}", name, kind,
      did_you_mean(
          kind, {"float", "float_normalized", "float_rescaled", "float_discretized",
                 "integer_categorical", "string_categorical", "integer_hashed", "string_hashed"})));
}

void check_modes(const FeatureSpaceConfig& config) {
  if (config.features.list.empty()) throw ValueError("option 'features' is empty.");
  if (config.output_mode != "concat" && config.output_mode != "dict")
    throw ValueError(fmt::format("option 'output_mode' must be 'concat' or 'dict', found '{}'.",
                                 config.output_mode));
  std::set<std::string> names;
  for (const auto& [name, feature] : config.features.list) {
    if (!names.insert(name).second)
      throw ValueError(fmt::format("feature '{}' is there twice.", name));
    const std::string& mode = std::get<Feature>(feature).output_mode;
    if (mode != "int" && mode != "one_hot" && mode != "float")
      throw ValueError(
          fmt::format("feature '{}': output_mode must be 'int', 'one_hot' or 'float', found '{}'.",
                      name, mode));
  }
  for (const Cross& cross : config.crosses) {
    if (cross.output_mode != "int" && cross.output_mode != "one_hot")
      throw ValueError(
          fmt::format("cross '{}': output_mode must be 'int' or 'one_hot', found '{}'.",
                      cross.name(), cross.output_mode));
    for (const std::string& name : cross.feature_names)
      if (!names.contains(name))
        throw ValueError(fmt::format("cross '{}': there is no feature '{}'.", cross.name(), name));
  }
}

// Whether a layer knows already what it would learn.
bool knows(const Layer& layer) {
  if (const auto* l = dynamic_cast<const layers::NormalizationLayer*>(&layer))
    return !l->config.mean.is_null();
  if (const auto* l = dynamic_cast<const layers::DiscretizationLayer*>(&layer))
    return l->config.bin_boundaries.has_value();
  if (const auto* l = dynamic_cast<const layers::StringLookupLayer*>(&layer))
    return l->config.vocabulary.given();
  if (const auto* l = dynamic_cast<const layers::IntegerLookupLayer*>(&layer))
    return l->config.vocabulary.given();
  if (const auto* l = dynamic_cast<const layers::TextVectorizationLayer*>(&layer))
    return l->config.vocabulary.given();
  return false;
}

// How many integers a preprocessor or crosser may give; none where that is not known.
std::optional<int64_t> count_of_classes(const Layer& layer) {
  if (const auto* l = dynamic_cast<const layers::StringLookupLayer*>(&layer))
    return l->table()->known_size().value_or(l->vocabulary_size());
  if (const auto* l = dynamic_cast<const layers::IntegerLookupLayer*>(&layer))
    return l->table()->known_size().value_or(l->vocabulary_size());
  if (const auto* l = dynamic_cast<const layers::CategoryEncodingLayer*>(&layer))
    return l->config.num_tokens;
  if (const auto* l = dynamic_cast<const layers::DiscretizationLayer*>(&layer))
    return static_cast<int64_t>(l->bin_boundaries().size()) + 1;
  if (const auto* l = dynamic_cast<const layers::HashingLayer*>(&layer)) return l->config.num_bins;
  if (const auto* l = dynamic_cast<const layers::HashedCrossingLayer*>(&layer))
    return l->config.num_bins;
  return {};
}

Tensor column_of(const Nest& data, const std::string& name) {
  if (data.is_dict())
    for (const auto& [key, part] : data.entries())
      if (key == name) {
        const Tensor& x = part.tensor();
        return x.rank() == 0   ? ops::reshape(x, {1, 1})
               : x.rank() == 1 ? ops::expand_dims(x, {-1})
                               : x;
      }
  throw ValueError(
      fmt::format("expected a dictionary with the column '{}', found {}.", name, data.structure()));
}

}  // namespace

// --- features
// --------------------------------------------------------------------------------------

Feature FeatureSpace::plain_float(const std::string& name) {
  return {"float32", layers::Identity({.name = layer_name(name)}), "float"};
}
Feature FeatureSpace::float_normalized(const std::string& name) {
  return {"float32", layers::Normalization({.name = layer_name(name)}), "float"};
}
Feature FeatureSpace::float_rescaled(const Rescaled& o) {
  return {"float32",
          layers::Rescaling({.scale = o.scale, .offset = o.offset, .name = layer_name(o.name)}),
          "float"};
}
Feature FeatureSpace::float_discretized(const Discretized& o) {
  layers::DiscretizationConfig config{.bin_boundaries = o.bin_boundaries,
                                      .name = layer_name(o.name)};
  if (!o.bin_boundaries) config.num_bins = *o.num_bins;
  return {"float32", layers::Discretization(config), o.output_mode};
}
Feature FeatureSpace::integer_categorical(const Categorical& o) {
  return {"int32",
          layers::IntegerLookup({.max_tokens = o.max_tokens,
                                 .num_oov_indices = o.num_oov_indices,
                                 .name = layer_name(o.name)}),
          o.output_mode};
}
Feature FeatureSpace::string_categorical(const Categorical& o) {
  return {"string",
          layers::StringLookup({.max_tokens = o.max_tokens,
                                .num_oov_indices = o.num_oov_indices,
                                .name = layer_name(o.name)}),
          o.output_mode};
}
Feature FeatureSpace::integer_hashed(const Hashed& o) {
  return {"int32", layers::Hashing({.num_bins = o.num_bins, .name = layer_name(o.name)}),
          o.output_mode};
}
Feature FeatureSpace::string_hashed(const Hashed& o) {
  return {"string", layers::Hashing({.num_bins = o.num_bins, .name = layer_name(o.name)}),
          o.output_mode};
}
Feature FeatureSpace::feature(const std::string& dtype, const AnyLayer& preprocessor,
                              const std::string& output_mode) {
  return {dtype, preprocessor, output_mode};
}
Cross FeatureSpace::cross(const std::vector<std::string>& names, int64_t crossing_dim,
                          const std::string& output_mode) {
  return {names, crossing_dim, output_mode};
}

std::string Cross::name() const {
  std::string text;
  for (const std::string& feature : feature_names) text += (text.empty() ? "" : "_X_") + feature;
  return text;
}

// --- the space
// -------------------------------------------------------------------------------------

FeatureSpaceModel::FeatureSpaceModel(FeatureSpaceConfig c) : ModelOf(std::move(c)) {
  for (auto& [name, feature] : config.features.list)
    if (const auto* kind = std::get_if<std::string>(&feature))
      feature = feature_of_kind(name, *kind, config);
  check_modes(config);
  std::vector<Members> prepare, cross_over;
  for (const auto& [name, option] : config.features.list) {
    const std::shared_ptr<Layer>& layer = std::get<Feature>(option).preprocessor.shared();
    preprocessors[name] = layer;
    prepare.emplace_back(layer);
    if (dynamic_cast<Adaptable*>(layer.get()) && !knows(*layer)) to_adapt_.push_back(name);
  }
  for (Cross& cross : config.crosses) {
    if (cross.crossing_dim == 0) cross.crossing_dim = config.crossing_dim;
    const layers::HashedCrossing layer({.num_bins = cross.crossing_dim, .name = cross.name()});
    crossers[cross.name()] = layer.shared();
    cross_over.emplace_back(layer);
  }
  track("preprocessors", Members(prepare));
  if (!cross_over.empty()) track("crossers", Members(cross_over));
  adapted_ = to_adapt_.empty();
}

const Feature& FeatureSpaceModel::feature(const std::string& name) const {
  const auto found = std::find_if(config.features.list.begin(), config.features.list.end(),
                                  [&](const auto& entry) { return entry.first == name; });
  return std::get<Feature>(found->second);
}

void FeatureSpaceModel::learn(const std::function<void(const std::string&, Adaptable&)>& step) {
  for (const std::string& name : to_adapt_)
    step(name, dynamic_cast<Adaptable&>(*preprocessors.at(name)));
}

void FeatureSpaceModel::adapt(const Nest& data) {
  learn([&](const std::string& name, Adaptable& layer) { layer.adapt(column_of(data, name)); });
  adapted_ = true;
}

void FeatureSpaceModel::adapt(AnyDataset dataset, std::optional<int64_t> steps) {
  const std::shared_ptr<Dataset>& data = dataset.shared();
  if (!steps && data->size() == Dataset::endless)
    throw ValueError("adapt: the data have no end. Say how many batches to take, by steps.");
  learn([](const std::string&, Adaptable& layer) { layer.reset_state(); });
  data->on_epoch_begin(0);
  for (int64_t i = 0; !steps || i < *steps; ++i) {
    const std::optional<Batch> batch = data->next(i);
    if (!batch) break;
    learn([&](const std::string& name, Adaptable& layer) {
      layer.update_state(column_of(batch->x, name));
    });
  }
  data->on_epoch_end(0);
  learn([](const std::string&, Adaptable& layer) { layer.finalize_state(); });
  adapted_ = true;
}

const Nest& FeatureSpaceModel::get_inputs() {
  if (!inputs_.empty()) return inputs_;
  Nest::Dict inputs;
  for (const auto& [name, option] : config.features.list)
    inputs.emplace_back(
        name, Input({1}, {.dtype = dtype_of(std::get<Feature>(option).dtype), .name = name}));
  return inputs_ = Nest::dict(std::move(inputs));
}

Nest FeatureSpaceModel::get_encoded_features() { return (*this)(get_inputs()); }

// A result as the output needs it: classes as vectors, and numbers to be joined.
Tensor FeatureSpaceModel::encode(const std::string& name, const Layer& layer,
                                 const std::string& mode, const Tensor& x) const {
  if (mode == "one_hot") {
    if (is_float(x.dtype()) || x.dtype() == DType::string)
      throw ValueError(
          fmt::format("feature '{}' has output_mode 'one_hot', so its preprocessor must give "
                      "integers, found {}.",
                      name, dtype_name(x.dtype())));
    const std::optional<int64_t> classes = count_of_classes(layer);
    if (!classes)
      throw ValueError(
          fmt::format("feature '{}' has output_mode 'one_hot', and its preprocessor is no layer "
                      "whose number of "
                      "classes is known. Use output_mode 'int'.",
                      name));
    return ops::multi_hot(x, *classes, -1, DType::float32);
  }
  if (config.output_mode == "concat" && !is_float(x.dtype()))
    throw ValueError(fmt::format(
        "feature '{}' is {} and cannot be joined with others. Give the FeatureSpace output_mode "
        "'dict', or the feature 'one_hot'.",
        name, dtype_name(x.dtype())));
  return x;
}

Nest FeatureSpaceModel::call_many(const Nest& data, const Call&) {
  if (!adapted_) throw StateError("call adapt(data) first, from which the preprocessors learn.");
  std::map<std::string, Tensor> prepared;
  Nest::Dict encoded;
  for (const auto& [name, layer] : preprocessors) {  // by sorted name
    prepared[name] = (*layer)(column_of(data, name));
    encoded.emplace_back(name, encode(name, *layer, feature(name).output_mode, prepared[name]));
  }
  std::map<std::string, Tensor> crossed;
  for (const Cross& cross : config.crosses) {
    std::vector<Tensor> parts;
    for (const std::string& name : cross.feature_names) parts.push_back(prepared.at(name));
    const Layer& layer = *crossers.at(cross.name());
    crossed[cross.name()] = encode(cross.name(), layer, cross.output_mode,
                                   (*crossers.at(cross.name()))(Nest(parts)).tensor());
  }
  for (const auto& [name, x] : crossed) encoded.emplace_back(name, x);
  // Single values have no batch.
  const Nest::Dict& columns = data.entries();
  const bool single = std::any_of(columns.begin(), columns.end(), [](const auto& column) {
    return column.second.is_tensor() && column.second.tensor().rank() == 0;
  });
  const auto without_batch = [&](const Tensor& x) { return single ? ops::squeeze(x, 0) : x; };
  if (config.output_mode == "dict") return Nest::dict(std::move(encoded)).map(without_batch);
  std::vector<Tensor> parts;
  for (const auto& [name, x] : encoded) parts.push_back(x.tensor());
  return without_batch(ops::concatenate(parts, -1));
}

std::shared_ptr<FeatureSpaceModel> FeatureSpaceModel::from_config(const Value::Dict& dict) {
  auto space = ModelOf::from_config(dict);
  space->adapted_ = true;
  return space;
}

void FeatureSpaceModel::build_from_config(const Value::Dict&) {
  // Shapes alone would not say the dtypes.
  Nest::Dict columns;
  for (const auto& [name, option] : config.features.list) {
    const Tensor column =
        Tensor::abstract({Shape::unknown, 1}, dtype_of(std::get<Feature>(option).dtype));
    preprocessors.at(name)->ensure_built(column);
    columns.emplace_back(name, column);
  }
  ensure_built(Nest::dict(std::move(columns)));
}

void register_feature_space(Catalog& c) { c.add<FeatureSpaceModel>("keras.utils.FeatureSpace"); }

}  // namespace cornu::utils
