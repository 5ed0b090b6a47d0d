// Callback: what runs between the batches and epochs of fit, evaluate and predict.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "logs.h"

namespace cornu {

class Model;

/// What fit knows of its run: epochs, steps of an epoch (or -1), verbosity.
struct TrainingParams {
  int64_t epochs = 1;
  int64_t steps = -1;
  int verbose = 1;
};

/// Base of all callbacks. Every hook does nothing by default. Hooks may change `logs`: later callbacks and History
/// see the change.
class Callback {
 public:
  virtual ~Callback() = default;
  virtual void on_train_begin(Logs&) {}
  virtual void on_train_end(Logs&) {}
  virtual void on_epoch_begin(int64_t /*epoch*/, Logs&) {}
  virtual void on_epoch_end(int64_t /*epoch*/, Logs&) {}
  virtual void on_train_batch_begin(int64_t /*batch*/, Logs&) {}
  virtual void on_train_batch_end(int64_t /*batch*/, Logs&) {}
  virtual void on_test_begin(Logs&) {}
  virtual void on_test_end(Logs&) {}
  virtual void on_test_batch_begin(int64_t /*batch*/, Logs&) {}
  virtual void on_test_batch_end(int64_t /*batch*/, Logs&) {}
  virtual void on_predict_begin(Logs&) {}
  virtual void on_predict_end(Logs&) {}
  virtual void on_predict_batch_begin(int64_t /*batch*/, Logs&) {}
  virtual void on_predict_batch_end(int64_t /*batch*/, Logs&) {}

  Model* model() const { return model_; }
  const TrainingParams& params() const { return params_; }
  void set_model(Model* model) { model_ = model; }
  void set_params(const TrainingParams& params) { params_ = params; }
  /// Whether the batch hooks read the metrics: if no callback does, they are not computed for each batch.
  virtual bool wants_batch_logs() const { return true; }

 private:
  Model* model_ = nullptr;
  TrainingParams params_;
};

}  // namespace cornu
