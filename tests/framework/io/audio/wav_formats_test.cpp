// WAV files by hand: samples of all widths, further chunks, and files that are cut short.
#include <catch.h>
#include <cornu/backend/error.h>
#include <cornu/framework/io/audio/audio.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "../../../support/temporary.h"

namespace wav_formats_test {

using namespace cornu;
using test::bytes_of;
using test::contains;

namespace {

// The low bytes of a number, the lowest first.
std::string little(uint64_t value, size_t bytes) {
  std::string text;
  for (size_t i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

std::string chunk(const std::string& name, const std::string& content) {
  return name + little(content.size(), 4) + content + (content.size() % 2 ? std::string(1, 0) : "");
}

struct Format {
  int kind = 1;  // 1: integers, 3: floats
  int channels = 1;
  int bits = 16;
  int rate = 8000;
};

std::string format_chunk(const Format& f) {
  const auto frame = static_cast<uint64_t>(f.channels * f.bits / 8);
  return chunk("fmt ", little(static_cast<uint64_t>(f.kind), 2) +
                           little(static_cast<uint64_t>(f.channels), 2) +
                           little(static_cast<uint64_t>(f.rate), 4) +
                           little(static_cast<uint64_t>(f.rate) * frame, 4) + little(frame, 2) +
                           little(static_cast<uint64_t>(f.bits), 2));
}

std::string riff(const std::string& chunks) {
  return "RIFF" + little(chunks.size() + 4, 4) + "WAVE" + chunks;
}

std::string wav(const Format& format, const std::string& samples) {
  return riff(format_chunk(format) + chunk("data", samples));
}

template <class T>
std::string bits_of(std::initializer_list<T> values) {
  std::string text(values.size() * sizeof(T), '\0');
  std::memcpy(text.data(), values.begin(), text.size());
  return text;
}

std::vector<float> samples_of(const std::string& file) {
  return io::decode_audio(bytes_of(file), "a.wav").samples;
}

}  // namespace

TEST_CASE("Integers of any width become value / 2^(bits - 1), floats stay as they are") {
  CHECK(samples_of(wav({.bits = 8}, std::string("\x00\x80\xff\x40", 4))) ==
        std::vector<float>{-1, 0, 127.0f / 128, -0.5f});
  CHECK(samples_of(
            wav({}, little(0x8000, 2) + little(0x7fff, 2) + little(0, 2) + little(0xffff, 2))) ==
        std::vector<float>{-1, 32767.0f / 32768, 0, -1.0f / 32768});
  CHECK(samples_of(wav({.bits = 24}, little(0x800000, 3) + little(0x400000, 3) + little(1, 3) +
                                         little(0xffffff, 3))) ==
        std::vector<float>{-1, 0.5f, 1.0f / 8388608, -1.0f / 8388608});
  CHECK(samples_of(wav({.bits = 32}, little(0x80000000, 4) + little(0x20000000, 4))) ==
        std::vector<float>{-1, 0.25f});
  CHECK(samples_of(wav({.kind = 3, .bits = 32}, bits_of({0.1f, -2.5f, 0.0f, 1e-30f}))) ==
        std::vector<float>{0.1f, -2.5f, 0, 1e-30f});
  CHECK(samples_of(wav({.kind = 3, .bits = 64}, bits_of({0.1, -2.5}))) ==
        std::vector<float>{0.1f, -2.5f});
}

TEST_CASE("The samples of one moment lie side by side, of any number of channels") {
  for (const int channels : {1, 2, 3, 6}) {
    std::string data;
    for (int i = 0; i < 2 * channels; ++i) data += little(static_cast<uint64_t>(1024 * i), 2);
    const io::Audio audio =
        io::decode_audio(bytes_of(wav({.channels = channels, .rate = 44100}, data)), "a.wav");
    CHECK(audio.channels == channels);
    CHECK(audio.frames == 2);
    CHECK(audio.sample_rate == 44100);
    REQUIRE(audio.samples.size() == static_cast<size_t>(2 * channels));
    for (size_t i = 0; i < audio.samples.size(); ++i)
      CHECK(audio.samples[i] == static_cast<float>(i) / 32);
  }
}

TEST_CASE("Chunks that are not sound are passed over, wherever they are") {
  const std::string data = chunk("data", little(0x4000, 2) + little(0xc000, 2));
  const std::vector<float> expected = {0.5f, -0.5f};
  const std::string info = chunk("LIST", "INFOISFT" + little(3, 4) + std::string("abc\0", 4));
  const std::string odd = chunk("note", "abc");
  for (const std::string& chunks : {format_chunk({}) + info + data, info + format_chunk({}) + data,
                                    format_chunk({}) + odd + data, format_chunk({}) + data + info,
                                    format_chunk({}) + chunk("fact", little(2, 4)) + data}) {
    CHECK(samples_of(riff(chunks)) == expected);
  }
}

TEST_CASE("Sound that is cut short is an error, also where the header counts on") {
  const std::string whole = wav({.channels = 2}, std::string(4000, '\x11'));
  CHECK(samples_of(whole).size() == 2000);
  for (const size_t size : {size_t{0}, size_t{3}, size_t{12}, size_t{20}, size_t{43}, size_t{60},
                            whole.size() / 2, whole.size() - 4, whole.size() - 1}) {
    INFO("the first " << size << " of " << whole.size() << " bytes");
    CHECK_THROWS_AS(io::decode_audio(bytes_of(whole.substr(0, size)), "a.wav"), FileError);
  }
  CHECK_THROWS_WITH(io::decode_audio(bytes_of(whole.substr(0, 2044)), "a.wav"),
                    contains("'a.wav' is no whole sound file: it has 2000 of 4000 bytes of sound"));
  CHECK_THROWS_WITH(samples_of(riff(format_chunk({}))), contains("no sound begins in it"));
  // Programs that write into pipes do not know the size, and put the largest one there.
  std::string stream = wav({}, little(0x4000, 2) + little(0xc000, 2));
  stream.replace(40, 4, little(0xffffffff, 4));
  CHECK(samples_of(stream) == std::vector<float>{0.5f, -0.5f});
  const std::string flac =
      io::encode_audio({1000, 1, 8000, std::vector<float>(1000, 0.25f)}, io::AudioFormat::flac);
  for (const size_t size : {size_t{4}, size_t{30}, flac.size() / 2, flac.size() - 8})
    CHECK_THROWS_AS(io::decode_audio(bytes_of(flac.substr(0, size)), "a.flac"), FileError);
}

TEST_CASE("Sound that is written is cut off, rounded, and read again") {
  const io::Audio loud{6, 1, 16000, {2.0f, -2.0f, 1.0f, -1.0f, 0.5f / 32768, -0.4f / 32768}};
  for (const io::AudioFormat format : {io::AudioFormat::wav, io::AudioFormat::flac}) {
    const io::Audio back = io::decode_audio(bytes_of(io::encode_audio(loud, format)), "x");
    CHECK(back.samples ==
          std::vector<float>{32767.0f / 32768, -1, 32767.0f / 32768, -1, 1.0f / 32768, 0});
  }
  CHECK_THROWS_AS(io::encode_audio({2, 1, 8000, {0.5f}}), ValueError);
  CHECK_THROWS_AS(io::encode_audio({1, 0, 8000, {}}), ValueError);
  CHECK_THROWS_AS(io::encode_audio({1, 1, 0, {0.5f}}), ValueError);
  CHECK_THROWS_AS(io::encode_audio({1, 9, 8000, std::vector<float>(9)}, io::AudioFormat::flac),
                  ValueError);
}

TEST_CASE("Some of the moments may be asked for, and none") {
  const std::string file = wav({}, little(1, 2) + little(2, 2) + little(3, 2));
  for (const int64_t frames : {0, 1, 3, 99}) {
    const io::Audio audio = io::decode_audio(bytes_of(file), "a.wav", frames);
    CHECK(audio.frames == std::min<int64_t>(frames, 3));
    CHECK(std::ssize(audio.samples) == audio.frames);
  }
  CHECK(io::decode_audio(bytes_of(wav({}, "")), "a.wav").frames == 0);
}

}  // namespace wav_formats_test
