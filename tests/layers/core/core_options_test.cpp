// Core layers with options of all kinds against Keras.
#include "../../catch.h"
#include "../../support/option_cases.h"

namespace core_options_test {

using cornu::test::check_options;

TEST_CASE("Dense with options of all kinds computes what Keras computes") {
  check_options("option_core.json", "Dense", 4);
}

TEST_CASE("Activation with options of all kinds computes what Keras computes") {
  check_options("option_core.json", "Activation", 15);
}

TEST_CASE("EinsumDense with options of all kinds computes what Keras computes") {
  check_options("option_core.json", "EinsumDense", 8);
}

TEST_CASE("Embedding with options of all kinds computes what Keras computes") {
  check_options("option_core.json", "Embedding", 4);
}

TEST_CASE("ReversibleEmbedding with options of all kinds computes what Keras computes") {
  check_options("option_core.json", "Reversible", 2);
}

TEST_CASE("Masking with options of all kinds computes what Keras computes") {
  check_options("option_core.json", "Masking", 1);
}

TEST_CASE("Identity with options of all kinds computes what Keras computes") {
  check_options("option_core.json", "Identity", 1);
}

TEST_CASE("Rescaling with options of all kinds computes what Keras computes") {
  check_options("option_core.json", "Rescaling", 1);
}

}  // namespace core_options_test
