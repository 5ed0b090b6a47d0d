// Faults that gradients show: none at all, vanishing, exploding.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "../../ops/elementwise.h"
#include "../../ops/numpy/reduction.h"
#include "checks.h"

namespace cornu::diagnose {
namespace {

using Gradients = detail::LossGradients;

// Nothing when the model has no loss of its own.
std::optional<Gradients> gradients_of(const Evidence& evidence) {
  const Batch batch = evidence.batch(0, std::min(evidence.samples, evidence.options.batch_size));
  try {
    return detail::loss_gradients(evidence.model, batch);
  } catch (const StateError&) {
    return {};
  }
}

double size_of(const Tensor& gradient) {
  return gradient ? ops::max(ops::absolute(gradient)).item() : 0;
}

void check_missing(const Evidence& evidence, const Gradients& g, Findings& findings) {
  // An output without a loss is not meant to be trained.
  if (std::any_of(evidence.outputs.begin(), evidence.outputs.end(),
                  [](const OutputFacts& output) { return !output.loss; }) &&
      evidence.outputs.size() > 1)
    return;
  std::string missing;
  int64_t count = 0;
  bool all_zero = true;
  for (size_t i = 0; i < g.variables.size(); ++i) {
    all_zero &= size_of(g.values[i]) == 0;
    if (g.values[i]) continue;
    if (missing.empty()) missing = short_path(g.variables[i].path());
    ++count;
  }
  if (count == 0 && !all_zero) return;
  const std::string evidence_text =
      count == 0 ? std::string("the gradients of all weights are exactly 0")
                 : fmt::format("the loss does not depend on {} of {} trainable weights{}", count,
                               g.variables.size(),
                               count == static_cast<int64_t>(g.variables.size())
                                   ? ""
                                   : " in a way that has a derivative");
  findings.add("no_gradient", count == 0 ? std::string() : missing, evidence_text,
               "Look for argmax, round, casts to integers, comparisons or stop_gradient on the way "
               "to the loss, or for a layer whose result is not used.");
}

// Kernels that stay exactly 0 for the loss, also after some steps: what merely begins at 0, as a
// branch of a residual network may, leaves it with the first ones.
void check_stuck(const Evidence& evidence, const Gradients& g, Findings& findings) {
  const auto stuck = [](const Gradients& now, size_t i) {
    return now.values[i] && now.variables[i].shape().rank() >= 2 && size_of(now.values[i]) == 0;
  };
  size_t count = 0;
  for (size_t i = 0; i < g.variables.size(); ++i) count += stuck(g, i);
  if (count == 0) return;
  detail::Trial trial(evidence.model);
  const int64_t size = std::min(evidence.samples, evidence.options.batch_size);
  for (int64_t step = 0; step < 3; ++step) {
    const int64_t begin = (step % evidence.batches()) * size;
    trial.step(evidence.batch(begin, begin + size));
  }
  const auto later = gradients_of(evidence);
  if (!later) return;
  std::string first;
  size_t left = 0;
  for (size_t i = 0; i < later->variables.size(); ++i)
    if (stuck(*later, i) && left++ == 0) first = short_path(later->variables[i].path());
  if (left == 0) return;
  findings.add("no_gradient", first,
               fmt::format("the gradients of {} of {} trainable weights are exactly 0, and stay so "
                           "in the first steps",
                           left, later->variables.size()),
               "Draw initial weights at random: those that are all 0 get no gradient from each "
               "other.");
}

// How much values grow at most through the layers with kernels, where, and what is left of them at
// the input of the last.
struct Growth {
  double most = 0;
  std::string where;
  double left = 1;
};

// The sizes of the gradients of the kernels, in the order in which their layers are called.
std::vector<std::pair<std::string, double>> by_depth(const Evidence& evidence, const Gradients& g) {
  std::vector<std::pair<std::string, double>> sizes;
  std::set<const Layer*> seen;
  for (const LayerCall& call : evidence.trace->calls()) {
    if (!call.leaf || !call.has_kernel() || !seen.insert(call.layer).second) continue;
    double size = -1;
    for (const Variable& own : call.layer->weights())
      for (size_t i = 0; i < g.variables.size(); ++i)
        if (g.variables[i] == own && own.shape().rank() >= 2 && g.values[i])
          size = std::max(size, size_of(g.values[i]));
    if (size >= 0) sizes.emplace_back(short_path(call.path), size);
  }
  return sizes;
}

double largest(const std::vector<std::pair<std::string, double>>& sizes, size_t begin, size_t end) {
  double most = 0;
  for (size_t i = begin; i < end; ++i) most = std::max(most, sizes[i].second);
  return most;
}

void check_depth(const Evidence& evidence, const Gradients& g, const Growth& growth,
                 Findings& findings) {
  const auto sizes = by_depth(evidence, g);
  if (sizes.size() < 4) return;
  if (growth.left < 1e-5) {
    findings.add(
        "gradient_vanishes", sizes[0].first,
        fmt::format("values shrink to {:.2g} of their size on the way to the last layer, and "
                    "gradients on the way back; the first layer's are at most {:.2g}",
                    growth.left, sizes[0].second),
        "Take larger initial weights (\"he_normal\"), or normalization layers.");
    return;
  }
  const size_t third = sizes.size() / 3;
  const double first = largest(sizes, 0, third),
               last = largest(sizes, sizes.size() - third, sizes.size());
  if (!(last > 0) || !(first < 1e-4 * last)) return;
  findings.add("gradient_vanishes", sizes[0].first,
               fmt::format("gradients of the first layers are at most {:.2g}, of the last {:.2g}: "
                           "{:.2g} times more",
                           first, last, last / std::max(first, 1e-300)),
               "Take relu or gelu rather than sigmoid or tanh, he_normal weights, normalization "
               "layers or residual connections.");
}

Growth growth_of(const Evidence& evidence) {
  double before = 0;
  Growth growth;
  for (const LayerCall& call : evidence.trace->calls()) {
    if (!call.leaf || !call.has_kernel() || !call.input || !call.output) continue;
    if (!is_float(call.input.dtype())) continue;
    const double input = size_of(call.input);
    if (before == 0) before = std::max(1e-3, input);
    growth.left = input / before;
    if (const double after = size_of(call.output) / std::max(1.0, before);
        !(after <= growth.most)) {
      growth.most = after;
      growth.where = short_path(call.path);
    }
  }
  return growth;
}

void check_explosion(const Gradients& g, const Growth& growth, Findings& findings) {
  double most = 0;
  std::string where;
  for (size_t i = 0; i < g.values.size(); ++i)
    if (const double size = size_of(g.values[i]); !(size <= most)) {
      most = size;
      where = short_path(g.variables[i].path());
    }
  const double fair = 1e3 * std::max(1.0, std::sqrt(std::fabs(g.loss)));
  const bool large = !(most <= fair), grows = !(growth.most <= 1e3);
  if (!large && !grows) return;
  findings.add(
      "gradient_explodes", grows ? growth.where : where,
      fmt::format("gradients are up to {:.2g} at a loss of {:.2g}; values grow {:.2g} times "
                  "through the layers",
                  most, g.loss, growth.most),
      "Take smaller initial weights (\"he_normal\", \"orthogonal\"), normalization layers, "
      "and .clipnorm in the optimizer.");
}

}  // namespace

void check_gradients(const Evidence& evidence, Findings& findings) {
  if (!evidence.trace || !evidence.model.compiled() || evidence.y.empty()) return;
  const auto g = gradients_of(evidence);
  if (!g || g->variables.empty()) return;
  const Growth growth = growth_of(evidence);
  // Values beyond all measure saturate the loss: its derivative may be exactly 0.
  check_explosion(*g, growth, findings);
  if (!findings.any({"gradient_explodes"})) check_missing(evidence, *g, findings);
  if (!findings.any({"gradient_explodes", "no_gradient"})) check_stuck(evidence, *g, findings);
  if (!findings.any({"gradient_explodes", "no_gradient"}))
    check_depth(evidence, *g, growth, findings);
}

}  // namespace cornu::diagnose
