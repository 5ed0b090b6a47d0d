// RotaryEmbedding: tells places of a text by turning features, by angles that grow with the place.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

/// Options of RotaryEmbedding, as in KerasHub; the last four are those of Llama 3.1.
struct RotaryEmbeddingConfig {
  double max_wavelength = 10000;  ///< tokens in which the slowest features turn once, over 2 pi
  double scaling_factor = 1.0;    ///< divides the angles: above 1 places come to lie closer
  /// Divides the frequencies of features that turn rarely; all of the four have values or none.
  std::optional<double> frequency_adjustment_factor = {};
  /// Features that turn less often than this over pretraining_sequence_length are divided so.
  std::optional<double> low_freq_factor = {};
  /// Those that turn more often than this stay; between the two it is a mean. Above
  /// low_freq_factor.
  std::optional<double> high_freq_factor = {};
  std::optional<double> pretraining_sequence_length = {};  ///< tokens of the texts first trained on
  std::string name = "";                  ///< of the layer; empty: made from the class's name
  bool trainable = true;                  ///< of no effect: there are no weights
  std::optional<DTypePolicy> dtype = {};  ///< of the computation; none: the global policy
};

/// x (batch, t, ..., features) -> the same shape: feature i and feature i + features / 2 of place p
/// are turned in their plane by the angle p / max_wavelength^(2 i / features), so that products of
/// two such vectors depend on the distance of their places. Su et al.,
/// https://arxiv.org/abs/2104.09864. Throws ShapeError where the number of features is odd.
class RotaryEmbeddingLayer : public LayerOf<RotaryEmbeddingLayer, RotaryEmbeddingConfig> {
 public:
  /// Throws ValueError for numbers that are not positive, and for some of Llama 3.1's options
  /// without the others.
  explicit RotaryEmbeddingLayer(RotaryEmbeddingConfig config);
  Tensor call(const Tensor& x, const Call&) override;
  /// The same for places from `start`, an int32 scalar, on.
  Tensor at(const Tensor& x, const Tensor& start) const;

 private:
  std::vector<float> frequencies(int64_t features) const;
};

using RotaryEmbedding = Ref<RotaryEmbeddingLayer>;  ///< a shared RotaryEmbeddingLayer

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RotaryEmbeddingLayer, layers::RotaryEmbeddingConfig>;
}
