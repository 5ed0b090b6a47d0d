// JSON: nlohmann parses and escapes; numbers are written as Python does.
#include "json.h"

#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "../../backend/error.h"

namespace cornu {
namespace {

using Json = nlohmann::ordered_json;

std::string quoted(const std::string& text) {
  return Json(text).dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::string number(double v) {
  if (std::isnan(v)) return "NaN";
  if (std::isinf(v)) return v > 0 ? "Infinity" : "-Infinity";
  std::string text = fmt::format("{}", v);
  // Python tells 1.0 from 1, and so do configs: one is a float, the other an integer.
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

// What Python's tolist gives of an array, as one list.
Value::List elements_of(const Tensor& t) {
  Value::List values;
  if (is_float(t.dtype()))
    for (double v : t.to_vector<double>()) values.push_back(v);
  else if (t.dtype() == DType::boolean)
    for (int64_t v : t.to_vector<int64_t>()) values.push_back(v != 0);
  else
    for (int64_t v : t.to_vector<int64_t>()) values.push_back(v);
  return values;
}

struct Writer {
  std::string out;
  int indent = 0;  ///< blanks for each level; 0: one line
  int level = 0;

  void line() {
    out += '\n';
    out.append(static_cast<size_t>(indent * level), ' ');
  }
  /// Writes `count` items between brackets.
  template <class Item>
  void items(char open, char end, size_t count, Item item) {
    out += open;
    ++level;
    for (size_t i = 0; i < count; ++i) {
      if (i) out += indent ? "," : ", ";
      if (indent) line();
      item(i);
    }
    --level;
    if (indent && count) line();
    out += end;
  }

  void write(const Value& value) { std::visit(*this, value.variant()); }
  void operator()(const Value::Null&) { out += "null"; }
  void operator()(bool v) { out += v ? "true" : "false"; }
  void operator()(int64_t v) { out += std::to_string(v); }
  void operator()(double v) { out += number(v); }
  void operator()(const std::string& v) { out += quoted(v); }
  void operator()(const Value::List& list) {
    items('[', ']', list.size(), [&](size_t i) { write(list[i]); });
  }
  void operator()(const Value::Dict& dict) {
    items('{', '}', dict.size(), [&](size_t i) {
      out += quoted(dict[i].first) + ": ";
      write(dict[i].second);
    });
  }
  void operator()(const Slice& s) {
    write(Value::Dict{
        {"class_name", "__slice__"},
        {"config", Value::Dict{{"start", s.start}, {"stop", s.stop}, {"step", s.step}}}});
  }
  void operator()(const Ellipsis&) {
    write(Value::Dict{{"class_name", "__ellipsis__"}, {"config", Value::Dict{}}});
  }
  void operator()(const Tensor& t) {
    if (!t.is_eager()) throw StateError("A symbolic tensor cannot be written to a file.");
    Value::List values = elements_of(t);
    if (t.rank() == 0) return write(values[0]);
    // Nest from the last axis outwards: into as many rows as the axes before have places.
    for (int axis = t.rank() - 1; axis > 0; --axis) {
      const auto size = static_cast<size_t>(t.shape()[axis]);
      const auto count = static_cast<size_t>(t.shape().slice(0, axis).numel());
      Value::List rows;
      for (size_t i = 0; i < count; ++i)
        rows.push_back(Value::List(values.begin() + static_cast<std::ptrdiff_t>(i * size),
                                   values.begin() + static_cast<std::ptrdiff_t>((i + 1) * size)));
      values = std::move(rows);
    }
    write(Value::Dict{{"class_name", "__numpy__"},
                      {"config", Value::Dict{{"value", std::move(values)}, {"dtype", t.dtype()}}}});
  }
};

constexpr size_t deepest = 1000;
constexpr size_t most_values = 4'000'000;

// Python's numbers that are none, as strings that no genuine text begins with.
constexpr std::string_view mark = "\x01number:";

/// Builds the value as the parser goes: there is never a second tree in memory.
class Builder : public nlohmann::json_sax<Json> {
 public:
  explicit Builder(const std::string& source) : source_(source) {}
  Value take() { return std::move(root_); }

  bool null() override { return put({}); }
  bool boolean(bool v) override { return put(v); }
  bool number_integer(int64_t v) override { return put(v); }
  bool number_unsigned(uint64_t v) override {
    // Larger integers come as floats, as the parser gives those of more than 64 bits.
    if (v > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      return put(static_cast<double>(v));
    return put(static_cast<int64_t>(v));
  }
  bool number_float(double v, const std::string&) override { return put(v); }
  bool string(std::string& v) override {
    if (v.starts_with(mark)) {
      const std::string_view name = std::string_view(v).substr(mark.size());
      if (name == "NaN") return put(std::numeric_limits<double>::quiet_NaN());
      if (name == "Infinity") return put(std::numeric_limits<double>::infinity());
      if (name == "-Infinity") return put(-std::numeric_limits<double>::infinity());
    }
    return put(std::move(v));
  }
  bool binary(Json::binary_t&) override { return false; }
  bool start_object(size_t) override { return open(Value::Dict{}); }
  bool start_array(size_t) override { return open(Value::List{}); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string& v) override {
    Level& level = levels_.back();
    if (!level.keys.insert(v).second)
      throw FileError(
          fmt::format("{}: the key '{}' appears twice in one object of the JSON.", source_, v));
    level.key = std::move(v);
    return true;
  }
  bool parse_error(size_t, const std::string&, const Json::exception& e) override {
    throw FileError(fmt::format("{}: not valid JSON: {}", source_, e.what()));
  }

 private:
  struct Level {
    Value value;
    std::string key;
    std::set<std::string> keys;
  };

  bool put(Value v) {
    if (++count_ > most_values)
      throw FileError(fmt::format("{}: the JSON holds more than {} values.", source_, most_values));
    if (levels_.empty()) {
      root_ = std::move(v);
    } else {
      Level& level = levels_.back();
      if (level.value.is<Value::List>())
        const_cast<Value::List&>(level.value.get<Value::List>()).push_back(std::move(v));
      else
        const_cast<Value::Dict&>(level.value.get<Value::Dict>())
            .emplace_back(std::move(level.key), std::move(v));
    }
    return true;
  }
  bool open(Value container) {
    if (levels_.size() >= deepest)
      throw FileError(
          fmt::format("{}: the JSON is nested more than {} levels deep.", source_, deepest));
    levels_.push_back({std::move(container), {}, {}});
    return true;
  }
  bool close() {
    Value done = std::move(levels_.back().value);
    levels_.pop_back();
    return put(std::move(done));
  }

  const std::string& source_;
  Value root_;
  std::vector<Level> levels_;
  size_t count_ = 0;
};

/// The text with Python's NaN, Infinity and -Infinity as marked strings, which a JSON parser
/// takes. Throws where they are refused.
std::string without_non_numbers(const std::string& text, const std::string& source,
                                NonNumbers non_numbers) {
  std::string out;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      out += c;
      if (c == '\\' && i + 1 < text.size())
        out += text[++i];
      else if (c == '"')
        in_string = false;
      continue;
    }
    const std::string_view rest = std::string_view(text).substr(i);
    const std::string_view name = rest.starts_with("NaN")        ? "NaN"
                                  : rest.starts_with("Infinity") ? "Infinity"
                                                                 : "";
    const bool negative = rest.starts_with("-Infinity");
    if (!name.empty() || negative) {
      if (non_numbers == NonNumbers::refuse)
        throw FileError(
            fmt::format("{}: the JSON holds NaN or Infinity (at byte {}), which no option may be.",
                        source, i + 1));
      out += fmt::format("\"\\u0001number:{}\"", negative ? "-Infinity" : name);
      i += (negative ? 9 : name.size()) - 1;
      continue;
    }
    if (c == '"') in_string = true;
    out += c;
  }
  return out;
}

}  // namespace

std::string to_json(const Value& value) { return to_json(value, 0); }

std::string to_json(const Value& value, int indent) {
  Writer writer;
  writer.indent = indent;
  writer.write(value);
  return writer.out;
}

Value parse_json(const std::string& text, const std::string& source, NonNumbers non_numbers) {
  const bool odd = text.find("NaN") != text.npos || text.find("Infinity") != text.npos;
  const std::string replaced = odd ? without_non_numbers(text, source, non_numbers) : std::string();
  Builder builder(source);
  try {
    Json::sax_parse(odd ? replaced : text, &builder);
  } catch (const Json::exception& e) {
    throw FileError(fmt::format("{}: not valid JSON: {}", source, e.what()));
  }
  return builder.take();
}

}  // namespace cornu
