// Activation layers with options of all kinds against Keras.
#include "../../catch.h"
#include "../../support/option_cases.h"

namespace activation_options_test {

using cornu::test::check_options;

TEST_CASE("ReLU with options of all kinds computes what Keras computes") {
  check_options("option_activations.json", "ReLU", 2);
}

TEST_CASE("LeakyReLU with options of all kinds computes what Keras computes") {
  check_options("option_activations.json", "LeakyReLU", 2);
}

TEST_CASE("ELU with options of all kinds computes what Keras computes") {
  check_options("option_activations.json", "ELU", 1);
}

TEST_CASE("PReLU with options of all kinds computes what Keras computes") {
  check_options("option_activations.json", "PReLU", 2);
}

TEST_CASE("Softmax with options of all kinds computes what Keras computes") {
  check_options("option_activations.json", "Softmax", 2);
}

}  // namespace activation_options_test
