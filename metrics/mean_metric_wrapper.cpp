// Functions as metrics, in memory and in files.
#include "mean_metric_wrapper.h"

#include "functions.h"

namespace cornu::metrics {

MeanMetricWrapperMetric::MeanMetricWrapperMetric(MeanMetricWrapperConfig c)
    : MetricOf(std::move(c)) {}

Tensor MeanMetricWrapperMetric::values(const Tensor& y_true, const Tensor& y_pred) {
  if (config.fn->function()) return config.fn->function()(y_true, y_pred);
  return evaluate(config.fn->name(), y_true, y_pred, config.fn->options());
}

Value::Dict MeanMetricWrapperMetric::get_config() const {
  Value::Dict dict = {{"name", name()},
                      {"dtype", dtype()},
                      {"fn", detail::OptionCodec<MetricFunction>::encode(*config.fn)}};
  const Value::Dict& options = config.fn->options();
  dict.insert(dict.end(), options.begin(), options.end());
  return dict;
}

std::shared_ptr<MeanMetricWrapperMetric> MeanMetricWrapperMetric::from_config(
    const Value::Dict& dict) {
  Value::Dict own, options;
  for (const auto& entry : dict) {
    const bool known = entry.first == "fn" || entry.first == "name" || entry.first == "dtype";
    (known ? own : options).push_back(entry);
  }
  auto config = from_dict<MeanMetricWrapperConfig>(own);
  if (!options.empty()) config.fn = MetricFunction(config.fn->name(), std::move(options));
  return std::make_shared<MeanMetricWrapperMetric>(std::move(config));
}

void register_mean_metric_wrapper(Catalog& c) {
  c.add<MeanMetricWrapperMetric>("keras.metrics.MeanMetricWrapper");
}

}  // namespace cornu::metrics

namespace cornu {

Value detail::OptionCodec<metrics::MetricFunction>::encode(const metrics::MetricFunction& v) {
  if (v.function())
    throw StateError(
        "MeanMetricWrapper: a C++ function cannot be saved. Write the metric as a class and "
        "register that with CORNU_REGISTER.");
  return Value::Dict{{"module", "builtins"},
                     {"class_name", "function"},
                     {"config", v.name()},
                     {"registered_name", "function"}};
}

metrics::MetricFunction detail::OptionCodec<metrics::MetricFunction>::decode(const Value& v) {
  if (v.is<std::string>()) return v.get<std::string>();
  if (v.is<Value::Dict>())
    if (const Value* name = find(v.get<Value::Dict>(), "config"))
      if (name->is<std::string>()) return name->get<std::string>();
  throw ValueError("expected the name of a function, found " + v.kind());
}

template class MetricOf<metrics::MeanMetricWrapperMetric, metrics::MeanMetricWrapperConfig,
                        metrics::MeanOf>;

}  // namespace cornu
