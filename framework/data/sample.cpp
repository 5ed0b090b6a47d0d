// Samples as samples of batches.
#include "sample.h"

namespace cornu::data {

Batch as_batch(const Sample& sample) {
  Nest::Dict targets;
  const auto add = [&](const std::string& name, const Tensor& tensor) {
    if (tensor) targets.emplace_back(name, tensor);
  };
  add("label", sample.label);
  add("points", sample.points);
  add("visible", sample.visible);
  add("boxes", sample.boxes);
  add("box_labels", sample.box_labels);
  add("mask", sample.mask);
  add("depth", sample.depth);
  for (const auto& [name, attached] : sample.more) add(name, attached.value);
  Batch batch{.x = sample.image};
  if (targets.size() == 1)
    batch.y = targets[0].second;
  else if (!targets.empty())
    batch.y = Nest::dict(std::move(targets));
  if (sample.weight) batch.sample_weight = sample.weight;
  return batch;
}

}  // namespace cornu::data
