// Faults of the inputs: NaN, no variation, no scale, no use.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "../../autodiff/tape.h"
#include "../../ops/core/cast.h"
#include "../../ops/elementwise.h"
#include "../../ops/numpy/indexing.h"
#include "../../ops/numpy/logic.h"
#include "../../ops/numpy/reduction.h"
#include "../../ops/operators.h"
#include "checks.h"

namespace cornu::diagnose {
namespace {

std::string input_place(const std::string& name) {
  return name.empty() ? "input" : fmt::format("input '{}'", name);
}

void check_finite(const Tensor& data, const std::string& where, Findings& findings) {
  if (!data || !is_float(data.dtype())) return;
  const double bad =
      ops::sum(ops::cast(ops::logical_not(ops::isfinite(data)), DType::float32)).item();
  if (bad == 0) return;
  findings.add("inputs_nan", where,
               fmt::format("{:.0f} of {} numbers are NaN or infinite", bad, data.size()),
               "Find where they come from (a division by zero, a missing value), and drop or fill "
               "those samples.");
}

void check_constant(const InputFacts& input, bool only, Findings& findings) {
  if (input.rows.count < 8 || !input.rows.constant()) return;
  // Positions and segment numbers are the same for all samples.
  if (!only && !is_float(input.data.dtype())) return;
  findings.add("inputs_constant", input_place(input.name),
               fmt::format("all of the first {} samples are equal", input.rows.count),
               "Check how the array is filled: a model cannot learn from what does not vary.");
}

struct Scale {
  double largest_feature = 0, most = 0;
};

// The root mean square of the largest feature (last axis), and the largest number.
Scale scale_of(const Tensor& t) {
  const std::vector<double> values = t.to_vector<double>();
  const size_t features = t.rank() > 1 ? static_cast<size_t>(t.shape(-1)) : 1;
  std::vector<double> squares(features);
  Scale scale;
  for (size_t i = 0; i < values.size(); ++i) {
    squares[i % features] += values[i] * values[i];
    scale.most = std::max(scale.most, std::fabs(values[i]));
  }
  for (double s : squares)
    scale.largest_feature = std::max(scale.largest_feature,
                                     std::sqrt(s / static_cast<double>(values.size() / features)));
  return scale;
}

void check_scale(const Evidence& evidence, Findings& findings) {
  for (const LayerCall& call : evidence.trace->calls()) {
    if (!call.raw || !call.leaf || !call.has_kernel() || !call.input || call.input.size() == 0 ||
        !is_number(call.input))
      continue;
    const Scale scale = scale_of(call.input);
    if (!std::isfinite(scale.most)) continue;
    const bool large = scale.largest_feature > 20, small = scale.most > 0 && scale.most < 1e-3;
    if (!large && !small) continue;
    findings.add(
        "inputs_unscaled", short_path(call.path),
        large
            ? fmt::format("its input has features of size {:.3g} (root mean square), up to {:.3g}",
                          scale.largest_feature, scale.most)
            : fmt::format("the numbers of its input are at most {:.2g}", scale.most),
        "Bring inputs to about mean 0 and deviation 1 (layers::Normalization, adapted), or pixels "
        "to [0, 1] (layers::Rescaling({.scale = 1.0 / 255})).");
  }
}

// What goes into the layer that makes an output; the output may be saturated.
std::vector<Tensor> last_values(const ForwardTrace& trace, const std::vector<Tensor>& outputs) {
  std::vector<Tensor> values = outputs;
  for (const Tensor& output : outputs)
    for (const LayerCall& call : trace.calls())
      if (call.leaf && call.input && call.output && call.output.impl()->key == output.impl()->key)
        values.push_back(call.input);
  return values;
}

bool equal_values(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Tensor& x, const Tensor& y) {
    return x.shape() == y.shape() && x.to_vector<double>() == y.to_vector<double>();
  });
}

// Whether anything changes when one input's samples are exchanged.
bool depends_on(const Evidence& evidence, size_t input) {
  std::vector<Tensor> tensors = evidence.probe.flatten();
  Tensor& t = tensors[input];
  std::vector<int64_t> order(static_cast<size_t>(t.shape(0)));
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>((i + 1) % order.size());
  t = ops::take(t, Tensor(order), 0);
  const LossScope losses;
  const detail::Trial trial(evidence.model);
  const Nest exchanged = evidence.probe.pack(tensors);
  ForwardTrace trace(exchanged);
  const std::vector<Tensor> changed = evidence.model(exchanged, {.training = false}).flatten();
  trace.stop();
  std::vector<Tensor> before;
  for (const OutputFacts& output : evidence.outputs) before.push_back(output.prediction);
  return !equal_values(last_values(trace, changed), last_values(*evidence.trace, before));
}

