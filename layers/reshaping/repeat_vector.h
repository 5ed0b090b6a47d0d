// RepeatVector: a vector as every step of a sequence.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

/// Options of RepeatVector.
struct RepeatVectorConfig {
  Required<int64_t> n;                    ///< number of steps of the output
  std::string name = "";                  ///< of the layer; empty: made from the class's name
  bool trainable = true;                  ///< whether training changes the weights
  std::optional<DTypePolicy> dtype = {};  ///< of weights and computation; none: the global policy
};

/// x (batch, features) -> (batch, n, features). Throws ShapeError for another rank.
class RepeatVectorLayer : public LayerOf<RepeatVectorLayer, RepeatVectorConfig> {
 public:
  /// Throws ValueError unless n is positive.
  explicit RepeatVectorLayer(RepeatVectorConfig config);
  Tensor call(const Tensor& x, const Call&) override;
  bool acts_per_row() const override { return true; }
};

using RepeatVector = Ref<RepeatVectorLayer>;  ///< a shared RepeatVectorLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RepeatVectorLayer, layers::RepeatVectorConfig>;
}
