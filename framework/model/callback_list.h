// CallbackList: calls the hooks of several callbacks in order, in fit and in loops of one's own.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "history_callback.h"

namespace cornu {

/// Options of a CallbackList, as in Keras.
struct CallbackListOptions {
  bool add_history = false;    ///< appends what keeps the figures of all epochs: see history()
  bool add_progbar = false;    ///< appends a callbacks::ProgbarLogger, unless there is one already
  Model* model = nullptr;      ///< which the callbacks are told of; set_model may follow
  TrainingParams params = {};  ///< what is known of the run
};

/// The callbacks of one run, as keras.callbacks.CallbackList. In a loop of one's own:
///
///   CallbackList callbacks({callbacks::CSVLogger({.filename = "log.csv"})},
///                          {.add_history = true, .model = &model, .params = {.epochs = 3}});
///   Logs logs;
///   callbacks.on_train_begin(logs);
///   ...
///   callbacks.history()["loss"]
///
/// An error that a hook throws names the callback and the hook.
class CallbackList {
 public:
  /// Tells the callbacks the model and what is known of the run. Throws ValueError when one of them
  /// is null.
  CallbackList(Callbacks callbacks, Model& model, const TrainingParams& params = {});
  /// The same with Keras's options.
  explicit CallbackList(Callbacks callbacks = {}, const CallbackListOptions& options = {});
  /// The same in Keras's order.
  template <std::same_as<bool> B>
  CallbackList(Callbacks callbacks, B add_history, bool add_progbar = false, Model* model = nullptr,
               const TrainingParams& params = {})
      : CallbackList(std::move(callbacks),
                     CallbackListOptions{add_history, add_progbar, model, params}) {}

  void set_model(Model* model);                             ///< tells all callbacks
  void set_params(const TrainingParams& params);            ///< tells all callbacks
  Model* model() const { return model_; }                   ///< null where there is none yet
  const TrainingParams& params() const { return params_; }  ///< of the run
  /// The figures of the epochs so far, with add_history. Throws StateError without.
  const History& history() const;
  bool empty() const { return list_.empty(); }           ///< whether there are none
  const Callbacks& callbacks() const { return list_; }   ///< in the order of the calls
  void append(std::shared_ptr<Callback> callback);       ///< one more, called last
  bool wants_batch_logs() const { return wants_logs_; }  ///< whether one of them reads them

  /// @{
  /// The hook of this name of all callbacks; see Callback.
  void on_train_begin(Logs& logs) { call(&Callback::on_train_begin, "on_train_begin", logs); }
  void on_train_end(Logs& logs) { call(&Callback::on_train_end, "on_train_end", logs); }
  void on_epoch_begin(int64_t epoch, Logs& logs) {
    call(&Callback::on_epoch_begin, "on_epoch_begin", epoch, logs);
  }
  void on_epoch_end(int64_t epoch, Logs& logs) {
    call(&Callback::on_epoch_end, "on_epoch_end", epoch, logs);
  }
  void on_train_batch_begin(int64_t batch, Logs& logs) {
    call(&Callback::on_train_batch_begin, "on_train_batch_begin", batch, logs);
  }
  void on_train_batch_end(int64_t batch, Logs& logs) {
    call(&Callback::on_train_batch_end, "on_train_batch_end", batch, logs);
  }
  void on_batch_begin(int64_t batch, Logs& logs) { on_train_batch_begin(batch, logs); }
  void on_batch_end(int64_t batch, Logs& logs) { on_train_batch_end(batch, logs); }
  void on_test_begin(Logs& logs) { call(&Callback::on_test_begin, "on_test_begin", logs); }
  void on_test_end(Logs& logs) { call(&Callback::on_test_end, "on_test_end", logs); }
  void on_test_batch_begin(int64_t batch, Logs& logs) {
    call(&Callback::on_test_batch_begin, "on_test_batch_begin", batch, logs);
  }
  void on_test_batch_end(int64_t batch, Logs& logs) {
    call(&Callback::on_test_batch_end, "on_test_batch_end", batch, logs);
  }
  void on_predict_begin(Logs& logs) { call(&Callback::on_predict_begin, "on_predict_begin", logs); }
  void on_predict_end(Logs& logs) { call(&Callback::on_predict_end, "on_predict_end", logs); }
  void on_predict_batch_begin(int64_t batch, Logs& logs) {
    call(&Callback::on_predict_batch_begin, "on_predict_batch_begin", batch, logs);
  }
  void on_predict_batch_end(int64_t batch, Logs& logs) {
    call(&Callback::on_predict_batch_end, "on_predict_batch_end", batch, logs);
  }
  /// @}

 private:
  template <class... P, class... A>
  void call(void (Callback::*hook)(P...), const char* name, A&&... arguments) {
    (open(arguments), ...);
    for (const auto& callback : list_) {
      try {
        ((*callback).*hook)(arguments...);
      } catch (Error& error) {
        error.prepend(where(*callback, name));
        throw;
      } catch (...) {
        // Its type and text are the user's; who threw it is said beside it.
        say(*callback, name);
        throw;
      }
    }
  }
  // Hooks may add figures, also to those of train_on_batch.
  static void open(Logs& logs) { logs.open(); }
  static void open(int64_t) {}
  static std::string where(const Callback& callback, const char* hook);
  static void say(const Callback& callback, const char* hook);

  Callbacks list_;
  Model* model_ = nullptr;
  TrainingParams params_;
  std::shared_ptr<HistoryCallback> history_;  // null without add_history
  bool wants_logs_ = false;
};

}  // namespace cornu
