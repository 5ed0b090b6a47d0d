// What SpatialDropout1D, SpatialDropout2D and SpatialDropout3D share.
#pragma once
#include "../layer_common.h"

namespace cornu::layers {

/// Throws ValueError unless the option is in [0, 1].
void check_share(const char* option, double value);

/// x of `rank` axes; all but the batch and the channels share a draw.
template <class Self, class C, int rank>
class SpatialDropoutLayer : public LayerOf<Self, C> {
 public:
  explicit SpatialDropoutLayer(C c) : LayerOf<Self, C>(std::move(c)) {
    const C& o = this->config;
    check_share("rate", o.rate);
    if constexpr (requires { o.data_format; }) channels_first_ = channels_first(o.data_format);
    this->supports_masking_ = true;
    if (o.rate > 0) seeds_ = &this->add_seed_generator(o.seed);
  }

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
  static std::shared_ptr<Self> from_config(const Value::Dict& dict) {
    return LayerOf<Self, C>::from_config(without_nulls(dict, {"data_format"}));
  }

 private:
  bool channels_first_ = false;
  SeedGenerator* seeds_ = nullptr;  // owned by the base; none where nothing is drawn
};

}  // namespace cornu::layers
