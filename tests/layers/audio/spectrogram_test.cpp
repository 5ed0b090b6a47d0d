// Spectrograms and SpectralNormalization against what Keras computes: tests/data/spectrograms.json,
// written by tools/goldens/spectrogram_goldens.py.
#include <cornu/framework/config/json.h>
#include <cornu/layers/audio/mel_spectrogram.h>
#include <cornu/layers/audio/stft_spectrogram.h>

#include "../../catch.h"
#include "../../support/golden_json.h"
#include "../../support/layer_check.h"

namespace spectrogram_test {

using namespace cornu;
using test::check_layer;
using test::entry;
using test::golden_file;
using test::golden_tensor;

namespace {

void check(const Value& recorded) {
  const auto layer = std::dynamic_pointer_cast<Layer>(deserialize(entry(recorded, "layer")));
  REQUIRE(layer);
  const Tensor x = golden_tensor(entry(recorded, "x"));
  layer->ensure_built(x);
  const auto& before = entry(recorded, "before").get<Value::List>();
  REQUIRE(layer->weights().size() == before.size());
  for (size_t i = 0; i < before.size(); ++i) {
    // The waves of spectrograms are what their initializers make.
    if (layer->base_name() == "stft_spectrogram")
      CHECK(test::difference(layer->weights()[i].value(), golden_tensor(before[i])) < 2e-6);
    layer->weights()[i].assign(golden_tensor(before[i]));
  }
  Call call;
  if (const Value& training = entry(recorded, "training"); !training.is_null())
    call.training = training.get<bool>();
  CHECK(test::difference((*layer)(x, call), golden_tensor(entry(recorded, "output"))) < 3e-5);
  const auto& after = entry(recorded, "after").get<Value::List>();
  for (size_t i = 0; i < after.size(); ++i)
    CHECK(test::difference(layer->weights()[i].value(), golden_tensor(after[i])) < 1e-5);
}

}  // namespace

TEST_CASE("spectrograms and spectral normalization compute what Keras computes") {
  const Value cases = golden_file("spectrograms.json");
  int number = 0;
  for (const Value& recorded : cases.get<Value::List>()) DYNAMIC_SECTION("case " << number++) {
      check(recorded);
    }
  CHECK(cases.get<Value::List>().size() == 19);
}

TEST_CASE("spectrograms keep a layer's contract") {
  check_layer<layers::STFTSpectrogram>({.mode = "psd", .frame_length = 8},
                                       {.input = {2, 20, 1}, .output = {2, 4, 5}, .weights = 2});
  check_layer<layers::MelSpectrogram>(
      {.fft_length = 16, .sequence_stride = 8, .sampling_rate = 400, .num_mel_bins = 3},
      {.input = {2, 40}, .output = {2, 3, 6}});
  CHECK_THROWS_AS(layers::STFTSpectrogram({.mode = "loud"}), ValueError);
  CHECK_THROWS_AS(layers::STFTSpectrogram({.frame_length = 8, .frame_step = 9}), ValueError);
  CHECK_THROWS_AS(layers::STFTSpectrogram({.frame_length = 8, .fft_length = 4}), ValueError);
  CHECK_THROWS_AS(layers::STFTSpectrogram({.window = "chebwinn"}), ValueError);
  CHECK_THROWS_AS(layers::MelSpectrogram({.fft_length = 16, .sequence_length = 17}), ValueError);
}

}  // namespace spectrogram_test
