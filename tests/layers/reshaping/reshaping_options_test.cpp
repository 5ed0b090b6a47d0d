// Reshaping layers with options of all kinds against Keras.
#include "../../catch.h"
#include "../../support/option_cases.h"

namespace reshaping_options_test {

using cornu::test::check_options;

TEST_CASE("Flatten with options of all kinds computes what Keras computes") {
  check_options("option_reshaping.json", "Flatten", 3);
}

TEST_CASE("Reshape with options of all kinds computes what Keras computes") {
  check_options("option_reshaping.json", "Reshape", 3);
}

TEST_CASE("Permute with options of all kinds computes what Keras computes") {
  check_options("option_reshaping.json", "Permute", 1);
}

TEST_CASE("RepeatVector with options of all kinds computes what Keras computes") {
  check_options("option_reshaping.json", "RepeatVector", 2);
}

TEST_CASE("Cropping with options of all kinds computes what Keras computes") {
  check_options("option_reshaping.json", "Cropping", 3);
}

TEST_CASE("ZeroPadding with options of all kinds computes what Keras computes") {
  check_options("option_reshaping.json", "ZeroPadding", 3);
}

TEST_CASE("UpSampling with options of all kinds computes what Keras computes") {
  check_options("option_reshaping.json", "UpSampling", 4);
}

}  // namespace reshaping_options_test
