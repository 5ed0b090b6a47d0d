// MelSpectrogram: the strength of a signal in bands that are as wide as the ear hears them.
#pragma once
#include "../../framework/base/number.h"
#include "../layer_options.h"

namespace cornu::layers {

/// Options of MelSpectrogram.
struct MelSpectrogramConfig {
  int64_t fft_length = 2048;                    ///< samples in a Fourier transform
  int64_t sequence_stride = 512;                ///< samples between the starts of frames
  std::optional<int64_t> sequence_length = {};  ///< samples in a frame; default: fft_length
  std::optional<std::string> window = "hann";   ///< "hann", "hamming" or none
  Number sampling_rate = 16000;                 ///< samples per second
  int64_t num_mel_bins = 128;                   ///< number of mel bands
  double min_freq = 20.0;                       ///< lowest frequency of the bands, in hertz
  /// Highest frequency of the bands, in hertz; default: half the sampling rate.
  std::optional<Number> max_freq = {};
  bool power_to_db = true;  ///< give decibels over ref_power
  /// Range in decibels: weaker values are raised to the maximum less this.
  double top_db = 80.0;
  double mag_exp = 2.0;      ///< exponent of magnitudes; 1: magnitude, 2: power
  double min_power = 1e-10;  ///< lower limit of the power before decibels
  double ref_power = 1.0;    ///< power of 0 decibels
  CORNU_LAYER_OPTIONS;
};

/// signal (samples) or (batch, samples) -> (..., num_mel_bins, pieces). The bands are triangles on
/// the scale 1127 ln(1 + f / 700). Throws ValueError for a sequence_length beyond fft_length.
class MelSpectrogramLayer : public LayerOf<MelSpectrogramLayer, MelSpectrogramConfig> {
 public:
  /// Throws ValueError for lengths, strides or numbers of bands that are not positive, and for a
  /// sequence_length beyond fft_length. Puts in the defaults of sequence_length and max_freq.
  explicit MelSpectrogramLayer(MelSpectrogramConfig config);
  void build(const Shape& input) override;
  Tensor call(const Tensor& x, const Call&) override;

 private:
  Tensor bands_;  // (fft_length / 2 + 1, num_mel_bins): what each frequency gives to each band
};

/// A shared MelSpectrogramLayer, made from its options.
using MelSpectrogram = Ref<MelSpectrogramLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::MelSpectrogramLayer, layers::MelSpectrogramConfig>;
}
