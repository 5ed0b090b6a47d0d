// SpectralNormalization: a layer whose kernel is kept at spectral norm 1.
#pragma once
#include "../core/wrapper.h"

namespace cornu::layers {

/// Options of SpectralNormalization, as in Keras.
struct SpectralNormalizationConfig {
  Required<AnyLayer> layer;      ///< one with a weight named "kernel" or "embeddings"
  int64_t power_iterations = 1;  ///< steps toward the largest singular value in each call
  CORNU_LAYER_OPTIONS;
};

/// Calls the layer; in training its kernel, as a matrix (..., last axis), is divided by its largest
/// singular value before, which a vector kept from call to call follows. A kernel of zeros stays.
/// Throws ValueError for a layer without a kernel. https://arxiv.org/abs/1802.05957.
class SpectralNormalizationLayer
    : public WrapperOf<SpectralNormalizationLayer, SpectralNormalizationConfig> {
 public:
  /// Throws ValueError unless power_iterations is positive.
  explicit SpectralNormalizationLayer(SpectralNormalizationConfig config);
  void build_many(const Nest& inputs) override;
  Tensor call(const Tensor& x, const Call& call) override;

  Variable kernel;    ///< the layer's
  Variable vector_u;  ///< (1, size of the kernel's last axis)

 private:
  void normalize_kernel();
};

/// A shared SpectralNormalizationLayer, made from its options.
using SpectralNormalization = Ref<SpectralNormalizationLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::SpectralNormalizationLayer,
                              layers::SpectralNormalizationConfig>;
}
