// GPTQ: weights in few bits, each of which makes up for the rounding of those before.
#pragma once
#include "calibration.h"

namespace cornu {
namespace quantizers {

/// Options of GPTQConfig, as in Keras.
struct GPTQOptions {
  CalibrationData dataset = {};         ///< texts or tokens like those that the model will see
  CalibrationTokenizer tokenizer = {};  ///< for texts; tokens need none
  int64_t weight_bits = 4;              ///< of a weight: 2, 3, 4 or 8
  int64_t num_samples = 128;            ///< how many sequences to take from the data
  bool per_channel = true;              ///< each channel has scales of its own
  int64_t sequence_length = 512;        ///< tokens of a sample
  /// What is added to the diagonal of the Hessian, as part of its mean: in [0, 1].
  double hessian_damping = 0.01;
  int64_t group_size = 128;       ///< so many weights of a channel share a scale; -1: all
  bool symmetric = false;         ///< ranges are as large on both sides of 0
  bool activation_order = false;  ///< features with the largest inputs first
  /// The way through the model; none: that of Model::get_quantization_layer_structure.
  std::optional<QuantizationLayerStructure> quantization_layer_structure = {};
};

/// Quantization by GPTQ, Frantar et al., https://arxiv.org/abs/2210.17323: the features of a
/// kernel are rounded one after the other, and what each loses is taken off the others as the
/// inputs' second moments say. See Model::quantize.
class GPTQQuantization : public ConfiguredCalibration<GPTQQuantization, GPTQOptions> {
 public:
  /// Throws ValueError for an option that is out of its range.
  explicit GPTQQuantization(GPTQOptions c);
  const char* mode() const override { return "gptq"; }
  std::string policy_mode() const override;
  std::unique_ptr<CalibrationStatistics> statistics(int64_t features) const override;
  CalibratedKernel quantize(const Tensor& kernel,
                            const CalibrationStatistics& statistics) const override;
};
using GPTQConfig = Ref<GPTQQuantization>;  ///< a shared GPTQQuantization, made from its options

/// The Hessian of a layer's squared error by a channel of its kernel: 2 / n x^T x of the n samples
/// x (n, features) so far.
class HessianEstimate : public CalibrationStatistics {
 public:
  explicit HessianEstimate(int64_t features);  ///< of no samples
  /// Throws ShapeError for another number of features.
  void add(const Tensor& inputs) override;
  const Tensor& value() const { return value_; }  ///< (features, features), float32

 private:
  Tensor value_;
  int64_t samples_ = 0;
};

/// A kernel (features, channels) by GPTQ, with the Hessian (features, features) of its inputs.
/// Throws ShapeError where they do not fit.
CalibratedKernel gptq_quantize(const Tensor& kernel, const Tensor& hessian,
                               const GPTQOptions& options);

}  // namespace quantizers
}  // namespace cornu
