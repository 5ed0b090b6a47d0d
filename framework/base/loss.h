// Loss: compares targets with predictions, one number for each sample, then reduced.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "../../backend/kernel.h"
#include "../config/config.h"
#include "../ops/op.h"
#include "../tensor/tensor.h"

namespace cornu {

/// Base of all losses. A subclass overrides `call`, which returns a value for each sample (the last
/// axis is gone).
class Loss : public Configurable {
 public:
  static constexpr const char* module = "keras.losses";  ///< where names are looked up
  /// `reduction`: "sum_over_batch_size" (the mean), "sum", "mean", "mean_with_sample_weight" or
  /// "none"; throws ValueError for another. Targets and predictions are cast to `dtype` before
  /// `call`.
  explicit Loss(std::string name, std::string reduction = "sum_over_batch_size",
                DType dtype = DType::float32);

  /// The loss of each sample: the shape of y_pred without its last axis. Both arguments have
  /// dtype().
  virtual Tensor call(const Tensor& y_true, const Tensor& y_pred) = 0;
  /// `call` of both as `dtype`, or of y_true as it is where it holds class numbers.
  Tensor values(const Tensor& y_true, const Tensor& y_pred);
  /// `values`, weighted by sample_weight (which broadcasts to its values) and y_pred's mask, and
  /// reduced. Throws ShapeError when the shapes do not fit.
  virtual Tensor operator()(const Tensor& y_true, const Tensor& y_pred,
                            const Tensor& sample_weight = {});
  /// The mean (or sum) of the values of `call` without weights, where a loss has it in fewer
  /// kernels; else empty.
  virtual Tensor total(const Tensor& y_true, const Tensor& y_pred, bool mean);

  /// `name` and `reduction`, as Keras's base class.
  Value::Dict get_config() const override { return {{"name", name_}, {"reduction", reduction_}}; }

  const std::string& name() const { return name_; }  ///< names the loss in errors and files
  const std::string& reduction() const { return reduction_; }  ///< see the constructor
  DType dtype() const { return dtype_; }                       ///< of the computation

 protected:
  std::string name_;           ///< see name()
  std::string reduction_;      ///< see reduction()
  DType dtype_;                ///< see dtype()
  bool casts_targets_ = true;  ///< false for a loss that takes class numbers
};

/// Base of a loss with options, among them `reduction` and `name` and perhaps `dtype` (float32
/// without a value).
template <class Self, class C, class Base = Loss>
class LossOf : public Base {
 public:
  using Config = C;  ///< the options
  /// Takes the options over.
  explicit LossOf(C c) : Base(c.name, c.reduction, dtype_of_config(c)), config(std::move(c)) {}
  /// As Keras, without `dtype` unless it was given.
  Value::Dict get_config() const override {
    Value::Dict dict = to_dict(config);
    std::erase_if(
        dict, [](const auto& entry) { return entry.first == "dtype" && entry.second.is_null(); });
    return dict;
  }
  /// A null reduction is "none".
  static std::shared_ptr<Self> from_config(Value::Dict dict) {
    for (auto& [key, value] : dict)
      if (key == "reduction" && value.is_null()) value = "none";
    return std::make_shared<Self>(from_dict<C>(dict));
  }
  C config;  ///< as given

 private:
  static DType dtype_of_config(const C& c) {
    if constexpr (requires { c.dtype.value_or(DType::float32); })
      return c.dtype.value_or(DType::float32);
    else
      return DType::float32;
  }
};

/// A loss that is a function of y_true and y_pred. It can be saved when the function has a name;
/// see losses::register_function.
class FunctionLoss : public Loss {
 public:
  /// returns a value for each sample
  using Function = std::function<Tensor(const Tensor& y_true, const Tensor& y_pred)>;
  /// Reduces what `function` returns, as any other loss.
  explicit FunctionLoss(Function function, std::string name = "function_loss",
                        std::string reduction = "sum_over_batch_size",
                        std::string function_name = "");
  Tensor call(const Tensor& y_true, const Tensor& y_pred) override;
  bool is_function() const override { return true; }
  std::string function_name() const override { return function_name_; }
  /// Throws StateError.
  Value::Dict get_config() const override;

 private:
  Function function_;
  std::string function_name_;
};

/// What a function of losses or metrics takes to say its name rather than to compute. An option
/// that is given the function without a call, `.loss = losses::hinge`, so tells which of the
/// function's forms is meant.
struct FunctionName {};

/// Throws `error` again, as it is if it begins with `who`, else with `who` and both shapes in
/// front.
[[noreturn]] void rethrow_unfit(const ShapeError& error, const std::string& who,
                                const Tensor& y_true, const Tensor& y_pred);
/// Reduces the values of samples as losses do. With a mask, means are over what it keeps.
Tensor reduce_weighted_values(const Tensor& values, const Tensor& sample_weight, const Tensor& mask,
                              const std::string& reduction);
/// Makes the ranks of y_true and y_pred equal where they differ by a last axis of size 1.
std::pair<Tensor, Tensor> squeeze_or_expand_to_same_rank(const Tensor& x1, const Tensor& x2,
                                                         bool expand_rank_1 = true);
/// The sample weights with a mask's zeros in them. Where `rescale`, what the mask keeps weighs
/// more, so that a mean over all is a mean over what is kept. Empty when both are.
Tensor apply_mask(const Tensor& sample_weight, const Tensor& mask, DType dtype, bool rescale);
/// scale * reduce(program(inputs...)) over axes of the inputs' broadcast shape, in one kernel.
/// Throws ShapeError that names `who` when the inputs do not broadcast.
Tensor reduce_program(const backend::ProgramRef& program, std::span<const Tensor> inputs,
                      const Axes& axes, double scale, DType dtype, const char* who,
                      backend::ReduceOp op = backend::ReduceOp::sum);

namespace losses {
/// The loss of this name, or this one; null for none. Throws ValueError with a did-you-mean.
inline Choice<Loss> get(const Choice<Loss>& identifier) { return identifier; }
/// The loss as {module, class_name, config, registered_name}.
inline Value serialize(const Loss& loss) { return cornu::serialize(loss); }
/// The same of what refers to one: a handle, a shared pointer, what get gives.
template <detail::Referring<Loss> R>
Value serialize(const R& loss) {
  return cornu::serialize(detail::referred<Loss>(loss));
}
/// The loss that serialize described. Throws ValueError.
inline Choice<Loss> deserialize(const Value& config) {
  return detail::OptionCodec<Choice<Loss>>::decode(config);
}
/// Makes a function known under "package>name": `.loss = "package>name"` calls it, and files
/// keep the name. Throws ValueError for a name of another form.
void register_function(const std::string& registered_name, FunctionLoss::Function function);
}  // namespace losses

}  // namespace cornu
