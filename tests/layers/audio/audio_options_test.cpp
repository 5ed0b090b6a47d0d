// Spectrograms with options of all kinds against Keras.
#include "../../catch.h"
#include "../../support/option_cases.h"

namespace audio_options_test {

using cornu::test::check_options;

TEST_CASE("STFTSpectrogram with options of all kinds computes what Keras computes") {
  check_options("option_audio.json", "STFT", 10);
}

TEST_CASE("MelSpectrogram with options of all kinds computes what Keras computes") {
  check_options("option_audio.json", "Mel", 2);
}

}  // namespace audio_options_test
