// One call that tests what every metric promises.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "../support/contract.h"

namespace cornu::test {

/// Targets, predictions and weights of some samples, and the figures that Keras computes for them.
struct MetricExpectation {
  Tensor y_true, y_pred, weights;
  std::vector<double> plain, weighted;
  bool sums = true;  ///< whether batches one after the other are as all samples at once
};

using MakeMetric = std::function<std::shared_ptr<Metric>()>;

/// Checks that metrics from `make` have the expected figures, take in batches one after the other,
/// begin anew when reset, count weights of one as none and of zero as absent samples, are made
/// again from configs, and go with their state into compiled functions.
inline void check_metric(const MakeMetric& make, const MetricExpectation& e) {
  constexpr double tolerance = 2e-5;
  const auto metric = make();
  INFO("metric " << metric->name());
  const int64_t n = e.y_true.shape(0);
  const auto rows = [](const Tensor& t, int64_t begin, int64_t end) {
    return ops::take(t, ops::arange(begin, end, 1, DType::int32), 0);
  };

  metric->update_state(e.y_true, e.y_pred);
  const Tensor plain = metric->result();
  CHECK(equals(plain, e.plain, tolerance));
  metric->reset_state();
  if (!e.weighted.empty()) {
    metric->update_state(e.y_true, e.y_pred, e.weights);
    CHECK(equals(metric->result(), e.weighted, tolerance));
    metric->reset_state();
    metric->update_state(e.y_true, e.y_pred, ops::ones({n}));
    CHECK(difference(metric->result(), plain) < tolerance);
    metric->reset_state();
  }
  const auto fresh = make();
  if (error_of([&] { fresh->result(); }) == "no error")  // some have no figure without data
    CHECK(difference(metric->result(), fresh->result()) < 1e-7);
  CHECK(difference((*metric)(e.y_true, e.y_pred), plain) < tolerance);

  const auto copy = remade<Metric>(*metric);
  CHECK(copy->name() == metric->name());
  CHECK(copy->dtype() == metric->dtype());
  copy->update_state(e.y_true, e.y_pred);
  CHECK(difference(copy->result(), plain) < 1e-7);

  const auto compiled = make();
  Function update([&](const Nest& batch) {
    compiled->update_state(batch[0], batch[1]);
    return Nest(compiled->result());
  });
  Tensor latest;
  for (int i = 0; i < 4; ++i) latest = update(Nest{e.y_true, e.y_pred}).tensor();
  const auto eager = make();
  for (int i = 0; i < 4; ++i) eager->update_state(e.y_true, e.y_pred);
  CHECK(difference(latest, eager->result()) < tolerance);

  if (!e.sums) return;
  const auto parts = make();
  for (const auto& [begin, end] : {std::pair<int64_t, int64_t>{0, 1}, {1, 3}, {3, n}})
    parts->update_state(rows(e.y_true, begin, end), rows(e.y_pred, begin, end));
  CHECK(difference(parts->result(), plain) < tolerance);
  if (e.weighted.empty()) return;
  // Samples of weight zero are as good as absent.
  std::vector<float> flags(static_cast<size_t>(n), 1);
  flags[0] = flags[1] = 0;
  const auto some = make(), rest = make();
  some->update_state(e.y_true, e.y_pred, Tensor(flags));
  rest->update_state(rows(e.y_true, 2, n), rows(e.y_pred, 2, n));
  CHECK(difference(some->result(), rest->result()) < tolerance);
}

}  // namespace cornu::test
