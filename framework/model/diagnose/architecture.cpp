// Faults of the layers: masks that end, normalizations without statistics, frozen and dead layers.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "../../ops/numpy/reduction.h"
#include "checks.h"

namespace cornu::diagnose {
namespace {

bool is_batch_norm(const LayerCall& call) { return call.kind == "BatchNormalization"; }

bool all_equal(const Tensor& t, double value) {
  const std::vector<double> values = t.to_vector<double>();
  return std::all_of(values.begin(), values.end(), [&](double v) { return v == value; });
}

void check_masks(const LayerCall& call, Findings& findings) {
  if (!call.masked || !call.leaf || call.layer->supports_masking() || call.layer->uses_mask())
    return;
  if (call.output && call.output.mask()) return;
  // Without padding in the data nothing is lost.
  if (ops::all(call.mask).item() != 0) return;
  findings.add("mask_dropped", short_path(call.path),
               fmt::format("{} does not support masks: the one of its input ends here, and padding "
                           "counts as data from here on",
                           call.kind),
               "Put it behind the layers that use the mask, write its compute_mask, or take "
               "mask_zero off where the mask is not meant.");
}

// The same for ops that a model calls itself.
void check_bare_maskings(const ForwardTrace& trace, Findings& findings) {
  for (const BareOp& op : trace.bare_maskings())
    if (ops::all(op.input.mask()).item() == 0)
      findings.add("mask_dropped", short_path(op.after),
                   "an op takes its output, which has a mask, and gives a result without: padding "
                   "counts as data from here on",
                   "Use a layer that supports masks, such as GlobalAveragePooling1D or Add, or "
                   "multiply by the mask.");
}

void check_batch_of_one(const LayerCall& call, const Evidence& evidence, Findings& findings) {
  if (!is_batch_norm(call) || !call.layer->trainable() || call.input.rank() < 2) return;
  const int64_t values = call.input.size() / std::max<int64_t>(call.input.shape(0), 1) /
                         std::max<int64_t>(call.input.shape(-1), 1);
  const int64_t size = evidence.options.batch_size, rest = evidence.samples % size;
  if (values != 1 || (size != 1 && evidence.samples != 1 && rest != 1)) return;
  findings.add("batch_norm_of_one", short_path(call.path),
               size == 1 ? "batches have one sample: less its own mean, every value is 0"
                         : fmt::format("the last of the batches of {} has one sample ({} in all): "
                                       "less its own mean, every value is 0",
                                       size, evidence.samples),
               size == 1 ? "Take larger batches, or layers::LayerNormalization."
                         : "Take another batch_size, or leave a sample out.");
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// How far the data are from frozen statistics, in the middle channel.
std::string distance(const LayerCall& call, const Tensor& mean, const Tensor& variance) {
  std::vector<int64_t> axes;
  for (int axis = 0; axis + 1 < call.input.rank(); ++axis) axes.push_back(axis);
  const auto found_mean = ops::mean(call.input, axes).to_vector<double>();
  const auto found_variance = ops::var(call.input, axes).to_vector<double>();
  const auto kept_mean = mean.to_vector<double>(), kept_variance = variance.to_vector<double>();
  if (found_mean.size() != kept_mean.size()) return "";
  std::vector<double> shifts, ratios;
  for (size_t i = 0; i < kept_mean.size(); ++i) {
    shifts.push_back(std::fabs(found_mean[i] - kept_mean[i]) /
                     std::sqrt(std::max(kept_variance[i], 1e-12)));
    ratios.push_back((found_variance[i] + 1e-6) / (kept_variance[i] + 1e-6));
  }
  const double shift = median(shifts), ratio = median(ratios);
  if (shift < 5 && ratio < 25 && ratio > 0.01) return "";
  return fmt::format(
      "its data are {:.3g} deviations off its statistics, their variance {:.3g} times "
      "theirs",
      shift, ratio);
}

// Whether a normalization has the statistics that it began with.
bool untouched(const LayerCall& call) {
  const Tensor mean = call.weight("moving_mean"), variance = call.weight("moving_variance");
  return mean && variance && all_equal(mean, 0) && all_equal(variance, 1);
}

void check_frozen_normalization(const LayerCall& call, Findings& findings) {
  if (!is_batch_norm(call) || call.layer->trainable()) return;
  const Tensor mean = call.weight("moving_mean"), variance = call.weight("moving_variance");
  if (!mean || !variance) return;
  const std::string evidence =
      untouched(call) ? "it is frozen with the statistics that it began with (mean 0, variance 1)"
                      : distance(call, mean, variance);
  if (evidence.empty()) return;
  findings.add("frozen_normalization", short_path(call.path), evidence,
               "Load trained weights before freezing, or set_trainable(true) for this layer, and "
               "compile again.");
}

// --- frozen layers ---

bool frozen(const LayerCall& call) { return !call.layer->trainable(); }

// Whether numbers are drawn evenly from an interval around 0, as most initializers do: what is
// learned has tails.
bool drawn_evenly(const std::vector<double>& values) {
  if (values.size() < 128) return false;
  const double n = static_cast<double>(values.size());
  double sum = 0, square = 0, fourth = 0, most = 0;
  for (double v : values) {
    sum += v / n;
    square += v * v / n;
    fourth += v * v * v * v / n;
    most = std::max(most, std::fabs(v));
  }
  const double deviation = std::sqrt(square), kurtosis = fourth / (square * square);
  return square > 0 && std::fabs(sum) < 4 * deviation / std::sqrt(n) && most > 1.6 * deviation &&
         most < 1.9 * deviation && kurtosis > 1.5 && kurtosis < 2.1;
}

// Whether training has never touched it: biases begin at 0 (a forget gate's at 1) and do not stay
// there, and kernels do not stay in the interval from which they were drawn.
bool fresh(const LayerCall& call) {
  if (const Tensor bias = call.weight("bias")) {
    const std::vector<double> values = bias.to_vector<double>();
    return std::all_of(values.begin(), values.end(), [](double v) { return v == 0 || v == 1; });
  }
  const Tensor kernel = call.weight(call.is_lookup() ? "embeddings" : "kernel");
  return kernel && drawn_evenly(kernel.to_vector<double>());
}

void check_frozen(const Evidence& evidence, Findings& findings) {
  Model& model = evidence.model;
  if (!model.compiled()) return;
  if (!model.weights().empty() && model.trainable_variables().empty()) {
    findings.add("forgotten_trainable", model.name(),
                 fmt::format("none of its {} weights is trainable", model.weights().size()),
                 "Call set_trainable(true) on the layers that are to learn, and compile again.");
    return;
  }
  std::vector<const LayerCall*> kernels;
  for (const LayerCall& call : evidence.trace->calls())
    if (call.leaf && (call.has_kernel() || call.is_lookup())) kernels.push_back(&call);
  for (size_t i = 0; i < kernels.size(); ++i) {
    const LayerCall& call = *kernels[i];
    if (!frozen(call) || !fresh(call)) continue;
    // A model at the end that is frozen as a whole is a critic: it is trained elsewhere.
    const bool before_others =
        std::any_of(kernels.begin() + static_cast<std::ptrdiff_t>(i), kernels.end(),
                    [](const LayerCall* c) { return !frozen(*c); });
    if (before_others || call.depth == 1)
      findings.add(
          "forgotten_trainable", short_path(call.path),
          "it is frozen with the random weights that it began with",
          "Load trained weights before freezing, or set_trainable(true), and compile again.");
  }
}

// --- dead units ---

bool is_relu(const LayerCall& call, const ForwardTrace& trace) {
  const std::string activation = call.option("activation");
  return activation == "relu" || activation == "relu6" || call.kind == "ReLU" ||
         (activation.empty() && trace.form_of(call.output) == OutputForm::relu);
}

// Whether hardly any unit of a relu is ever above 0.
void check_dead(const Tensor& input, const Tensor& output, const std::string& path,
                Findings& findings) {
  if (output.rank() < 2 || !is_float(output.dtype()) || output.shape(0) < 16) return;
  if (all_equal(input, 0)) return;  // something before it is dead
  const int64_t units = output.shape(-1);
  const std::vector<double> values = output.to_vector<double>();
  std::vector<char> alive(static_cast<size_t>(units));
  for (size_t i = 0; i < values.size(); ++i)
    alive[i % static_cast<size_t>(units)] |= values[i] != 0;
  const int64_t dead = std::count(alive.begin(), alive.end(), 0);
  if (dead < units && (units < 8 || dead * 10 < units * 9)) return;
  findings.add(
      "dead_units", short_path(path),
      fmt::format("{} of {} units are 0 for all of {} samples, so they have no gradient", dead,
                  units, output.shape(0)),
      "Check the initial weights and biases (\"he_normal\", bias 0) and the inputs' scale, "
      "or take LeakyReLU or gelu.");
}

}  // namespace

void check_architecture(const Evidence& evidence, Findings& findings) {
  if (!evidence.trace || findings.any({"inputs_nan"})) return;
  const bool dead_counts = !findings.any({"inputs_constant", "half_overflow"});
  for (const LayerCall& call : evidence.trace->calls()) {
    if (!call.input) continue;
    check_masks(call, findings);
    check_batch_of_one(call, evidence, findings);
    check_frozen_normalization(call, findings);
    if (call.leaf && call.output && is_relu(call, *evidence.trace) && dead_counts)
      check_dead(call.input, call.output, call.path, findings);
  }
  check_bare_maskings(*evidence.trace, findings);
  if (dead_counts)
    for (const BareOp& op : evidence.trace->bare_relus())
      check_dead(op.input, op.output, op.after, findings);
  check_frozen(evidence, findings);
}

void check_statistics(const Evidence& evidence, Findings& findings) {
  if (!evidence.trace || !evidence.model.compiled() || evidence.y.empty()) return;
  std::vector<const LayerCall*> fresh_ones;
  for (const LayerCall& call : evidence.trace->calls())
    if (is_batch_norm(call) && call.layer->trainable() && untouched(call))
      fresh_ones.push_back(&call);
  if (fresh_ones.empty()) return;
  detail::Trial trial(evidence.model);
  trial.step(evidence.batch(0, std::min(evidence.samples, evidence.options.batch_size)));
  for (const LayerCall* call : fresh_ones)
    if (untouched(*call))
      findings.add("frozen_normalization", short_path(call->path),
                   "a training step leaves its statistics where they began (mean 0, variance 1): "
                   "it is called with training = false",
                   "Call it with the training flag of the model, or load trained weights.");
}

}  // namespace cornu::diagnose
