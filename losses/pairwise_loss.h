// PairwiseLoss: a formula of one target and one prediction, averaged over an axis.
#pragma once
#include "../framework/base/loss.h"
#include "../framework/ops/elementwise.h"

namespace cornu::losses {

/// Base of the losses that are a formula of pairs of elements. Eagerly the formula and the mean
/// over the whole batch are one kernel. Throws ShapeError when y_true and y_pred have different
/// shapes.
class PairwiseLoss : public Loss {
 public:
  Tensor call(const Tensor& y_true, const Tensor& y_pred) override;
  Tensor total(const Tensor& y_true, const Tensor& y_pred, bool mean) override;

 protected:
  /// What becomes of the values along the axis: their mean or their sum.
  enum class Over : uint8_t { mean, sum };
  /// Of the target and the prediction; the options are constants in it.
  using Formula = std::function<Expr(Expr t, Expr p)>;

  using Loss::Loss;
  /// For constructors: sets the formula, and over which axis its values are averaged or summed.
  void set_formula(const Formula& formula, Over over = Over::mean, int64_t axis = -1);
  /// Refuses targets that would broadcast to the predictions' shape.
  void require_equal_shapes() { equal_shapes_ = true; }
  /// What the formula takes for y_true.
  virtual Tensor targets(const Tensor& y_true);

 private:
  Tensor run(const Tensor& y_true, const Tensor& y_pred, bool whole, bool mean);

  backend::ProgramRef program_;
  Over over_ = Over::mean;
  int64_t axis_ = -1;
  bool equal_shapes_ = false;
};

/// 1e-7, by which Keras keeps logarithms and quotients finite.
inline constexpr double epsilon = 1e-7;
/// x limited to [low, high].
inline Expr clip(Expr x, double low, double high) {
  return expr::minimum(expr::maximum(x, low), high);
}

}  // namespace cornu::losses
