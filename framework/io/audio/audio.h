// Sound files: WAV and FLAC.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cornu::io {

/// Sampled sound. The samples of one moment lie side by side.
struct Audio {
  int64_t frames = 0;               ///< moments
  int64_t channels = 0;             ///< samples of a moment
  int64_t sample_rate = 0;          ///< moments of a second
  std::vector<float> samples = {};  ///< frames * channels, in [-1, 1) if the file has integers
};

/// What files may ask for. 0: no limit.
struct AudioLimits {
  int64_t samples = int64_t{1} << 28;  ///< of all channels: 1 GiB, or 100 minutes of 44.1 kHz
  int64_t bytes = int64_t{1} << 30;    ///< of a file
};

/// Decodes a WAV or FLAC file, which its content tells. Integers of b bits become value / 2^(b-1),
/// as TensorFlow has it. At most `frames` moments are read; -1: all. Throws FileError for bytes
/// that are something else, damaged, truncated, or more than the limits; UnsupportedError when
/// Cornu was built without libsndfile.
Audio decode_audio(std::span<const std::byte> bytes, const std::string& source, int64_t frames = -1,
                   const AudioLimits& limits = {});
/// The same of a file on the disk. Throws FileError when it cannot be read.
Audio read_audio(const std::string& path, int64_t frames = -1, const AudioLimits& limits = {});

/// Formats of sound files.
enum class AudioFormat { wav, flac };

/// The bytes of a file with integers of 16 bits; samples beyond [-1, 1] are cut off. Throws
/// ValueError for sound without samples, channels or a rate, UnsupportedError.
std::string encode_audio(const Audio& audio, AudioFormat format = AudioFormat::wav);

}  // namespace cornu::io
