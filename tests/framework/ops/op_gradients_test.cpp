// First and second derivatives of each op, at the arguments of its goldens, against differences.
#include <cornu/framework/autodiff/jvp.h>
#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/ops/ops.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "catch.h"
#include "op_goldens.h"
#include "support/gradient_check.h"

namespace op_gradients_test {

using namespace cornu;
using test::noise;
using test::OpCase;
using List = std::vector<Tensor>;
using Scalar = std::function<Tensor(const List&)>;

namespace {

// Those of which the derivative is chosen, and steps from number to number.
// The slope of "Cholesky" is that of symmetric matrices, whose upper halves move along; the places
// of "AffineTransform" are float32, too coarse for small steps.
const std::set<std::string> without_slope = {"StopGradient", "Nextafter", "Cholesky",
                                             "AffineTransform"};
// Their slope at 0 is infinite, as it is in Keras.
const std::set<std::string> steep_at_zero = {"Std", "Nanstd"};

// A case in float64, at places a little beside its own, where functions have fewer corners.
struct Smooth {
  OpCase c;
  List all;  // arguments, of which those at `places` are differentiable
  std::vector<size_t> places;
  List inputs;

  List results(const List& x) const {
    List arguments = all;
    for (size_t i = 0; i < places.size(); ++i) arguments[places[i]] = x[i];
    List floats;
    for (const Tensor& y : c.call_with(arguments).flatten())
      if (y.dtype() == DType::float64) floats.push_back(y);
    return floats;
  }
  // The sum of all results, each element with a weight of its own.
  Tensor total(const List& x) const {
    Tensor sum = Tensor::from({0.0}, {});
    for (const Tensor& y : results(x)) sum = sum + ops::sum(y * noise(y.shape(), 0.5, 1.5, 99));
    return sum;
  }
};

bool all_finite(const List& tensors) {
  for (const Tensor& t : tensors)
    for (const double v : t.to_vector<double>())
      if (!std::isfinite(v) || std::abs(v) > 1e4) return false;
  return true;
}

std::vector<Smooth> smooth_cases() {
  std::vector<Smooth> smooth;
  const std::pair<const char*, std::vector<const char*>> files[] = {
      {"ops.json", {"unary", "binary", "reduction", "shaping", "indexing", "nn", "linalg"}},
      {"op_edges.json", {"elementwise", "creating", "products"}},
      {"op_places.json", {"reductions", "arranging", "indexing"}},
      {"op_modules.json", {"image", "linalg", "math", "nn"}}};
  for (const auto& [file, sections] : files)
    for (const char* section : sections)
      for (OpCase& c : test::op_cases(section, file)) {
        if (c.reads_values() || without_slope.contains(c.info->class_name)) continue;
        Smooth s{c, c.tensors(), {}, {}};
        int64_t elements = 0;
        for (size_t i = 0; i < s.all.size(); ++i) {
          if (!is_float(s.all[i].dtype()) || !all_finite({s.all[i]})) continue;
          const Tensor beside = noise(s.all[i].shape(), 0.005, 0.015, static_cast<int>(i) + 5);
          s.all[i] = ops::cast(s.all[i], DType::float64) + beside;
          s.places.push_back(i);
          s.inputs.push_back(s.all[i]);
          elements += s.all[i].size();
        }
        if (elements == 0 || elements > 64) continue;
        const List y = s.results(s.inputs);
        const bool zero = std::any_of(y.begin(), y.end(), [](const Tensor& t) {
          const auto values = t.to_vector<double>();
          return std::find(values.begin(), values.end(), 0.0) != values.end();
        });
        if (zero && steep_at_zero.contains(c.info->class_name)) continue;
        if (!y.empty() && all_finite(y)) smooth.push_back(std::move(s));
      }
  return smooth;
}

List gradients_of(const Scalar& f, const List& x) {
  GradientTape tape;
  for (const Tensor& t : x) tape.watch(t);
  const Tensor y = f(x);
  return tape.gradient(y, x);
}

// What is wrong with the tape's gradient of f, or "". Elements at a corner of f do not count.
std::string gradient_problem(const Scalar& f, const List& inputs, int& compared) {
  constexpr double step = 1e-5;
  const List gradients = gradients_of(f, inputs);
  const double here = f(inputs).item();
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (gradients[i] && gradients[i].spec().str() != inputs[i].spec().str())
      return "the gradient is " + gradients[i].spec().str();
    std::vector<double> values = inputs[i].to_vector<double>();
    const std::vector<double> found =
        gradients[i] ? gradients[i].to_vector<double>() : std::vector<double>(values.size(), 0.0);
    const auto at = [&](size_t k, double x) {
      List moved = inputs;
      const double kept = std::exchange(values[k], x);
      moved[i] = Tensor::from(values, inputs[i].shape());
      values[k] = kept;
      return f(moved).item();
    };
    for (size_t k = 0; k < values.size(); ++k) {
      const double x = values[k], up = at(k, x + step), down = at(k, x - step);
      const double slope = (up - down) / (2 * step), scale = 1 + std::abs(slope);
      const double bend = (up - 2 * here + down) / step;
      if (!std::isfinite(slope) || std::abs(bend) > 0.02 * scale || scale > 1e4) continue;
      ++compared;
      if (!(std::abs(slope - found[k]) <= 1e-4 * scale))
        return "argument " + std::to_string(i) + ", element " + std::to_string(k) + " at " +
               std::to_string(x) + ": " + std::to_string(found[k]) + " for " +
               std::to_string(slope);
    }
  }
  return "";
}

template <class F>
void for_each_smooth_case(F problem_of) {
  for (const Smooth& s : smooth_cases()) {
    INFO(s.c.text);
    std::string problem;
    try {
      problem = problem_of(s);
    } catch (const std::exception& e) {
      problem = e.what();
    }
    CHECK(problem == "");
  }
}

}  // namespace

