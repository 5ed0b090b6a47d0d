// Normalization with options of all kinds against Keras.
#include "../../catch.h"
#include "../../support/option_cases.h"

namespace normalization_options_test {

using cornu::test::check_options;

TEST_CASE("BatchNormalization with options of all kinds computes what Keras computes") {
  check_options("option_normalization.json", "BatchNormalization", 12);
}

TEST_CASE("LayerNormalization with options of all kinds computes what Keras computes") {
  check_options("option_normalization.json", "LayerNormalization", 8);
}

TEST_CASE("RMSNormalization with options of all kinds computes what Keras computes") {
  check_options("option_normalization.json", "RMSNormalization", 1);
}

TEST_CASE("UnitNormalization with options of all kinds computes what Keras computes") {
  check_options("option_normalization.json", "UnitNormalization", 6);
}

TEST_CASE("GroupNormalization with options of all kinds computes what Keras computes") {
  check_options("option_normalization.json", "GroupNormalization", 6);
}

TEST_CASE("SpectralNormalization with options of all kinds computes what Keras computes") {
  check_options("option_normalization.json", "SpectralNormalization", 4);
}

}  // namespace normalization_options_test
