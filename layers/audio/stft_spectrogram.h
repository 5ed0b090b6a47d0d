// STFTSpectrogram: the short-time Fourier transform of a signal, by convolutions.
#pragma once
#include "../../framework/initializers/stft.h"
#include "../layer_options.h"

namespace cornu::layers {

/// Options of STFTSpectrogram.
struct STFTSpectrogramConfig {
  std::string mode = "log";    ///< "log", "magnitude", "psd", "real", "imag", "angle" or "stft"
  int64_t frame_length = 256;  ///< samples in a frame
  /// Samples between the starts of frames; default: half a frame.
  std::optional<int64_t> frame_step = {};
  /// Samples in a Fourier transform; default: the power of two from frame_length on.
  std::optional<int64_t> fft_length = {};
  initializers::FrameWindow window = "hann";       ///< see initializers::STFT
  bool periodic = false;                           ///< whether a named window is periodic
  std::optional<std::string> scaling = "density";  ///< "density", "spectrum" or none
  std::string padding = "valid";                   ///< "valid" or "same"
  /// Frequencies have an axis of their own, as images have.
  bool expand_dims = false;
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  CORNU_LAYER_OPTIONS;
};

/// x (batch, time, channels) -> (batch, frames, channels * bins), or with expand_dims (batch,
/// frames, bins, channels), where bins = fft_length / 2 + 1, twice that for "stft". With
/// "channels_first" x is (batch, channels, time), and the output (batch, channels * bins, frames)
/// or (batch, channels, frames, bins). The waves are weights, which training may change. Throws
/// ValueError for options that contradict each other.
class STFTSpectrogramLayer : public LayerOf<STFTSpectrogramLayer, STFTSpectrogramConfig> {
 public:
  /// Throws ValueError for an unknown mode, scaling, padding, window or data_format, a frame_length
  /// that is not positive (or 1 without a frame_step), a frame_step outside of [1, frame_length],
  /// and an fft_length below frame_length; warns when fft_length is no power of two.
  explicit STFTSpectrogramLayer(STFTSpectrogramConfig config);
  void build(const Shape& input) override;
  Tensor call(const Tensor& x, const Call&) override;

  Variable real_kernel;  ///< (frame_length, 1, bins); none with mode "imag"
  Variable imag_kernel;  ///< the same; none with mode "real"

 private:
  Tensor spectrum(const Tensor& x, const Tensor& kernel) const;
  Tensor arranged(const Tensor& y) const;

  bool channels_first_;
};

/// A shared STFTSpectrogramLayer, made from its options.
using STFTSpectrogram = Ref<STFTSpectrogramLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::STFTSpectrogramLayer, layers::STFTSpectrogramConfig>;
}
