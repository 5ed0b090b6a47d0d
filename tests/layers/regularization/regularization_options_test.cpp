// Regularization with options of all kinds against Keras.
#include "../../catch.h"
#include "../../support/option_cases.h"

namespace regularization_options_test {

using cornu::test::check_options;

TEST_CASE("Dropout with options of all kinds computes what Keras computes") {
  check_options("option_regularization.json", "Dropout", 6);
}

TEST_CASE("Gaussian with options of all kinds computes what Keras computes") {
  check_options("option_regularization.json", "Gaussian", 6);
}

TEST_CASE("AlphaDropout with options of all kinds computes what Keras computes") {
  check_options("option_regularization.json", "AlphaDropout", 3);
}

TEST_CASE("SpatialDropout with options of all kinds computes what Keras computes") {
  check_options("option_regularization.json", "SpatialDropout", 3);
}

TEST_CASE("ActivityRegularization with options of all kinds computes what Keras computes") {
  check_options("option_regularization.json", "ActivityRegularization", 1);
}

}  // namespace regularization_options_test
