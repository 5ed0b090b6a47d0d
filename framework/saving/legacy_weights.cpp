// Weights in the legacy layout: a group for each layer, variables by name, matched by their order.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "../../backend/log.h"
#include "weights.h"

namespace cornu::saving {
namespace {

constexpr size_t most_listed = 20;

/// A layer's variables in the order of legacy files: trainable ones of all layers inside, then the
/// others.
std::vector<Variable> legacy_order(const Layer& layer) {
  std::vector<Variable> result = layer.trainable_variables();
  // Legacy files have this order, whatever the order of creation was.
  for (const Variable& v : layer.non_trainable_weights()) result.push_back(v);
  return result;
}

/// The model's own variables, which belong to no layer.
std::vector<Variable> top_level(const Model& model) {
  std::vector<Variable> result;
  for (bool trainable : {true, false})
    for (const Variable& v : model.own_weights())
      if (v.trainable() == trainable) result.push_back(v);
  return result;
}

std::vector<std::string> names_in(const io::H5Reader& file, const std::string& group,
                                  const char* attribute) {
  const auto names = file.strings_attribute(group, attribute);
  if (!names)
    throw FileError(fmt::format("{}: '/{}' has no attribute '{}'.", file.name(), group, attribute));
  return *names;
}

// As strings_attribute, but an empty list is an array of numbers in files.
std::vector<std::string> weight_names(const io::H5Reader& file, const std::string& group) {
  try {
    return names_in(file, group, "weight_names");
  } catch (const FileError&) {
    if (file.has_attribute(group, "weight_names") &&
        file.numbers_attribute(group, "weight_names").empty())
      return {};
    throw;
  }
}

// Gives each variable a name that no other in its group has.
class NameGiver {
 public:
  std::string give(std::string name) {
    for (char& c : name)
      // HDF5 ends names there.
      if (c == '\0') c = '_';
    const std::string base = name;
    for (int i = 1; !taken_.insert(name).second; ++i) name = fmt::format("{}_{}", base, i);
    return name;
  }

