// Sound files by libsndfile.
#include "audio.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "../../../backend/error.h"
#include "../atomic_file.h"
#include "../component.h"

#if CORNU_WITH_SNDFILE
#include <sndfile.h>
#endif

namespace cornu::io {

Audio read_audio(const std::string& path, int64_t frames, const AudioLimits& limits) {
  const uint64_t limit = limits.bytes > 0 ? static_cast<uint64_t>(limits.bytes) : UINT64_MAX;
  return decode_audio(io::read_file(path, limit), path, frames, limits);
}

#if CORNU_WITH_SNDFILE
namespace {

// A file in memory, as libsndfile reads and writes it.
struct SoundMemory {
  std::span<const std::byte> input;
  std::string output;
  sf_count_t at = 0;
  sf_count_t size() const { return static_cast<sf_count_t>(std::max(input.size(), output.size())); }
};

SoundMemory& memory_of(void* user) { return *static_cast<SoundMemory*>(user); }

sf_count_t seek_sound(sf_count_t offset, int whence, void* user) {
  SoundMemory& memory = memory_of(user);
  sf_count_t from = 0;
  if (whence == SEEK_CUR) from = memory.at;
  if (whence == SEEK_END) from = memory.size();
  // Damaged files ask for places outside.
  if (offset < -from || offset > memory.size() - from) return -1;
  return memory.at = from + offset;
}

sf_count_t read_sound(void* target, sf_count_t count, void* user) {
  SoundMemory& memory = memory_of(user);
  count = std::clamp<sf_count_t>(count, 0, memory.size() - memory.at);
  if (count > 0) std::memcpy(target, memory.input.data() + memory.at, static_cast<size_t>(count));
  memory.at += count;
  return count;
}

sf_count_t write_sound(const void* from, sf_count_t count, void* user) {
  SoundMemory& memory = memory_of(user);
  const auto end = static_cast<size_t>(memory.at + count);
  if (memory.output.size() < end) memory.output.resize(end);
  std::memcpy(memory.output.data() + memory.at, from, static_cast<size_t>(count));
  memory.at += count;
  return count;
}

SF_VIRTUAL_IO* sound_callbacks() {
  static SF_VIRTUAL_IO io{[](void* user) { return memory_of(user).size(); }, seek_sound, read_sound,
                          write_sound, [](void* user) { return memory_of(user).at; }};
  return &io;
}

using SoundFile = std::unique_ptr<SNDFILE, int (*)(SNDFILE*)>;

// Throws for a WAV file that ends before its sound does, which libsndfile takes for shorter sound.
void check_whole(std::string_view text, const std::string& source) {
  constexpr uint64_t unknown = 0x7f000000;  // sizes from here on stand in files written as streams
  const auto number_at = [&](size_t at) {
    uint64_t value = 0;
    for (size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(text[at + i]);
    return value;
  };
  for (uint64_t at = 12; at + 8 <= text.size();) {
    const uint64_t size = number_at(at + 4), end = at + 8 + size;
    if (text.substr(at, 4) == "data") {
      if (end > text.size() && size < unknown)
        throw FileError(fmt::format("'{}' is no whole sound file: it has {} of {} bytes of sound.",
                                    source, text.size() - at - 8, size));
      return;
    }
    at = end + size % 2;
  }
  throw FileError(fmt::format("'{}' is no whole sound file: no sound begins in it.", source));
}

void check_sound(std::span<const std::byte> bytes, const std::string& source) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const bool riff =
      text.starts_with("RIFF") || text.starts_with("RIFX") || text.starts_with("RF64");
  if (!(riff && text.substr(0, 12).ends_with("WAVE")) && !text.starts_with("fLaC"))
    throw FileError(fmt::format("'{}' is no WAV or FLAC file: found {} bytes of something else.",
                                source, bytes.size()));
  if (text.starts_with("RIFF")) check_whole(text, source);
}

// Memory grows with what is read: a header may declare more than there is.
void read_samples(SNDFILE* file, Audio& audio, const std::string& source) {
  constexpr int64_t piece = int64_t{1} << 16;
  for (int64_t read = 0; read < audio.frames;) {
    const int64_t count = std::min(piece, audio.frames - read);
    audio.samples.resize(static_cast<size_t>((read + count) * audio.channels));
    const auto got = sf_readf_float(file, audio.samples.data() + read * audio.channels, count);
    if (got < count || sf_error(file) != SF_ERR_NO_ERROR)
      throw FileError(fmt::format("'{}' is no whole sound file: it ends after {} of {} samples.",
                                  source, read + std::max<int64_t>(got, 0), audio.frames));
    read += got;
  }
}

}  // namespace

Audio decode_audio(std::span<const std::byte> bytes, const std::string& source, int64_t frames,
                   const AudioLimits& limits) {
  check_sound(bytes, source);
  if (limits.bytes > 0 && std::cmp_greater(bytes.size(), limits.bytes))
    throw FileError(fmt::format(
        "'{}' has {} bytes; sound files may have {}. The option 'limits.bytes' allows more.",
        source, bytes.size(), limits.bytes));
  SoundMemory memory{bytes, {}};
  SF_INFO info{};
  const SoundFile file(sf_open_virtual(sound_callbacks(), SFM_READ, &info, &memory), sf_close);
  if (!file)
    throw FileError(fmt::format("'{}' is no whole sound file: {}.", source, sf_strerror(nullptr)));
  if (info.channels < 1 || info.samplerate < 1 || info.frames < 0)
    throw FileError(fmt::format("'{}' is damaged: {} channels of {} samples a second.", source,
                                info.channels, info.samplerate));
  Audio audio;
  audio.channels = info.channels;
  audio.sample_rate = info.samplerate;
  audio.frames = frames < 0 ? info.frames : std::min<int64_t>(frames, info.frames);
  if (limits.samples > 0 && audio.frames > limits.samples / audio.channels)
    throw FileError(
        fmt::format("'{}' declares {} samples of {} channels; {} samples are allowed. If the file "
                    "can be trusted, the option 'limits.samples' allows more.",
                    source, audio.frames, audio.channels, limits.samples));
  read_samples(file.get(), audio, source);
  return audio;
}

std::string encode_audio(const Audio& audio, AudioFormat format) {
  if (audio.frames < 1 || audio.channels < 1 || audio.sample_rate < 1 ||
      audio.samples.size() != static_cast<size_t>(audio.frames * audio.channels))
    throw ValueError(fmt::format(
        "sound of {} samples of {} channels at {} samples a second cannot be written; there are {} "
        "values.",
        audio.frames, audio.channels, audio.sample_rate, audio.samples.size()));
  SF_INFO info{};
  info.channels = static_cast<int>(audio.channels);
  info.samplerate = static_cast<int>(audio.sample_rate);
  info.format = (format == AudioFormat::wav ? SF_FORMAT_WAV : SF_FORMAT_FLAC) | SF_FORMAT_PCM_16;
  SoundMemory memory;
  SoundFile file(sf_open_virtual(sound_callbacks(), SFM_WRITE, &info, &memory), sf_close);
  if (!file)
    throw ValueError(
        fmt::format("sound of {} channels at {} samples a second cannot be written: {}.",
                    audio.channels, audio.sample_rate, sf_strerror(nullptr)));
  std::vector<int16_t> values(audio.samples.size());
  std::transform(audio.samples.begin(), audio.samples.end(), values.begin(), [](float v) {
    return static_cast<int16_t>(std::lround(std::clamp(v * 32768.0f, -32768.0f, 32767.0f)));
  });
  const auto written = sf_writef_short(file.get(), values.data(), audio.frames);
  file.reset();
  if (written != audio.frames) throw FileError("sound cannot be written.");
  return memory.output;
}

#else

Audio decode_audio(std::span<const std::byte>, const std::string& source, int64_t,
                   const AudioLimits&) {
  throw_without("WAV and FLAC files", "libsndfile", "libsndfile1-dev", source);
}
std::string encode_audio(const Audio&, AudioFormat) {
  throw_without("WAV and FLAC files", "libsndfile", "libsndfile1-dev", "");
}

#endif

}  // namespace cornu::io
