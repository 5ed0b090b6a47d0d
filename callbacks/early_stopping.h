// EarlyStopping: ends training when a figure no longer gets better.
#pragma once
#include "../framework/config/configurable.h"
#include "monitor.h"

namespace cornu::callbacks {

/// Options of EarlyStopping, as in Keras.
struct EarlyStoppingConfig {
  /// Name in the logs of the loss or metric to watch.
  std::string monitor = "val_loss";
  /// A change of less counts as none.
  double min_delta = 0;
  /// Epochs without improvement after which training ends.
  int64_t patience = 0;
  /// 1 prints what the callback does.
  int verbose = 0;
  /// "min": less is better, "max": more is; "auto" tells from the name.
  std::string mode = "auto";
  /// Training also ends when the figure stays worse than this.
  std::optional<double> baseline = {};
  /// Whether the weights of the best epoch come back at the end; else the last ones stay.
  bool restore_best_weights = false;
  /// Epochs before this one are not looked at.
  int64_t start_from_epoch = 0;
};

/// As keras.callbacks.EarlyStopping. May be used for several fits.
class EarlyStoppingCallback : public Callback {
 public:
  using Config = EarlyStoppingConfig;  ///< the options
  /// Throws ValueError for an unknown mode.
  explicit EarlyStoppingCallback(Config c);

  void on_train_begin(Logs&) override;
  void on_epoch_end(int64_t epoch, Logs& logs) override;
  void on_train_end(Logs&) override;
  bool wants_batch_logs() const override { return false; }
  Value::Dict get_state() const override;
  void set_state(const Value::Dict& state) override;

  /// The epoch (from 0) that ended training, or 0.
  int64_t stopped_epoch() const { return stopped_epoch_; }
  int64_t best_epoch() const { return best_epoch_; }  ///< from 0
  /// The best value seen so far; empty before the first.
  std::optional<double> best() const { return best_; }

  const Config config;  ///< as given

 private:
  void keep_weights(int64_t epoch);

  Monitor monitor_;
  int64_t wait_ = 0;
  int64_t stopped_epoch_ = 0;
  int64_t best_epoch_ = 0;
  std::optional<double> best_;
  std::vector<Tensor> best_weights_;
  bool has_weights_ = false;
};

using EarlyStopping =
    Ref<EarlyStoppingCallback>;  ///< a shared EarlyStoppingCallback, made from its options

}  // namespace cornu::callbacks
