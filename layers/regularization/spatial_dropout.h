// SpatialDropout1D, SpatialDropout2D, SpatialDropout3D: dropout of whole channels.
#pragma once
#include "../../framework/ops/random/draws.h"
#include "../layer_options.h"

namespace cornu::layers {

/// x of `rank` axes; all but the batch and the channels share a draw. Throws ValueError for a rate
/// outside of [0, 1], ShapeError for another rank.
template <class Self, class C, int rank>
class SpatialDropoutLayer : public LayerOf<Self, C> {
 public:
  /// Throws ValueError for a rate outside of [0, 1] and an unknown data_format. With rate 0 nothing
  /// is ever drawn.
  explicit SpatialDropoutLayer(C c) : LayerOf<Self, C>(std::move(c)) {
    const C& o = this->config;
    check_fraction("rate", o.rate);
    if constexpr (requires { o.data_format; }) channels_first_ = channels_first(o.data_format);
    this->supports_masking_ = true;
    if (o.rate > 0) seeds_ = &this->add_seed_generator(o.seed);
  }

  /// x itself unless training; else with whole channels set to 0 and the others enlarged.
  Tensor call(const Tensor& x, const Call& call) override {
    check_rank(x.shape(), rank,
               channels_first_ ? "(batch, channels, spatial...)" : "(batch, spatial..., channels)");
    if (!call.is_training() || !seeds_) return x;
    const int channels = channels_first_ ? 1 : rank - 1;
    Shape noise = x.shape();
    for (int i = 1; i < rank; ++i)
      if (i != channels) noise[i] = 1;
    return random::dropout(x, this->config.rate, *seeds_, noise);
  }

  /// Without `trainable`, which these classes of Keras do not take.
  Value::Dict get_config() const override {
    Value::Dict dict = LayerOf<Self, C>::get_config();
    std::erase_if(dict, [](const auto& entry) { return entry.first == "trainable"; });
    return dict;
  }
  /// A layer from its config, where data_format may be null for the default.
  static std::shared_ptr<Self> from_config(const Value::Dict& dict) {
    return LayerOf<Self, C>::from_config(without_nulls(dict, {"data_format"}));
  }

 private:
  bool channels_first_ = false;
  SeedGenerator* seeds_ = nullptr;  // owned by the base; none where nothing is drawn
};

/// Options of SpatialDropout1D.
struct SpatialDropout1DConfig {
  Required<double> rate;                  ///< fraction of the channels to drop, in [0, 1]
  std::optional<int64_t> seed = {};       ///< seed of the random draws; none: one is chosen
  std::string name = "";                  ///< of the layer; empty: made from the class's name
  std::optional<DTypePolicy> dtype = {};  ///< of weights and computation; none: the global policy
};

/// While training, x (batch, steps, channels) with a fraction `rate` of its channels set to 0 at
/// all places and the others divided by 1 - rate; else x. Tompson et al.,
/// https://arxiv.org/abs/1411.4280.
class SpatialDropout1DLayer
    : public SpatialDropoutLayer<SpatialDropout1DLayer, SpatialDropout1DConfig, 3> {
 public:
  /// From the options, as SpatialDropoutLayer says.
  using SpatialDropoutLayer::SpatialDropoutLayer;
};

/// A shared SpatialDropout1DLayer, made from its options.
using SpatialDropout1D = Ref<SpatialDropout1DLayer>;

/// Options of SpatialDropout2D.
struct SpatialDropout2DConfig {
  Required<double> rate;  ///< fraction of the channels to drop, in [0, 1]
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  std::optional<int64_t> seed = {};  ///< seed of the random draws; none: one is chosen
  std::string name = "";             ///< of the layer; empty: made from the class's name
  /// Dtypes of weights and computation; none: the global policy.
  std::optional<DTypePolicy> dtype = {};
};

/// While training, x (batch, rows, columns, channels) with a fraction `rate` of its channels set to
/// 0 at all places and the others divided by 1 - rate; else x. Tompson et al.,
/// https://arxiv.org/abs/1411.4280.
class SpatialDropout2DLayer
    : public SpatialDropoutLayer<SpatialDropout2DLayer, SpatialDropout2DConfig, 4> {
 public:
  /// From the options, as SpatialDropoutLayer says.
  using SpatialDropoutLayer::SpatialDropoutLayer;
};

/// A shared SpatialDropout2DLayer, made from its options.
using SpatialDropout2D = Ref<SpatialDropout2DLayer>;

/// Options of SpatialDropout3D.
struct SpatialDropout3DConfig {
  Required<double> rate;  ///< fraction of the channels to drop, in [0, 1]
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  std::optional<int64_t> seed = {};  ///< seed of the random draws; none: one is chosen
  std::string name = "";             ///< of the layer; empty: made from the class's name
  /// Dtypes of weights and computation; none: the global policy.
  std::optional<DTypePolicy> dtype = {};
};

/// While training, x (batch, depth, rows, columns, channels) with a fraction `rate` of its channels
/// set to 0 at all places and the others divided by 1 - rate; else x. Tompson et al.,
/// https://arxiv.org/abs/1411.4280.
class SpatialDropout3DLayer
    : public SpatialDropoutLayer<SpatialDropout3DLayer, SpatialDropout3DConfig, 5> {
 public:
  /// From the options, as SpatialDropoutLayer says.
  using SpatialDropoutLayer::SpatialDropoutLayer;
};

/// A shared SpatialDropout3DLayer, made from its options.
using SpatialDropout3D = Ref<SpatialDropout3DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::SpatialDropout1DLayer, layers::SpatialDropout1DConfig>;
extern template class LayerOf<layers::SpatialDropout2DLayer, layers::SpatialDropout2DConfig>;
extern template class LayerOf<layers::SpatialDropout3DLayer, layers::SpatialDropout3DConfig>;
}  // namespace cornu
