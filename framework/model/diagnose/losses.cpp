// Faults between outputs and losses: logits, softmaxes, and losses for other outputs.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "../../ops/numpy/indexing.h"
#include "checks.h"

namespace cornu::diagnose {
namespace {

const char* name_of(OutputForm form) {
  switch (form) {
    case OutputForm::softmax:
      return "a softmax";
    case OutputForm::log_softmax:
      return "a log-softmax";
    case OutputForm::sigmoid:
      return "a sigmoid";
    case OutputForm::tanh:
      return "a tanh";
    case OutputForm::relu:
      return "a relu";
    case OutputForm::linear:
      return "linear";
    case OutputForm::other:
      break;
  }
  return "no activation that is known";
}

bool is_softmax(const OutputFacts& output) {
  return output.form == OutputForm::softmax ||
         (output.form == OutputForm::other && output.probabilities());
}

std::string range_text(const OutputFacts& output) {
  const auto [least, most] = output.predicted.range();
  return fmt::format("from {:.3g} to {:.3g}", least, most);
}

bool outside_unit(const OutputFacts& output) {
  const auto [least, most] = output.predicted.range();
  return least < -1e-5 || most > 1.01;
}

void mismatch(const OutputFacts& output, const std::string& evidence, const std::string& fix,
              Findings& findings) {
  findings.add("loss_output_mismatch", output.place(),
               fmt::format("{}, and the output is {}", evidence, name_of(output.form)), fix);
}

void expects_probabilities(const OutputFacts& output, Findings& findings) {
  const bool multi = output.categorical() || output.sparse();
  switch (output.form) {
    case OutputForm::softmax:
      return;
    case OutputForm::sigmoid:
      if (multi)
        mismatch(
            output, output.loss_class + " wants one distribution over the classes",
            "Take a softmax as the last activation, or loss \"binary_crossentropy\" for classes "
            "that do not exclude each other.",
            findings);
      return;
    case OutputForm::relu:
    case OutputForm::tanh:
      mismatch(output, output.loss_class + " wants probabilities",
               multi ? "Take a softmax as the last activation."
                     : "Take a sigmoid as the last activation.",
               findings);
      return;
    case OutputForm::linear:
      break;
    default:
      if (!outside_unit(output)) return;
  }
  findings.add("logits_flag", output.place(),
               fmt::format("{} has from_logits = false, but the output is {}, {}",
                           output.loss_class, name_of(output.form), range_text(output)),
               fmt::format("Give the last layer .activation = \"{}\", or the loss .from_logits = "
                           "true.",
                           multi ? "softmax" : "sigmoid"));
}

void expects_logits(const OutputFacts& output, Findings& findings) {
  const bool softmax = is_softmax(output);
  if (softmax && !output.binary()) {
    findings.add("double_softmax", output.place(),
                 "the output is a softmax, and the loss applies one again (from_logits = true)",
                 "Take the activation off the last layer, or from_logits = true off the loss.");
  } else if (softmax || output.form == OutputForm::sigmoid) {
    findings.add("logits_flag", output.place(),
                 fmt::format("{} has from_logits = true, but the output is {} already",
                             output.loss_class, softmax ? "a softmax" : "a sigmoid"),
                 "Take the activation off the last layer, or from_logits = true off the loss.");
  } else if (output.form == OutputForm::relu) {
    mismatch(output, output.loss_class + " with from_logits = true wants any number",
             "Take the activation off the last layer.", findings);
  }
}

void check_crossentropy(const OutputFacts& output, Findings& findings) {
  const bool multi = output.categorical() || output.sparse();
  if (multi && output.units() == 1) {
    findings.add(
        "loss_output_mismatch", output.place(),
        fmt::format("{} over an output of one unit: its softmax is always 1", output.loss_class),
        "For two classes take loss \"binary_crossentropy\" and a sigmoid, else a unit for "
        "each class.");
    return;
  }
  if (output.binary() && is_softmax(output) && !output.from_logits &&
      (output.one_hot() || output.class_numbers())) {
    mismatch(output, output.loss_class + " counts each class alone, the targets are one of many",
             output.one_hot() ? "Take loss \"categorical_crossentropy\"."
                              : "Take loss \"sparse_categorical_crossentropy\".",
             findings);
    return;
  }
  if (output.from_logits)
    expects_logits(output, findings);
  else
    expects_probabilities(output, findings);
}

// What losses that are no crossentropies want of an output.
struct Wish {
  const char* loss;
  bool (*fits)(const OutputFacts&);
  const char* evidence;
  const char* fix;
};

bool both_signs(const OutputFacts& output) {
  return output.form != OutputForm::sigmoid && output.form != OutputForm::softmax &&
         output.form != OutputForm::relu;
}

constexpr const char* take_softmax = "Take a softmax as the last activation.";
constexpr const char* take_no_activation = "Take no activation, or tanh, in the last layer.";

const Wish wishes[] = {
    {"KLDivergence",
     [](const OutputFacts& o) {
       return is_softmax(o) || o.form == OutputForm::sigmoid || !outside_unit(o);
     },
     "KLDivergence wants distributions", take_softmax},
    {"Dice", [](const OutputFacts& o) { return !outside_unit(o); }, "Dice wants probabilities",
     "Take a sigmoid or a softmax as the last activation."},
    {"Tversky", [](const OutputFacts& o) { return !outside_unit(o); },
     "Tversky wants probabilities", "Take a sigmoid or a softmax as the last activation."},
    {"Poisson", [](const OutputFacts& o) { return o.predicted.range().first >= 0; },
     "Poisson wants rates, whose logarithm it takes, and some are negative",
     "Take softplus or exponential as the last activation."},
    {"Hinge", both_signs, "Hinge wants scores of both signs", take_no_activation},
    {"SquaredHinge", both_signs, "SquaredHinge wants scores of both signs", take_no_activation},
    {"CosineSimilarity", [](const OutputFacts& o) { return o.units() > 1; },
     "CosineSimilarity compares directions, and one unit has none but its sign",
     "Take loss \"mse\", or more units."},
};

void check_loss(const OutputFacts& output, Findings& findings) {
  if (is_softmax(output) && output.units() == 1) {
    findings.add("loss_output_mismatch", output.place(), "a softmax over one unit is always 1",
                 "Take a sigmoid for one unit.");
    return;
  }
  if (output.categorical() || output.sparse() || output.binary())
    check_crossentropy(output, findings);
  else if (output.regression() && is_softmax(output) &&
           (output.one_hot() || output.class_numbers()))
    mismatch(output, output.loss_class + " measures distances, the targets are classes",
             output.one_hot() ? "Take loss \"categorical_crossentropy\"."
                              : "Take loss \"sparse_categorical_crossentropy\".",
             findings);
  for (const Wish& wish : wishes)
    if (output.loss_class == wish.loss && !wish.fits(output))
      mismatch(output, wish.evidence, wish.fix, findings);
}

// A dropout behind the last layer changes what the loss compares.
void check_end(const ForwardTrace& trace, const OutputFacts& output, Findings& findings) {
  const LayerCall* last = output.loss ? trace.random_end(output.prediction) : nullptr;
  if (!last) return;
  findings.add("loss_output_mismatch", short_path(last->path),
               fmt::format("{} is behind the last layer: in training the loss compares the targets "
                           "with predictions that it has changed at random",
                           last->kind),
               "Put it before the last layer.");
}

// --- weights of the losses ---

// How large a loss is when it has learned nothing: also on the targets of other samples, since it
// may be small already.
double size_of_loss(const OutputFacts& output) {
  const auto value = [&](const Tensor& targets) {
    return std::fabs((*output.loss)(targets, output.prediction).item());
  };
  const int64_t n = output.probe_targets.shape(0);
  std::vector<int64_t> next(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) next[static_cast<size_t>(i)] = (i + 1) % n;
  const double size = std::max(value(output.probe_targets),
                               value(ops::take(output.probe_targets, Tensor(next), 0)));
  // One is in percent, the other in [-1, 1] with nothing learned at 0.
  if (output.loss_class == "MeanAbsolutePercentageError") return size / 100;
  return output.loss_class == "CosineSimilarity" ? 1 : size;
}

void check_weights(const Evidence& evidence, Findings& findings) {
  const OutputFacts *least = nullptr, *most = nullptr;
  double small = HUGE_VAL, large = 0;
  for (const OutputFacts& output : evidence.outputs) {
    if (!output.loss || !output.probe_targets || output.factor == 0) continue;
    const double size = std::fabs(output.factor) * size_of_loss(output);
    if (!std::isfinite(size) || size == 0) continue;
    if (size < small) small = size, least = &output;
    if (size > large) large = size, most = &output;
  }
  if (!least || least == most || large < 100 * small) return;
  findings.add("loss_weights_dominate", most->name,
               fmt::format("its weighted loss is {:.3g}, that of '{}' is {:.3g}: {:.0f} times less",
                           large, least->name, small, large / small),
               "Set loss_weights so that the losses are of one size, or scale the targets.");
}

}  // namespace

void check_losses(const Evidence& evidence, Findings& findings) {
  if (!evidence.trace) return;
  for (const OutputFacts& output : evidence.outputs) {
    if (evidence.trace->applied_twice(output.prediction)) {
      findings.add("double_softmax", output.place(),
                   fmt::format("{0} is applied to {0}", name_of(output.form)),
                   "Take one of the two activations off.");
      continue;
    }
    check_end(*evidence.trace, output, findings);
    if (output.loss && output.prediction.rank() > 0) check_loss(output, findings);
  }
  if (!findings.any({"target_shape", "target_one_hot_with_sparse", "target_sparse_with_categorical",
                     "target_range", "loss_output_mismatch", "inputs_nan", "half_overflow"}))
    check_weights(evidence, findings);
}

}  // namespace cornu::diagnose
