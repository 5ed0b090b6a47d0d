// Callback: what runs between the batches and epochs of fit, evaluate and predict.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "../dispatch/value.h"
#include "backup_options.h"
#include "logs.h"

namespace cornu {

class Model;

/// What fit knows of its run: epochs, steps of an epoch (or -1), verbosity.
struct TrainingParams {
  int64_t epochs = 1;    ///< number of the last epoch, counted from 1
  int64_t steps = -1;    ///< batches per epoch; -1: not known
  int verbose = 1;       ///< as FitOptions::verbose
  bool resumed = false;  ///< whether the run goes on from a backup of an earlier one
};

/// Base of all callbacks. Every hook does nothing by default. Hooks may change `logs`: later
/// callbacks and History see the change.
class Callback {
 public:
  virtual ~Callback() = default;
  virtual void on_train_begin(Logs&) {}  ///< start of fit
  virtual void on_train_end(Logs&) {}    ///< end of fit; logs of the last epoch
  /// Before epoch number `epoch`, from 0.
  virtual void on_epoch_begin(int64_t /*epoch*/, Logs&) {}
  /// After an epoch and its validation; logs have "loss", the metrics, and both again with "val_"
  /// in front.
  virtual void on_epoch_end(int64_t /*epoch*/, Logs&) {}
  /// Before training step `batch`, from 0 in each epoch; calls on_batch_begin by default.
  virtual void on_train_batch_begin(int64_t batch, Logs& logs) { on_batch_begin(batch, logs); }
  /// After a training step (or a group of steps_per_execution of them); logs are the means of the
  /// epoch so far. Calls on_batch_end by default.
  virtual void on_train_batch_end(int64_t batch, Logs& logs) { on_batch_end(batch, logs); }
  virtual void on_batch_begin(int64_t /*batch*/, Logs&) {}  ///< as on_train_batch_begin
  virtual void on_batch_end(int64_t /*batch*/, Logs&) {}    ///< as on_train_batch_end
  virtual void on_test_begin(Logs&) {}  ///< start of evaluate, and of a validation
  virtual void on_test_end(Logs&) {}    ///< end of evaluate; logs of all its batches
  virtual void on_test_batch_begin(int64_t /*batch*/, Logs&) {}  ///< before a step of evaluate
  virtual void on_test_batch_end(int64_t /*batch*/, Logs&) {}  ///< after one; logs are means so far
  virtual void on_predict_begin(Logs&) {}                      ///< start of predict
  virtual void on_predict_end(Logs&) {}                        ///< end of predict
  virtual void on_predict_batch_begin(int64_t /*batch*/, Logs&) {}  ///< before a step of predict
  /// After a step of predict; logs.outputs is what the model gave.
  virtual void on_predict_batch_end(int64_t /*batch*/, Logs&) {}

  /// The model that runs; null before the first run.
  Model* model() const { return model_; }
  const TrainingParams& params() const { return params_; }  ///< of the current run
  void set_model(Model* model) { model_ = model; }          ///< called by the model before its run
  void set_params(const TrainingParams& params) {
    params_ = params;
  }  ///< called by the model before its run
  /// Whether the batch hooks read the metrics: if no callback does, they are not computed for each
  /// batch.
  virtual bool wants_batch_logs() const { return true; }

  /// What the callback has learned in its run, such as the best figure so far: backups keep it.
  /// Tensors may stand in it.
  virtual Value::Dict get_state() const { return {}; }
  /// Goes on from a state that get_state of an earlier run gave; called after on_train_begin when a
  /// run is resumed, and once more after on_epoch_begin when it is resumed within an epoch.
  virtual void set_state(const Value::Dict&) {}
  /// Asks fit to keep its state, and to go on from what an earlier run kept; see BackupOptions.
  virtual std::optional<BackupOptions> backup() const { return {}; }
  /// Whether it only looks on, so that training gives the same numbers without it; a replay of a
  /// step leaves it out. What writes files should say true.
  virtual bool looks_on() const { return false; }
  /// Paths of the files and folders that it wrote in this run; fit names them when it ends.
  virtual std::vector<std::string> files() const { return {}; }
  /// The class's name for messages.
  virtual std::string name() const;

 private:
  Model* model_ = nullptr;
  TrainingParams params_;
};

}  // namespace cornu
