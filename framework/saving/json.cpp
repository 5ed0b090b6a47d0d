// JSON: nlohmann parses and escapes; numbers are written as Python does.
#include "json.h"

#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "../../backend/error.h"

namespace cornu::saving {
namespace {

using Json = nlohmann::ordered_json;

std::string quoted(const std::string& text) {
  return Json(text).dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::string number(double v) {
  if (std::isnan(v)) return "NaN";
  if (std::isinf(v)) return v > 0 ? "Infinity" : "-Infinity";
  std::string text = fmt::format("{}", v);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

struct Writer {
  std::string out;

  void write(const Value& value) { std::visit(*this, value.variant()); }
  void operator()(const Value::Null&) { out += "null"; }
  void operator()(bool v) { out += v ? "true" : "false"; }
  void operator()(int64_t v) { out += std::to_string(v); }
  void operator()(double v) { out += number(v); }
  void operator()(const std::string& v) { out += quoted(v); }
  void operator()(const Value::List& list) {
    out += '[';
    for (size_t i = 0; i < list.size(); ++i) {
      if (i) out += ", ";
      write(list[i]);
    }
    out += ']';
  }
  void operator()(const Value::Dict& dict) {
    out += '{';
    for (size_t i = 0; i < dict.size(); ++i) {
      if (i) out += ", ";
      out += quoted(dict[i].first) + ": ";
      write(dict[i].second);
    }
    out += '}';
  }
  void operator()(const Slice& s) {
    write(Value::Dict{{"class_name", "__slice__"},
                      {"config", Value::Dict{{"start", s.start}, {"stop", s.stop}, {"step", s.step}}}});
  }
  void operator()(const Ellipsis&) {
    write(Value::Dict{{"class_name", "__ellipsis__"}, {"config", Value::Dict{}}});
  }
  void operator()(const Tensor& t) {
    if (!t.is_eager()) throw StateError("A symbolic tensor cannot be written to a file.");
    Value::List values;
    for (double v : t.to_vector<double>())
      values.push_back(is_float(t.dtype()) ? Value(v) : Value(static_cast<int64_t>(v)));
    if (t.rank() == 0) return write(values[0]);
    // Nest from the last axis outwards.
    for (int axis = t.rank() - 1; axis > 0; --axis) {
      const size_t size = static_cast<size_t>(t.shape()[axis]);
      Value::List rows;
      for (size_t i = 0; i < values.size(); i += size)
        rows.push_back(Value::List(values.begin() + static_cast<std::ptrdiff_t>(i),
                                   values.begin() + static_cast<std::ptrdiff_t>(i + size)));
      values = std::move(rows);
    }
    write(Value::Dict{{"class_name", "__numpy__"},
                      {"config", Value::Dict{{"value", std::move(values)}, {"dtype", t.dtype()}}}});
  }
};

Value convert(const Json& json, int depth, const std::string& source) {
  if (depth > 1000) throw FileError(fmt::format("{}: the JSON is nested more than 1000 levels deep.", source));
  switch (json.type()) {
    case Json::value_t::null: return {};
    case Json::value_t::boolean: return json.get<bool>();
    case Json::value_t::number_integer: return json.get<int64_t>();
    case Json::value_t::number_unsigned: {
      const uint64_t v = json.get<uint64_t>();
      // Larger integers come as floats, as the parser gives those of more than 64 bits.
      if (v > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return static_cast<double>(v);
      return static_cast<int64_t>(v);
    }
    case Json::value_t::number_float: return json.get<double>();
    case Json::value_t::string: return json.get<std::string>();
    case Json::value_t::array: {
      Value::List list;
      for (const Json& e : json) list.push_back(convert(e, depth + 1, source));
      return list;
    }
    case Json::value_t::object: {
      Value::Dict dict;
      for (const auto& [key, e] : json.items()) dict.emplace_back(key, convert(e, depth + 1, source));
      return dict;
    }
    default: throw FileError(fmt::format("{}: the JSON holds something that is no JSON value.", source));
  }
}

// Whether the parser stopped, at the byte of this number from 1, at one of the numbers that Python writes and JSON does
// not have.
bool stopped_at_non_number(const std::string& text, size_t byte) {
  if (byte == 0 || byte > text.size()) return false;
  const std::string_view rest = std::string_view(text).substr(byte - 1);
  return rest.starts_with("NaN") || rest.starts_with("Infinity");
}

}  // namespace

std::string to_json(const Value& value) {
  Writer writer;
  writer.write(value);
  return writer.out;
}

Value parse_json(const std::string& text, const std::string& source) {
  int depth = 0;
  const auto callback = [&](int d, Json::parse_event_t event, Json&) {
    if (event == Json::parse_event_t::array_start || event == Json::parse_event_t::object_start) depth = std::max(depth, d);
    if (depth > 1000) throw FileError(fmt::format("{}: the JSON is nested more than 1000 levels deep.", source));
    return true;
  };
  try {
    return convert(Json::parse(text, callback), 0, source);
  } catch (const Json::parse_error& e) {
    if (stopped_at_non_number(text, e.byte))
      throw FileError(
          fmt::format("{}: the config holds NaN or Infinity (at byte {}), which no option may be.", source, e.byte));
    throw FileError(fmt::format("{}: not valid JSON: {}", source, e.what()));
  } catch (const Json::exception& e) {
    throw FileError(fmt::format("{}: not valid JSON: {}", source, e.what()));
  }
}

}  // namespace cornu::saving
