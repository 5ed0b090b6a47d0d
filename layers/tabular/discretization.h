// Discretization: numbers as the indices of the ranges that hold them.
#pragma once
#include "../../framework/data/adapt.h"
#include "../layer_options.h"

namespace cornu::layers {

/// Options of Discretization.
struct DiscretizationConfig {
  /// Ascending boundaries; none: adapt finds them.
  OptionalList<std::vector<double>> bin_boundaries = {};
  std::optional<int64_t> num_bins = {};  ///< number of bins for adapt; without bin_boundaries
  double epsilon = 0.01;                 ///< largest relative error of the bins' sizes in adapt
  std::string output_mode = "int";       ///< "int", "one_hot", "multi_hot" or "count"
  bool sparse = false;                   ///< must be false: there are no sparse tensors
  CORNU_LAYER_OPTIONS;
};

/// The number of boundaries that do not exceed x, as int32 or encoded as in CategoryEncoding.
/// Either bin_boundaries are given, or num_bins, and `adapt` finds them.
class DiscretizationLayer : public LayerOf<DiscretizationLayer, DiscretizationConfig>,
                            public Adaptable {
 public:
  /// Throws ValueError for an unknown output_mode, unless one of bin_boundaries and num_bins is
  /// given, or for num_bins that is not positive; UnsupportedError with `sparse`.
  explicit DiscretizationLayer(DiscretizationConfig config);
  Tensor call(const Tensor& x, const Call& call) override;
  /// Without `trainable`, which Keras's class does not take.
  Value::Dict get_config() const override;
  /// As LayerOf's, but takes the boundaries that `adapt` found beside num_bins.
  static std::shared_ptr<DiscretizationLayer> from_config(const Value::Dict& dict);
  /// `adapt` finds boundaries that cut the elements of the data into num_bins groups of about the
  /// same size, within `epsilon` of it. Throws StateError when boundaries were given.
  void reset_state() override;
  void update_state(const Tensor& batch) override;
  void finalize_state() override;
  /// The boundaries, as float32.
  std::vector<Tensor> statistics() const override;
  /// The boundaries, given or found. Throws StateError while there are none.
  const std::vector<double>& bin_boundaries() const;

 private:
  // Values of the data so far, with the number of data that each represents.
  std::vector<double> values_, weights_of_values_;
};

/// A shared DiscretizationLayer, made from its options.
using Discretization = Ref<DiscretizationLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::DiscretizationLayer, layers::DiscretizationConfig>;
}