TEST_CASE("the gradient of each op is the slope of its values") {
  int compared = 0;
  for_each_smooth_case([&](const Smooth& s) {
    return gradient_problem([&](const List& x) { return s.total(x); }, s.inputs, compared);
  });
  CHECK(compared > 5000);
}

TEST_CASE("the second derivative of each op is the slope of its gradient") {
  int compared = 0;
  for_each_smooth_case([&](const Smooth& s) {
    const auto slope = [&](const List& x) {
      Tensor sum = Tensor::from({0.0}, {});
      for (const Tensor& g : gradients_of([&](const List& x) { return s.total(x); }, x))
        if (g) sum = sum + ops::sum(g * noise(g.shape(), 0.5, 1.5, 77));
      return sum;
    };
    return gradient_problem(slope, s.inputs, compared);
  });
  CHECK(compared > 4000);
}

TEST_CASE("jvp of each op is the transpose of its vjp") {
  for_each_smooth_case([&](const Smooth& s) -> std::string {
    List tangents;
    for (const Tensor& x : s.inputs) tangents.push_back(noise(x.shape(), -1, 1, 31));
    const auto forward = ops::jvp([&](const List& x) { return s.results(x); }, s.inputs, tangents);
    double along = 0;  // sum of weights * tangents of results
    for (const Tensor& t : forward.tangents)
      if (t) along += ops::sum(t * noise(t.shape(), 0.5, 1.5, 99)).item();
    double back = 0;
    const List gradients = gradients_of([&](const List& x) { return s.total(x); }, s.inputs);
    for (size_t i = 0; i < gradients.size(); ++i)
      if (gradients[i]) back += ops::sum(gradients[i] * tangents[i]).item();
    if (std::abs(along - back) <= 1e-9 * (1 + std::abs(back))) return "";
    return std::to_string(along) + " forward, " + std::to_string(back) + " backward";
  });
}

}  // namespace op_gradients_test
