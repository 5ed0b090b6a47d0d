// Options of compile as objects, and as files keep them.
#include "arguments.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "../config/quoted_names.h"

namespace cornu {

Verbose VerboseOption::of_number(int64_t number) {
  if (number < 0 || number > 2)
    throw ValueError(fmt::format(
        "verbose must be 0 (silent), 1 (a bar), 2 (a line for each epoch) or \"auto\", found {}.",
        number));
  return static_cast<Verbose>(number);
}

VerboseOption::VerboseOption(const char* text) : verbose_(Verbose::automatic) {
  if (std::string_view(text) != "auto")
    throw ValueError(fmt::format("verbose must be \"auto\" or a number, found \"{}\".", text));
}

bool ValidationFreq::due(int64_t epoch) const {
  if (!epochs_) return (epoch + 1) % every_ == 0;
  return std::ranges::find(*epochs_, epoch + 1) != epochs_->end();
}

namespace {

bool is_object(const Value& v) {
  return v.is<Value::Dict>() && detail::find(v.get<Value::Dict>(), "class_name") &&
         detail::find(v.get<Value::Dict>(), "config");
}

template <class Option>
Value encode_list(const std::vector<Option>& list) {
  Value::List result;
  for (const Option& o : list) result.push_back(o.value());
  return result;
}

template <class Option>
Value encode_dict(const std::vector<std::pair<std::string, Option>>& dict) {
  Value::Dict result;
  for (const auto& [name, o] : dict) result.emplace_back(name, o.value());
  return result;
}

template <class Option, class Base>
Option decode(const Value& v, const char* what) {
  if (v.is_null()) return {};
  if (v.is<std::string>()) return v.get<std::string>();
  // A function of Keras's or a registered one.
  if (const std::string* name = detail::function_name(v)) return *name;
  if (is_object(v)) {
    auto object = std::dynamic_pointer_cast<Base>(deserialize(v));
    if (!object)
      throw ValueError(fmt::format("compile_config: {} is no object of that kind.", what));
    return Option(std::move(object));
  }
  if (v.is<Value::List>()) {
    std::vector<Option> list;
    for (const Value& e : v.get<Value::List>()) list.push_back(decode<Option, Base>(e, what));
    return Option(std::move(list));
  }
  if (v.is<Value::Dict>()) {
    std::vector<std::pair<std::string, Option>> dict;
    for (const auto& [name, e] : v.get<Value::Dict>())
      dict.emplace_back(name, decode<Option, Base>(e, what));
    return Option(std::move(dict));
  }
  throw ValueError(fmt::format("compile_config: {} cannot be {}.", what, v.kind()));
}

}  // namespace

namespace {

template <class Option>
bool is_pair(const Option& option) {
  return option.list().size() == 2 && !option.list()[0].name().empty();
}

template <class Option>
typename Option::Dict as_dict(const std::vector<Option>& pairs) {
  typename Option::Dict dict;
  for (const Option& pair : pairs) dict.emplace_back(pair.list()[0].name(), pair.list()[1]);
  return dict;
}

}  // namespace

const char* detail::fitting_kind(const std::string& name) {
  std::string low = name;
  std::ranges::transform(low, low.begin(), [](unsigned char c) { return std::tolower(c); });
  if (low == "accuracy" || low == "acc") return "Accuracy";
  return low == "crossentropy" || low == "ce" ? "Crossentropy" : nullptr;
}

std::string detail::fitting_class(const char* kind, const Tensor& y, const Tensor& y_pred) {
  const int64_t last = y_pred.rank() > 0 ? y_pred.shape().back() : 1;
  // Keras's rule: one output is a probability; fewer axes in y, or a last axis of 1, are class
  // numbers.
  const bool binary = last == 1;
  const bool sparse =
      y.rank() < y_pred.rank() || (y.rank() > 0 && y.shape().back() == 1 && last > 1);
  return std::string(binary ? "Binary" : sparse ? "SparseCategorical" : "Categorical") + kind;
}

LossOption::LossOption(std::initializer_list<LossOption> list) {
  // An output has one loss, so that a list of two within the list is a name and its loss.
  if (list.size() > 0 && std::all_of(list.begin(), list.end(), is_pair<LossOption>))
    dict_ = as_dict<LossOption>(list);
  else
    list_ = list;
}

std::shared_ptr<Loss> LossOption::make() const {
  if (loss_) return loss_;
  if (function_) return std::make_shared<FunctionLoss>(function_);
  if (const char* kind = detail::fitting_kind(name_); kind && kind[0] == 'C')
    return std::make_shared<FunctionLoss>(
        [kind](const Tensor& y, const Tensor& y_pred) {
          const auto loss = make_by_name(Loss::module, detail::fitting_class(kind, y, y_pred));
          return dynamic_cast<Loss&>(*loss).call(y, y_pred);
        },
        name_);
  auto loss = std::dynamic_pointer_cast<Loss>(make_by_name(Loss::module, name_));
  if (!loss) throw ValueError(fmt::format("'{}' is not a loss.", name_));
  return loss;
}

Value LossOption::value() const {
  if (loss_) return serialize(*loss_);
  if (function_) detail::throw_nameless(Loss::module);
  if (name_.find('>') != std::string::npos) return serialize(*make());
  if (!name_.empty()) return name_;
  if (!list_.empty()) return encode_list(list_);
  if (!dict_.empty()) return encode_dict(dict_);
  return {};
}

LossOption LossOption::from_value(const Value& v) { return decode<LossOption, Loss>(v, "loss"); }

MetricOption::MetricOption(std::initializer_list<MetricOption> list) {
  // A name beside a list can only be that of an output.
  const auto is_entry = [](const MetricOption& o) { return is_pair(o) && o.list()[1].is_list(); };
  const auto is_one = [](const MetricOption& o) { return is_pair(o); };
  if (std::any_of(list.begin(), list.end(), is_entry) &&
      std::all_of(list.begin(), list.end(), is_one)) {
    dict_ = as_dict<MetricOption>(list);
  } else {
    list_ = list;
    is_list_ = true;
  }
}

namespace {

// A name of Keras's or of one's own, which has its package in front.
bool names_metric(const std::string& name) {
  return detail::fitting_kind(name) || name.find('>') != std::string::npos ||
         catalog().find_by_name(Metric::module, name);
}

}  // namespace

MetricOption MetricOption::by_name(const std::vector<std::string>& output_names) const {
  const auto is_one = [](const MetricOption& o) { return is_pair(o); };
  if (list_.empty() || !std::all_of(list_.begin(), list_.end(), is_one)) return *this;
  const auto names_output = [&](const MetricOption& o) {
    return std::ranges::find(output_names, o.list()[0].name()) != output_names.end();
  };
  // The keys of a model that returns a dictionary show with its first batch, so that what names no
  // metric can only be one of them.
  const auto is_metric = [](const MetricOption& o) { return names_metric(o.list()[0].name()); };
  if (std::all_of(list_.begin(), list_.end(), names_output) ||
      std::none_of(list_.begin(), list_.end(), is_metric))
    return MetricOption(as_dict(list_));
  return *this;
}

std::shared_ptr<Metric> MetricOption::make() const {
  if (metric_) return metric_;
  auto metric = std::dynamic_pointer_cast<Metric>(make_by_name(Metric::module, name_));
  if (!metric) throw ValueError(fmt::format("'{}' is not a metric.", name_));
  return metric;
}

Value MetricOption::value() const {
  if (metric_) return serialize(*metric_);
  if (function_) detail::throw_nameless(Metric::module);
  // By its name Keras finds what it lists alone: no function of one's own, and no loss.
  if (!name_.empty() && (name_.find('>') != std::string::npos || !names_metric(name_)))
    return serialize(*make());
  if (!name_.empty()) return name_;
  if (is_list_) return encode_list(list_);
  if (!dict_.empty()) return encode_dict(dict_);
  return {};
}

MetricOption MetricOption::from_value(const Value& v) {
  return decode<MetricOption, Metric>(v, "metrics");
}

const std::vector<double>& History::operator[](const std::string& name) const {
  const auto found = history.find(name);
  if (found != history.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [key, values] : history) known.push_back(key);
  throw ValueError(fmt::format(
      "History has no '{}'.{}{}", name, did_you_mean(name, known),
      known.empty() ? " It is empty." : " It has " + detail::quoted_names(known) + "."));
}

// Without `validated` they follow from the number of the figures.
std::vector<int64_t> History::epochs(const std::string& name) const {
  const size_t count = (*this)[name].size();
  if (count >= epoch.size()) return epoch;
  if (name.starts_with("val_") && count == validated.size()) return validated;
  for (int64_t every = 2; every <= (epoch.empty() ? 0 : epoch.back() + 1); ++every) {
    std::vector<int64_t> found;
    for (const int64_t e : epoch)
      if ((e + 1) % every == 0) found.push_back(e);
    if (found.size() == count) return found;
  }
  // Of a callback that adds a figure now and then, say.
  return {epoch.end() - static_cast<ptrdiff_t>(count), epoch.end()};
}

}  // namespace cornu
