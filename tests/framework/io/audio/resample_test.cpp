// Sound at other sampling rates.
#include <catch.h>
#include <cornu/backend/error.h>
#include <cornu/framework/io/audio/resample.h>

#include <cmath>
#include <numbers>

#include "../../../support/matchers.h"

namespace resample_test {

using namespace cornu;
using test::contains;

namespace {

// A tone of so many hertz in each channel.
io::Audio tone(int64_t frames, int64_t rate, const std::vector<double>& hertz) {
  io::Audio audio{frames, std::ssize(hertz), rate, {}};
  for (int64_t t = 0; t < frames; ++t)
    for (const double h : hertz)
      audio.samples.push_back(
          static_cast<float>(0.5 * std::sin(2 * std::numbers::pi * h * static_cast<double>(t) /
                                            static_cast<double>(rate))));
  return audio;
}

// Largest difference in the middle: at the ends the tone begins and ends with a jump.
double difference(const io::Audio& a, const io::Audio& b) {
  double largest = 0;
  const int64_t margin = a.frames / 5;
  for (int64_t i = margin * a.channels; i < (a.frames - margin) * a.channels; ++i)
    largest = std::max(largest, static_cast<double>(std::abs(a.samples[static_cast<size_t>(i)] -
                                                             b.samples[static_cast<size_t>(i)])));
  return largest;
}

}  // namespace

TEST_CASE("Resampled tones stay where and what they are") {
  for (const auto& [from, to] : {std::pair<int64_t, int64_t>{44100, 16000},
                                 {16000, 44100},
                                 {8000, 8001},
                                 {48000, 12000},
                                 {11025, 22050}}) {
    INFO(from << " to " << to);
    const io::Audio audio = tone(from / 10, from, {440, 1000});
    // What is measured of the filters, of tones far below half of the lower rate.
    for (const auto& [quality, error] : {std::pair<int64_t, double>{4, 5e-5}, {10, 2e-6}}) {
      const io::Audio result = io::resample(audio, to, {.quality = quality});
      CHECK(result.sample_rate == to);
      CHECK(result.channels == 2);
      CHECK(result.frames == audio.frames * to / from);
      REQUIRE(std::ssize(result.samples) == 2 * result.frames);
      CHECK(difference(result, tone(result.frames, to, {440, 1000})) < error);
    }
  }
}

TEST_CASE("Delayed sound is the same, half of the filter later, and loses its end") {
  const io::Audio audio = tone(2000, 8000, {300});
  const io::Audio aligned = io::resample(audio, 16000),
                  delayed = io::resample(audio, 16000, {.delayed = true});
  REQUIRE(delayed.frames == aligned.frames);
  constexpr size_t late = 64;  // 32 of the lower rate
  for (size_t i = late; i < delayed.samples.size(); ++i)
    REQUIRE(std::abs(delayed.samples[i] - aligned.samples[i - late]) < 1e-6f);
}

TEST_CASE("Channels are resampled by themselves, and pieces of long sound as one") {
  const io::Audio both = io::resample(tone(3000, 8000, {200, 700}), 11025);
  const io::Audio second = io::resample(tone(3000, 8000, {700}), 11025);
  for (size_t i = 0; i < second.samples.size(); ++i)
    REQUIRE(both.samples[2 * i + 1] == second.samples[i]);
  // More than the resampler gets at a time.
  const io::Audio large = io::resample(tone((int64_t{1} << 20) + 5000, 8000, {200}), 16000);
  CHECK(difference(large, tone(large.frames, 16000, {200})) < 5e-5);
  double largest = 0;  // no jump from sample to sample
  for (size_t i = 1; i + 1000 < large.samples.size(); ++i)
    largest =
        std::max(largest, static_cast<double>(std::abs(large.samples[i] - large.samples[i - 1])));
  CHECK(largest < 0.1);
}

TEST_CASE("Sound of the rate, and sound without samples, need no work") {
  const io::Audio audio = tone(100, 8000, {440});
  CHECK(io::resample(audio, 8000).samples == audio.samples);
  for (const int64_t frames : {0, 1, 5}) {
    const io::Audio few = io::resample(tone(frames, 44100, {440}), 16000);
    CHECK(few.frames == frames * 16000 / 44100);
    CHECK(std::ssize(few.samples) == few.frames);
  }
}

TEST_CASE("Rates, qualities and sounds that make no sense are errors") {
  const io::Audio audio = tone(100, 8000, {440});
  CHECK_THROWS_WITH(io::resample(audio, 0), contains("8000") && contains("to 0"));
  CHECK_THROWS_AS(io::resample(audio, -5), ValueError);
  CHECK_THROWS_WITH(io::resample(audio, 8'000'000), contains("1000 times"));
  CHECK_THROWS_AS(io::resample(audio, int64_t{1} << 40), ValueError);
  CHECK_THROWS_WITH(io::resample(audio, 16000, {.quality = 11}), contains("0 to 10, found 11"));
  CHECK_THROWS_AS(io::resample(audio, 16000, {.quality = -1}), ValueError);
  io::Audio wrong = audio;
  wrong.samples.pop_back();
  CHECK_THROWS_WITH(io::resample(wrong, 16000), contains("99 values"));
  CHECK(io::resampled_frames(1000, 44100, 16000) == 362);
  CHECK_THROWS_AS(io::resampled_frames(int64_t{1} << 60, 8000, 16000), ValueError);
}

}  // namespace resample_test
