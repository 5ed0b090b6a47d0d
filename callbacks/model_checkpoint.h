// ModelCheckpoint: saves the model, or its weights, during training.
#pragma once
#include "../framework/config/configurable.h"
#include "monitor.h"
#include "save_freq.h"

namespace cornu::callbacks {

/// Options of ModelCheckpoint, as in Keras.
struct ModelCheckpointConfig {
  /// Ends in ".keras" or ".h5", or in ".weights.h5" with save_weights_only. May name epoch (from
  /// 1), batch (from 1) and figures in Python's way: "model-{epoch:02d}-{val_loss:.2f}.keras".
  Required<std::string> filepath;
  /// Name in the logs of the loss or metric that save_best_only compares.
  std::string monitor = "val_loss";
  int verbose = 0;  ///< 1 prints each save
  /// Saves only when `monitor` is better than at every save before.
  bool save_best_only = false;
  bool save_weights_only = false;  ///< writes weights and optimizer state, without the architecture
  /// "min", "max" or "auto", for save_best_only.
  std::string mode = "auto";
  SaveFreq save_freq = "epoch";  ///< "epoch", or a number of training batches between two saves
  /// What `monitor` must be better than for the first save.
  std::optional<double> initial_value_threshold = {};
};

/// As keras.callbacks.ModelCheckpoint. Folders that are missing are made.
class ModelCheckpointCallback : public Callback {
 public:
  using Config = ModelCheckpointConfig;  ///< the options
  /// Throws ValueError for a path with another ending.
  explicit ModelCheckpointCallback(Config c);

  void on_epoch_begin(int64_t epoch, Logs&) override { epoch_ = epoch; }
  void on_train_batch_end(int64_t batch, Logs& logs) override;
  void on_epoch_end(int64_t epoch, Logs& logs) override;
  bool wants_batch_logs() const override { return config.save_freq.batches().has_value(); }
  Value::Dict get_state() const override;
  void set_state(const Value::Dict& state) override;

  /// The value of `monitor` at the best save; initial_value_threshold before the first.
  std::optional<double> best() const { return best_; }

  /// The files that were saved, each once.
  std::vector<std::string> files() const override { return files_; }
  bool looks_on() const override { return true; }

  const Config config;  ///< as given

 private:
  bool due(int64_t batch);
  bool wanted(int64_t epoch, const Logs& logs, const std::string& path);
  void save(int64_t epoch, std::optional<int64_t> batch, const Logs& logs);

  Monitor monitor_;
  std::optional<double> best_;
  std::vector<std::string> files_;
  int64_t epoch_ = 0;
  int64_t batches_since_save_ = 0;
  std::optional<int64_t> last_batch_;
};

using ModelCheckpoint =
    Ref<ModelCheckpointCallback>;  ///< a shared ModelCheckpointCallback, made from its options

/// The path with its fields filled in: epoch and batch from 0, counted from 1 in the path. Throws
/// ValueError for a field that there is no figure for, or a format that cannot be.
std::string checkpoint_path(const std::string& pattern, int64_t epoch, std::optional<int64_t> batch,
                            const Logs& logs);

}  // namespace cornu::callbacks
