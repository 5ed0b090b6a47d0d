// Normalization: data brought to mean 0 and variance 1 by statistics found beforehand.
#pragma once
#include "../layer_common.h"

namespace cornu::layers {

struct NormalizationConfig {
  Axes axis =
      -1;  ///< axes that keep statistics of their own; all others, the batch included, are pooled
  Value mean = {};  ///< a number or nested lists; without it `adapt` finds both
  Value variance = {};
  bool invert = false;  ///< the reverse: from mean 0 and variance 1
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// (x - mean) / max(sqrt(variance), 1e-7).
class NormalizationLayer : public LayerOf<NormalizationLayer, NormalizationConfig> {
 public:
  explicit NormalizationLayer(NormalizationConfig config);
  void build(const Shape& input) override;
  Tensor call(const Tensor& x, const Call& call) override;
  /// Takes mean and variance from `data`, which begins with the batch axis. Throws StateError when
  /// they were given.
  void adapt(const Tensor& data);

  Variable mean, variance, count;  ///< unless given; `count` is there for files, and not used

 private:
  std::vector<int> kept(const Shape& shape) const;
};

using Normalization = Ref<NormalizationLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::NormalizationLayer, layers::NormalizationConfig>;
}
