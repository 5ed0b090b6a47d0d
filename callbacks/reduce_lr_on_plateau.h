// ReduceLROnPlateau: lowers the learning rate when a figure no longer gets better.
#pragma once
#include "../framework/config/configurable.h"
#include "monitor.h"

namespace cornu::callbacks {

/// Options of ReduceLROnPlateau, as in Keras.
struct ReduceLROnPlateauConfig {
  /// Name in the logs of the loss or metric to watch.
  std::string monitor = "val_loss";
  /// The new rate is the old one times this.
  double factor = 0.1;
  /// Epochs without improvement after which the rate is lowered.
  int64_t patience = 10;
  int verbose = 0;  ///< 1 prints each new rate
  /// "min": less is better, "max": more is; "auto" tells from the name.
  std::string mode = "auto";
  double min_delta = 1e-4;  ///< a smaller change counts as none
  /// Epochs after a reduction that are not counted.
  int64_t cooldown = 0;
  double min_lr = 0;  ///< lower bound of the rate
};

/// As keras.callbacks.ReduceLROnPlateau. The rate is added to the figures as "learning_rate". With
/// a MultiOptimizer the rates of all its optimizers are lowered, and the figure of each is
/// "learning_rate_" with the optimizer's name.
class ReduceLROnPlateauCallback : public Callback {
 public:
  using Config = ReduceLROnPlateauConfig;  ///< the options
  /// Throws ValueError for a factor of 1 or more.
  explicit ReduceLROnPlateauCallback(Config c);

  void on_train_begin(Logs&) override;
  void on_epoch_end(int64_t epoch, Logs& logs) override;
  bool wants_batch_logs() const override { return false; }
  Value::Dict get_state() const override;
  void set_state(const Value::Dict& state) override;

  const Config config;  ///< as given

 private:
  void reduce(int64_t epoch);

  Monitor monitor_;
  std::optional<double> best_;
  int64_t wait_ = 0;
  int64_t cooldown_left_ = 0;
};

using ReduceLROnPlateau =
    Ref<ReduceLROnPlateauCallback>;  ///< a shared callback, made from its options

}  // namespace cornu::callbacks
