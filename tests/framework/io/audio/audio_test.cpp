// Sound files.
#include <catch.h>
#include <cornu/backend/error.h>
#include <cornu/framework/io/audio/audio.h>

#include <cmath>
#include <random>

#include "../../../support/temporary.h"

namespace audio_test {

using namespace cornu;
using test::bytes_of;
using test::contains;

namespace {

io::Audio tones(int64_t frames, int64_t channels) {
  io::Audio audio{frames, channels, 16000};
  for (int64_t t = 0; t < frames; ++t)
    for (int64_t c = 0; c < channels; ++c)
      audio.samples.push_back(static_cast<float>(std::lround(
                                  20000 * std::sin(0.05 * static_cast<double>((c + 1) * t)))) /
                              32768.0f);
  return audio;
}

}  // namespace

TEST_CASE("WAV and FLAC files give back what was written") {
  for (const io::AudioFormat format : {io::AudioFormat::wav, io::AudioFormat::flac})
    for (const int64_t channels : {1, 2}) {
      const io::Audio audio = tones(500, channels);
      const std::string file = io::encode_audio(audio, format);
      const io::Audio back = io::decode_audio(bytes_of(file), "x");
      CHECK(back.frames == 500);
      CHECK(back.channels == channels);
      CHECK(back.sample_rate == 16000);
      CHECK(back.samples == audio.samples);
      const io::Audio start = io::decode_audio(bytes_of(file), "x", 100);
      CHECK(start.samples ==
            std::vector<float>(audio.samples.begin(), audio.samples.begin() + 100 * channels));
    }
  test::TemporaryFolder folder;
  test::spill(folder / "a.txt", io::encode_audio(tones(9, 1)));
  CHECK(io::read_audio((folder / "a.txt").string()).frames == 9);
}

TEST_CASE("integers of a WAV file by hand") {
  // 16 bits, one channel, 8000 a second: -32768, 16384, -1.
  const std::string file(
      "RIFF\x2a\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x80\x3e\0\0\2\0\x10\0data\6\0\0\0"
      "\x00\x80\x00\x40\xff\xff",
      50);
  const io::Audio audio = io::decode_audio(bytes_of(file), "x");
  CHECK(audio.sample_rate == 8000);
  CHECK(audio.samples == std::vector<float>{-1, 0.5f, -1.0f / 32768});
}

TEST_CASE("what is no sound, or too much of it") {
  CHECK_THROWS_WITH(io::decode_audio(bytes_of("ID3.mp3"), "a.wav"), contains("'a.wav'"));
  CHECK_THROWS_AS(io::decode_audio({}, "x"), FileError);
  CHECK_THROWS_AS(io::read_audio("/nowhere/a.wav"), FileError);
  const std::string file = io::encode_audio(tones(500, 2));
  CHECK_THROWS_WITH(io::decode_audio(bytes_of(file), "x", -1, {.samples = 999}),
                    contains("'limits.samples'"));
  CHECK_THROWS_WITH(io::decode_audio(bytes_of(file), "x", -1, {.bytes = 999}),
                    contains("'limits.bytes'"));
  CHECK_THROWS_AS(io::encode_audio({}), ValueError);
}

TEST_CASE("damaged sound files are errors or sound") {
  std::mt19937 random(4);
  for (const io::AudioFormat format : {io::AudioFormat::wav, io::AudioFormat::flac}) {
    const std::string file = io::encode_audio(tones(3000, 2), format);
    int errors = 0;
    for (int round = 0; round < 400; ++round) {
      std::string damaged = file;
      const size_t reach = round % 2 == 0 ? damaged.size() : 60;
      for (uint32_t k = 0; k <= random() % 5; ++k)
        damaged[random() % reach] = static_cast<char>(random());
      if (round % 3 == 0) damaged.resize(random() % damaged.size());
      try {
        const io::Audio audio = io::decode_audio(bytes_of(damaged), "x", -1, {.samples = 1 << 22});
        CHECK(audio.samples.size() == static_cast<size_t>(audio.frames * audio.channels));
      } catch (const FileError&) {
        ++errors;
      }
    }
    CHECK(errors > 50);
  }
}

}  // namespace audio_test
