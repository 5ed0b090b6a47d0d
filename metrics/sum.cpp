// Sum's state.
#include "sum.h"

#include "../framework/base/loss.h"
#include "../framework/ops/numpy/creation.h"
#include "../framework/ops/numpy/manipulation.h"
#include "../framework/ops/numpy/reduction.h"
#include "../framework/ops/operators.h"

namespace cornu::metrics {

SumMetric::SumMetric(SumConfig c) : MetricOf(std::move(c)) {
  total_ = add_variable(ops::zeros({}, dtype()), "total");
}

void SumMetric::update_state(const Tensor& values, const Tensor& sample_weight,
                             const Tensor& weight) {
  const Tensor& given = sample_weight ? sample_weight : weight;
  Tensor v = values;
  if (given) {
    // As in Keras, a mask counts where there are weights.
    auto [x, w] =
        squeeze_or_expand_to_same_rank(values, apply_mask(given, values.mask(), dtype(), false));
    // Weights of the first axes hold for all further ones.
    Shape shape = w.shape();
    while (shape.rank() < x.rank()) shape.push_back(1);
    v = x * (shape == w.shape() ? w : ops::reshape(w, shape));
  }
  total_.assign_add(ops::sum(v));
}

void register_sum(Catalog& c) { c.add<SumMetric>("keras.metrics.Sum"); }

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::SumMetric, metrics::SumConfig, Metric>;
}
