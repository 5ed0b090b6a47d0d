// Moving a model's variables to and from the tree of weights.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "../../backend/log.h"
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

// What is to be done once the whole file has been found to fit.
struct Plan {
  std::vector<Transfer> transfers;                    // arrays into variables, unread so far
  std::vector<std::pair<Variable, Tensor>> assigned;  // what objects assigned themselves
  std::vector<std::function<void()>> then;

  void carry_out(bool fresh) const {
    transfer(transfers, fresh);
    for (const auto& [variable, value] : assigned) variable.assign(value);
    for (const auto& f : then) f();
  }
};

// The arrays of one object in a file. Variables that they are assigned to get them by the plan.
class PlannedStore : public VariableStore {
 public:
  /// Which variables an object's own are in the file, where others than it says.
  using Choose = std::function<std::vector<Variable>(std::vector<Variable>)>;
  PlannedStore(const WeightTree& file, const std::string& path, Plan& plan, Choose choose = {})
      : file_(file), path_(path), found_(file.variables(path)), plan_(plan), choose_(choose) {}

  std::vector<std::string> keys() const override {
    std::vector<std::string> names;
    for (const auto& [name, place] : found_) names.push_back(name);
    return names;
  }
  Tensor get(const std::string& name) const override {
    const auto place = found_.find(name);
    if (place == found_.end())
      throw FileError(fmt::format("'/{}/{}' is missing.{}", join(path_, "vars"), name,
                                  did_you_mean(name, keys())));
    if (!place->second.file->is_dataset(place->second.path))
      throw FileError(fmt::format("'/{}' is not a dataset", place->second.path));
    return read_array(place->second);
  }
  void assign_to(const std::vector<Variable>& variables,
                 const std::function<void()>& then) const override {
    const std::string problem =
        plan(file_, path_, choose_ ? choose_(variables) : variables, plan_.transfers);
    if (!problem.empty()) throw FileError(problem);
    if (then) plan_.then.push_back(then);
  }

 private:
  const WeightTree& file_;
  const std::string path_;
  std::map<std::string, Place> found_;
  Plan& plan_;
  Choose choose_;
};

// Notes what is assigned to variables while it lives, and takes it back at its end.
struct Assignments {
  Assignments() : outer(std::exchange(graph_context().assignments, &list)) {}
  ~Assignments() {
    graph_context().assignments = outer;
    for (const auto& [variable, old] : list) variable.stored() = old;
  }
  Assignments(const Assignments&) = delete;

  AssignmentList list;
  AssignmentList* outer;
};

// Lets an object take its arrays; what it assigns goes into the plan. Why it cannot, or "".
std::string take(Saveable& object, const PlannedStore& store, Plan& plan) {
  const size_t transfers = plan.transfers.size(), then = plan.then.size();
  Assignments assigned;
  try {
    object.load_own_variables(store);
  } catch (const Error& e) {
    plan.transfers.resize(transfers);
    plan.then.resize(then);
    return e.what();
  }
  for (const auto& [variable, old] : assigned.list)
    plan.assigned.emplace_back(variable, variable.stored());
  return {};
}

VariableStore stored(const Saveable& object) {
  VariableStore store;
  object.save_own_variables(store);
  return store;
}

void warn_of_optimizer(const std::string& file, const std::string& problem) {
  warn_once(
      fmt::format("{}: the optimizer's state does not fit and is left out, so training begins with "
                  "a fresh optimizer: {}",
                  file, problem));
}

// The optimizer's variables that the file holds: all of them, those of an optimizer that was never
// used, or (Keras 2) those without the learning rate. Builds the optimizer where it must, if it is
// said for which variables.
std::vector<Variable> optimizer_variables(Optimizer& optimizer, const Model* trained,
                                          size_t found) {
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
  if (!optimizer.built() && trained) {
    optimizer.build(trained->trainable_variables());
    variables = optimizer.variables();
  }
  if (found + 1 == variables.size() && unused == 2) variables.erase(variables.begin() + 1);
  return variables;
}

// `trained` is the model whose variables it trains, if it is that of compile.
void read_optimizer(const WeightTree& file, const std::string& path, Optimizer& optimizer,
                    const Model* trained) {
  const size_t found = file.variables(path).size();
  if (found == 0) return;
  Plan plan;
  const PlannedStore store(file, path, plan, [&](std::vector<Variable> variables) {
    const bool all = variables.size() == optimizer.variables().size();
    return all ? optimizer_variables(optimizer, trained, found) : variables;
  });
  std::string problem = take(optimizer, store, plan);
  if (problem.empty()) return plan.carry_out(true);
  if (!trained && !optimizer.built())
    problem += fmt::format(
        ". Optimizer '{}' is not built: build it for its variables before weights are loaded",
        optimizer.name());
  warn_of_optimizer(file.name(), problem);
}

