// Faults of the targets' form: their shape, their range, class numbers in the place of rows.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "../../ops/numpy/manipulation.h"
#include "checks.h"

namespace cornu::diagnose {
namespace {

std::string shapes(const OutputFacts& output) {
  return fmt::format("targets have shape {}, the output has {}", output.targets.shape().str(),
                     output.prediction.shape().str());
}

// Whether one is the other with a last axis of size 1.
bool differ_by_one_axis(const Shape& a, const Shape& b) {
  if (a.rank() < b.rank()) return differ_by_one_axis(b, a);
  return a.rank() == b.rank() + 1 && a.back() == 1 && a.slice(0, b.rank()) == b;
}

// Whether the loss meets targets of other samples: it is another one for targets of the output's
// own shape, which comes closer to the samples' own losses. Keras's losses give the smaller side
// its axis; code of the user's may or may not.
bool shape_matters(const Evidence& evidence, size_t index) {
  if (!evidence.model.compiled() || evidence.y.empty() || evidence.stateful) return false;
  // Targets that leave out outputs are not looked at one by one.
  if (evidence.y.flatten().size() != evidence.outputs.size()) return false;
  const int64_t count = std::min({evidence.samples, evidence.options.batch_size, int64_t{8}});
  const Batch batch = evidence.batch(0, count);
  detail::Trial trial(evidence.model);
  const auto loss_of = [&](const Batch& part) {
    trial.rewind();
    return trial.step(part).value_or(0);
  };
  double given = 0;
  try {
    given = loss_of(batch);
  } catch (const ShapeError&) {
    return true;
  }
  try {
    std::vector<Tensor> targets = batch.y.flatten();
    Shape shape = evidence.outputs[index].prediction.shape();
    shape[0] = count;
    targets.at(index) = ops::reshape(targets.at(index), shape);
    const double alike = loss_of({batch.x, batch.y.pack(targets), batch.sample_weight});
    if (std::fabs(given - alike) <= 1e-3 * (std::fabs(given) + std::fabs(alike))) return false;
    double own = 0;
    for (int64_t i = 0; i < count; ++i)
      own += loss_of(evidence.batch(i, i + 1)) / static_cast<double>(count);
    return std::fabs(alike - own) < std::fabs(given - own);
  } catch (const ShapeError&) {
    return false;  // other shapes are what does not fit
  }
}

void check_shape(const Evidence& evidence, size_t index, Findings& findings) {
  const OutputFacts& output = evidence.outputs[index];
  const Shape &y = output.probe_targets.shape(), &p = output.prediction.shape();
  if (y == p) return;
  const bool harmless = differ_by_one_axis(y, p);
  if (harmless && !shape_matters(evidence, index)) return;
  // A function may compare whatever it likes.
  if (!harmless && (!output.loss || output.loss_class.empty())) return;
  findings.add("target_shape", output.place(),
               shapes(output) + ": the loss spreads one over the other",
               harmless ? "Give both the same shape: ops::expand_dims(y, {-1}), or ops::squeeze in "
                          "the loss."
                        : "Give y the shape of the output.");
}

void add_range(const OutputFacts& output, const std::string& evidence, const std::string& fix,
               Findings& findings) {
  findings.add("target_range", output.place(), evidence, fix);
}

void check_class_range(const OutputFacts& output, Findings& findings) {
  const auto [least, most] = output.rows.range();
  const bool whole = std::all_of(output.rows.values.begin(), output.rows.values.end(),
                                 [](double v) { return v == std::round(v); });
  // Losses may leave one class out.
  Value::Dict config = output.loss->get_config();
  const Value* ignored = detail::find(config, "ignore_class");
  const double least_allowed =
      ignored && ignored->is_number() ? std::min(0.0, ignored->number()) : 0.0;
  const double most_allowed = std::max(static_cast<double>(output.units() - 1),
                                       ignored && ignored->is_number() ? ignored->number() : 0.0);
  if (whole && least >= least_allowed && most <= most_allowed) return;
  add_range(
      output,
      fmt::format("class numbers are {:g} to {:g}{}, the output has {} classes (0 to {})", least,
                  most, whole ? "" : ", not all whole", output.units(), output.units() - 1),
      "Number classes from 0, and give the last layer a unit for each.", findings);
}

// What losses of probabilities, and outputs with bounds, can be compared with.
void check_number_range(const OutputFacts& output, Findings& findings) {
  const auto [least, most] = output.rows.range();
  struct Bounds {
    double least, most;
    const char* why;
  };
  std::optional<Bounds> bounds;
  if (output.binary())
    bounds = {0, 1, "a binary crossentropy needs targets in [0, 1]"};
  else if (output.categorical() || output.loss_class == "KLDivergence")
    bounds = {0, 1, "the loss needs probabilities"};
  else if (output.loss_class == "Poisson" || output.loss_class == "MeanSquaredLogarithmicError")
    bounds = {0, HUGE_VAL, "the loss needs targets that are not negative"};
  else if (output.form == OutputForm::sigmoid)
    bounds = {0, 1, "the output is a sigmoid, in (0, 1)"};
  else if (output.form == OutputForm::softmax)
    bounds = {0, 1, "the output is a softmax, in (0, 1)"};
  else if (output.form == OutputForm::tanh)
    bounds = {-1, 1, "the output is a tanh, in (-1, 1)"};
  else if (output.form == OutputForm::relu)
    bounds = {0, HUGE_VAL, "the output is a relu, never negative"};
  // A hinge wants -1 and 1 of whatever output.
  if (!bounds || output.loss_class.find("Hinge") != std::string::npos) return;
  const double slack = 0.01 * std::max(1.0, std::isinf(bounds->most) ? most : 0.0);
  if (least >= bounds->least - slack && most <= bounds->most + slack) return;
  add_range(output, fmt::format("targets are {:g} to {:g}, but {}", least, most, bounds->why),
            "Scale or renumber the targets, or take another activation and loss.", findings);
}

// Losses whose targets are labels that outputs are not compared with one by one.
bool takes_labels(const OutputFacts& output) {
  return output.loss_class == "CTC" || output.loss_class == "Circle";
}

bool is_class_rows(const OutputFacts& output) {
  return output.probe_targets.shape() == output.prediction.shape() && output.units() > 1;
}

void check_output(const Evidence& evidence, size_t index, Findings& findings) {
  const OutputFacts& output = evidence.outputs[index];
  if (output.sparse() && is_class_rows(output)) {
    findings.add("target_one_hot_with_sparse", output.place(),
                 shapes(output) + ": rows where class numbers are expected",
                 "Take loss \"categorical_crossentropy\", or give class numbers: "
                 "ops::argmax(y, -1).");
  } else if ((output.categorical() || output.loss_class == "KLDivergence" ||
              output.loss_class == "CategoricalHinge") &&
             output.class_numbers()) {
    findings.add(
        "target_sparse_with_categorical", output.place(),
        shapes(output) + ": class numbers where a row for each sample is expected",
        "Take loss \"sparse_categorical_crossentropy\", or give rows: ops::one_hot(y, n).");
  } else if (output.sparse()) {
    if (output.units() > 1) check_class_range(output, findings);
  } else {
    if (!takes_labels(output)) check_shape(evidence, index, findings);
    if (output.loss && !findings.any({"target_shape"})) check_number_range(output, findings);
  }
}

double root_mean_square(const Rows& rows) {
  double sum = 0;
  for (double v : rows.values) sum += v * v;
  return std::sqrt(sum / static_cast<double>(std::max<size_t>(rows.values.size(), 1)));
}

// Whether predictions are numbers that are to come near the targets. What a function does with them
// is not known: it is taken for a distance where both are numbers of one shape.
bool approaches(const OutputFacts& output) {
  if (output.regression()) return true;
  return output.loss && output.loss_class.empty() &&
         output.probe_targets.shape() == output.prediction.shape() &&
         std::any_of(output.rows.values.begin(), output.rows.values.end(),
                     [](double v) { return v != std::round(v); });
}

}  // namespace

void check_target_scale(const Evidence& evidence, Findings& findings) {
  for (const OutputFacts& output : evidence.outputs) {
    if (output.rows.values.empty() || !approaches(output)) continue;
    const double wanted = root_mean_square(output.rows), is = root_mean_square(output.predicted);
    const bool far = wanted > 1e3 && wanted > 100 * is,
               near = wanted > 0 && wanted < 1e-4 && 1e3 * wanted < is;
    if (!far && !near) continue;
    add_range(output,
              fmt::format("targets are of size {:.3g} (root mean square), predictions of {:.3g}: "
                          "steps of the usual size do not get from one to the other",
                          wanted, is),
              "Bring targets to about mean 0 and deviation 1, and scale predictions back; or end "
              "the model with layers::Rescaling.",
              findings);
  }
}

void check_targets(const Evidence& evidence, Findings& findings) {
  for (size_t i = 0; i < evidence.outputs.size(); ++i)
    if (evidence.outputs[i].targets && !evidence.outputs[i].rows.values.empty())
      check_output(evidence, i, findings);
}

}  // namespace cornu::diagnose
