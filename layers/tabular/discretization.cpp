// Numbers into bins; boundaries from a summary of the data's distribution, as Keras makes it.
#include "discretization.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/numpy/reduction.h"
#include "../../framework/ops/operators.h"
#include "encoding.h"

namespace cornu::layers {
namespace {

// Values with the number of data that each represents.
struct Summary {
  std::vector<double> values, weights;
};

// NumPy's order: what is no number comes last.
bool comes_before(double a, double b) { return a < b || (std::isnan(b) && !std::isnan(a)); }

// The value at x of the line through points (xs, ys), level beyond its ends.
double interpolate(double x, const std::vector<double>& xs, const std::vector<double>& ys) {
  const auto above = std::upper_bound(xs.begin(), xs.end(), x);
  if (above == xs.begin()) return ys.front();
  if (above == xs.end()) return ys.back();
  const auto i = static_cast<size_t>(above - xs.begin());
  const double slope = (ys[i] - ys[i - 1]) / (xs[i] - xs[i - 1]);
  return slope * (x - xs[i - 1]) + ys[i - 1];
}

Summary summarize(std::vector<float> data, double epsilon) {
  std::sort(data.begin(), data.end(), comes_before);
  const double step = std::max(static_cast<double>(data.size()) * epsilon, 1.0);
  Summary s;
  for (auto i = static_cast<size_t>(step - 1); i < data.size(); i += static_cast<size_t>(step)) {
    s.values.push_back(data[i]);
    s.weights.push_back(static_cast<float>(step));
  }
  return s;
}

Summary compress(const Summary& s, double epsilon) {
  if (static_cast<double>(s.values.size()) * epsilon < 1) return s;
  std::vector<double> sums, fractions;
  double sum = 0;
  for (double w : s.weights) sums.push_back(sum = static_cast<float>(sum + w));
  for (double v : sums) fractions.push_back(v / sum);
  Summary result;
  double before = 0;
  const auto count = static_cast<int64_t>(std::ceil(1.0 / epsilon));
  for (int64_t i = 0; i < count; ++i) {
    const double fraction = epsilon + static_cast<double>(i) * epsilon;
    const double total = interpolate(fraction, fractions, sums);
    result.values.push_back(static_cast<float>(interpolate(fraction, fractions, s.values)));
    result.weights.push_back(static_cast<float>(total - before));
    before = total;
  }
  return result;
}

}  // namespace

DiscretizationLayer::DiscretizationLayer(DiscretizationConfig c) : LayerOf(std::move(c)) {
  check_output_mode(config.output_mode, {"int", "one_hot", "multi_hot", "count"}, config.sparse);
  if (!config.bin_boundaries && !config.num_bins)
    throw ValueError("either bin_boundaries or num_bins must be given.");
  if (config.bin_boundaries && config.num_bins)
    throw ValueError(
        fmt::format("bin_boundaries and num_bins are both given ({} boundaries, num_bins {}). Give "
                    "bin_boundaries, or num_bins and call adapt(data).",
                    config.bin_boundaries->size(), *config.num_bins));
  if (config.bin_boundaries &&
      !std::is_sorted(config.bin_boundaries->begin(), config.bin_boundaries->end()))
    throw ValueError(fmt::format("bin_boundaries must ascend, found [{}].",
                                 fmt::join(*config.bin_boundaries, ", ")));
  if (config.num_bins) check_positive("num_bins", *config.num_bins);
  autocast_ = false;
}

Value::Dict DiscretizationLayer::get_config() const {
  Value::Dict dict = LayerOf::get_config();
  std::erase_if(dict, [](const auto& option) { return option.first == "trainable"; });
  return dict;
}

std::shared_ptr<DiscretizationLayer> DiscretizationLayer::from_config(const Value::Dict& dict) {
  const Value *boundaries = detail::find(dict, "bin_boundaries"),
              *bins = detail::find(dict, "num_bins");
  if (!boundaries || !bins || boundaries->is_null() || bins->is_null())
    return LayerOf::from_config(dict);
  // `adapt` has found the boundaries, and the layer may learn others.
  Value::Dict rest = dict;
  std::erase_if(rest, [](const auto& option) { return option.first == "bin_boundaries"; });
  const auto layer = LayerOf::from_config(rest);
  layer->config.bin_boundaries = detail::from_value<std::vector<double>>(*boundaries);
  return layer;
}

const std::vector<double>& DiscretizationLayer::bin_boundaries() const {
  if (!config.bin_boundaries)
    throw StateError(
        "there are no boundaries yet: give bin_boundaries, or call adapt(data) first.");
  return *config.bin_boundaries;
}

Tensor DiscretizationLayer::call(const Tensor& x, const Call&) {
  const std::vector<double>& boundaries = bin_boundaries();
  const std::vector<float> edges(boundaries.begin(), boundaries.end());
  // As in Keras, floats are compared as float32, and NaN is beyond all boundaries.
  const Tensor given = is_float(x.dtype()) ? ops::cast(x, DType::float32) : x;
  const Tensor below = ops::less(ops::expand_dims(given, {-1}), Tensor(edges));
  const Tensor bins = ops::sum(ops::cast(ops::logical_not(below), DType::int32), -1);
  return encode_categories(bins, config.output_mode, static_cast<int64_t>(boundaries.size()) + 1,
                           config.output_mode == "int" ? DType::int32 : compute_dtype());
}

void DiscretizationLayer::reset_state() {
  values_.clear();
  weights_of_values_.clear();
}

void DiscretizationLayer::update_state(const Tensor& batch) {
  if (!config.num_bins)
    throw StateError(
        "adapt: this layer was made with bin_boundaries; make it with num_bins instead.");
  const Summary added = summarize(batch.to_vector<float>(), config.epsilon);
  std::vector<std::pair<double, double>> merged;
  for (size_t i = 0; i < added.values.size(); ++i)
    merged.emplace_back(added.values[i], added.weights[i]);
  for (size_t i = 0; i < values_.size(); ++i)
    merged.emplace_back(values_[i], weights_of_values_[i]);
  std::stable_sort(merged.begin(), merged.end(),
                   [](const auto& a, const auto& b) { return comes_before(a.first, b.first); });
  Summary all;
  for (const auto& [value, weight] : merged) {
    all.values.push_back(value);
    all.weights.push_back(weight);
  }
  all = compress(all, config.epsilon);
  values_ = std::move(all.values);
  weights_of_values_ = std::move(all.weights);
}

void DiscretizationLayer::finalize_state() {
  if (!config.num_bins || values_.empty()) return;
  Summary bins =
      compress({values_, weights_of_values_}, 1.0 / static_cast<double>(*config.num_bins));
  if (!bins.values.empty()) bins.values.pop_back();
  config.bin_boundaries = bins.values;
}

std::vector<Tensor> DiscretizationLayer::statistics() const {
  const std::vector<double>& boundaries = bin_boundaries();
  return {Tensor(std::vector<float>(boundaries.begin(), boundaries.end()))};
}

void register_discretization(Catalog& c) {
  c.add<DiscretizationLayer>("keras.layers.Discretization");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::DiscretizationLayer,
                              cornu::layers::DiscretizationConfig>;
