// Listing ops, decoding their arguments, and calling them from graphs.
#include "catalog.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

namespace cornu {

InlineVector<int, 6> Axes::resolve(int rank) const {
  InlineVector<int, 6> result;
  if (all_) {
    for (int i = 0; i < rank; ++i) result.push_back(i);
    return result;
  }
  for (int axis : axes_) result.push_back(normalize_axis(axis, rank));
  std::sort(result.begin(), result.end());
  for (size_t i = 1; i < result.size(); ++i)
    if (result[i] == result[i - 1])
      throw ShapeError(fmt::format("axis: {} is given twice", result[i]));
  return result;
}

Value Axes::value() const {
  if (all_) return {};
  if (single_) return axes_[0];
  return Value::List(axes_.begin(), axes_.end());
}

namespace detail {
Axes FromValue<Axes>::get(const Value& v) {
  if (v.is_null()) return {};
  if (v.is<int64_t>()) return Axes(v.get<int64_t>());
  return Axes(from_value<std::vector<int64_t>>(v));
}

Nest make_op_node(FunctionKey key, std::vector<Value> values,
                  const std::function<Nest(const std::vector<Value>&)>& run) {
  const OpInfo* info = op_catalog().find(key);
  if (!info)
    throw StateError(
        "An op that is not in the catalog cannot be part of a graph. If the program was linked "
        "with "
        "a selection (cornu_select_catalog), add the file of the op to it.");
  Arguments arguments;
  Value::Dict config;
  std::vector<int> place(values.size(), -1);  // of a tensor among the arguments
  for (size_t i = 0; i < values.size(); ++i) {
    if (!info->is_tensor[i]) {
      config.emplace_back(info->parameters[i], values[i]);
      continue;
    }
    place[i] = static_cast<int>(arguments.positional.size());
    if (static_cast<int>(i) == info->rest)
      for (const Value& v : values[i].get<Value::List>()) arguments.positional.push_back(v);
    else
      arguments.positional.push_back(values[i]);
  }
  const Nest outputs = infer_outputs(arguments, [&](const Arguments& stand_ins) {
    std::vector<Value> all = values;
    for (size_t i = 0; i < all.size(); ++i) {
      if (place[i] < 0) continue;
      const auto at = stand_ins.positional.begin() + place[i];
      if (static_cast<int>(i) == info->rest)
        all[i] = Value::List(at, at + static_cast<int>(values[i].get<Value::List>().size()));
      else
        all[i] = *at;
    }
    return run(all);
  });
  return make_node(std::make_shared<OpOperation>(*info, std::move(config)), std::move(arguments),
                   outputs);
}

}  // namespace detail

namespace {

// The literal after '=' in a parameter's text, in Python's spelling.
Value literal(const std::string& text) {
  if (text == "None") return {};
  if (text == "True") return true;
  if (text == "False") return false;
  if (text.front() == '\'') return text.substr(1, text.size() - 2);
  if (text.front() == '(') {  // two numbers
    const size_t comma = text.find(',');
    return Value::List{literal(text.substr(1, comma - 1)),
                       literal(text.substr(comma + 1, text.size() - comma - 2))};
  }
  if (text.find_first_of(".e") != std::string::npos) return std::stod(text);
  return static_cast<int64_t>(std::stoll(text));
}

}  // namespace

void OpCatalog::insert(detail::FunctionKey key, const char* keras_name,
                       std::initializer_list<const char*> parameters, std::vector<bool> is_tensor,
                       std::function<Nest(const std::vector<Value>&)> call) {
  OpInfo info;
  const std::string full = keras_name;
  const size_t dot = full.rfind('.');
  info.module = "keras.src.ops." + full.substr(0, dot);
  info.class_name = full.substr(dot + 1);
  for (std::string parameter : parameters) {
    const int i = static_cast<int>(info.parameters.size());
    const size_t stars = parameter.find_first_not_of('*');
    if (stars == 1) info.rest = i;
    if (stars == 2) info.named_rest = i;
    parameter = parameter.substr(stars);
    const size_t equals = parameter.find('=');
    info.parameters.push_back(parameter.substr(0, equals));
    if (equals != std::string::npos)
      info.defaults.push_back(literal(parameter.substr(equals + 1)));
    else if (stars > 0)
      info.defaults.push_back(stars == 1 ? Value(Value::List()) : Value(Value::Dict()));
    else
      info.defaults.emplace_back();
  }
  if (info.parameters.size() != is_tensor.size())
    throw ValueError(fmt::format("Op {}: {} parameters are named, the function has {}.", keras_name,
                                 info.parameters.size(), is_tensor.size()));
  info.is_tensor = std::move(is_tensor);
  info.call = std::move(call);
  ops_.push_back(std::move(info));
  OpInfo& listed = ops_.back();
  by_function_.emplace(key, &listed);
  const auto [first, is_new] = by_name_.emplace(listed.module + "." + listed.class_name, &listed);
  if (is_new) return;
  OpInfo* last = first->second;
  while (last->overload) last = const_cast<OpInfo*>(last->overload);
  last->overload = &listed;
}

const OpInfo* OpCatalog::find(detail::FunctionKey key) const {
  const auto found = by_function_.find(key);
  return found == by_function_.end() ? nullptr : found->second;
}

const OpInfo* OpCatalog::find(const std::string& module, const std::string& class_name) const {
  const auto found = by_name_.find(module + "." + class_name);
  return found == by_name_.end() ? nullptr : found->second;
}

std::vector<std::string> OpCatalog::names() const {
  std::vector<std::string> result;
  for (const OpInfo& info : ops_) result.push_back(info.class_name);
  return result;
}

const OpCatalog& op_catalog() {
  static const OpCatalog* catalog = [] {
    auto* c = new OpCatalog;
    list_builtin_ops(*c);
    return c;
  }();
  return *catalog;
}

OpOperation::OpOperation(const OpInfo& info, Value::Dict config)
    : info_(info), config_(std::move(config)), name_(base_name()) {}

std::string OpOperation::base_name() const { return to_snake_case(info_.class_name); }

Nest OpOperation::invoke(const Arguments& arguments) { return call_op(info_, arguments, config_); }

namespace {

// A value for each parameter, from arguments by place and by name.
class Binding {
 public:
  explicit Binding(const OpInfo& op)
      : op_(op), values_(op.parameters.size()), given_(op.parameters.size()) {}

