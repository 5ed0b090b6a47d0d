// MelSpectrogram: the strength of a signal in bands that are as wide as the ear hears them.
#pragma once
#include "../../framework/base/number.h"
#include "../layer_options.h"

namespace cornu::layers {

struct MelSpectrogramConfig {
  int64_t fft_length = 2048;
  int64_t sequence_stride = 512;
  std::optional<int64_t> sequence_length = {};  ///< of a piece; default: fft_length
  std::optional<std::string> window = "hann";   ///< or "hamming", or none
  Number sampling_rate = 16000;                 ///< samples per second
  int64_t num_mel_bins = 128;
  double min_freq = 20.0;               ///< in hertz
  std::optional<Number> max_freq = {};  ///< default: half the sampling rate
  bool power_to_db = true;              ///< in decibels over ref_power
  double top_db = 80.0;                 ///< all that is weaker than the strongest by more is cut
  double mag_exp = 2.0;                 ///< 1: magnitude, 2: power
  double min_power = 1e-10;
  double ref_power = 1.0;
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// signal (samples) or (batch, samples) -> (..., num_mel_bins, pieces). The bands are triangles on
/// the scale 1127 ln(1 + f / 700). Throws ValueError for a sequence_length beyond fft_length.
class MelSpectrogramLayer : public LayerOf<MelSpectrogramLayer, MelSpectrogramConfig> {
 public:
  explicit MelSpectrogramLayer(MelSpectrogramConfig config);
  void build(const Shape& input) override;
  Tensor call(const Tensor& x, const Call&) override;

 private:
  Tensor bands_;  // (fft_length / 2 + 1, num_mel_bins): what each frequency gives to each band
};

using MelSpectrogram = Ref<MelSpectrogramLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::MelSpectrogramLayer, layers::MelSpectrogramConfig>;
}
