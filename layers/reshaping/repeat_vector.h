// RepeatVector: a vector as every step of a sequence.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

struct RepeatVectorConfig {
  Required<int64_t> n;  ///< steps
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// x (batch, features) -> (batch, n, features).
class RepeatVectorLayer : public LayerOf<RepeatVectorLayer, RepeatVectorConfig> {
 public:
  explicit RepeatVectorLayer(RepeatVectorConfig config);
  Tensor call(const Tensor& x, const Call&) override;
};

using RepeatVector = Ref<RepeatVectorLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RepeatVectorLayer, layers::RepeatVectorConfig>;
}
