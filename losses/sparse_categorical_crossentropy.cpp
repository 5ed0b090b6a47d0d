// SparseCategoricalCrossentropy: the logarithm of the sum of exponentials (or the sum of
// probabilities), a gather, then one reduction.
#include "sparse_categorical_crossentropy.h"

#include <fmt/core.h>

#include <cmath>

#include "../framework/dispatch/apply.h"
#include "../framework/ops/core/cast.h"
#include "../framework/ops/elementwise.h"
#include "../framework/ops/numpy/indexing.h"
#include "../framework/ops/numpy/manipulation.h"
#include "../framework/ops/numpy/reduction.h"
#include "../framework/ops/operators.h"
#include "logits.h"
#include "pairwise_loss.h"

namespace cornu::losses {
namespace {

std::string position_text(int64_t flat, const Shape& shape) {
  if (shape.rank() < 2) return std::to_string(flat);
  Shape index = shape;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    index[i] = flat % shape[i];
    flat /= shape[i];
  }
  return index.str();
}

template <class T>
void check_values(const T* labels, const Tensor& t, int64_t classes, std::optional<int64_t> ignored,
                  const std::string& name) {
  const int64_t n = t.size();
  bool fits = true;
  const T limit = static_cast<T>(classes);
  if constexpr (std::is_integral_v<T>) {
    for (int64_t i = 0; i < n; ++i) fits &= labels[i] >= 0 && labels[i] < limit;
  } else {
    // Truncated to an integer; a comparison with NaN fails.
    for (int64_t i = 0; i < n; ++i) fits &= labels[i] > -1 && labels[i] < limit;
  }
  if (fits) return;
  for (int64_t i = 0; i < n; ++i) {
    const double v = static_cast<double>(labels[i]);
    if ((v > -1 && v < static_cast<double>(classes)) ||
        (ignored && v == static_cast<double>(*ignored)))
      continue;
    throw ValueError(fmt::format(
        "{}: label {} at position {} is not in [0, {}): y_pred has {} classes. Labels are "
        "numbers of classes counted from 0{}.",
        name, v, position_text(i, t.shape()), classes, classes,
        ignored ? "" : "; ignore_class names one to leave out"));
  }
}

void check_labels(const Tensor& t, int64_t classes, std::optional<int64_t> ignored,
                  const std::string& name) {
  switch (t.dtype()) {
    case DType::int32:
      return check_values(static_cast<const int32_t*>(t.data()), t, classes, ignored, name);
    case DType::int64:
      return check_values(static_cast<const int64_t*>(t.data()), t, classes, ignored, name);
    case DType::float32:
      return check_values(static_cast<const float*>(t.data()), t, classes, ignored, name);
    case DType::float64:
      return check_values(static_cast<const double*>(t.data()), t, classes, ignored, name);
    case DType::uint8:
      // As int32, so that the number of classes fits the type.
    case DType::int8:
    case DType::int16:
    case DType::uint16:
      return check_labels(ops::cast(t, DType::int32), classes, ignored, name);
    default:
      return;
  }
}

// Looks at labels in the host's memory, now and in each replay.
void check_labels_each_time(const Tensor& t, int64_t classes, std::optional<int64_t> ignored,
                            const std::string& name) {
  if (!t.is_eager() || t.is_weak() || t.impl()->storage->backend != &backend::cpu_backend()) return;
  apply_host([=](std::span<const Tensor> inputs,
                 std::span<const Tensor>) { check_labels(inputs[0], classes, ignored, name); },
             {&t, 1}, {});
}

}  // namespace

SparseCategoricalCrossentropyLoss::SparseCategoricalCrossentropyLoss(
    SparseCategoricalCrossentropyConfig c)
    : LossOf(std::move(c)) {
  casts_targets_ = false;
}

Tensor SparseCategoricalCrossentropyLoss::call(const Tensor& y_true, const Tensor& y_pred) {
  return run(y_true, y_pred, false, 1);
}

