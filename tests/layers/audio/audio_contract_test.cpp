// The contract of the layers that turn waves into spectrograms: where a tone is seen, shapes,
// layouts, files.
#include <cornu/cornu.h>

#include <cmath>

#include "../../catch.h"
#include "../../support/contract.h"
#include "../../support/gradient_check.h"
#include "../../support/temporary.h"

namespace audio_contract_test {

using namespace cornu;
using test::difference;
using test::error_of;
using test::has;
using test::identical;

namespace {

// A tone of `cycles` in 64 samples, 256 samples long.
Tensor tone(double cycles, double height = 1) {
  std::vector<float> samples(256);
  for (size_t i = 0; i < samples.size(); ++i)
    samples[i] =
        static_cast<float>(height * std::cos(2 * M_PI * cycles * static_cast<double>(i) / 64));
  return Tensor::from(samples, {1, 256, 1});
}

layers::STFTSpectrogram spectrogram(const std::string& mode) {
  return layers::STFTSpectrogram({.mode = mode, .frame_length = 64, .frame_step = 32});
}

}  // namespace

TEST_CASE("a tone is strongest at its frequency, in every frame") {
  for (const double cycles : {4.0, 9.0, 20.0}) {
    const Tensor y = spectrogram("magnitude")(tone(cycles));
    CHECK(y.shape() == Shape{1, 7, 33});
    for (double bin : ops::argmax(y, -1).to_vector<double>()) CHECK(bin == cycles);
  }
}

TEST_CASE("the modes of a spectrogram fit together") {
  const Tensor x = ops::cast(test::noise({2, 256, 1}), DType::float32);
  const Tensor real = spectrogram("real")(x), imaginary = spectrogram("imag")(x);
  const Tensor power = ops::square(real) + ops::square(imaginary);
  CHECK(difference(spectrogram("magnitude")(x), ops::sqrt(power)) < 1e-4);
  // The power of both sides: all but the first and the last bin stand for two.
  std::vector<float> sides(33, 2);
  sides.front() = sides.back() = 1;
  CHECK(difference(spectrogram("psd")(x), power * Tensor(sides)) < 1e-4);
  CHECK(difference(spectrogram("log")(x), ops::log(spectrogram("magnitude")(x))) < 1e-3);
  const Tensor both = spectrogram("stft")(x);
  CHECK(both.shape() == Shape{2, 7, 66});
  CHECK(difference(both, ops::concatenate({real, imaginary}, -1)) < 1e-4);
}

// Magnitudes have a floor of about 3e-4.
TEST_CASE("twice the wave is twice the magnitude and four times the power") {
  CHECK(difference(spectrogram("magnitude")(tone(5, 2)), spectrogram("magnitude")(tone(5)) * 2.0) <
        1e-3);
  CHECK(difference(spectrogram("psd")(tone(5, 2)), spectrogram("psd")(tone(5)) * 4.0) < 1e-3);
}

TEST_CASE("STFTSpectrogram keeps configs, files and layouts") {
  layers::STFTSpectrogram image(
      {.mode = "magnitude", .frame_length = 32, .padding = "same", .expand_dims = true});
  const Tensor x = tone(3);
  CHECK(image(x).rank() == 4);
  test::remade<Layer>(*image);
  Sequential model({Input({256, 1}), spectrogram("log")});
  const test::TemporaryFolder folder;
  model.save((folder / "m.keras").string());
  const auto loaded = load_model((folder / "m.keras").string());
  const PredictOptions quiet{.verbose = Verbose::silent};
  CHECK(identical(loaded->predict(x, quiet).tensor(), model.predict(x, quiet).tensor()));
  CHECK(has(error_of([] { layers::STFTSpectrogram({.mode = "loud"}); }), "loud"));
}

TEST_CASE("MelSpectrogram puts a higher tone into a higher band, and cuts what is weak") {
  layers::MelSpectrogram layer(
      {.fft_length = 128, .sequence_stride = 64, .sampling_rate = 8000, .num_mel_bins = 16});
  double before = -1;
  for (const double cycles : {6.0, 12.0, 24.0}) {
    const Tensor y = layer(ops::reshape(tone(cycles), {1, 256}));
    CHECK(y.shape(1) == 16);
    const double band = ops::argmax(ops::max(y[0], 1)).item();
    CHECK(band > before);
    before = band;
    CHECK(ops::max(y).item() - ops::min(y).item() <= 80 + 1e-3);
  }
  test::remade<Layer>(*layer);
}

TEST_CASE("MelSpectrogram in decibels is ten times the logarithm of the power") {
  const auto make = [](bool db) {
    return layers::MelSpectrogram({.fft_length = 128,
                                   .sequence_stride = 64,
                                   .sampling_rate = 8000,
                                   .num_mel_bins = 8,
                                   .power_to_db = db,
                                   .top_db = 300});
  };
  const Tensor x = ops::cast(test::noise({2, 256}), DType::float32);
  const Tensor power = make(false)(x);
  CHECK(difference(make(true)(x), ops::log(ops::maximum(power, 1e-10)) * (10 / std::log(10.0))) <
        1e-3);
  // Samples of a batch do not know of each other, and one alone needs no batch.
  CHECK(difference(make(false)(x[1]), power[1]) < 1e-5);
  Function compiled([layer = make(true)](const Nest& in) { return Nest(layer(in.tensor())); });
  for (int i = 0; i < 4; ++i) CHECK(difference(compiled(Nest(x)).tensor(), make(true)(x)) < 1e-4);
}

}  // namespace audio_contract_test
