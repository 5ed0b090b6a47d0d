// What layers may be besides a Layer: ones whose weights take other forms. Layer itself knows
// nothing of it.
#pragma once
#include "layer.h"

namespace cornu {

class QuantizationConfig;
struct CalibratedKernel;

/// A layer whose weights in files are not its own_weights: with a low-rank update, or in few bits.
class CustomSerialization {
 public:
  virtual ~CustomSerialization() = default;
  /// What files hold, in their order. Low-rank updates are merged into the weights.
  virtual std::vector<Variable> weights_to_write() const = 0;
  /// The variables that the same places of a file are read into.
  virtual std::vector<Variable> weights_to_read() const = 0;
  /// Called when they have been read.
  virtual void weights_were_read() {}
};

/// A layer that Layer::quantize can be asked of.
class Quantizable {
 public:
  virtual ~Quantizable() = default;
  /// Replaces the weights; called for a layer that is built and not quantized. Throws
  /// UnsupportedError, before anything changes, for modes that it does not have.
  virtual void quantize_weights(const Choice<QuantizationConfig>& config) = 0;
  /// The kernel as the matrix (features, channels) that calibration quantizes, where each row of
  /// the inputs (..., features) is a sample. Throws UnsupportedError for a layer without one, as
  /// take_calibrated does.
  virtual Tensor calibration_matrix() const;
  /// Replaces the kernel by what calibration made of that matrix.
  virtual void take_calibrated(const Choice<QuantizationConfig>& config,
                               const CalibratedKernel& kernel);
};

}  // namespace cornu