Tensor SparseCategoricalCrossentropyLoss::total(const Tensor& y_true, const Tensor& y_pred,
                                                bool mean) {
  if (config.ignore_class || y_pred.size() == 0) return {};
  const int64_t rows = y_pred.size() / y_pred.shape(static_cast<int>(config.axis));
  return run(y_true, y_pred, true, mean ? 1.0 / static_cast<double>(rows) : 1.0);
}

Tensor SparseCategoricalCrossentropyLoss::run(const Tensor& y_true, const Tensor& y_pred,
                                              bool whole, double scale) {
  // Inputs: the loss, the label, the number of classes, the ignored class.
  static const backend::ProgramRef of_logits =
      backend::Program::make(4, [](const std::vector<Expr>& x) {
        Expr counts = (x[1] >= 0.0) * (x[1] < x[2]) * expr::not_equal(x[1], x[3]);
        return std::vector<Expr>{expr::select(counts, x[0], 0.0)};
      });
  // The same of the probability of the label's class; input 4: the sum of the probabilities.
  static const backend::ProgramRef of_probabilities =
      backend::Program::make(5, [](const std::vector<Expr>& x) {
        Expr counts = (x[1] >= 0.0) * (x[1] < x[2]) * expr::not_equal(x[1], x[3]);
        return std::vector<Expr>{
            expr::select(counts, -expr::log(clip(x[0] / x[4], epsilon, 1.0 - epsilon)), 0.0)};
      });

  const int axis = normalize_axis(config.axis, y_pred.rank(), "axis");
  const int64_t classes = y_pred.shape()[axis];
  Shape expected = y_pred.shape();
  expected.erase(axis);
  Shape column = y_pred.shape();
  column[axis] = 1;
  if (y_true.shape() != expected && y_true.shape() != column)
    throw ShapeError(fmt::format(
        "{}: y_true of shape {} for y_pred of shape {}: expected {} or {}. For targets that "
        "are probabilities of classes use CategoricalCrossentropy.",
        name_, y_true.shape().str(), y_pred.shape().str(), expected.str(), column.str()));
  check_labels_each_time(y_true, classes, config.ignore_class, name_);

  Tensor labels = y_true.dtype() == DType::int32 ? y_true : ops::cast(y_true, DType::int32);
  if (labels.shape() != column) labels = ops::expand_dims(labels, {axis});
  const Tensor real = y_pred.dtype() == dtype_ ? y_pred : ops::cast(y_pred, dtype_);
  const Tensor ignored(config.ignore_class ? static_cast<double>(*config.ignore_class) : -1.0);
  const Axes axes = whole ? Axes() : Axes(axis);
  Tensor result;
  if (config.from_logits) {
    const Tensor inputs[] = {crossentropy_of_labels(labels, real, axis), labels, Tensor(classes),
                             ignored};
    result = reduce_program(of_logits, inputs, axes, scale, dtype_, name_.c_str());
  } else {
    const Tensor inputs[] = {ops::take_along_axis(real, labels, axis), labels, Tensor(classes),
                             ignored, ops::sum(real, axis, true)};
    result = reduce_program(of_probabilities, inputs, axes, scale, dtype_, name_.c_str());
  }
  if (config.ignore_class && !whole) {
    const Tensor counts = ops::not_equal(labels, Tensor(*config.ignore_class));
    result.set_mask(ops::reshape(counts, result.shape()));
  }
  return result;
}

Value::Dict SparseCategoricalCrossentropyLoss::get_config() const {
  Value::Dict dict = LossOf::get_config();
  if (config.axis == -1)
    std::erase_if(dict, [](const auto& entry) { return entry.first == "axis"; });
  return dict;
}

void register_sparse_categorical_crossentropy(Catalog& c) {
  c.add<SparseCategoricalCrossentropyLoss>("keras.losses.SparseCategoricalCrossentropy");
}

}  // namespace cornu::losses

namespace cornu {
template class LossOf<losses::SparseCategoricalCrossentropyLoss,
                      losses::SparseCategoricalCrossentropyConfig>;
}
