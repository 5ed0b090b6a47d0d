// What layers with a kernel make of LoRA and quantization. A layer without either holds one empty
// pointer.
#pragma once
#include "float8_scales.h"

namespace cornu::layers {

/// A kernel of floats as the matrix (features, channels) of its product. Throws UnsupportedError
/// where rows of the inputs are no samples of such features.
Tensor calibration_matrix(const KernelProduct& product, const Variable& kernel);

/// What LoRA and quantization make of the kernel of a Dense or EinsumDense.
class AdaptedKernel {
 public:
  AdaptedKernel(Layer& layer, KernelProduct product);  ///< keeps both; adds nothing to the layer

  /// For a layer that is built with a quantized policy: makes its weights. Returns the kernel, or
  /// nothing where that stays floats.
  Variable build(const Choice<QuantizationConfig>& config);
  /// For a layer that has been built: replaces `kernel`.
  void quantize(const Choice<QuantizationConfig>& config, Variable& kernel);
  /// The same by what calibration made of it; see Quantizable.
  void take_calibrated(const Choice<QuantizationConfig>& config, const CalibratedKernel& numbers,
                       Variable& kernel);
  /// The kernel as a matrix for calibration; see Quantizable. Throws StateError for a kernel that
  /// is quantized, UnsupportedError beside LoRA and where there is no such matrix.
  Tensor calibration_matrix(const Variable& kernel) const;
  /// Freezes the kernel and adds a low-rank update. Throws StateError without a kernel or for a
  /// second update, ValueError for a rank below 1 or a constraint, UnsupportedError with float8.
  void enable_lora(Variable& kernel, int64_t rank, const LoraOptions& options,
                   const Choice<Regularizer>& regularizer, const Choice<Constraint>& constraint);

  /// multiply(x, kernel) + bias, if there is one.
  Tensor apply(const Tensor& x, const Variable& kernel, const Variable& bias, bool training) const;
  /// In the order of Keras's files; with `merged` for writing.
  std::vector<Variable> file_variables(const Variable& kernel, const Variable& bias,
                                       bool merged) const;
  void reset_lora();  ///< sets the update to zeros, if there is one
  const Shape& kernel_shape() const { return product_.form.shape; }  ///< as it multiplies

 private:
  Variable build_for(const DTypePolicy& policy, const Choice<QuantizationConfig>& config);
  Tensor product(const Tensor& x, const Variable& kernel) const;
  Tensor quantized_product(const Tensor& x) const;
  Tensor int8_product(const Tensor& x) const;

  Layer& layer_;
  KernelProduct product_;
  Choice<Quantizer> inputs_quantizer_;
  std::unique_ptr<QuantizedWeight> quantized_;
  std::unique_ptr<CalibratedWeight> calibrated_;
  std::unique_ptr<Float8Scales> float8_;
  std::unique_ptr<Lora> lora_;
};

/// Base of the layers with a kernel that LoRA and quantization can change. `Self` has the variables
/// `kernel` and `bias`, and `product(shape)`, which tells how it multiplies by a kernel of that
/// shape.
template <class Self, class C>
class KernelLayer : public LayerOf<Self, C>, public Quantizable, public CustomSerialization {
 public:
  using LayerOf<Self, C>::LayerOf;

  /// Freezes the kernel and adds a low-rank update that is trained. Throws StateError for a layer
  /// that is not built or has one, ValueError for a kernel with a constraint.
  void enable_lora(int64_t rank, const LoraOptions& options = {}) {
    adapt(kernel_shape("enable_lora"))
        .enable_lora(self().kernel, rank, options, this->config.kernel_regularizer,
                     this->config.kernel_constraint);
    this->config.lora_rank = rank;
    this->config.lora_alpha = options.lora_alpha.value_or(static_cast<double>(rank));
  }

  /// Replaces the kernel, or for float8 adds scales. Throws UnsupportedError for a class derived
  /// from the layer, and for float8 beside LoRA.
  void quantize_weights(const Choice<QuantizationConfig>& config) override {
    refuse_derived();
    adapt(kernel_shape("quantize")).quantize(config, self().kernel);
    this->config.quantization_config = config;
  }
  /// The kernel's features by its channels. Throws StateError for a layer that is not built or is
  /// quantized, UnsupportedError for a class derived from the layer, beside LoRA, and where a row
  /// of the inputs is no sample of the features.
  Tensor calibration_matrix() const override {
    refuse_derived();
    const Self& s = static_cast<const Self&>(*this);
    if (adapted_) return adapted_->calibration_matrix(s.kernel);
    return layers::calibration_matrix(s.product(kernel_shape("calibration_matrix")), s.kernel);
  }
  /// Puts the kernel that calibration has found in place of the layer's.
  void take_calibrated(const Choice<QuantizationConfig>& config,
                       const CalibratedKernel& numbers) override {
    refuse_derived();
    adapt(kernel_shape("quantize")).take_calibrated(config, numbers, self().kernel);
    this->config.quantization_config = config;
  }
  /// Kernel, bias and what quantization added, with the low-rank update merged in.
  std::vector<Variable> weights_to_write() const override { return file_variables(true); }
  /// The same without the update.
  std::vector<Variable> weights_to_read() const override { return file_variables(false); }
  /// Sets the low-rank update to zeros: the values that were read have it in them.
  void weights_were_read() override {
    if (adapted_) adapted_->reset_lora();
  }
  /// The options; LoRA's only where they have a value.
  Value::Dict get_config() const override {
    return without_empty_lora(LayerOf<Self, C>::get_config());
  }

 protected:
  /// Makes what a quantized policy asks for: the kernel, or nothing where that stays floats.
  Variable build_quantized(const Shape& kernel_shape) {
    if (!this->own_dtype_policy().is_quantized()) return {};
    return adapt(kernel_shape).build(this->config.quantization_config);
  }
  /// Null for the usual layer, whose kernel is floats and nothing else.
  const AdaptedKernel* adapted() const { return adapted_.get(); }

 private:
  void refuse_derived() const {
    if (typeid(*this) != typeid(Self))
      throw UnsupportedError("quantize: a class derived from a layer cannot be quantized.");
  }
  Self& self() { return static_cast<Self&>(*this); }
  AdaptedKernel& adapt(const Shape& kernel_shape) {
    if (!adapted_) adapted_ = std::make_unique<AdaptedKernel>(*this, self().product(kernel_shape));
    return *adapted_;
  }
  // For a method that needs the kernel.
  Shape kernel_shape(const char* method) const {
    const Variable& kernel = static_cast<const Self&>(*this).kernel;
    if (!kernel) throw_not_built(*this, method);
    return kernel.shape();
  }
  std::vector<Variable> file_variables(bool merged) const {
    const Self& s = static_cast<const Self&>(*this);
    return adapted_ ? adapted_->file_variables(s.kernel, s.bias, merged) : this->own_weights();
  }

  std::unique_ptr<AdaptedKernel> adapted_;
};

}  // namespace cornu::layers
