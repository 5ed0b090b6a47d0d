// Checks of inputs and options that layers share.
#include "layer_options.h"

#include <fmt/core.h>

#include <algorithm>

#include "../framework/ops/convert.h"
#include "../framework/ops/core/cast.h"
#include "../framework/ops/operators.h"

namespace cornu::layers {

Tensor Numbers::tensor(DType dtype) const {
  if (single_) return Tensor(values_[0]);
  return ops::cast(Tensor(values_), dtype);
}

namespace {

bool is_among(const std::string& key, std::initializer_list<const char*> keys) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

}  // namespace

Value::Dict without_unused(const Value::Dict& dict, std::initializer_list<const char*> keys) {
  Value::Dict rest;
  for (const auto& [key, value] : dict) {
    if (!is_among(key, keys)) {
      rest.emplace_back(key, value);
    } else if (!value.is_null() && !(value.is<bool>() && !value.get<bool>())) {
      throw UnsupportedError(fmt::format(
          "the option '{}' of Keras is not supported, and the configuration gives it a value.",
          key));
    }
  }
  return rest;
}

Value::Dict without_nulls(const Value::Dict& dict, std::initializer_list<const char*> keys) {
  Value::Dict rest;
  for (const auto& [key, value] : dict)
    if (!value.is_null() || !is_among(key, keys)) rest.emplace_back(key, value);
  return rest;
}

void check_rank(const Shape& shape, int rank, const char* layout) {
  if (shape.rank() == rank) return;
  throw ShapeError(fmt::format(
      "expected an input of rank {} {}, found rank {} with shape {}.{}", rank, layout, shape.rank(),
      shape.str(), shape.rank() + 1 == rank ? " Is the batch or the channel axis missing?" : ""));
}

void check_min_rank(const Shape& shape, int rank) {
  if (shape.rank() >= rank) return;
  throw ShapeError(fmt::format(
      "expected an input of rank {} or more (batch first), found rank {} with shape {}. "
      "Add the missing axes with ops::expand_dims.",
      rank, shape.rank(), shape.str()));
}

void check_axis(const Shape& shape, int axis, int64_t expected) {
  const int a = axis < 0 ? axis + shape.rank() : axis;
  const bool exists = a >= 0 && a < shape.rank();
  if (exists && (shape[a] == expected || shape[a] == Shape::unknown)) return;
  const std::string where = axis == -1 ? "last axis" : fmt::format("axis {} of size", axis);
  if (!exists)
    throw ShapeError(
        fmt::format("expected {} {}, found an input of shape {}.", where, expected, shape.str()));
  throw ShapeError(fmt::format("expected {} {}, found {} in input {}. Was it built for other data?",
                               where, expected, shape[a], shape.str()));
}

void check_positive(const char* option, int64_t value) {
  if (value > 0) return;
  throw ValueError(fmt::format("option '{}' must be a positive number, found {}.", option, value));
}

void check_positive(const char* option, const std::vector<int64_t>& sizes) {
  for (int64_t size : sizes)
    if (size <= 0)
      throw ValueError(
          fmt::format("option '{}' must be given and positive along every axis, found {}.", option,
                      Shape(sizes).str()));
}

void check_fraction(const char* option, double value) {
  if (value >= 0 && value <= 1) return;
  throw ValueError(fmt::format("option '{}' must be in [0, 1], found {}.", option, value));
}

bool channels_first(const std::string& data_format) {
  if (data_format == "channels_first") return true;
  if (data_format == "channels_last") return false;
  throw ValueError(
      fmt::format("option 'data_format' is '{}'.{} Known are 'channels_last' and 'channels_first'.",
                  data_format, did_you_mean(data_format, {"channels_last", "channels_first"})));
}

}  // namespace cornu::layers

namespace cornu::detail {

Value OptionCodec<layers::Numbers>::encode(const layers::Numbers& v) {
  return v.is_single() ? Value(v.values()[0]) : Value(v.values());
}

layers::Numbers OptionCodec<layers::Numbers>::decode(const Value& v) {
  // Files keep arrays as dictionaries.
  if (v.is<Tensor>() || v.is<Value::Dict>()) return from_value<Tensor>(v).to_vector<double>();
  if (v.is<Value::List>()) return from_value<std::vector<double>>(v);
  return from_value<double>(v);
}

}  // namespace cornu::detail
