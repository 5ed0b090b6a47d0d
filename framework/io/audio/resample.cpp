// Sound through the resampler of libspeexdsp.
#include "resample.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "../../../backend/error.h"
#include "../component.h"

#if CORNU_WITH_SPEEXDSP
#include <speex/speex_resampler.h>
#endif

namespace cornu::io {
namespace {

// The filter grows with the ratio, which a damaged file may claim to be anything.
constexpr int64_t largest_ratio = 1000;

void check_sound(const Audio& audio, const ResampleOptions& options) {
  if (audio.frames < 0 || audio.channels < 1 ||
      audio.samples.size() != static_cast<size_t>(audio.frames * audio.channels))
    throw ValueError(
        fmt::format("sound of {} samples of {} channels cannot be resampled; there are "
                    "{} values.",
                    audio.frames, audio.channels, audio.samples.size()));
  if (options.quality < 0 || options.quality > 10)
    throw ValueError(fmt::format("option 'quality': expected 0 to 10, found {}.", options.quality));
}

}  // namespace

int64_t resampled_frames(int64_t frames, int64_t from, int64_t to) {
  constexpr int64_t highest = std::numeric_limits<int32_t>::max();
  if (std::min(from, to) < 1 || std::max(from, to) > highest ||
      std::max(from, to) / std::min(from, to) >= largest_ratio)
    throw ValueError(
        fmt::format("sound of {} samples a second cannot be resampled to {}: expected rates of at "
                    "least 1 and at most {} that differ by less than {} times.",
                    from, to, highest, largest_ratio));
  const __int128 count = static_cast<__int128>(frames) * to / from;
  if (count > std::numeric_limits<int64_t>::max() / 8)
    throw ValueError(
        fmt::format("{} samples cannot be resampled from {} to {} a second: these are "
                    "too many.",
                    frames, from, to));
  return static_cast<int64_t>(count);
}

#if CORNU_WITH_SPEEXDSP
namespace {

using Resampler = std::unique_ptr<SpeexResamplerState, void (*)(SpeexResamplerState*)>;

Resampler resampler_of(const Audio& audio, int64_t rate, int64_t quality) {
  int error = RESAMPLER_ERR_SUCCESS;
  Resampler resampler(
      speex_resampler_init(static_cast<spx_uint32_t>(audio.channels),
                           static_cast<spx_uint32_t>(audio.sample_rate),
                           static_cast<spx_uint32_t>(rate), static_cast<int>(quality), &error),
      speex_resampler_destroy);
  if (!resampler)
    throw ValueError(
        fmt::format("sound of {} channels cannot be resampled from {} to {} samples a "
                    "second: {}.",
                    audio.channels, audio.sample_rate, rate, speex_resampler_strerror(error)));
  return resampler;
}

// Adds what comes out for `count` moments to the sound, until that has all of its moments.
void feed(SpeexResamplerState* resampler, const float* from, int64_t count, Audio& to,
          int64_t& done) {
  constexpr int64_t piece = int64_t{1} << 20;  // lengths are of 32 bits
  for (int64_t read = 0; read < count && done < to.frames;) {
    auto taken = static_cast<spx_uint32_t>(std::min(piece, count - read));
    auto given = static_cast<spx_uint32_t>(std::min(piece, to.frames - done));
    const int error =
        speex_resampler_process_interleaved_float(resampler, from + read * to.channels, &taken,
                                                  to.samples.data() + done * to.channels, &given);
    if (error != RESAMPLER_ERR_SUCCESS)
      throw ValueError(
          fmt::format("sound cannot be resampled: {}.", speex_resampler_strerror(error)));
    read += taken;
    done += given;
  }
}

}  // namespace

Audio resample(const Audio& audio, int64_t sample_rate, const ResampleOptions& options,
               const std::string&) {
  check_sound(audio, options);
  const int64_t frames = resampled_frames(audio.frames, audio.sample_rate, sample_rate);
  if (sample_rate == audio.sample_rate) return audio;
  Audio result{frames, audio.channels, sample_rate, {}};
  result.samples.resize(static_cast<size_t>(frames * audio.channels));
  const Resampler resampler = resampler_of(audio, sample_rate, options.quality);
  if (!options.delayed) speex_resampler_skip_zeros(resampler.get());
  int64_t done = 0;
  feed(resampler.get(), audio.samples.data(), audio.frames, result, done);
  if (options.delayed) return result;
  // What is still in the filter comes out when silence follows.
  const int64_t rest = speex_resampler_get_input_latency(resampler.get()) + 1;
  const std::vector<float> silence(static_cast<size_t>(rest * audio.channels), 0.0f);
  while (done < frames) feed(resampler.get(), silence.data(), rest, result, done);
  return result;
}

#else

Audio resample(const Audio& audio, int64_t sample_rate, const ResampleOptions& options,
               const std::string& source) {
  check_sound(audio, options);
  resampled_frames(audio.frames, audio.sample_rate, sample_rate);
  if (sample_rate == audio.sample_rate) return audio;
  throw_without("changes of the sampling rate", "libspeexdsp", "libspeexdsp-dev", source);
}

#endif

}  // namespace cornu::io
