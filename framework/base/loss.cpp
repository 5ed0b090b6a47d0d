// Masks, weights and reductions of losses.
#include "loss.h"

#include <fmt/core.h>

#include <typeinfo>

#include "../ops/elementwise.h"
#include "../ops/numpy/manipulation.h"
#include "../ops/numpy/reduction.h"
#include "../ops/operators.h"
#include "../tensor/promotion.h"
#include "samplewise.h"

namespace cornu {
namespace {

void check_reduction(const std::string& name, const std::string& reduction) {
  static const std::vector<std::string> known = {"sum_over_batch_size", "sum", "mean",
                                                 "mean_with_sample_weight", "none"};
  if (std::find(known.begin(), known.end(), reduction) == known.end())
    throw ValueError(
        fmt::format("Loss '{}': reduction '{}' is not one of sum_over_batch_size, sum, mean, "
                    "mean_with_sample_weight, none.{}",
                    name, reduction, did_you_mean(reduction, known)));
}

// The inner select keeps the gradient finite too: 0 times infinity would be NaN.
Tensor divide_no_nan(const Tensor& x, const Tensor& y) {
  return fused(
      [](Expr x, Expr y) {
        Expr zero = expr::equal(y, 0.0);
        return expr::select(zero, 0.0, x / expr::select(zero, 1.0, y));
      },
      x, y);
}

void check_weights(const Tensor& values, const Tensor& weight) {
  try {
    if (values.shape() != weight.shape())
      static_cast<void>(broadcast(values.shape(), weight.shape()));
  } catch (const ShapeError&) {
    throw ShapeError(fmt::format(
        "sample_weight of shape {} does not fit values of shape {}: give one weight for "
        "each value, or axes of size 1 where it repeats.",
        weight.shape().str(), values.shape().str()));
  }
}

}  // namespace

Loss::Loss(std::string name, std::string reduction, DType dtype)
    : name_(std::move(name)), reduction_(std::move(reduction)), dtype_(dtype) {
  check_reduction(name_, reduction_);
}

Tensor Loss::total(const Tensor&, const Tensor&, bool) { return {}; }

Tensor Loss::values(const Tensor& y_true, const Tensor& y_pred) {
  return call(casts_targets_ ? detail::of_type(y_true, dtype_) : y_true,
              detail::of_type(y_pred, dtype_));
}

Tensor Loss::operator()(const Tensor& y_true, const Tensor& y_pred,
                        const Tensor& sample_weight) try {
  if (!y_true || !y_pred)
    throw ValueError(
        fmt::format("Loss '{}': {} is an empty Tensor.", name_, y_true ? "y_pred" : "y_true"));
  Tensor mask = y_pred.mask();
  if (!sample_weight && !mask && reduction_ != "none") {
    // In fewer kernels, where the loss has it.
    if (Tensor y = total(y_true, y_pred, reduction_ != "sum")) return y;
  }
  // The call may compute a mask of its own, as for ignored classes.
  const Tensor each = values(y_true, y_pred);
  if (const Tensor own = each.mask()) mask = mask ? ops::logical_and(mask, own) : own;
  return reduce_weighted_values(detail::of_type(each, dtype_), sample_weight, mask, reduction_);
} catch (const ShapeError& e) {
  rethrow_unfit(e, name_, y_true, y_pred);
}

void rethrow_unfit(const ShapeError& error, const std::string& who, const Tensor& y_true,
                   const Tensor& y_pred) {
  const std::string text = error.what();
  // Its own errors name it, and the shapes, already; a user's type stays what it is.
  if (!y_true || !y_pred || text.starts_with(who + ":") || typeid(error) != typeid(ShapeError))
    throw;
  throw ShapeError(fmt::format("{}: y_true has shape {}, y_pred {}: {}", who, y_true.shape().str(),
                               y_pred.shape().str(), text));
}

FunctionLoss::FunctionLoss(Function function, std::string name, std::string reduction,
                           std::string function_name)
    : Loss(std::move(name), std::move(reduction)),
      function_(std::move(function)),
      function_name_(std::move(function_name)) {}

void losses::register_function(const std::string& registered_name,
                               FunctionLoss::Function function) {
  cornu::register_function(Loss::module, registered_name, [=] {
    return std::make_shared<FunctionLoss>(function,
                                          registered_name.substr(registered_name.find('>') + 1),
                                          "sum_over_batch_size", registered_name);
  });
}

Tensor FunctionLoss::call(const Tensor& y_true, const Tensor& y_pred) {
  const auto [t, p] = squeeze_or_expand_to_same_rank(y_true, y_pred);
  return function_(t, p);
}

Value::Dict FunctionLoss::get_config() const { detail::throw_nameless(module); }

std::pair<Tensor, Tensor> squeeze_or_expand_to_same_rank(const Tensor& x1, const Tensor& x2,
                                                         bool expand_rank_1) {
  const int r1 = x1.rank(), r2 = x2.rank();
  if (r1 == r2 + 1 && x1.shape(-1) == 1) {
    if (r2 == 1 && expand_rank_1) return {x1, ops::expand_dims(x2, {-1})};
    return {ops::squeeze(x1, -1), x2};
  }
  if (r2 == r1 + 1 && x2.shape(-1) == 1) {
    if (r1 == 1 && expand_rank_1) return {ops::expand_dims(x1, {-1}), x2};
    return {x1, ops::squeeze(x2, -1)};
  }
  return {x1, x2};
}

Tensor reduce_program(const backend::ProgramRef& program, std::span<const Tensor> inputs,
                      const Axes& axes, double scale, DType dtype, const char* who,
                      backend::ReduceOp op) {
  backend::Reduce kernel;
  kernel.shape = inputs[0].shape();
  for (const Tensor& t : inputs.subspan(1)) {
    if (t.rank() == 0 || t.shape() == kernel.shape) continue;
    try {
      kernel.shape = broadcast(kernel.shape, t.shape());
    } catch (const ShapeError&) {
      throw ShapeError(fmt::format("{}: y_true of shape {} and y_pred of shape {} do not fit.", who,
                                   inputs[0].shape().str(), t.shape().str()));
    }
  }
  kernel.program = program;
  // Integers compare exactly in float64 where float32 would round them.
  bool whole = true;
  for (const Tensor& t : inputs) whole &= !is_float(t.dtype());
  kernel.compute = whole && size_of(dtype) < 8 ? DType::float64 : compute_type(dtype);
  kernel.op = op;
  kernel.axes = axes.resolve(kernel.shape.rank());
  kernel.scale = scale;
  Shape kept;
  size_t next = 0;
  for (int i = 0; i < kernel.shape.rank(); ++i) {
    if (next < kernel.axes.size() && kernel.axes[next] == i)
      ++next;
    else
      kept.push_back(kernel.shape[i]);
  }
  return apply(kernel, inputs, TensorSpec{kept, dtype});
}

Tensor apply_mask(const Tensor& sample_weight, const Tensor& mask, DType dtype, bool rescale) {
  if (!mask) return sample_weight;
  Tensor weight = detail::of_type(mask, dtype);
  // The mean divides by the number of all values; scaled so, it is over those that count.
  if (rescale) {
    weight = fused(
        [](Expr m, Expr total, Expr kept) {
          return expr::select(m, expr::select(kept, total / expr::select(kept, kept, 1.0), 0.0),
                              0.0);
        },
        weight, Tensor(static_cast<double>(mask.size())), ops::sum(weight));
  }
  if (!sample_weight) return weight;
  const auto [m, w] = squeeze_or_expand_to_same_rank(weight, detail::of_type(sample_weight, dtype));
  check_weights(m, w);
  return m * w;
}

Tensor reduce_weighted_values(const Tensor& values, const Tensor& sample_weight, const Tensor& mask,
                              const std::string& reduction) {
  const bool mean = reduction == "mean" || reduction == "sum_over_batch_size";
  Tensor weight = apply_mask(sample_weight, mask, values.dtype(), mean);
  Tensor v = values;
  if (weight) {
    std::tie(v, weight) =
        squeeze_or_expand_to_same_rank(values, detail::of_type(weight, values.dtype()));
    check_weights(v, weight);
  }
  const Shape shape = weight ? broadcast(v.shape(), weight.shape()) : v.shape();
  const bool as_is = reduction == "none" || shape.rank() == 0 || shape == Shape{0};
  if (as_is) return weight ? v * weight : v;
  const int64_t n = shape.numel();
  const double scale = reduction == "sum" || (reduction == "mean_with_sample_weight" && weight) ? 1
                       : n == 0                                                                 ? 0
                                : 1.0 / static_cast<double>(n);
  const Tensor inputs[] = {v, weight};
  const Tensor sum = weight ? reduce_program(backend::program_of(backend::Opcode::multiply), inputs,
                                             {}, scale, v.dtype(), "sample_weight")
                            : reduce_program(backend::program_of(backend::Opcode::identity),
                                             {inputs, 1}, {}, scale, v.dtype(), "loss");
  if (reduction == "mean_with_sample_weight" && weight) return divide_no_nan(sum, ops::sum(weight));
  return sum;
}

}  // namespace cornu
