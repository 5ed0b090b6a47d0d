// Walking a model's objects as Keras does, and moving their variables to and from HDF5.
#include "weights.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "../../backend/log.h"
#include "../model/functional.h"
#include "../model/sequential.h"

namespace cornu::saving {
namespace {

std::string join(const std::string& path, const std::string& name) { return path.empty() ? name : path + "/" + name; }

class Walk {
 public:
  std::vector<WeightEntry> entries;

  void visit(Layer& layer, const std::string& path) {
    entries.push_back({path, &layer});
    if (!visited_.insert(&layer).second) return;
    const bool graph = dynamic_cast<Sequential*>(&layer) || dynamic_cast<Functional*>(&layer);
    if (graph) container(layer.sublayers(), join(path, "layers"));
    for (const auto& [attribute, members] : attributes(layer, graph)) {
      if (members.is_list) container(members.layers, join(path, attribute));
      else visit(*members.layers[0], join(path, attribute));
    }
  }

 private:
  using Attributes = std::vector<std::pair<std::string, Layer::Tracked>>;

  // Members in alphabetical order, those that begin with "_" last. A subclassed model has "layers" among them.
  static Attributes attributes(const Layer& layer, bool graph) {
    Attributes result;
    for (const Layer::Tracked& t : layer.tracked()) result.emplace_back(t.attribute, t);
    if (!graph && dynamic_cast<const Model*>(&layer))
      result.emplace_back("layers", Layer::Tracked{"layers", layer.sublayers(), true});
    std::stable_sort(result.begin(), result.end(), [](const auto& a, const auto& b) {
      const bool pa = a.first.starts_with('_'), pb = b.first.starts_with('_');
      return pa != pb ? pb : a.first < b.first;
    });
    return result;
  }

  void container(const std::vector<std::shared_ptr<Layer>>& layers, const std::string& path) {
    std::map<std::string, int> used;
    for (const auto& layer : layers) {
      const std::string base = layer->base_name();
      const int number = used[base]++;
      visit(*layer, join(path, number ? fmt::format("{}_{}", base, number) : base));
    }
  }

  std::set<Layer*> visited_;
};

void write_vars(H5Writer& file, const std::string& path, const std::string& name, const std::vector<Variable>& vars) {
  const std::string group = join(path, "vars");
  file.create_group(group);
  file.set_attribute(group, "name", name);
  for (size_t i = 0; i < vars.size(); ++i) {
    const Tensor& v = vars[i].value();
    file.write(fmt::format("{}/{}", group, i), v.dtype(), v.shape(), v.host_data());
  }
}

// The number of datasets in a group of variables; 0 when it is not there.
size_t count_vars(const H5Reader& file, const std::string& group) {
  return file.exists(group) ? file.children(group).size() : 0;
}

using Staged = std::vector<std::pair<Variable, Tensor>>;

// Reads the variables of one object, or says why not.
std::string stage(const H5Reader& file, const std::string& path, const std::vector<Variable>& vars, Staged& staged) {
  const std::string group = join(path, "vars");
  const size_t found = count_vars(file, group);
  if (found != vars.size()) return fmt::format("expected {} variables in '/{}', found {}", vars.size(), group, found);
  Staged mine;
  for (size_t i = 0; i < vars.size(); ++i) {
    const std::string place = fmt::format("{}/{}", group, i);
    if (!file.is_dataset(place)) return fmt::format("'/{}' is missing", place);
    const H5Info info = file.info(place);
    if (info.shape != vars[i].shape())
      return fmt::format("variable '{}' has shape {}, '/{}' has {}", vars[i].name(), vars[i].shape().str(), place,
                         info.shape.str());
    Tensor value = Tensor::empty(vars[i].shape(), vars[i].dtype());
    file.read(place, value.data(), vars[i].dtype(), vars[i].shape());
    mine.emplace_back(vars[i], std::move(value));
  }
  staged.insert(staged.end(), mine.begin(), mine.end());
  return {};
}

void stage_optimizer(const H5Reader& file, Model& model, Staged& staged) {
  const auto& optimizer = model.optimizer();
  if (!optimizer || !file.exists("optimizer/vars")) return;
  if (!optimizer->built()) optimizer->build(model.trainable_variables());
  std::vector<Variable> variables = optimizer->variables();
  // A model that was compiled and never trained has no slots in its file.
  const size_t found = count_vars(file, "optimizer/vars");
  const size_t bare = optimizer->options().learning_rate.is_schedule() ? 1 : 2;
  if (found == bare) variables.resize(std::min(variables.size(), bare));
  const std::string problem = stage(file, "optimizer", variables, staged);
  if (!problem.empty())
    warn_once(fmt::format(
        "{}: the optimizer's state does not fit and is left out, so training begins with a fresh optimizer: {}",
        file.name(), problem));
}

}  // namespace

std::vector<WeightEntry> weight_entries(Layer& root) {
  Walk walk;
  walk.visit(root, "");
  return std::move(walk.entries);
}

void write_weights(H5Writer& file, Model& model) {
  std::set<Layer*> written;
  for (const WeightEntry& entry : weight_entries(model))
    if (written.insert(entry.layer).second)
      write_vars(file, entry.path, entry.layer->name(), entry.layer->own_weights());
  if (model.optimizer())
    write_vars(file, "optimizer", model.optimizer()->name(), model.optimizer()->variables());
}

void read_weights(const H5Reader& file, Model& model) {
  if (file.exists("model_weights") || file.has_attribute("", "layer_names") || file.has_attribute("", "layer_names0"))
    throw FileError(fmt::format("{}: the file has the layout of Keras 2, which is not read. Load it in Keras 3 and save "
                                "it as \".keras\" or \".weights.h5\".",
                                file.name()));
  Staged staged;
  std::map<Layer*, std::string> failed;
  std::set<Layer*> done;
  std::vector<Layer*> order;
  for (const WeightEntry& entry : weight_entries(model)) {
    if (done.count(entry.layer)) continue;
    const std::string problem = stage(file, entry.path, entry.layer->own_weights(), staged);
    if (problem.empty()) {
      done.insert(entry.layer);
      failed.erase(entry.layer);
    } else if (failed.emplace(entry.layer, problem).second) {
      order.push_back(entry.layer);
    }
  }
  if (!failed.empty()) {
    std::string text = fmt::format("{}: the weights of {} of the model's layers do not fit:", file.name(), failed.size());
    for (Layer* layer : order)
      if (failed.count(layer)) text += fmt::format("\n  layer '{}': {}", layer->name(), failed[layer]);
    throw FileError(text);
  }
  stage_optimizer(file, model, staged);
  for (auto& [variable, value] : staged) variable.assign(value);
}

}  // namespace cornu::saving
