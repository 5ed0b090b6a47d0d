// Moving a model's variables to and from the tree of weights.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "../../backend/log.h"
#include "../base/assets.h"
#include "../base/serialization.h"
#include "weights.h"

namespace cornu::saving {
namespace {

constexpr size_t most_listed = 20;

// Finds an object's variables in the file, or says why it cannot be read.
std::string plan(const WeightTree& file, const std::string& path,
                 const std::vector<Variable>& variables, std::vector<Transfer>& transfers) {
  const std::map<std::string, Place> found = file.variables(path);
  const std::string group = path.empty() ? "vars" : path + "/vars";
  if (found.size() != variables.size())
    return fmt::format("expected {} variables in '/{}', found {}", variables.size(), group,
                       found.size());
  std::vector<Transfer> mine;
  for (size_t i = 0; i < variables.size(); ++i) {
    auto place = found.find(std::to_string(i));
    // Tables of words keep their only variable under its name.
    if (place == found.end() && found.size() == 1) place = found.find(variables[i].name());
    if (place == found.end()) return fmt::format("'/{}/{}' is missing", group, i);
    if (!place->second.file->is_dataset(place->second.path))
      return fmt::format("'/{}' is not a dataset", place->second.path);
    if (std::string problem = mismatch(variables[i], place->second); !problem.empty())
      return problem;
    mine.push_back({variables[i], place->second});
  }
  transfers.insert(transfers.end(), mine.begin(), mine.end());
  return {};
}

// A layer's variables in the order of files.
std::vector<Variable> weights_of(const Layer& layer, bool writing) {
  const auto* own = dynamic_cast<const CustomSerialization*>(&layer);
  if (!own) return layer.own_weights();
  return writing ? own->weights_to_write() : own->weights_to_read();
}

void warn_of_optimizer(const std::string& file, const std::string& problem) {
  warn_once(
      fmt::format("{}: the optimizer's state does not fit and is left out, so training begins with "
                  "a fresh optimizer: {}",
                  file, problem));
}

// The optimizer's variables that the file holds: all of them, those of an optimizer that was never
// used, or (Keras 2) those without the learning rate. Builds the optimizer where it must.
std::vector<Variable> optimizer_variables(Model& model, size_t found) {
  Optimizer& optimizer = *model.optimizer();
  std::vector<Variable> variables = optimizer.variables();
  const size_t unused = optimizer.options().learning_rate.is_schedule() ? 1 : 2;
  if (!optimizer.built()) {
    if (found + 1 == variables.size() && unused == 2) variables.erase(variables.begin() + 1);
    if (found == variables.size()) return variables;
  }
  if (optimizer.built() && found == unused && variables.size() != found) {
    variables.resize(unused);
    return variables;
  }
  if (!optimizer.built()) {
    optimizer.build(model.trainable_variables());
    variables = optimizer.variables();
  }
  if (found + 1 == variables.size() && unused == 2) variables.erase(variables.begin() + 1);
  return variables;
}

void read_optimizer(const WeightTree& file, Model& model) {
  if (!model.optimizer()) return;
  const size_t found = file.variables("optimizer").size();
  if (found == 0) return;
  std::vector<Transfer> transfers;
  const std::string problem = plan(file, "optimizer", optimizer_variables(model, found), transfers);
  if (problem.empty())
    transfer(transfers, true);
  else
    warn_of_optimizer(file.name(), problem);
}

// Throws when an optimizer's state is damaged, before anything has changed.
void dry_run_optimizer(const WeightTree& file, Model& model) {
  if (!model.optimizer()) return;
  const std::map<std::string, Place> found = file.variables("optimizer");
  uint64_t limit = 64;
  for (const Variable& v : model.weights())
    limit = std::max<uint64_t>(limit, v.value().bytes() * 2);
  for (const auto& [name, place] : found) {
    const io::H5Info info = place.file->info(place.path);
    if (info.shape.known() &&
        static_cast<uint64_t>(info.shape.numel()) * size_of(info.dtype) <= limit)
      place.file->read(place.path, limit);
  }
}

}  // namespace

// A kilobyte for each variable's header and its place in the tree of groups.
uint64_t weight_bytes(Model& model) {
  uint64_t bytes = 4096;
  for (const Variable& v : model.weights()) bytes += 1024 + v.value().bytes();
  if (model.optimizer())
    for (const Variable& v : model.optimizer()->variables()) bytes += 1024 + v.value().bytes();
  return bytes;
}

void write_weights(WeightSink& file, Model& model) {
  std::set<Layer*> written;
  for (const WeightEntry& entry : weight_entries(model))
    if (written.insert(entry.layer).second)
      file.write(entry.path, entry.layer->name(), weights_of(*entry.layer, true));
  if (model.optimizer())
    file.write("optimizer", model.optimizer()->name(), model.optimizer()->variables());
}

void read_weights(const WeightTree& file, Model& model, const ReadOptions& options) {
  std::vector<Transfer> transfers;
  std::map<Layer*, std::string> failed;
  std::set<Layer*> done;
  std::vector<Layer*> order;
  for (const WeightEntry& entry : weight_entries(model)) {
    if (done.count(entry.layer)) continue;
    const std::string problem = plan(file, entry.path, weights_of(*entry.layer, false), transfers);
    if (problem.empty()) {
      done.insert(entry.layer);
      failed.erase(entry.layer);
    } else if (failed.emplace(entry.layer, problem).second) {
      order.push_back(entry.layer);
    }
  }
  if (!failed.empty()) {
    std::string text = fmt::format(
        "{}: the weights of {} of the model's layers do not fit:", file.name(), failed.size());
    size_t listed = 0;
    for (Layer* layer : order) {
      if (!failed.count(layer)) continue;
      if (listed++ == most_listed) {
        text += fmt::format("\n  and {} more", failed.size() - most_listed);
        break;
      }
      text += fmt::format("\n  layer '{}': {}", layer->name(), failed[layer]);
    }
    // Nothing has been read into a variable yet.
    if (!options.skip_mismatch) throw FileError(text);
    warn_once(text + "\nThey keep their values.");
  }
  if (options.only_check) return;
  // A model that was made for this file is thrown away on an error, so it needs no second reading.
  if (!options.fresh && options.optimizer) dry_run_optimizer(file, model);
  transfer(transfers, options.fresh);
  for (Layer* layer : done)
    if (auto* own = dynamic_cast<CustomSerialization*>(layer)) own->weights_were_read();
  if (options.optimizer) read_optimizer(file, model);
}

namespace {

// Calls f(layer, "assets/its place in the tree of weights/") for each layer that has files.
template <class F>
void for_each_with_assets(Model& model, F&& f) {
  std::set<Layer*> done;
  for (const WeightEntry& entry : weight_entries(model)) {
    auto* layer = dynamic_cast<HasAssets*>(entry.layer);
    if (layer && done.insert(entry.layer).second)
      f(*layer, "assets/" + (entry.path.empty() ? "" : entry.path + "/"));
  }
}

}  // namespace

std::vector<std::pair<std::string, std::string>> assets_of(Model& model) {
  std::vector<std::pair<std::string, std::string>> result;
  for_each_with_assets(model, [&](const HasAssets& layer, const std::string& folder) {
    for (auto& [name, content] : layer.assets())
      result.emplace_back(folder + name, std::move(content));
  });
  return result;
}

void read_assets(Model& model,
                 const std::function<std::optional<std::string>(const std::string&)>& read) {
  for_each_with_assets(model, [&](HasAssets& layer, const std::string& folder) {
    layer.load_assets([&](const std::string& name) { return read(folder + name); });
  });
}

}  // namespace cornu::saving
