// Numbers, times and lists as people read them.
#include "facts.h"

#include <cornu/framework/config/configurable.h>
#include <fmt/core.h>

#include <cmath>

namespace cornu::cli {
namespace {

std::string simple_text(const Value& v) {
  if (v.is<std::string>()) return v.get<std::string>();
  if (v.is<bool>()) return v.get<bool>() ? "yes" : "no";
  if (v.is<int64_t>()) return std::to_string(v.get<int64_t>());
  if (v.is<double>()) return fmt::format("{:.6g}", v.get<double>());
  return "";
}

std::string list_text(const Value::List& list) {
  std::string text;
  for (const Value& v : list) {
    const std::string entry =
        v.is<Value::List>() ? "[" + list_text(v.get<Value::List>()) + "]" : simple_text(v);
    text += (text.empty() ? "" : ", ") + entry;
  }
  return text;
}

void flatten(const Value::Dict& facts, const std::string& path,
             std::vector<std::pair<std::string, std::string>>& out) {
  for (const auto& [key, value] : facts) {
    if (path.empty() && key == "warnings") continue;
    if (value.is<Value::Dict>())
      flatten(value.get<Value::Dict>(), path + key + ".", out);
    else if (value.is<Value::List>())
      out.emplace_back(path + key, list_text(value.get<Value::List>()));
    else if (key == "seconds" && value.is_number())
      out.emplace_back(path + "time", duration_text(value.number()));
    else
      out.emplace_back(path + key, simple_text(value));
  }
}

}  // namespace

std::vector<std::pair<std::string, std::string>> flat_facts(const Value::Dict& facts) {
  std::vector<std::pair<std::string, std::string>> result;
  flatten(facts, "", result);
  return result;
}

std::vector<std::string> warnings_among(const Value::Dict& facts) {
  std::vector<std::string> result;
  if (const Value* list = detail::find(facts, "warnings"); list && list->is<Value::List>())
    for (const Value& v : list->get<Value::List>()) result.push_back(simple_text(v));
  // What the data say that the training waited for.
  if (const Value* advice = detail::find(facts, "advice");
      advice && advice->is<std::string>() && !advice->get<std::string>().empty())
    result.push_back(advice->get<std::string>());
  const Value* interrupted = detail::find(facts, "interrupted");
  if (interrupted && interrupted->is<bool>() && interrupted->get<bool>())
    result.push_back("the training was interrupted before its last epoch.");
  return result;
}

std::string seconds_among(const Value::Dict& facts) {
  const Value* seconds = detail::find(facts, "seconds");
  return seconds && seconds->is_number() ? duration_text(seconds->number()) : "";
}

std::string duration_text(double seconds) {
  if (!(seconds >= 0) || seconds > 1e12) return fmt::format("{} s", seconds);
  if (seconds < 10) return fmt::format("{:.2g} s", seconds);
  const auto whole = static_cast<int64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

std::string grouped(int64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

}  // namespace cornu::cli
