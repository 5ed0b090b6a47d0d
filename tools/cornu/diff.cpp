// The command diff: where two models differ in config, weights and outputs.
#include <cornu/framework/config/json.h>
#include <cornu/framework/tensor/plain_nan.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "commands.h"
#include "models.h"

namespace cornu::cli {
namespace {

constexpr size_t most_lines = 20;

// Lines of one part of the report; those beyond the limit are counted.
struct Lines {
  size_t count = 0;
  void add(const std::string& line) {
    if (count++ < most_lines) std::printf("  %s\n", line.c_str());
  }
  bool finish() const {
    if (count > most_lines) std::printf("  and %zu more\n", count - most_lines);
    return count == 0;
  }
};

std::string shown(const Value& v) {
  std::string text = cornu::to_json(v);
  if (text.size() > 60) text.replace(57, std::string::npos, "...");
  return text;
}

bool is_container(const Value& v) { return v.is<Value::List>() || v.is<Value::Dict>(); }

void compare_values(const Value& a, const Value& b, const std::string& path, Lines& lines) {
  if (a.is<Value::Dict>() && b.is<Value::Dict>()) {
    const auto& x = a.get<Value::Dict>();
    const auto& y = b.get<Value::Dict>();
    // The layers of a list are told apart by their names.
    for (const auto& [key, v] : x) {
      const std::string place = path.empty() ? key : path + "." + key;
      if (const Value* other = detail::find(y, key))
        compare_values(v, *other, place, lines);
      else
        lines.add(place + ": only in A (" + shown(v) + ")");
    }
    for (const auto& [key, v] : y)
      if (!detail::find(x, key))
        lines.add((path.empty() ? key : path + "." + key) + ": only in B (" + shown(v) + ")");
    return;
  }
  if (a.is<Value::List>() && b.is<Value::List>()) {
    const auto& x = a.get<Value::List>();
    const auto& y = b.get<Value::List>();
    for (size_t i = 0; i < std::min(x.size(), y.size()); ++i)
      compare_values(x[i], y[i], path + "[" + std::to_string(i) + "]", lines);
    if (x.size() != y.size())
      lines.add(path + ": " + std::to_string(x.size()) + " entries in A, " +
                std::to_string(y.size()) + " in B");
    return;
  }
  if (is_container(a) || is_container(b) || cornu::to_json(a) != cornu::to_json(b))
    lines.add(path + ": " + shown(a) + " in A, " + shown(b) + " in B");
}

struct Difference {
  double most = 0, mean = 0;
};

// Of strings, the fraction that differs.
Difference difference_of(const Tensor& a, const Tensor& b) {
  if (a.dtype() == DType::string || b.dtype() == DType::string) {
    if (a.dtype() != b.dtype()) return {HUGE_VAL, HUGE_VAL};
    const std::vector<std::string> x = a.to_strings(), y = b.to_strings();
    Difference e;
    for (size_t i = 0; i < x.size(); ++i)
      if (x[i] != y[i]) e = {1, e.mean + 1 / static_cast<double>(x.size())};
    return e;
  }
  const std::vector<double> x = a.to_vector<double>(), y = b.to_vector<double>();
  Difference e;
  for (size_t i = 0; i < x.size(); ++i) {
    const double d = std::isnan(x[i]) && std::isnan(y[i]) ? 0
                     : x[i] == y[i]                       ? 0
                                                          : std::abs(x[i] - y[i]);
    e.most = std::isnan(d) ? d : std::max(e.most, d);
    e.mean += d / static_cast<double>(x.size());
  }
  return e;
}

std::string text_of(const Difference& e) {
  char text[80];
  std::snprintf(text, sizeof text, "max error %.3g, mean error %.3g", detail::plain_nan(e.most),
                detail::plain_nan(e.mean));
  return text;
}

// The model's config without what it was compiled with, which of these forms only JSON brings.
Value config_of(const Model& model, const std::string& file) {
  const Value config = cornu::parse_json(model.to_json(), file, cornu::NonNumbers::allow);
  Value::Dict entries = config.get<Value::Dict>();
  std::erase_if(entries, [](const auto& entry) { return entry.first == "compile_config"; });
  return entries;
}

bool compare_weights(const Model& a, const Model& b, Lines& lines) {
  const std::vector<Variable> x = a.weights(), y = b.weights();
  if (x.size() != y.size())
    lines.add(std::to_string(x.size()) + " weights in A, " + std::to_string(y.size()) + " in B");
  for (size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    const std::string name = x[i].path();
    if (x[i].shape() != y[i].shape()) {
      lines.add(name + ": shape " + x[i].shape().str() + " in A, " + y[i].shape().str() + " in B");
      continue;
    }
    const Difference e = difference_of(x[i].value(), y[i].value());
    if (e.most != 0 || std::isnan(e.most))
      lines.add(name + " " + x[i].shape().str() + ": " + text_of(e));
  }
  return lines.finish();
}

}  // namespace

bool diff(const std::string& a, const std::string& b, const std::string& model_file) {
  const auto open = [&](const std::string& file) {
    require_model(file, model_file);
    const bool weights = holds_weights_alone(saving::kind_of(file));
    return open_model(file, weights ? model_file : "");
  };
  const auto x = open(a), y = open(b);
  std::printf("A: %s\nB: %s\nconfig:\n", a.c_str(), b.c_str());
  Lines configs;
  compare_values(config_of(*x, a), config_of(*y, b), "", configs);
  bool equal = configs.finish();
  if (equal) std::printf("  equal\n");
  std::printf("weights:\n");
  Lines weights;
  const bool same = compare_weights(*x, *y, weights);
  if (same) std::printf("  equal\n");
  equal &= same;

  std::printf("outputs on a probe:\n");
  const Nest spec = x->input_spec();
  if (spec.empty() || !spec.same_structure(y->input_spec())) {
    std::printf("  not compared: %s\n", spec.empty() ? "the shapes of the inputs are not known"
                                                     : "the inputs are not the same");
    return equal;
  }
  try {
    const Nest inputs = probe_inputs(*x, 4, 1);
    const PredictOptions quiet{.verbose = Verbose::silent};
    const std::vector<Tensor> p = x->predict(inputs, quiet).flatten(),
                              q = y->predict(inputs, quiet).flatten();
    if (p.size() != q.size()) {
      std::printf("  %zu outputs in A, %zu in B\n", p.size(), q.size());
      return false;
    }
    for (size_t i = 0; i < p.size(); ++i) {
      if (p[i].shape() != q[i].shape()) {
        std::printf("  output %zu: shape %s in A, %s in B\n", i, p[i].shape().str().c_str(),
                    q[i].shape().str().c_str());
        equal = false;
        continue;
      }
      const Difference e = difference_of(p[i], q[i]);
      const bool exact = e.most == 0;
      std::printf("  output %zu: %s\n", i, exact ? "equal" : text_of(e).c_str());
      equal &= exact;
    }
  } catch (const Error& e) {
    std::printf("  not compared: %s\n", e.what());
  }
  return equal;
}

}  // namespace cornu::cli
