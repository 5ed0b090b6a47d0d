// LearningRateScheduler: sets the learning rate before each epoch.
#pragma once
#include <functional>

#include "../framework/base/callback.h"
#include "../framework/config/configurable.h"

namespace cornu::callbacks {

/// The rate for an epoch (from 0), given the rate so far: a function of both, or of the epoch
/// alone.
class RateSchedule {
 public:
  /// A function of (epoch, learning_rate).
  template <class F>
  requires std::is_invocable_r_v<double, F&, int64_t, double> RateSchedule(F schedule)
      : schedule_(std::move(schedule)) {}
  /// A function of the epoch.
  template <class F>
  requires(std::is_invocable_r_v<double, F&, int64_t> && !std::is_invocable_v<F&, int64_t, double>)
      RateSchedule(F schedule)
      : schedule_([schedule = std::move(schedule)](int64_t epoch, double) mutable {
          return static_cast<double>(schedule(epoch));
        }) {}
  /// The rate.
  double operator()(int64_t epoch, double learning_rate) const {
    return schedule_(epoch, learning_rate);
  }

 private:
  std::function<double(int64_t epoch, double learning_rate)> schedule_;
};

/// Options of LearningRateScheduler, as in Keras.
struct LearningRateSchedulerConfig {
  Required<RateSchedule> schedule;  ///< of (epoch, learning_rate), or of (epoch)
  int verbose = 0;                  ///< 1 prints each new rate
};

/// As keras.callbacks.LearningRateScheduler. The rate is added to the figures as "learning_rate".
/// With a MultiOptimizer the rate of each of its optimizers is set so, and its figure is
/// "learning_rate_" with the optimizer's name.
class LearningRateSchedulerCallback : public Callback {
 public:
  using Config = LearningRateSchedulerConfig;  ///< the options
  explicit LearningRateSchedulerCallback(Config c)
      : config(std::move(c)) {}  ///< the schedule is called once per epoch

  void on_epoch_begin(int64_t epoch, Logs&) override;
  void on_epoch_end(int64_t epoch, Logs& logs) override;
  bool wants_batch_logs() const override { return false; }

  const Config config;  ///< as given
};

using LearningRateScheduler =
    Ref<LearningRateSchedulerCallback>;  ///< a shared callback, made from its options

}  // namespace cornu::callbacks
