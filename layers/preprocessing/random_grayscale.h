// RandomGrayscale: some images without colours.
#pragma once
#include "../layer_common.h"

namespace cornu::layers {

struct RandomGrayscaleConfig {
  double factor = 0.5;  ///< share of images that lose their colours
  std::string data_format = "channels_last";
  std::optional<int64_t> seed = {};
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// Each image, with probability `factor`, in grey: the three channels become equal. Only in
/// training.
class RandomGrayscaleLayer : public LayerOf<RandomGrayscaleLayer, RandomGrayscaleConfig> {
 public:
  explicit RandomGrayscaleLayer(RandomGrayscaleConfig config);
  Tensor call(const Tensor& x, const Call& call) override;
  static std::shared_ptr<RandomGrayscaleLayer> from_config(const Value::Dict& dict);

 private:
  SeedGenerator& seeds_;
};

using RandomGrayscale = Ref<RandomGrayscaleLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RandomGrayscaleLayer, layers::RandomGrayscaleConfig>;
}
