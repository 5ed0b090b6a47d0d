// Merging layers with options of all kinds against Keras.
#include "../../catch.h"
#include "../../support/option_cases.h"

namespace merging_options_test {

using cornu::test::check_options;

TEST_CASE("Add with options of all kinds computes what Keras computes") {
  check_options("option_merging.json", "Add", 3);
}

TEST_CASE("Subtract with options of all kinds computes what Keras computes") {
  check_options("option_merging.json", "Subtract", 3);
}

TEST_CASE("Average with options of all kinds computes what Keras computes") {
  check_options("option_merging.json", "Average", 3);
}

TEST_CASE("Multiply with options of all kinds computes what Keras computes") {
  check_options("option_merging.json", "Multiply", 3);
}

TEST_CASE("Maximum with options of all kinds computes what Keras computes") {
  check_options("option_merging.json", "Maximum", 3);
}

TEST_CASE("Minimum with options of all kinds computes what Keras computes") {
  check_options("option_merging.json", "Minimum", 3);
}

TEST_CASE("Concatenate with options of all kinds computes what Keras computes") {
  check_options("option_merging.json", "Concatenate", 6);
}

TEST_CASE("Dot with options of all kinds computes what Keras computes") {
  check_options("option_merging.json", "Dot", 10);
}

}  // namespace merging_options_test
