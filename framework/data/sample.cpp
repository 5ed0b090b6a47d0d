// Samples as samples of batches.
#include "sample.h"

#include "sample_tensors.h"

namespace cornu::data {

Batch as_batch(const Sample& sample) {
  Nest::Dict targets;
  const auto add = [&](const std::string& name, const Tensor& tensor) {
    if (tensor) targets.emplace_back(name, tensor);
  };
  for_each_tensor(sample, [&](const std::string& name, const Tensor& tensor) {
    if (name != "image" && name != "weight") add(name, tensor);
  });
  for (const auto& [name, attached] : sample.more) add(name, attached.value);
  Batch batch{.x = sample.image};
  if (targets.size() == 1)
    batch.y = targets[0].second;
  else if (!targets.empty())
    batch.y = Nest::dict(std::move(targets));
  if (sample.weight) batch.sample_weight = sample.weight;
  return batch;
}

int64_t bytes_in(const Sample& sample) {
  int64_t sum = 0;
  const auto add = [&](const Tensor& tensor) {
    if (tensor) sum += static_cast<int64_t>(tensor.bytes());
  };
  for_each_tensor(sample, [&](const std::string&, const Tensor& tensor) { add(tensor); });
  for (const auto& [name, attached] : sample.more) add(attached.value);
  return sum;
}

}  // namespace cornu::data
