// AWQ: weights in 4 bits, where those that meet large inputs are rounded less.
#pragma once
#include "calibration.h"

namespace cornu {
namespace quantizers {

/// Options of AWQConfig, as in Keras.
struct AWQOptions {
  CalibrationData dataset = {};         ///< texts or tokens like those that the model will see
  CalibrationTokenizer tokenizer = {};  ///< for texts; tokens need none
  int64_t weight_bits = 4;              ///< of a weight: 4
  int64_t num_samples = 128;            ///< how many sequences to take from the data
  int64_t sequence_length = 512;        ///< tokens of a sample
  int64_t group_size = 128;             ///< so many weights of a channel share a scale; -1: all
  int64_t num_grid_points = 20;         ///< how many exponents above 0 are tried
  /// The way through the model; none: that of Model::get_quantization_layer_structure.
  std::optional<QuantizationLayerStructure> quantization_layer_structure = {};
};

/// Quantization by AWQ, Lin et al., https://arxiv.org/abs/2306.00978: before a kernel is rounded,
/// its features are multiplied by a power of their largest inputs, and divided again when it
/// serves. Of several exponents that with the least error is taken. See Model::quantize.
class AWQQuantization : public ConfiguredCalibration<AWQQuantization, AWQOptions> {
 public:
  /// Throws ValueError for an option that is out of its range.
  explicit AWQQuantization(AWQOptions c);
  const char* mode() const override { return "awq"; }
  std::string policy_mode() const override;
  std::unique_ptr<CalibrationStatistics> statistics(int64_t features) const override;
  CalibratedKernel quantize(const Tensor& kernel,
                            const CalibrationStatistics& statistics) const override;
};
using AWQConfig = Ref<AWQQuantization>;  ///< a shared AWQQuantization, made from its options

/// The largest absolute input of each feature so far.
class ActivationMagnitudes : public CalibrationStatistics {
 public:
  explicit ActivationMagnitudes(int64_t features);  ///< of no samples: zeros
  /// Throws ShapeError for another number of features.
  void add(const Tensor& inputs) override;
  const Tensor& value() const { return value_; }  ///< (features), float32

 private:
  Tensor value_;
};

/// A kernel (features, channels) by AWQ, with the largest absolute inputs (features). Throws
/// ShapeError where they do not fit.
CalibratedKernel awq_quantize(const Tensor& kernel, const Tensor& activation_magnitudes,
                              const AWQOptions& options);

}  // namespace quantizers
}  // namespace cornu
