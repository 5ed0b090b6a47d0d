// Convolutions with options of all kinds against Keras.
#include "../../catch.h"
#include "../../support/option_cases.h"

namespace convolution_options_test {

using cornu::test::check_options;

TEST_CASE("Conv with options of all kinds computes what Keras computes") {
  check_options("option_conv.json", "", 15);
}

TEST_CASE("ConvTranspose with options of all kinds computes what Keras computes") {
  check_options("option_conv_transpose.json", "", 15);
}

TEST_CASE("DepthwiseConv with options of all kinds computes what Keras computes") {
  check_options("option_depthwise_conv.json", "Depthwise", 4);
}

TEST_CASE("SeparableConv with options of all kinds computes what Keras computes") {
  check_options("option_depthwise_conv.json", "Separable", 3);
}

}  // namespace convolution_options_test
