// Tests of LambdaCallback within fit, and of TerminateOnNaN.
#include "support.h"

#include <cornu/callbacks/lambda_callback.h>
#include <cornu/callbacks/terminate_on_nan.h>
#include <cornu/framework/model/sequential.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/framework/ops/operators.h>
#include <cornu/layers/core/dense.h>

#include <limits>

namespace lambda_callback_test {

using namespace cornu;
using callbacks::LambdaCallback;
using callbacks::TerminateOnNaN;

TEST_CASE("hooks run in order, and change the figures") {
  Sequential model({Input({2}), layers::Dense({.units = 1})});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  std::string order;
  auto note = [&](const char* text) { return [&order, text](int64_t, Logs&) { order += text; }; };
  const History history = model.fit(
      ops::ones({8, 2}), ops::ones({8, 1}),
      {.batch_size = 4,
       .epochs = 2,
       .verbose = Verbose::silent,
       .callbacks = {LambdaCallback({.on_epoch_begin = note("<"),
                                     .on_epoch_end =
                                         [&](int64_t epoch, Logs& logs) {
                                           order += ">";
                                           logs["extra"] = static_cast<double>(epoch) + 0.5;
                                         },
                                     .on_train_begin = [&](Logs&) { order += "["; },
                                     .on_train_end = [&](Logs&) { order += "]"; },
                                     .on_train_batch_begin = note("b"),
                                     .on_train_batch_end = note("e")})}});
  CHECK(order == "[<bebe><bebe>]");
  CHECK(history["extra"] == std::vector<double>{0.5, 1.5});
}

TEST_CASE("figures of batches are asked for only when wanted") {
  CHECK_FALSE(LambdaCallback()->wants_batch_logs());
  CHECK_FALSE(LambdaCallback({.on_epoch_end = [](int64_t, Logs&) {}})->wants_batch_logs());
  CHECK(LambdaCallback({.on_train_batch_end = [](int64_t, Logs&) {}})->wants_batch_logs());
}

TEST_CASE("training ends when the loss is NaN") {
  test::OneWeight model;
  TerminateOnNaN callback;
  callback->set_model(&model);
  Logs fine{{"loss", 1}};
  callback->on_train_batch_end(0, fine);
  CHECK_FALSE(model.stop_training);
  Logs broken{{"loss", std::numeric_limits<double>::quiet_NaN()}};
  CHECK_THROWS_AS(TerminateOnNaN({.raise_error = true})->on_train_batch_end(3, broken), StateError);
  callback->on_train_batch_end(1, broken);
  CHECK(model.stop_training);
}

}  // namespace lambda_callback_test
