// The state of metrics.
#include "metric.h"

#include "loss.h"

namespace cornu {

Metric::Metric(std::string name, DType dtype) : name_(std::move(name)), dtype_(dtype) {}

Variable Metric::add_variable(const Tensor& initial, const std::string& name) {
  Variable v(initial, {.name = name, .trainable = false});
  v.set_path(name_ + "/" + name);
  variables_.push_back(v);
  initial_.push_back(v.value());
  return v;
}

Tensor Metric::result() {
  throw StateError("Metric '" + name_ +
                   "' overrides neither result nor, for several figures, results.");
}

void Metric::reset_state() {
  for (size_t i = 0; i < variables_.size(); ++i) variables_[i].assign(initial_[i]);
}

Tensor Metric::operator()(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) {
  try {
    update_state(y_true, y_pred, sample_weight);
  } catch (const ShapeError& e) {
    rethrow_unfit(e, name_, y_true, y_pred);
  }
  return result();
}

}  // namespace cornu
