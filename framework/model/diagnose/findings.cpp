// The ids, and the list of findings.
#include "findings.h"

#include <fmt/core.h>

#include <algorithm>

#include "../../../backend/error.h"

namespace cornu {

std::string Finding::str() const {
  return fmt::format("{}{}: {}\n    {}", id, layer.empty() ? "" : " (" + layer + ")", evidence,
                     fix);
}

const std::vector<std::string>& diagnosis_ids() {
  static const std::vector<std::string> ids = {"inputs_nan",
                                               "inputs_constant",
                                               "inputs_unscaled",
                                               "unused_input",
                                               "split_leak",
                                               "target_leak",
                                               "labels_constant",
                                               "labels_shifted",
                                               "class_imbalance",
                                               "shuffle_missing",
                                               "steps_truncated",
                                               "data_bound",
                                               "target_shape",
                                               "target_range",
                                               "target_one_hot_with_sparse",
                                               "target_sparse_with_categorical",
                                               "logits_flag",
                                               "double_softmax",
                                               "loss_output_mismatch",
                                               "metric_mismatch",
                                               "loss_weights_dominate",
                                               "mask_dropped",
                                               "frozen_normalization",
                                               "forgotten_trainable",
                                               "batch_norm_of_one",
                                               "dead_units",
                                               "half_overflow",
                                               "no_gradient",
                                               "gradient_vanishes",
                                               "gradient_explodes",
                                               "learning_rate_high",
                                               "learning_rate_low"};
  return ids;
}

}  // namespace cornu

namespace cornu::diagnose {

Findings::Findings(const std::vector<std::string>& silence)
    : silence_(silence.begin(), silence.end()) {
  const std::vector<std::string>& known = diagnosis_ids();
  for (const std::string& id : silence)
    if (std::find(known.begin(), known.end(), id) == known.end())
      throw ValueError(fmt::format("diagnose: there is no finding '{}' to silence.{}", id,
                                   did_you_mean(id, known)));
}

void Findings::add(std::string id, std::string layer, std::string evidence, std::string fix) {
  for (const Finding& f : all_)
    if (f.id == id && f.layer == layer) return;
  all_.push_back({std::move(id), std::move(layer), std::move(evidence), std::move(fix)});
}

bool Findings::any(std::initializer_list<const char*> ids) const {
  return std::any_of(all_.begin(), all_.end(), [&](const Finding& f) {
    return std::find(ids.begin(), ids.end(), f.id) != ids.end();
  });
}

std::vector<Finding> Findings::reported() const {
  std::vector<Finding> list;
  for (const Finding& f : all_)
    if (!silence_.count(f.id)) list.push_back(f);
  return list;
}

}  // namespace cornu::diagnose
