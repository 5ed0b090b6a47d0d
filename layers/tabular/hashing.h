// Hashing: strings and integers into bins, by a hash.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

/// Options of Hashing.
struct HashingConfig {
  Required<int64_t> num_bins;  ///< number of bins
  Value mask_value = {};       ///< input, text or a number, that gets bin 0 for itself
  /// One or two integers that choose another hash; none: FarmHash.
  OptionalList<std::vector<int64_t>> salt = {};
  std::string output_mode = "int";        ///< "int", "one_hot", "multi_hot" or "count"
  bool sparse = false;                    ///< must be false: there are no sparse tensors
  std::string name = "";                  ///< of the layer; empty: made from the class's name
  bool trainable = true;                  ///< whether training changes the weights
  std::optional<DTypePolicy> dtype = {};  ///< int64 with output_mode "int" (or int32), else float32
};

/// The bin of each element, or their encoding ("one_hot", "multi_hot", "count"). Without a salt the
/// hash is FarmHash's Fingerprint64, with one SipHash; integers are hashed as their decimal digits,
/// floats as integers. Throws ValueError for a mask_value of another kind than the inputs.
class HashingLayer : public LayerOf<HashingLayer, HashingConfig> {
 public:
  /// Throws ValueError for an unknown output_mode, num_bins that is not positive, a salt of more
  /// than two numbers, or a dtype that is no integer in output_mode "int"; UnsupportedError with
  /// `sparse`.
  explicit HashingLayer(HashingConfig config);
  Tensor call(const Tensor& x, const Call& call) override;
  /// Lists of numbers or texts count as one tensor.
  Nest call_many(const Nest& inputs, const Call& call) override;
};

using Hashing = Ref<HashingLayer>;  ///< a shared HashingLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::HashingLayer, layers::HashingConfig>;
}
