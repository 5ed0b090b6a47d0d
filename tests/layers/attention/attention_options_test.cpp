// Attention with options of all kinds against Keras.
#include "../../catch.h"
#include "../../support/option_cases.h"

namespace attention_options_test {

using cornu::test::check_options;

TEST_CASE("Attention with options of all kinds computes what Keras computes") {
  check_options("option_attention.json", "Attention", 20);
}

TEST_CASE("AdditiveAttention with options of all kinds computes what Keras computes") {
  check_options("option_attention.json", "Additive", 10);
}

TEST_CASE("MultiHeadAttention with options of all kinds computes what Keras computes") {
  check_options("option_multi_head_attention.json", "Multi", 15);
}

TEST_CASE("GroupQueryAttention with options of all kinds computes what Keras computes") {
  check_options("option_group_query_attention.json", "Group", 12);
}

}  // namespace attention_options_test