 private:
  std::set<std::string> taken_;
};

void collect_paths(const Layer& layer, const std::string& path,
                   std::map<uint64_t, std::string>& paths) {
  for (const Variable& v : layer.own_weights()) paths.emplace(v.key(), join(path, v.name()));
  for (const auto& inside : layer.sublayers())
    collect_paths(*inside, join(path, inside->name()), paths);
}

void write_group(io::H5Writer& file, const std::string& group,
                 const std::vector<Variable>& variables,
                 const std::map<uint64_t, std::string>& paths) {
  file.create_group(group);
  NameGiver giver;
  std::vector<std::string> names;
  for (const Variable& v : variables) {
    const auto path = paths.find(v.key());
    names.push_back(giver.give(path == paths.end() ? v.name() : path->second));
    const Tensor& value = v.value();
    file.write(join(group, names.back()), value.dtype(), value.shape(), value.host_data());
  }
  file.set_strings_attribute(group, "weight_names", names);
}

}  // namespace

std::optional<std::string> legacy_root(const io::H5Reader& file) {
  for (const char* attribute : {"layer_names", "layer_names0"}) {
    if (file.has_attribute("", attribute)) return "";
    if (file.is_group("model_weights") && file.has_attribute("model_weights", attribute))
      return "model_weights";
  }
  if (file.is_group("model_weights")) return "model_weights";
  return std::nullopt;
}

void write_legacy_weights(io::H5Writer& file, const std::string& root, Model& model) {
  file.create_group(root);
  std::vector<std::string> names;
  const std::vector<std::shared_ptr<Layer>> layers = model.sublayers();
  for (const auto& layer : layers) names.push_back(layer->name());
  file.set_strings_attribute(root, "layer_names", names);
  // Readers of Keras 2 look for the attribute, and may turn kernels around for another value.
  file.set_attribute(root, "backend", "tensorflow");
  file.set_attribute(root, "keras_version", "3.15.1");
  for (const auto& layer : layers) {
    std::map<uint64_t, std::string> paths;
    collect_paths(*layer, join(model.name(), layer->name()), paths);
    write_group(file, join(root, layer->name()), legacy_order(*layer), paths);
  }
  write_group(file, join(root, "top_level_model_weights"), top_level(model), {});
}

void write_legacy_optimizer(io::H5Writer& file, Model& model) {
  if (!model.optimizer()) return;
  const std::vector<Variable> variables = model.optimizer()->variables();
  std::map<uint64_t, std::string> paths;
  for (const Variable& v : variables)
    paths.emplace(v.key(), join(model.optimizer()->name(), v.name()));
  write_group(file, "optimizer_weights", variables, paths);
}

namespace {

struct SavedLayer {
  std::string name;
  std::vector<std::string> weights;
};

// Finds a layer's variables in its group, or says why it cannot be read.
std::string plan(const io::H5Reader& file, const std::string& group,
                 const std::vector<std::string>& names, const std::vector<Variable>& variables,
                 std::vector<Transfer>& transfers) {
  if (names.size() != variables.size())
    return fmt::format("expected {} variables in '/{}', found {}", variables.size(), group,
                       names.size());
  // Taken over only if the whole layer fits.
  std::vector<Transfer> mine;
  for (size_t i = 0; i < variables.size(); ++i) {
    const Place place{&file, join(group, names[i])};
    if (!file.is_dataset(place.path))
      return fmt::format("'/{}', which '/{}' names, is missing", place.path, group);
    if (std::string problem = mismatch(variables[i], place); !problem.empty()) return problem;
    mine.push_back({variables[i], place});
  }
  transfers.insert(transfers.end(), mine.begin(), mine.end());
  return {};
}

// What the shapes of a recurrent layer's bias tell about the layer that was saved; "" otherwise.
std::string bias_hint(const io::H5Reader& file, const std::string& group,
                      const std::vector<std::string>& names, const Layer& layer,
                      const std::vector<Variable>& variables) {
  const bool lstm = layer.base_name() == "lstm", gru = layer.base_name() == "gru";
  if ((!lstm && !gru) || names.size() != 3 || variables.size() != 3) return {};
  const std::string path = join(group, names[2]);
  if (!file.is_dataset(path)) return {};
  const Shape found = file.info(path).shape, expected = variables[2].shape();
  const int64_t units = expected.back() / (lstm ? 4 : 3);
  if (found.rank() == 1 && found[0] == units * (lstm ? 8 : 6))
    return fmt::format(
        ". These are the weights of a CuDNN{0}, which Keras 3 does not read either: rebuild the "
        "model with {0} in Keras 2, load the weights there and save it again",
        lstm ? "LSTM" : "GRU");
  if (gru && found.rank() != expected.rank())
    return fmt::format(". The file's layer had .reset_after = {}", found.rank() == 2);
  return {};
}

}  // namespace

void read_legacy_weights(const io::H5Reader& file, const std::string& root, Model& model,
                         const ReadOptions& options) {
  std::vector<SavedLayer> saved;
  for (const std::string& name : names_in(file, root, "layer_names")) {
    const std::string group = join(root, name);
    if (!file.is_group(group))
      throw FileError(
          fmt::format("{}: the group '/{}' of layer '{}' is missing.", file.name(), group, name));
    std::vector<std::string> weights = weight_names(file, group);
    // Layers without weights are left out on both sides: their number has changed between versions.
    if (!weights.empty()) saved.push_back({name, std::move(weights)});
  }
  std::vector<std::shared_ptr<Layer>> layers;
  for (const auto& layer : model.sublayers())
    if (!layer->weights().empty()) layers.push_back(layer);

  std::vector<std::pair<std::shared_ptr<Layer>, const SavedLayer*>> pairs;
  if (options.by_name) {
    for (const auto& layer : layers)
      for (const SavedLayer& s : saved)
        if (s.name == layer->name()) pairs.emplace_back(layer, &s);
  } else {
    // Matching by order is all that the format offers, so a difference in number is always an
    // error.
    if (saved.size() != layers.size()) {
      std::string theirs, ours;
      for (size_t i = 0; i < std::min(saved.size(), most_listed); ++i)
        theirs += (i ? ", " : "") + saved[i].name;
      for (size_t i = 0; i < std::min(layers.size(), most_listed); ++i)
        ours += (i ? ", " : "") + layers[i]->name();
      throw FileError(
          fmt::format("{}: the file has {} layers with weights ({}), the model has {} ({}).",
                      file.name(), saved.size(), theirs, layers.size(), ours));
    }
    for (size_t i = 0; i < layers.size(); ++i) pairs.emplace_back(layers[i], &saved[i]);
  }

  std::vector<Transfer> transfers;
  std::vector<std::string> problems;
  for (const auto& [layer, from] : pairs) {
    const std::string problem =
        plan(file, join(root, from->name), from->weights, legacy_order(*layer), transfers);
    if (problem.empty()) continue;
    const std::string hint =
        bias_hint(file, join(root, from->name), from->weights, *layer, legacy_order(*layer));
    problems.push_back(fmt::format("layer '{}': {}{}", layer->name(), problem, hint));
  }
  if (const std::vector<Variable> own = top_level(model); !own.empty()) {
    const std::string group = join(root, "top_level_model_weights");
    const std::string problem = !file.is_group(group)
                                    ? fmt::format("'/{}' is missing", group)
                                    : plan(file, group, weight_names(file, group), own, transfers);
    if (!problem.empty()) problems.push_back("the model itself: " + problem);
  }
  if (!problems.empty()) {
    std::string text = fmt::format(
        "{}: the weights of {} of the model's layers do not fit:", file.name(), problems.size());
    for (size_t i = 0; i < std::min(problems.size(), most_listed); ++i)
      text += "\n  " + problems[i];
    if (problems.size() > most_listed)
      text += fmt::format("\n  and {} more", problems.size() - most_listed);
    if (!options.skip_mismatch) throw FileError(text);
    warn_once(text + "\nThey keep their values.");
  }
  if (!options.only_check) transfer(transfers, options.fresh);
}

namespace {

// Slots of an old optimizer of Keras 2 stand by kind (all m, then all v), ours by variable (m and v
// of each).
std::vector<std::string> by_variable(const std::vector<std::string>& names, size_t variables) {
  std::vector<std::string> result = {names[0]};
  const size_t slots = names.size() - 1;
  const size_t kinds = variables > 0 ? slots / variables : 0;
  if (kinds < 2 || slots % variables != 0) return names;
  for (size_t v = 0; v < variables; ++v)
    for (size_t kind = 0; kind < std::min<size_t>(kinds, 2); ++kind)
      result.push_back(names[1 + kind * variables + v]);
  for (size_t i = 1 + 2 * variables; i < names.size(); ++i) result.push_back(names[i]);
  return result;
}

bool interleaves(const Optimizer& optimizer) {
  static constexpr const char* classes[] = {"Adam", "AdamW", "Adamax", "Nadam", "Adadelta", "Ftrl"};
  const std::string& name = catalog().of(optimizer).class_name;
  return std::any_of(std::begin(classes), std::end(classes),
                     [&](const char* c) { return name == c; });
}

}  // namespace

void read_legacy_optimizer(const io::H5Reader& file, Model& model) {
  if (!model.optimizer() || !file.is_group("optimizer_weights")) return;
  Optimizer& optimizer = *model.optimizer();
  std::vector<std::string> names = weight_names(file, "optimizer_weights");
  if (names.empty()) return;
  const bool has_rate = !optimizer.options().learning_rate.is_schedule();
  // Optimizers of Keras before 2.11 call their counter "iter", newer ones "iteration".
  const bool old = names[0].find("/iter") != std::string::npos &&
                   names[0].find("iteration") == std::string::npos;
  std::vector<Variable> variables = optimizer.variables();
  const bool keras2 = old || names[0].starts_with("iteration");
  const auto without_rate = [&] {
    if (has_rate && variables.size() > 1) variables.erase(variables.begin() + 1);
  };
  if (optimizer.built() ||
      names.size() != (keras2 ? variables.size() - (has_rate ? 1 : 0) : variables.size())) {
    if (!optimizer.built()) optimizer.build(model.trainable_variables());
    variables = optimizer.variables();
  }
  // Keras 2 did not write the learning rate among the variables.
  if (keras2) without_rate();
  if (old && interleaves(optimizer)) names = by_variable(names, model.trainable_variables().size());
  std::vector<Transfer> transfers;
  const std::string problem = plan(file, "optimizer_weights", names, variables, transfers);
  if (problem.empty()) {
    transfer(transfers, true);
  } else {
    warn_once(
        fmt::format("{}: the optimizer's state does not fit and is left out, so training begins "
                    "with a fresh optimizer: {}",
                    file.name(), problem));
  }
}

}  // namespace cornu::saving
