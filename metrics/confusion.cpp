// Counting predictions above thresholds: comparisons of every prediction with every threshold,
// summed in one kernel.
#include "confusion.h"

#include <fmt/core.h>

#include <cmath>

#include "../framework/ops/core/cast.h"
#include "../framework/ops/elementwise.h"
#include "../framework/ops/math/top_k.h"
#include "../framework/ops/nn/one_hot.h"
#include "../framework/ops/numpy/creation.h"
#include "../framework/ops/numpy/indexing.h"
#include "../framework/ops/numpy/manipulation.h"
#include "../framework/ops/numpy/reduction.h"
#include "../framework/ops/operators.h"

namespace cornu::metrics {
namespace {

// Below every prediction that counts.
constexpr double never = -1e10;

Tensor keep_top_k(const Tensor& x, int64_t k) {
  const Tensor chosen = ops::sum(ops::one_hot(ops::top_k(x, k)[1], x.shape(-1)), -2);
  return fused([](Expr x, Expr chosen) { return expr::select(chosen, x, never); }, x, chosen);
}

Tensor weights_of(const Tensor& given, const Tensor& y_true, const Shape& shape,
                  const std::string& who) {
  Tensor w = squeeze_or_expand_to_same_rank(y_true, ops::expand_dims(given, {-1}), false).second;
  try {
    return w.shape() == shape ? w : ops::broadcast_to(w, shape);
  } catch (const ShapeError&) {
    throw ShapeError(fmt::format("{}: sample_weight of shape {} does not fit y_pred of shape {}.",
                                 who, given.shape().str(), shape.str()));
  }
}

// Inputs: the prediction, the threshold, the target, the weight.
backend::ProgramRef counting(bool even, bool positives) {
  return backend::Program::make(4, [=](const std::vector<Expr>& x) {
    Expr above = even ? x[0] >= x[1] : x[0] > x[1];
    Expr wanted = positives ? expr::not_equal(x[2], 0.0) : expr::equal(x[2], 0.0);
    return std::vector<Expr>{above * wanted * x[3]};
  });
}

}  // namespace

Thresholds::Thresholds(const std::vector<double>& values) : values_(values) {
  even_ = values.size() >= 3;
  for (size_t i = 0; even_ && i < values.size(); ++i) {
    const double even = static_cast<double>(i) / static_cast<double>(values.size() - 1);
    even_ = std::abs(values[i] - even) <= 1e-7 + 1e-5 * even + 1e-12;
  }
  beyond_ = !values.empty() && (values.front() < 0 || values.back() > 1);
}

Thresholds thresholds_of(const std::optional<std::vector<double>>& thresholds, bool top_k,
                         const std::string& who) {
  if (!thresholds) return Thresholds({top_k ? never : 0.5});
  for (double t : *thresholds)
    if (!(t >= 0 && t <= 1))
      throw ValueError(fmt::format("{}: thresholds are in [0, 1], found {}.", who, t));
  if (thresholds->empty()) throw ValueError(fmt::format("{}: thresholds is empty.", who));
  return Thresholds(*thresholds);
}

Expr quotient(Expr x, Expr y) {
  Expr zero = expr::equal(y, 0.0);
  return expr::select(zero, 0.0, x / expr::select(zero, 1.0, y));
}

Confusion confusion(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight,
                    const Thresholds& thresholds, const ConfusionOptions& options,
                    const std::string& who) {
  static const backend::ProgramRef even[] = {counting(true, false), counting(true, true)};
  static const backend::ProgramRef any[] = {counting(false, false), counting(false, true)};
  static const backend::ProgramRef weight_of[] = {
      backend::Program::make(2,
                             [](const std::vector<Expr>& x) {
                               return std::vector<Expr>{expr::equal(x[0], 0.0) * x[1]};
                             }),
      backend::Program::make(2, [](const std::vector<Expr>& x) {
        return std::vector<Expr>{expr::not_equal(x[0], 0.0) * x[1]};
      })};

  auto [p, t] = squeeze_or_expand_to_same_rank(y_pred, y_true);
  Tensor w;
  if (sample_weight) w = sample_weight;
  if (options.top_k) p = keep_top_k(p, *options.top_k);
  const Tensor all_targets = t;
  if (options.class_id) {
    if (p.rank() < 2)
      throw ShapeError(
          fmt::format("{}: class_id needs y_pred of shape (samples, classes), found {}.", who,
                      y_pred.shape().str()));
    const int64_t id = *options.class_id, classes = p.shape(-1);
    if (id < -classes || id >= classes)
      throw ValueError(fmt::format(
          "{}: class_id {} is not among the {} classes of y_pred of shape {}: expected -{} to {}.",
          who, id, classes, y_pred.shape().str(), classes, classes - 1));
    const auto end = id == -1 ? std::nullopt : std::optional<int64_t>(id + 1);
    const Value key = Value::List{Ellipsis{}, Slice{id, end}};
    p = ops::get_item(p, key);
    t = ops::get_item(t, key);
  }
  if (t.shape() != p.shape())
    throw ShapeError(fmt::format("{}: y_true of shape {} and y_pred of shape {} do not fit.", who,
                                 y_true.shape().str(), y_pred.shape().str()));
  if (options.multi_label && p.rank() != 2)
    throw ShapeError(
        fmt::format("{}: multi_label needs y_pred of shape (samples, labels), found {}.", who,
                    y_pred.shape().str()));
  const Shape shape = p.shape();
  w = w ? weights_of(w, all_targets, shape, who) : Tensor();
  if (options.label_weights && !options.multi_label) {
    const Tensor labels = ops::broadcast_to(ops::expand_dims(options.label_weights, {0}), shape);
    w = w ? w * labels : labels;
  }
  // Samples along axis 1, thresholds along axis 0, labels (if they count separately) along axis 2.
  const auto laid = [&](const Tensor& x) {
    return ops::reshape(
        x, options.multi_label ? Shape{1, shape[0], shape[1]} : Shape{1, shape.numel()});
  };
  const int64_t n = thresholds.size();
  Tensor limits, place = p;
  if (thresholds.even()) {
    limits = ops::arange(0, n, 1, DType::float32);
    // The last interval whose threshold p exceeds.
    place = fused(
        [](Expr p, Expr n, Expr lowest) {
          Expr limited = expr::minimum(expr::maximum(p, 0.0), 1.0);
          return expr::maximum(expr::ceil(limited * (n - 1.0)) - 1.0, lowest);
        },
        p, Tensor(n), Tensor(thresholds.beyond() ? 0.0 : -1.0));
  } else {
    limits = ops::cast(Tensor(thresholds.values()), DType::float32);
  }
  limits = ops::reshape(limits, options.multi_label ? Shape{n, 1, 1} : Shape{n, 1});
  const Tensor targets = laid(t), weights = w ? laid(w) : Tensor(1.0);
  const auto& programs = thresholds.even() ? even : any;
  const auto count = [&](bool positives) {
    const Tensor inputs[] = {laid(place), limits, targets, weights};
    return reduce_program(programs[positives], inputs, 1, 1, DType::float32, who.c_str());
  };
  const auto sum = [&](bool positives) {
    const Tensor inputs[] = {targets, weights};
    return reduce_program(weight_of[positives], inputs, {0, 1}, 1, DType::float32, who.c_str());
  };
  return {count(true), count(false), sum(true), sum(false)};
}

}  // namespace cornu::metrics