void read_metric(const WeightTree& file, const std::string& path, Metric& metric) {
  if (file.variables(path).empty()) return;
  Plan plan;
  const std::string problem = take(metric, PlannedStore(file, path, plan), plan);
  if (problem.empty()) return plan.carry_out(true);
  warn_once(fmt::format("{}: the state of metric '{}' does not fit and is left out: {}",
                        file.name(), metric.name(), problem));
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
  for (const StateEntry& entry : state_entries(model))
    for (const Variable& v :
         entry.optimizer ? entry.optimizer->variables() : entry.metric->variables())
      bytes += 1024 + v.value().bytes();
  return bytes;
}

void for_each_kept(Model& model, const KeptVisitor& visit) {
  std::set<Layer*> seen;
  for (const WeightEntry& entry : weight_entries(model))
    if (seen.insert(entry.layer).second)
      visit(entry.path, entry.layer->name(), stored(*entry.layer), entry.layer->own_weights());
  bool tracked = false;
  for (const StateEntry& entry : state_entries(model)) {
    tracked |= entry.optimizer && entry.optimizer == model.optimizer().get();
    if (entry.optimizer)
      visit(entry.path, entry.optimizer->name(), stored(*entry.optimizer),
            entry.optimizer->variables());
    // Keras's metrics keep nothing, and their groups are not made.
    const VariableStore kept = entry.metric ? stored(*entry.metric) : VariableStore();
    if (kept.size() > 0) visit(entry.path, entry.metric->name(), kept, entry.metric->variables());
  }
  // One that a member holds too is in the file once, as in Keras.
  if (model.optimizer() && !tracked)
    visit("optimizer", model.optimizer()->name(), stored(*model.optimizer()),
          model.optimizer()->variables());
}

void write_weights(WeightSink& file, Model& model) {
  for_each_kept(model,
                [&](const std::string& path, const std::string& name, const VariableStore& store,
                    const std::vector<Variable>&) { file.write(path, name, store); });
}

void read_weights(const WeightTree& file, Model& model, const ReadOptions& options) {
  Plan plan;
  std::map<Layer*, std::string> failed;
  std::set<Layer*> done;
  std::vector<Layer*> order;
  for (const WeightEntry& entry : weight_entries(model)) {
    if (done.count(entry.layer)) continue;
    const std::string problem = take(*entry.layer, PlannedStore(file, entry.path, plan), plan);
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
  plan.carry_out(options.fresh);
  for (const StateEntry& entry : state_entries(model)) {
    if (entry.metric) read_metric(file, entry.path, *entry.metric);
    if (entry.optimizer && options.optimizer)
      read_optimizer(file, entry.path, *entry.optimizer, nullptr);
  }
  if (options.optimizer && model.optimizer())
    read_optimizer(file, "optimizer", *model.optimizer(), &model);
}

namespace {

// Calls f(object, "assets/its place in the tree of weights/") for each that may have files.
template <class F>
void for_each_object(Model& model, F&& f) {
  const auto folder = [](const std::string& path) {
    return "assets/" + (path.empty() ? "" : path + "/");
  };
  std::set<Layer*> done;
  for (const WeightEntry& entry : weight_entries(model))
    if (done.insert(entry.layer).second) f(*entry.layer, folder(entry.path));
  for (const StateEntry& entry : state_entries(model)) {
    if (entry.optimizer) f(*entry.optimizer, folder(entry.path));
    if (entry.metric) f(*entry.metric, folder(entry.path));
  }
}

// Names of files lead nowhere else.
void check_asset_name(const std::string& name) {
  const std::filesystem::path path(name);
  const bool leads_away = std::any_of(path.begin(), path.end(), [](const auto& step) {
    return step.empty() || step == "." || step == "..";
  });
  if (name.empty() || path.is_absolute() || leads_away)
    throw ValueError(
        fmt::format("save_assets: '{}' is no name of a file in the object's folder, such as "
                    "\"vocabulary.txt\".",
                    name));
}

}  // namespace

std::vector<std::pair<std::string, std::string>> assets_of(Model& model) {
  std::vector<std::pair<std::string, std::string>> result;
  for_each_object(model, [&](const Saveable& object, const std::string& folder) {
    AssetStore store;
    object.save_assets(store);
    for (const auto& [name, content] : store.files()) {
      check_asset_name(name);
      result.emplace_back(folder + name, content);
    }
  });
  return result;
}

void read_assets(Model& model,
                 const std::function<std::optional<std::string>(const std::string&)>& read) {
  for_each_object(model, [&](Saveable& object, const std::string& folder) {
    object.load_assets(AssetStore([&](const std::string& name) { return read(folder + name); }));
  });
}

}  // namespace cornu::saving
