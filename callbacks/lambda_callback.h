// LambdaCallback: a callback made of functions.
#pragma once
#include <functional>

#include "../framework/base/callback.h"
#include "../framework/config/configurable.h"

namespace cornu::callbacks {

/// Functions of the epoch's or batch's number (from 0) and the figures, which they may change.
struct LambdaCallbackConfig {
  using Numbered = std::function<void(int64_t, Logs&)>;
  using Plain = std::function<void(Logs&)>;

  Numbered on_epoch_begin = {};
  Numbered on_epoch_end = {};
  Plain on_train_begin = {};
  Plain on_train_end = {};
  Numbered on_train_batch_begin = {};
  Numbered on_train_batch_end = {};
  Plain on_test_begin = {};
  Plain on_test_end = {};
  Numbered on_test_batch_begin = {};
  Numbered on_test_batch_end = {};
  Plain on_predict_begin = {};
  Plain on_predict_end = {};
  Numbered on_predict_batch_begin = {};
  Numbered on_predict_batch_end = {};
};

/// As keras.callbacks.LambdaCallback. Figures of batches are computed only when a function for
/// batch ends is given.
class FunctionsCallback : public Callback {
 public:
  using Config = LambdaCallbackConfig;
  explicit FunctionsCallback(Config c) : config(std::move(c)) {}

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

  const Config config;

 private:
  template <class F, class... A>
  static void run(const F& function, A&&... arguments) {
    if (function) function(arguments...);
  }
};

using LambdaCallback = Ref<FunctionsCallback>;

}  // namespace cornu::callbacks