// Whether a derivative of the outputs by the input is not exactly 0, which what merely vanishes
// has.
bool has_derivative(const Evidence& evidence, size_t input) {
  std::vector<Tensor> tensors = evidence.probe.flatten();
  if (!is_float(tensors[input].dtype())) return false;
  const LossScope losses;
  const detail::Trial trial(evidence.model);
  GradientTape tape;
  tape.watch(tensors[input]);
  std::vector<Tensor> outputs;
  for (const Tensor& t :
       evidence.model(evidence.probe.pack(tensors), {.training = false}).flatten())
    if (is_float(t.dtype())) outputs.push_back(t);
  if (outputs.empty()) return false;
  Tensor sum;
  for (const Tensor& t : outputs) {
    // Squares: the sum of a softmax has no derivative.
    const Tensor squares = ops::sum(ops::square(t));
    sum = sum ? sum + squares : squares;
  }
  const Tensor gradient = tape.gradient(sum, tensors[input]);
  return gradient && ops::any(ops::not_equal(gradient, Tensor(0.0))).item() != 0;
}

void check_names(const Evidence& evidence, Findings& findings) {
  if (!evidence.x.is_dict()) return;
  // A dictionary may hold more than the model asks for.
  const std::vector<std::string> known = evidence.model.input_names();
  if (known.empty()) return;
  for (const auto& [key, part] : evidence.x.entries())
    if (std::find(known.begin(), known.end(), key) == known.end())
      findings.add("unused_input", input_place(key), "the model has no input of this name",
                   "Add an Input of this name, or leave the array out.");
}

}  // namespace

void check_inputs(const Evidence& evidence, Findings& findings) {
  for (const InputFacts& input : evidence.inputs)
    check_finite(input.data, input_place(input.name), findings);
  for (const Tensor& t : evidence.y.flatten()) check_finite(t, "targets", findings);
  for (const Tensor& t : evidence.sample_weight.flatten())
    check_finite(t, "sample weights", findings);
  for (const Nest* part : {&evidence.options.validation_x, &evidence.options.validation_y})
    for (const Tensor& t : part->flatten()) check_finite(t, "validation data", findings);
  if (findings.any({"inputs_nan"})) return;
  for (const InputFacts& input : evidence.inputs)
    check_constant(input, evidence.inputs.size() == 1, findings);
  if (!evidence.trace) return;
  if (const auto& layer = evidence.trace->half_overflow())
    findings.add(
        "half_overflow", short_path(*layer),
        "a float16 result is infinite or NaN (beyond 65504) although its inputs are finite",
        "Scale the inputs, or give this layer .dtype = \"float32\" or the model "
        "\"mixed_bfloat16\".");
  check_scale(evidence, findings);
}

void check_use(const Evidence& evidence, Findings& findings) {
  // What is dead, or always 1, depends on no input.
  if (!evidence.trace || findings.any({"inputs_nan", "inputs_constant", "half_overflow",
                                       "dead_units", "loss_output_mismatch", "inputs_unscaled"}))
    return;
  const size_t count = evidence.probe.flatten().size();
  // The only input, which a layer reads: what comes of that is another matter.
  const auto& calls = evidence.trace->calls();
  if (count == 1 && std::any_of(calls.begin(), calls.end(), [](const LayerCall& call) {
        return call.raw && call.leaf && !call.layer->weights().empty();
      }))
    return check_names(evidence, findings);
  for (size_t i = 0; i < count && i < evidence.inputs.size(); ++i) {
    const InputFacts& input = evidence.inputs[i];
    if (input.rows.count < 2 || input.rows.constant() || depends_on(evidence, i) ||
        has_derivative(evidence, i))
      continue;
    findings.add("unused_input", input_place(input.name),
                 "the outputs stay the same, bit for bit, when its samples are exchanged",
                 "Connect it to the outputs, or take it out of the model.");
  }
  check_names(evidence, findings);
}

}  // namespace cornu::diagnose
