// Comparing and printing graphs.
#include "graph.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

namespace cornu::plan {

int Graph::add_value(DType dtype, int64_t numel, Source source, int index) {
  values.push_back({dtype, numel, source, index});
  return static_cast<int>(values.size()) - 1;
}

int Graph::add_constant(const Tensor& tensor) {
  constants.push_back(tensor);
  return add_value(tensor.dtype(), tensor.size(), Source::constant,
                   static_cast<int>(constants.size()) - 1);
}

std::vector<int> Graph::producers() const {
  std::vector<int> result(values.size(), -1);
  for (size_t i = 0; i < steps.size(); ++i)
    for (const Use& use : steps[i].outputs)
      result[static_cast<size_t>(use.value)] = static_cast<int>(i);
  return result;
}

std::vector<int> Graph::use_counts() const {
  std::vector<int> result(values.size(), 0);
  for (const Step& step : steps)
    for (const Use& use : step.inputs) ++result[static_cast<size_t>(use.value)];
  for (const Use& use : outputs) ++result[static_cast<size_t>(use.value)];
  for (const Assignment& a : assignments) ++result[static_cast<size_t>(a.value)];
  return result;
}

namespace {

std::string describe(const Graph& graph, const Use& use) {
  static constexpr const char* letters[] = {"%", "arg", "var", "const"};
  const Value& value = graph.values[static_cast<size_t>(use.value)];
  const int number = value.source == Source::computed ? use.value : value.index;
  return fmt::format("{}{} {} {}", letters[static_cast<size_t>(value.source)], number,
                     dtype_name(value.dtype), use.shape.str());
}

std::string join(const Graph& graph, const std::vector<Use>& uses) {
  std::string text;
  for (const Use& use : uses) text += (text.empty() ? "" : ", ") + describe(graph, use);
  return text;
}

bool same_bytes(const Tensor& a, const Tensor& b) {
  if (a.impl()->storage && a.impl()->storage == b.impl()->storage) return true;
  return a.spec() == b.spec() &&
         (a.bytes() == 0 || std::memcmp(a.read(), b.read(), a.bytes()) == 0);
}

}  // namespace

Tensor Graph::constant(int index) const {
  const PauseTracing untraced;
  const PauseRecording unseen;
  return constants[static_cast<size_t>(index)].to(Device(*device));
}

std::string Graph::str() const {
  std::string text;
  for (const Step& step : steps)
    text += fmt::format("{} = {}({}){}\n", join(*this, step.outputs), step.name(),
                        join(*this, step.inputs), step.where.empty() ? "" : "  # " + step.where) +
            step.text;
  for (const Assignment& a : assignments) {
    const Variable& variable = variables[static_cast<size_t>(a.variable)];
    text +=
        fmt::format("{} <- {}\n", variable.path(), describe(*this, {a.value, variable.shape()}));
  }
  return text + fmt::format("return {}\n", join(*this, outputs));
}

bool same(const Graph& a, const Graph& b, std::string& difference) {
  // Numbers of values differ when code that ran once is gone, so they are paired as they are met.
  std::vector<int> pair(a.values.size(), -1);
  const auto same_value = [&](int x, int y) {
    int& partner = pair[static_cast<size_t>(x)];
    if (partner >= 0) return partner == y;
    const Value &v = a.values[static_cast<size_t>(x)], &w = b.values[static_cast<size_t>(y)];
    if (v.dtype != w.dtype || v.numel != w.numel || v.source != w.source) return false;
    const auto i = static_cast<size_t>(v.index), k = static_cast<size_t>(w.index);
    const bool equal = v.source == Source::argument   ? v.index == w.index
                       : v.source == Source::variable ? a.variables[i] == b.variables[k]
                       : v.source == Source::constant ? same_bytes(a.constants[i], b.constants[k])
                                                      : true;
    if (equal) partner = y;
    return equal;
  };
  const auto same_uses = [&](const std::vector<Use>& x, const std::vector<Use>& y) {
    if (x.size() != y.size()) return false;
    for (size_t i = 0; i < x.size(); ++i)
      if (x[i].shape != y[i].shape || !same_value(x[i].value, y[i].value)) return false;
    return true;
  };
  const auto place = [](const Step& step) {
    return fmt::format("{}{}", step.name(),
                       step.where.empty() ? "" : " in layer '" + step.where + "'");
  };
  for (size_t i = 0; i < std::min(a.steps.size(), b.steps.size()); ++i) {
    const Step &s = a.steps[i], &t = b.steps[i];
    if (s.kernel.has_value() == t.kernel.has_value() && (!s.kernel || *s.kernel == *t.kernel) &&
        s.text == t.text && same_uses(s.inputs, t.inputs) && same_uses(s.outputs, t.outputs))
      continue;
    difference = fmt::format("operation {} was {} and is now {}", i, place(s), place(t));
    return false;
  }
  if (a.steps.size() != b.steps.size()) {
    difference =
        fmt::format("there were {} operations and are now {}", a.steps.size(), b.steps.size());
    return false;
  }
  // The order in which variables were met says nothing: the first call may have made them.
  const auto in_b = [&](const Variable& variable) {
    return std::find_if(b.assignments.begin(), b.assignments.end(), [&](const Assignment& other) {
      return b.variables[static_cast<size_t>(other.variable)] == variable;
    });
  };
  bool ends = same_uses(a.outputs, b.outputs) && a.assignments.size() == b.assignments.size();
  for (const Assignment& mine : a.assignments) {
    const auto theirs = in_b(a.variables[static_cast<size_t>(mine.variable)]);
    ends = ends && theirs != b.assignments.end() && same_value(mine.value, theirs->value);
  }
  if (!ends) difference = "other values are returned, or assigned to variables";
  return ends;
}

}  // namespace cornu::plan
