// Sound at another number of samples a second.
#pragma once
#include <string>

#include "audio.h"

namespace cornu::io {

/// How sound is resampled.
struct ResampleOptions {
  /// Of the filter, from 0, fast, to 10, which keeps most of the highest tones. 4 is Keras's.
  int64_t quality = 4;
  /// Leaves what comes out as late as the filter makes it, and the end of the sound away, as Keras
  /// has it: by half of the filter, which is 32 samples of the lower rate at quality 4 and 128 at
  /// quality 10.
  bool delayed = false;
};

/// How many moments `frames` of them become: frames * to / from, rounded down. Throws ValueError
/// for rates below 1, rates that differ by more than 1,000 times, and more moments than can be
/// counted.
int64_t resampled_frames(int64_t frames, int64_t from, int64_t to);

/// The same sound at `sample_rate` moments a second, by the resampler of Speex, a windowed sinc:
/// resample(read_audio(path), 16000). Sound that has the rate is given back as it is. Throws
/// ValueError as resampled_frames does, for a quality outside of its range and for an Audio whose
/// number of samples is not frames * channels; UnsupportedError, with `source` if there is one,
/// when Cornu was built without libspeexdsp.
Audio resample(const Audio& audio, int64_t sample_rate, const ResampleOptions& options = {},
               const std::string& source = "");

}  // namespace cornu::io
