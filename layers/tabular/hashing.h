// Hashing: strings and integers into bins, by a hash.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

struct HashingConfig {
  Required<int64_t> num_bins;
  Value mask_value = {};                          ///< text or a number; bin 0 is kept for it
  std::optional<std::vector<int64_t>> salt = {};  ///< one or two numbers
  std::string output_mode = "int";
  bool sparse = false;
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};  ///< int64 with output_mode "int" (or int32), else float32
};

/// The bin of each element, or their encoding ("one_hot", "multi_hot", "count"). Without a salt the
/// hash is FarmHash's Fingerprint64, with one SipHash; integers are hashed as their decimal digits,
/// floats as integers.
class HashingLayer : public LayerOf<HashingLayer, HashingConfig> {
 public:
  explicit HashingLayer(HashingConfig config);
  Tensor call(const Tensor& x, const Call& call) override;
  /// Lists of numbers or texts count as one tensor.
  Nest call_many(const Nest& inputs, const Call& call) override;
};

using Hashing = Ref<HashingLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::HashingLayer, layers::HashingConfig>;
}
