// Pooling with options of all kinds against Keras.
#include "../../catch.h"
#include "../../support/option_cases.h"

namespace pooling_options_test {

using cornu::test::check_options;

TEST_CASE("MaxPooling with options of all kinds computes what Keras computes") {
  check_options("option_pooling.json", "MaxPooling", 6);
}

TEST_CASE("AveragePooling with options of all kinds computes what Keras computes") {
  check_options("option_pooling.json", "AveragePooling", 6);
}

TEST_CASE("global pooling with options of all kinds computes what Keras computes") {
  check_options("option_pooling.json", "Global", 6);
}

TEST_CASE("adaptive pooling with options of all kinds computes what Keras computes") {
  check_options("option_pooling.json", "Adaptive", 6);
}

}  // namespace pooling_options_test
