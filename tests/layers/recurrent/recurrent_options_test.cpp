// Recurrent layers with options of all kinds against Keras.
#include "../../catch.h"
#include "../../support/option_cases.h"

namespace recurrent_options_test {

using cornu::test::check_options;

TEST_CASE("LSTM with options of all kinds computes what Keras computes") {
  check_options("option_lstm.json", "", 20);
}

TEST_CASE("GRU with options of all kinds computes what Keras computes") {
  check_options("option_gru.json", "", 20);
}

TEST_CASE("SimpleRNN with options of all kinds computes what Keras computes") {
  check_options("option_simple_rnn.json", "", 20);
}

TEST_CASE("RNN with options of all kinds computes what Keras computes") {
  check_options("option_rnn.json", "", 9);
}

TEST_CASE("Bidirectional with options of all kinds computes what Keras computes") {
  check_options("option_bidirectional.json", "", 15);
}

TEST_CASE("TimeDistributed with options of all kinds computes what Keras computes") {
  check_options("option_time_distributed.json", "", 15);
}

TEST_CASE("ConvLSTM with options of all kinds computes what Keras computes") {
  check_options("option_conv_lstm.json", "", 10);
}

}  // namespace recurrent_options_test
