// Arrays among the figures, and figures as text.
#include "logs.h"

#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "../config/quoted_names.h"
#include "../tensor/plain_nan.h"

namespace cornu {
namespace {

double mean_of(const Tensor& array) {
  const std::vector<double> values = array.to_vector<double>();
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// As Python writes a float: shortest, and never like an integer.
template <class T>
std::string number_text(T value) {
  std::string text = fmt::format("{}", detail::plain_nan(value));
  if (std::isfinite(value) && text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

// The numbers from `next` on in brackets, one pair for each axis from `axis` on.
template <class T>
std::string list_text(const Shape& shape, int axis, const T*& next) {
  if (axis == shape.rank()) return number_text(*next++);
  std::string text;
  for (int64_t i = 0; i < shape[axis]; ++i) {
    if (i) text += ", ";
    text += list_text(shape, axis + 1, next);
  }
  return "[" + text + "]";
}

template <class T>
std::string array_text(const Tensor& array) {
  const std::vector<T> values = array.to_vector<T>();
  const T* next = values.data();
  return list_text(array.shape(), 0, next);
}

}  // namespace

void Logs::throw_missing(const std::string& name) const {
  std::vector<std::string> known;
  for (const auto& [key, value] : *this) known.push_back(key);
  throw ValueError(fmt::format(
      "The logs have no '{}'.{}{}", name, did_you_mean(name, known),
      known.empty() ? " They are empty." : " They have " + detail::quoted_names(known) + "."));
}

double& Logs::at(const std::string& name) {
  const auto found = find(name);
  if (found == end()) throw_missing(name);
  return found->second;
}

const double& Logs::at(const std::string& name) const {
  const auto found = find(name);
  if (found == end()) throw_missing(name);
  return found->second;
}

double& Logs::operator[](const std::string& name) {
  if (closed_ && !contains(name)) throw_missing(name);
  return try_emplace(name, std::numeric_limits<double>::quiet_NaN()).first->second;
}

double Logs::operator[](const std::string& name) const {
  const auto found = find(name);
  if (found == end()) throw_missing(name);
  return found->second;
}

void Logs::set(const std::string& name, const Tensor& value) {
  arrays_.erase(name);
  if (value.rank() > 0) arrays_[name] = value;
  insert_or_assign(name, value.rank() > 0 ? mean_of(value) : value.item());
}

bool Logs::is_array(const std::string& name) const {
  const auto array = arrays_.find(name);
  const auto number = find(name);
  if (array == arrays_.end() || number == end()) return false;
  const double mean = mean_of(array->second);
  return number->second == mean || (std::isnan(number->second) && std::isnan(mean));
}

Tensor Logs::array(const std::string& name) const {
  const auto number = find(name);
  if (number == end()) throw_missing(name);
  return is_array(name) ? arrays_.at(name) : Tensor::from_host(&number->second, Shape{});
}

std::string Logs::text(const std::string& name) const {
  const Tensor value = array(name);
  return size_of(value.dtype()) < sizeof(double) ? array_text<float>(value)
                                                 : array_text<double>(value);
}

}  // namespace cornu
