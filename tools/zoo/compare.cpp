// Largest errors, with NaN and infinities in their places.
#include "compare.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace cornu::zoo {
namespace {

std::string text(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.6g", value);
  return buffer;
}

double largest(const std::vector<double>& values) {
  double result = 0;
  for (double v : values)
    if (std::isfinite(v)) result = std::max(result, std::abs(v));
  return result;
}

// Whether both are NaN, or infinite with the same sign.
bool same_odd_value(double a, double b) { return (std::isnan(a) && std::isnan(b)) || a == b; }

Difference compare_values(const std::string& what, const std::vector<double>& found,
                          const std::vector<double>& expected, const Tolerance& tolerance,
                          double scale) {
  scale = std::max(scale, largest(expected));
  const double allowed = std::max(tolerance.absolute, tolerance.relative * scale);
  Difference difference;
  double worst = 0;
  size_t place = 0, odd = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (!std::isfinite(found[i]) || !std::isfinite(expected[i])) {
      if (same_odd_value(found[i], expected[i])) continue;
      if (odd++ == 0) place = i;
      continue;
    }
    const double error = std::abs(found[i] - expected[i]);
    if (error > worst) {
      worst = error;
      if (odd == 0) place = i;
    }
  }
  difference.error = odd         ? std::numeric_limits<double>::infinity()
                     : scale > 0 ? worst / scale
                                 : worst;
  if (odd > 0 || worst > allowed)
    difference.reason =
        what + ": " +
        (odd ? std::to_string(odd) + " values are NaN or infinite where others are expected"
             : "largest error " + text(worst) + ", allowed " + text(allowed)) +
        "; element " + std::to_string(place) + " is " + text(found[place]) + ", expected " +
        text(expected[place]);
  return difference;
}

Difference compare_strings(const std::string& what, const Tensor& found, const Tensor& expected) {
  if (found.dtype() != expected.dtype())
    return {what + ": " + found.spec().str() + ", expected " + expected.spec().str(),
            std::numeric_limits<double>::infinity()};
  const std::vector<std::string> x = found.to_strings(), y = expected.to_strings();
  for (size_t i = 0; i < x.size(); ++i)
    if (x[i] != y[i])
      return {
          what + ": element " + std::to_string(i) + " is '" + x[i] + "', expected '" + y[i] + "'",
          std::numeric_limits<double>::infinity()};
  return {};
}

}  // namespace

void Difference::merge(const Difference& other) {
  if (reason.empty()) reason = other.reason;
  error = std::max(error, other.error);
}

Difference compare(const std::string& what, const Tensor& found, const Tensor& expected,
                   const Tolerance& tolerance, double scale) {
  if (found.shape() != expected.shape())
    return {what + ": shape " + found.shape().str() + ", expected " + expected.shape().str(), 0};
  if (found.dtype() == DType::string || expected.dtype() == DType::string)
    return compare_strings(what, found, expected);
  return compare_values(what, found.to_vector<double>(), expected.to_vector<double>(), tolerance,
                        scale);
}

Difference compare(const std::string& what, const Nest& found, const Nest& expected,
                   const Tolerance& tolerance) {
  if (!found.same_structure(expected))
    return {what + ": the structure is " + found.structure() + ", expected " + expected.structure(),
            0};
  const std::vector<Tensor> a = found.flatten(), b = expected.flatten();
  Difference all;
  for (size_t i = 0; i < b.size(); ++i)
    all.merge(
        compare(b.size() == 1 ? what : what + " " + std::to_string(i), a[i], b[i], tolerance));
  return all;
}

Difference compare(const std::string& what, const std::vector<Tensor>& found,
                   const NamedTensors& expected, const Tolerance& tolerance, bool shared_scale) {
  if (found.size() != expected.size())
    return {what + ": " + std::to_string(found.size()) + " tensors, expected " +
                std::to_string(expected.size()),
            0};
  double scale = 0;
  if (shared_scale)
    for (const auto& [path, tensor] : expected)
      scale = std::max(scale, largest(tensor.to_vector<double>()));
  Difference all;
  for (size_t i = 0; i < expected.size(); ++i)
    all.merge(compare(what + " " + std::to_string(i) + " (" + expected[i].first + ")", found[i],
                      expected[i].second, tolerance, scale));
  return all;
}

Difference compare(const std::string& what, const Figures& found, const Figures& expected,
                   const Tolerance& tolerance) {
  auto names = [](const Figures& figures) {
    std::string list;
    for (const auto& [name, values] : figures) list += (list.empty() ? "" : ", ") + name;
    return list;
  };
  Difference all;
  for (const auto& [name, values] : expected) {
    const auto it = found.find(name);
    if (it == found.end() || found.size() != expected.size())
      return {what + ": the figures are " + names(found) + ", expected " + names(expected), 0};
    if (it->second.size() != values.size())
      return {what + " " + name + ": " + std::to_string(it->second.size()) + " values, expected " +
                  std::to_string(values.size()),
              0};
    all.merge(compare_values(what + " " + name, it->second, values, tolerance, 0));
  }
  return all;
}

}  // namespace cornu::zoo