  /// False where there are too many arguments by place, or one by name that the op has not.
  bool add(const Arguments& arguments, const Value::Dict& settings) {
    bool fits = true;
    for (const auto* named : {&arguments.named, &settings})
      for (const auto& [name, v] : *named)
        if (!set(name, v) && named == &arguments.named) fits &= set_rest(name, v);
    size_t next = 0;
    for (const Value& v : arguments.positional) {
      while (next < values_.size() && given_[next]) ++next;
      if (next >= values_.size()) {
        if (v.is_null()) continue;  // says nothing, as of a parameter that only an overload has
        return false;
      }
      if (static_cast<int>(next) == op_.rest) {
        rest_.push_back(v);
        continue;
      }
      values_[next] = v;
      given_[next++] = true;
    }
    if (!rest_.empty()) {
      values_[static_cast<size_t>(op_.rest)] = std::move(rest_);
      given_[static_cast<size_t>(op_.rest)] = true;
    }
    return fits;
  }

  /// Fills in the defaults. What is wrong, or "".
  std::string finish() {
    for (size_t i = 0; i < values_.size(); ++i) {
      if (given_[i] && op_.is_tensor[i] && !op_.defaults[i] && values_[i].is_null())
        return fmt::format("argument '{}' is None; expected a tensor.", op_.parameters[i]);
      if (given_[i]) continue;
      if (!op_.defaults[i]) return fmt::format("argument '{}' is missing.", op_.parameters[i]);
      values_[i] = *op_.defaults[i];
    }
    return "";
  }

  const std::vector<Value>& values() const { return values_; }

 private:
  bool set(const std::string& name, const Value& v) {
    const auto at = std::find(op_.parameters.begin(), op_.parameters.end(), name);
    if (at == op_.parameters.end()) return false;
    const auto i = static_cast<size_t>(at - op_.parameters.begin());
    if (!given_[i]) values_[i] = v;
    given_[i] = true;
    return true;
  }

  bool set_rest(const std::string& name, const Value& v) {
    if (op_.named_rest < 0) return v.is_null();
    const auto i = static_cast<size_t>(op_.named_rest);
    Value::Dict further = given_[i] ? values_[i].get<Value::Dict>() : Value::Dict();
    further.emplace_back(name, v);
    values_[i] = std::move(further);
    given_[i] = true;
    return true;
  }

  const OpInfo& op_;
  std::vector<Value> values_;
  std::vector<bool> given_;
  Value::List rest_;
};

}  // namespace

Nest call_op(const OpInfo& op, const Arguments& arguments, const Value::Dict& settings) {
  std::string wrong;
  for (const OpInfo* info = &op; info; info = info->overload) {
    Binding binding(*info);
    const bool fits = binding.add(arguments, settings);
    const std::string problem =
        fits ? binding.finish()
             : fmt::format("does not take the {} arguments by place and {} by name that are given.",
                           arguments.positional.size(), arguments.named.size());
    if (problem.empty()) return info->call(binding.values());
    if (wrong.empty()) wrong = problem;
  }
  throw ValueError(fmt::format("Op {}: {}", op.class_name, wrong));
}

std::string to_snake_case(const std::string& class_name) {
  // Keras: "_" before a capital that lower case follows, then "_" between lower case (or a digit)
  // and a capital.
  std::string first;
  for (char c : class_name)
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') first += c;
  std::string second;
  for (size_t i = 0; i < first.size(); ++i) {
    const bool upper = std::isupper(static_cast<unsigned char>(first[i]));
    const bool next_lower =
        i + 1 < first.size() && std::islower(static_cast<unsigned char>(first[i + 1]));
    if (i > 0 && upper && next_lower) second += '_';
    second += first[i];
  }
  std::string result;
  for (size_t i = 0; i < second.size(); ++i) {
    if (i > 0 && std::isupper(static_cast<unsigned char>(second[i])) &&
        std::islower(static_cast<unsigned char>(second[i - 1])))
      result += '_';
    result += static_cast<char>(std::tolower(static_cast<unsigned char>(second[i])));
  }
  return result;
}

}  // namespace cornu
