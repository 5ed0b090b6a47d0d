// TerminateOnNaN: ends training when the loss is no number any more.
#pragma once
#include "../framework/base/callback.h"
#include "../framework/config/configurable.h"
#include "../framework/model/locate_nan.h"
#include "../framework/model/step_witness.h"

namespace cornu::callbacks {

/// Options of TerminateOnNaN, as in Keras.
struct TerminateOnNaNConfig {
  /// Whether a StateError is thrown at once; else training ends in order.
  bool raise_error = false;
  /// Whether the step is taken again, operation by operation, to say which one first gave a number
  /// that is not finite. The states before the latest steps are kept for it: a second and a third
  /// set of weights in memory, and no more time.
  bool locate = false;
};

/// As keras.callbacks.TerminateOnNaN. It reads the loss after every batch.
class TerminateOnNaNCallback : public Callback, public StepWitness {
 public:
  using Config = TerminateOnNaNConfig;                      ///< the options
  explicit TerminateOnNaNCallback(Config c) : config(c) {}  ///< begins anew with each fit
  void on_train_begin(Logs&) override;
  void on_train_batch_end(int64_t batch, Logs& logs) override;
  void on_train_end(Logs&) override { history_.clear(); }
  bool watches_steps() const override { return config.locate; }
  void before_step(Model& model, const Batch& batch, int64_t step) override;

  /// Where the last fit's first NaN came from, with `locate`; none when there was none, or when the
  /// step, taken again, gave finite numbers.
  const std::optional<NaNReport>& report() const { return report_; }

  const Config config;  ///< as given

 private:
  StepHistory history_;
  std::optional<NaNReport> report_;
};

using TerminateOnNaN =
    Ref<TerminateOnNaNCallback>;  ///< a shared TerminateOnNaNCallback, made from its options

}  // namespace cornu::callbacks
