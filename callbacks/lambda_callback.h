// LambdaCallback: a callback made of functions.
#pragma once
#include <functional>

#include "../framework/base/callback.h"
#include "../framework/config/configurable.h"

namespace cornu::callbacks {

/// Functions of the epoch's or batch's number (from 0) and the figures, which they may change.
struct LambdaCallbackConfig {
  /// Gets the number of the epoch or of the batch, from 0, and the logs.
  using Numbered = std::function<void(int64_t, Logs&)>;
  /// Gets the logs.
  using Plain = std::function<void(Logs&)>;

  Numbered on_epoch_begin = {};          ///< before an epoch of fit
  Numbered on_epoch_end = {};            ///< after an epoch and its validation
  Plain on_train_begin = {};             ///< at the start of fit
  Plain on_train_end = {};               ///< at the end of fit
  Numbered on_train_batch_begin = {};    ///< before a training step
  Numbered on_train_batch_end = {};      ///< after a training step; the logs are computed for it
  Plain on_test_begin = {};              ///< at the start of evaluate and of each validation
  Plain on_test_end = {};                ///< at the end of evaluate and of each validation
  Numbered on_test_batch_begin = {};     ///< before a step of evaluate
  Numbered on_test_batch_end = {};       ///< after a step of evaluate; the logs are computed for it
  Plain on_predict_begin = {};           ///< at the start of predict
  Plain on_predict_end = {};             ///< at the end of predict
  Numbered on_predict_batch_begin = {};  ///< before a step of predict
  Numbered on_predict_batch_end = {};    ///< after a step of predict
};

/// As keras.callbacks.LambdaCallback. Figures of batches are computed only when a function for
/// batch ends is given.
class FunctionsCallback : public Callback {
 public:
  using Config = LambdaCallbackConfig;  ///< the options
  explicit FunctionsCallback(Config c)
      : config(std::move(c)) {}  ///< hooks without a function do nothing

  void on_epoch_begin(int64_t epoch, Logs& logs) override {
    run(config.on_epoch_begin, epoch, logs);
  }
  void on_epoch_end(int64_t epoch, Logs& logs) override { run(config.on_epoch_end, epoch, logs); }
  void on_train_begin(Logs& logs) override { run(config.on_train_begin, logs); }
  void on_train_end(Logs& logs) override { run(config.on_train_end, logs); }
  void on_train_batch_begin(int64_t batch, Logs& logs) override {
    run(config.on_train_batch_begin, batch, logs);
  }
  void on_train_batch_end(int64_t batch, Logs& logs) override {
    run(config.on_train_batch_end, batch, logs);
  }
  void on_test_begin(Logs& logs) override { run(config.on_test_begin, logs); }
  void on_test_end(Logs& logs) override { run(config.on_test_end, logs); }
  void on_test_batch_begin(int64_t batch, Logs& logs) override {
    run(config.on_test_batch_begin, batch, logs);
  }
  void on_test_batch_end(int64_t batch, Logs& logs) override {
    run(config.on_test_batch_end, batch, logs);
  }
  void on_predict_begin(Logs& logs) override { run(config.on_predict_begin, logs); }
  void on_predict_end(Logs& logs) override { run(config.on_predict_end, logs); }
  void on_predict_batch_begin(int64_t batch, Logs& logs) override {
    run(config.on_predict_batch_begin, batch, logs);
  }
  void on_predict_batch_end(int64_t batch, Logs& logs) override {
    run(config.on_predict_batch_end, batch, logs);
  }
  bool wants_batch_logs() const override {
    return config.on_train_batch_end || config.on_test_batch_end;
  }

  const Config config;  ///< as given

 private:
  template <class F, class... A>
  static void run(const F& function, A&&... arguments) {
    if (function) function(arguments...);
  }
};

using LambdaCallback =
    Ref<FunctionsCallback>;  ///< a shared FunctionsCallback, made from its options

}  // namespace cornu::callbacks
