// Weights in few bits, and the scales of training in 8-bit floats.
#pragma once
#include "../../framework/base/serialization.h"
#include "../../framework/quantizers/quantization_config.h"
#include "lora.h"

namespace cornu::layers {

/// What quantization must know of a weight.
struct WeightForm {
  std::string name;                  ///< "kernel"
  Shape shape;                       ///< as the layer computes with it
  std::vector<int64_t> summed = {};  ///< the axes that the layer sums over: they share a scale
  /// Of the scales of int8: what `shape` becomes with its axes in `scale_order`, those of `summed`
  /// with size 1, and axes of size 1 put in or left out.
  Shape scale_shape = {};
  std::vector<int64_t> scale_order = {};  ///< empty: as they are
  Shape matrix = {};                      ///< `shape` as the matrix that int4 packs
  int summed_side = 0;                    ///< the axis of the matrix that is summed
  int packed_side = 1;                    ///< the axis along which two numbers share a byte
  DType zero_dtype = DType::int8;         ///< of the zero points of int4's blocks
};

/// A weight as integers and their scales: int8, or int4 packed in pairs.
class QuantizedWeight {
 public:
  /// Adds the variables to the layer: <name>, <name>_scale and, for blocks of int4, <name>_zero
  /// and g_idx, unless that is another weight's.
  QuantizedWeight(Layer& layer, WeightForm form, const std::string& mode,
                  std::optional<int64_t> block_size, const QuantizedWeight* groups_of = nullptr);

  /// Takes over the values of a weight of floats.
  void assign(const Tensor& weight, const Choice<Quantizer>& quantizer = {});
  /// The weight as floats.
  Tensor dequantized(DType dtype) const;
  /// Whether `values` has a number of the weight in each byte, in its shape.
  bool is_int8() const { return !int4_; }
  /// Of int8: the scales with the weight's axes, those that are summed with size 1. In the dtype in
  /// which they are kept.
  Tensor broadcast_scale() const;
  /// Some rows of a weight whose last axis is summed: indices (...) -> (..., columns).
  Tensor rows(const Tensor& indices, DType dtype) const;
  /// Itself, or variables for files that hold the values of weight + update, quantized again.
  std::vector<Variable> file_variables(const Lora* lora) const;

  Variable values,  ///< int8: numbers, or pairs of int4
      scale,        ///< one for each channel, or for each of its blocks
      zero,         ///< zero points, of scale's shape; none without blocks
      groups;       ///< block of each place along the summed axis; none without blocks

 private:
  struct Numbers {
    Tensor values, scale, zero;
  };
  Numbers quantize(const Tensor& weight, const Choice<Quantizer>& quantizer) const;

  WeightForm form_;
  bool int4_;
  std::optional<int64_t> block_size_;
  bool owns_groups_ = true;
};

/// Takes the weights out of the layer that `before`, its own_weights() of then, does not have.
void remove_added_weights(Layer& layer, const std::vector<Variable>& before);
/// The mode's quantizer for inputs: that of the config, or without a config `fallback` for int8.
Choice<Quantizer> activation_quantizer(const Choice<QuantizationConfig>& config,
                                       const Choice<Quantizer>& fallback);
/// The size of int4's blocks: the config's, or without one the policy's.
std::optional<int64_t> block_size_of(const Choice<QuantizationConfig>& config,
                                     const DTypePolicy& policy);
/// x rounded to what its quantizer keeps of it. Gradients pass as if it were x.
Tensor straight_through(const Quantizer& quantizer, const Tensor& x, const Axes& axes);

}  // namespace cornu::layers
