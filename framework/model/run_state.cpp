// A run's state as a value, and back.
#include "run_state.h"

#include <fmt/core.h>

#include "../config/state_file.h"

namespace cornu {
namespace {

constexpr int64_t format = 1;

Value value_of(const History& history) {
  Value::Dict figures, arrays;
  for (const auto& [name, values] : history.history) figures.emplace_back(name, values);
  for (const auto& [name, values] : history.arrays) arrays.emplace_back(name, values);
  return Value::Dict{{"epoch", history.epoch}, {"history", figures}, {"arrays", arrays}};
}

// The entries of a state file, each of which must be there and of its kind.
class Entries {
 public:
  Entries(const Value& value, const std::string& source) : source_(source) {
    if (!value.is<Value::Dict>()) damaged("its entries");
    dict_ = &value.get<Value::Dict>();
  }

  const Value& at(const char* key) const {
    for (const auto& [name, value] : *dict_)
      if (name == key) return value;
    damaged(key);
  }
  template <class T>
  const T& get(const char* key) const {
    if (!at(key).template is<T>()) damaged(key);
    return at(key).template get<T>();
  }
  template <class T>
  std::vector<T> list(const char* key) const {
    std::vector<T> result;
    for (const Value& value : get<Value::List>(key)) result.push_back(element<T>(value, key));
    return result;
  }
  template <class T>
  T element(const Value& value, const char* key) const {
    if constexpr (std::is_same_v<T, double>)
      if (value.is_number()) return value.number();
    if (!value.template is<T>()) damaged(key);
    return value.template get<T>();
  }
  // A dictionary of lists.
  template <class T>
  std::map<std::string, std::vector<T>> lists(const char* key) const {
    std::map<std::string, std::vector<T>> result;
    for (const auto& [name, values] : get<Value::Dict>(key)) {
      if (!values.template is<Value::List>()) damaged(key);
      for (const Value& value : values.template get<Value::List>())
        result[name].push_back(element<T>(value, key));
    }
    return result;
  }
  const Value::Dict& dict() const { return *dict_; }

  [[noreturn]] void damaged(const std::string& what) const {
    throw FileError(
        fmt::format("'{}' is not a backup of a training run: '{}' is missing or of another kind.",
                    source_, what));
  }

 private:
  const Value::Dict* dict_ = nullptr;
  const std::string& source_;
};

}  // namespace

void write_run_state(const std::filesystem::path& path, const RunState& state) {
  Value::List callbacks;
  for (const auto& [name, own] : state.callbacks)
    callbacks.push_back(Value::Dict{{"name", name}, {"state", own}});
  write_state(path, Value::Dict{{"format", format},
                                {"epoch", state.epoch},
                                {"step", state.step},
                                {"steps", state.steps},
                                {"within", state.within},
                                {"finished", state.finished},
                                {"stopped", state.stopped},
                                {"pass_open", state.pass_open},
                                {"pass_epoch", state.pass_epoch},
                                {"position", state.position},
                                {"data", state.data},
                                {"history", value_of(state.history)},
                                {"figures", state.figures},
                                {"names", state.names},
                                {"variables", state.variables},
                                {"callbacks", callbacks}});
}

RunState read_run_state(const std::filesystem::path& path) {
  const Value value = read_state(path);
  const std::string source = path.string();
  const Entries entries(value, source);
  if (entries.get<int64_t>("format") != format)
    throw FileError(fmt::format("'{}' has the format {}, this version of Cornu reads {}.", source,
                                entries.get<int64_t>("format"), format));
  RunState state;
  state.epoch = entries.get<int64_t>("epoch");
  state.step = entries.get<int64_t>("step");
  state.steps = entries.get<int64_t>("steps");
  state.within = entries.get<bool>("within");
  state.finished = entries.get<bool>("finished");
  state.stopped = entries.get<bool>("stopped");
  state.pass_open = entries.get<bool>("pass_open");
  state.pass_epoch = entries.get<int64_t>("pass_epoch");
  state.position = entries.get<int64_t>("position");
  state.data = entries.get<Value::Dict>("data");
  state.figures = entries.get<Value::Dict>("figures");
  const Entries history(entries.at("history"), source);
  state.history.epoch = history.list<int64_t>("epoch");
  state.history.history = history.lists<double>("history");
  state.history.arrays = history.lists<Tensor>("arrays");
  state.names = entries.list<std::string>("names");
  state.variables = entries.list<Tensor>("variables");
  if (state.names.size() != state.variables.size()) entries.damaged("names");
  for (const Value& one : entries.get<Value::List>("callbacks")) {
    const Entries callback(one, source);
    state.callbacks.emplace_back(callback.get<std::string>("name"),
                                 callback.get<Value::Dict>("state"));
  }
  return state;
}

}  // namespace cornu
