// TerminateOnNaN: ends training when the loss is no number any more.
#pragma once
#include "../framework/base/callback.h"
#include "../framework/config/configurable.h"

namespace cornu::callbacks {

/// Options of TerminateOnNaN, as in Keras.
struct TerminateOnNaNConfig {
  /// Whether a StateError is thrown at once; else training ends in order.
  bool raise_error = false;
};

/// As keras.callbacks.TerminateOnNaN. It reads the loss after every batch.
class TerminateOnNaNCallback : public Callback {
 public:
  using Config = TerminateOnNaNConfig;                      ///< the options
  explicit TerminateOnNaNCallback(Config c) : config(c) {}  ///< holds no state between fits
  void on_train_batch_end(int64_t batch, Logs& logs) override;

  const Config config;  ///< as given
};

using TerminateOnNaN =
    Ref<TerminateOnNaNCallback>;  ///< a shared TerminateOnNaNCallback, made from its options

}  // namespace cornu::callbacks
