// Cases of layers that learn something from data before they are used.
#include <cornu/framework/ops/shaping.h>
#include <cornu/layers/preprocessing/discretization.h>
#include <cornu/layers/preprocessing/normalization.h>

#include "case.h"

namespace cornu::conformance {
namespace {

// A statistic with the axes of size 1 that Keras gives it.
Tensor like(const Tensor& statistic, const Tensor& recorded) {
  return statistic.size() == recorded.size() ? ops::reshape(statistic, recorded.shape())
                                             : statistic;
}

void compare(Case& c, const char* dataset, const Tensor& found) {
  const Tensor recorded = c.tensor(dataset);
  c.differences.compare(dataset, like(found, recorded), recorded, c.tolerance());
}

}  // namespace

void check_adapt(Case& c) {
  const auto object = deserialize(entry(c.spec, "object"));
  const Inputs inputs = c.inputs();
  const auto normalization = std::dynamic_pointer_cast<layers::NormalizationLayer>(object);
  const auto discretization = std::dynamic_pointer_cast<layers::DiscretizationLayer>(object);
  for (const Value& call : entry(c.spec, "adapt").get<Value::List>()) {
    const Value data = decode(call, inputs).get<Value::List>().at(0);
    if (normalization)
      normalization->adapt(detail::from_value<Tensor>(data));
    else if (discretization)
      discretization->adapt(detail::from_value<Tensor>(data));
    else
      throw UnsupportedError("this layer does not adapt to data");
  }
  if (normalization) {
    compare(c, "out/0", normalization->mean.value());
    compare(c, "out/1", normalization->variance.value());
  } else if (discretization) {
    const std::vector<double>& boundaries = discretization->bin_boundaries();
    compare(c, "out/0", Tensor(std::vector<float>(boundaries.begin(), boundaries.end())));
  }
}

}  // namespace cornu::conformance
