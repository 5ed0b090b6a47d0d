// HashedCrossing: several features as one, by a hash of their values.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

/// Options of HashedCrossing.
struct HashedCrossingConfig {
  Required<int64_t> num_bins;             ///< number of bins
  std::string output_mode = "int";        ///< "int" or "one_hot"
  bool sparse = false;                    ///< must be false: there are no sparse tensors
  std::string name = "";                  ///< of the layer; empty: made from the class's name
  std::optional<DTypePolicy> dtype = {};  ///< int64 with output_mode "int", else float32
};

/// The bin of what the inputs (two or more string or integer tensors of one shape (), (batch) or
/// (batch, 1)) have at each place, or its encoding ("one_hot"). Throws ValueError for other dtypes
/// or a single tensor, ShapeError when shapes differ.
class HashedCrossingLayer : public LayerOf<HashedCrossingLayer, HashedCrossingConfig> {
 public:
  /// Throws ValueError for an unknown output_mode or num_bins that is not positive,
  /// UnsupportedError with `sparse`.
  explicit HashedCrossingLayer(HashedCrossingConfig config);
  Nest call_many(const Nest& inputs, const Call& call) override;
};

/// A shared HashedCrossingLayer, made from its options.
using HashedCrossing = Ref<HashedCrossingLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::HashedCrossingLayer, layers::HashedCrossingConfig>;
}
