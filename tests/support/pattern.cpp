// Waves, labels and flags from their descriptions.
#include "pattern.h"

#include <cornu/framework/config/configurable.h>
#include <cornu/framework/ops/core/cast.h>
#include <cornu/framework/ops/operators.h>

#include <cmath>
#include <sstream>

#include "../catch.h"
#include "golden_json.h"

namespace cornu::test {
namespace {

Shape shape_of(const std::string& text) {
  Shape shape;
  if (text == "scalar") return shape;
  std::istringstream sizes(text);
  for (std::string size; std::getline(sizes, size, 'x');) shape.push_back(std::stoll(size));
  return shape;
}

std::vector<double> wave(int64_t n, double step, double phase) {
  std::vector<double> values(static_cast<size_t>(n));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(static_cast<double>(i) * step + phase);
  return values;
}

std::vector<double> labels(int64_t n, int64_t classes, double phase) {
  std::vector<double> values = wave(n, 1.7, phase);
  for (double& v : values) v = std::floor((0.5 + 0.4999 * v) * static_cast<double>(classes));
  return values;
}

std::vector<double> values_of(const std::string& kind, const Shape& shape, double phase) {
  const int64_t n = shape.numel();
  const auto scaled = [&](double offset, double scale) {
    std::vector<double> values = wave(n, 0.7, phase);
    for (double& v : values) v = offset + scale * v;
    return values;
  };
  if (kind == "real") return scaled(0, 2);
  if (kind == "unit") return scaled(0.5, 0.49);
  if (kind == "positive") return scaled(1.5, 1);
  if (kind == "flags") return labels(n, 2, phase);
  if (kind.starts_with("labels")) return labels(n, std::stoll(kind.substr(6)), phase);
  if (kind.starts_with("full"))
    return std::vector<double>(static_cast<size_t>(n), std::stod(kind.substr(4)));
  if (kind != "one_hot") throw ValueError("there is no pattern '" + kind + "'");
  const int64_t classes = shape.back();
  std::vector<double> values(static_cast<size_t>(n));
  const std::vector<double> chosen = labels(n / classes, classes, phase);
  for (size_t i = 0; i < chosen.size(); ++i)
    values[i * static_cast<size_t>(classes) + static_cast<size_t>(chosen[i])] = 1;
  return values;
}

}  // namespace

Tensor pattern(const std::string& words) {
  std::istringstream text(words);
  std::string kind, size, more;
  text >> kind >> size;
  double phase = 0;
  DType dtype = DType::float32;
  while (text >> more) {
    if (more[0] == '~')
      phase = std::stod(more.substr(1));
    else
      dtype = dtype_of(more.substr(1));
  }
  const Shape shape = shape_of(size);
  return ops::cast(Tensor::from(values_of(kind, shape, phase), shape), dtype);
}

Tensor pattern_at(const Value& dict, const std::string& key) {
  const Value* const words = find_entry(dict, key);
  return words ? pattern(words->get<std::string>()) : Tensor();
}

std::vector<double> golden_numbers(const Value& list) {
  std::vector<double> numbers;
  for (const Value& v : list.get<Value::List>())
    numbers.push_back(v.is<std::string>() ? std::stod(v.get<std::string>()) : v.number());
  return numbers;
}

bool matches(const Tensor& t, const std::vector<double>& wanted, double tolerance) {
  const std::vector<double> found = t.to_vector<double>();
  if (found.size() != wanted.size()) {
    UNSCOPED_INFO("found " << found.size() << " numbers, Keras has " << wanted.size());
    return false;
  }
  for (size_t i = 0; i < found.size(); ++i) {
    const double a = found[i], b = wanted[i];
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    if (std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b))) continue;
    UNSCOPED_INFO("element " << i << " is " << a << ", in Keras " << b);
    return false;
  }
  return true;
}

bool matches_golden(const Tensor& t, const Value& golden, double tolerance) {
  const Value* const shape = find_entry(golden, "shape");
  const Shape wanted(shape ? detail::from_value<std::vector<int64_t>>(*shape)
                           : std::vector<int64_t>());
  const Value* const dtype = find_entry(golden, "dtype");
  const std::string type = dtype ? dtype->get<std::string>() : "float32";
  if (t.shape() != wanted || dtype_name(t.dtype()) != type) {
    UNSCOPED_INFO("found " << dtype_name(t.dtype()) << t.shape().str() << ", Keras has " << type
                           << wanted.str());
    return false;
  }
  return matches(t, golden_numbers(entry(golden, "values")), tolerance);
}

}  // namespace cornu::test
