// The curves of AUC and the areas under them.
#include "auc.h"

#include <fmt/format.h>

#include <algorithm>

#include "../framework/ops/core/cast.h"
#include "../framework/ops/elementwise.h"
#include "../framework/ops/numpy/creation.h"
#include "../framework/ops/numpy/indexing.h"
#include "../framework/ops/numpy/reduction.h"
#include "../framework/ops/operators.h"

namespace cornu::metrics {
namespace {

int choice(const char* option, const std::string& value, const std::vector<std::string>& known) {
  std::string lower = value;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  const auto it = std::find(known.begin(), known.end(), lower);
  if (it == known.end())
    throw ValueError(fmt::format("AUC: {} '{}' is not one of {}.{}", option, value,
                                 fmt::join(known, ", "), did_you_mean(lower, known)));
  return static_cast<int>(it - known.begin());
}

// All but the last, and all but the first, along the thresholds.
Tensor before(const Tensor& x) { return ops::get_item(x, Value::List{Slice{0, x.shape()[0] - 1}}); }
Tensor after(const Tensor& x) { return ops::get_item(x, Value::List{Slice{1, std::nullopt}}); }

}  // namespace

AUCMetric::AUCMetric(AUCConfig c) : MetricOf(std::move(c)) {
  curve_ = static_cast<Curve>(choice("curve", config.curve, {"roc", "pr", "prgain"}));
  summation_ = static_cast<Summation>(choice("summation_method", config.summation_method,
                                             {"interpolation", "minoring", "majoring"}));
  constexpr double epsilon = 1e-7;
  std::vector<double> inner;
  if (config.thresholds) {
    inner = *config.thresholds;
    std::sort(inner.begin(), inner.end());
    config.num_thresholds = static_cast<int64_t>(inner.size()) + 2;
  } else {
    if (config.num_thresholds <= 1)
      throw ValueError(
          fmt::format("AUC: num_thresholds must be more than 1, found {}.", config.num_thresholds));
    for (int64_t i = 1; i < config.num_thresholds - 1; ++i)
      inner.push_back(static_cast<double>(i) / static_cast<double>(config.num_thresholds - 1));
  }
  inner.insert(inner.begin(), -epsilon);
  inner.push_back(1 + epsilon);
  thresholds_ = Thresholds(inner);
  if (config.num_labels && !config.multi_label)
    throw ValueError("AUC: num_labels is needed only when multi_label is true.");
  if (config.label_weights)
    label_weights_ = ops::cast(Tensor(*config.label_weights), DType::float32);
  if (!config.multi_label)
    make_state({thresholds_.size()});
  else if (config.num_labels)
    make_state({thresholds_.size(), *config.num_labels});
}

void AUCMetric::make_state(const Shape& shape) {
  true_positives_ = add_variable(ops::zeros(shape), "true_positives");
  false_positives_ = add_variable(ops::zeros(shape), "false_positives");
  true_negatives_ = add_variable(ops::zeros(shape), "true_negatives");
  false_negatives_ = add_variable(ops::zeros(shape), "false_negatives");
}

void AUCMetric::update_state(const Tensor& y_true, const Tensor& y_pred,
                             const Tensor& sample_weight) {
  const Tensor p = config.from_logits ? ops::sigmoid(y_pred) : y_pred;
  const Confusion now =
      confusion(y_true, p, sample_weight, thresholds_,
                {.multi_label = config.multi_label, .label_weights = label_weights_}, name());
  if (!true_positives_) make_state(now.true_positives.shape());
  const Tensors sums = fused_many(
      DType::float32,
      [](Expr tp, Expr fp, Expr tn, Expr fn, Expr new_tp, Expr new_fp, Expr positives,
         Expr negatives) {
        return std::vector<Expr>{tp + new_tp, fp + new_fp, tn + (negatives - new_fp),
                                 fn + (positives - new_tp)};
      },
      true_positives_.value(), false_positives_.value(), true_negatives_.value(),
      false_negatives_.value(), now.true_positives, now.false_positives, now.positives,
      now.negatives);
  true_positives_.assign(sums[0]);
  false_positives_.assign(sums[1]);
  true_negatives_.assign(sums[2]);
  false_negatives_.assign(sums[3]);
}

Tensor AUCMetric::over_labels(const Tensor& area) const {
  if (!config.multi_label) return area;
  if (!label_weights_) return ops::mean(area);
  return ops::sum(area * label_weights_) / ops::sum(label_weights_);
}

Tensor AUCMetric::interpolated_pr() const {
  // The area between two thresholds when true positives are linear in all positives between them;
  // Davis and Goadrich, https://www.biostat.wisc.edu/~page/rocpr.pdf. Inputs: before and after of
  // tp and p, after of fn.
  static const backend::ProgramRef program =
      backend::Program::make(5, [](const std::vector<Expr>& x) {
        Expr tp0 = x[0], tp1 = x[1], p0 = x[2], p1 = x[3], fn1 = x[4];
        Expr dtp = tp0 - tp1;
        Expr slope = quotient(dtp, expr::maximum(p0 - p1, 0.0));
        Expr intercept = tp1 - slope * p1;
        Expr both = (p0 > 0.0) * (p1 > 0.0);
        Expr ratio = expr::select(both, quotient(p0, expr::maximum(p1, 0.0)), 1.0);
        return std::vector<Expr>{
            quotient(slope * (dtp + intercept * expr::log(ratio)), expr::maximum(tp1 + fn1, 0.0))};
      });
  const Tensor tp = true_positives_.value(), p = tp + false_positives_.value();
  const Tensor inputs[] = {before(tp), after(tp), before(p), after(p),
                           after(false_negatives_.value())};
  return over_labels(reduce_program(program, inputs, 0, 1, DType::float32, "AUC"));
}

Tensor AUCMetric::result() {
  if (!true_positives_) return ops::zeros({});
  if (curve_ == Curve::pr && summation_ == Summation::interpolation) return interpolated_pr();
  const auto tp = true_positives_.value(), fp = false_positives_.value();
  const auto tn = true_negatives_.value(), fn = false_negatives_.value();
  Tensors curve;
  if (curve_ == Curve::roc) {
    curve = fused_many(
        DType::float32,
        [](Expr tp, Expr fp, Expr tn, Expr fn) {
          return std::vector<Expr>{quotient(fp, fp + tn), quotient(tp, tp + fn)};
        },
        tp, fp, tn, fn);
  } else if (curve_ == Curve::pr) {
    curve = fused_many(
        DType::float32,
        [](Expr tp, Expr fp, Expr fn) {
          return std::vector<Expr>{quotient(tp, tp + fn), quotient(tp, tp + fp)};
        },
        tp, fp, fn);
  } else {
    curve = fused_many(
        DType::float32,
        [](Expr tp, Expr fp, Expr tn, Expr fn) {
          Expr scale = quotient(tp + fn, tn + fp);
          Expr none = expr::equal(tp, 0.0);
          Expr recall_gain = expr::select(none, 0.0, 1.0 - scale * quotient(fn, tp));
          return std::vector<Expr>{expr::maximum(recall_gain, 0.0),
                                   expr::select(none, 1.0, 1.0 - scale * quotient(fp, tp))};
        },
        tp, fp, tn, fn);
  }
  const auto area = [](auto height) {
    return backend::Program::make(4, [=](const std::vector<Expr>& x) {
      return std::vector<Expr>{(x[0] - x[1]) * height(x[2], x[3])};
    });
  };
  static const backend::ProgramRef programs[] = {
      area([](Expr a, Expr b) { return (a + b) / 2.0; }),
      area([](Expr a, Expr b) { return expr::minimum(a, b); }),
      area([](Expr a, Expr b) { return expr::maximum(a, b); })};
  const Tensor inputs[] = {before(curve[0]), after(curve[0]), before(curve[1]), after(curve[1])};
  return over_labels(
      reduce_program(programs[static_cast<int>(summation_)], inputs, 0, 1, DType::float32, "AUC"));
}

Value::Dict AUCMetric::get_config() const {
  Value::Dict dict = MetricOf::get_config();
  if (!config.thresholds)
    std::erase_if(dict, [](const auto& entry) { return entry.first == "thresholds"; });
  // Keras keeps them as a tensor.
  if (label_weights_)
    for (auto& [key, value] : dict)
      if (key == "label_weights") value = Value(label_weights_);
  return dict;
}

std::shared_ptr<AUCMetric> AUCMetric::from_config(Value::Dict dict) {
  for (auto& [key, value] : dict)
    if (key == "label_weights" && (value.is<Tensor>() || value.is<Value::Dict>()))
      value = Value(detail::from_value<Tensor>(value).to_vector<double>());
  return std::make_shared<AUCMetric>(from_dict<AUCConfig>(dict));
}

void register_auc(Catalog& c) { c.add<AUCMetric>("keras.metrics.AUC"); }

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::AUCMetric, metrics::AUCConfig, Metric>;
}
