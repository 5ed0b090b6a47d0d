// SwapEMAWeights: evaluates with the moving averages of the weights.
#pragma once
#include <vector>

#include "../framework/base/callback.h"
#include "../framework/config/configurable.h"
#include "../framework/dispatch/variable.h"

namespace cornu::callbacks {

/// Options of SwapEMAWeights, as in Keras.
struct SwapEMAWeightsConfig {
  /// Also swaps at the end of an epoch, for callbacks behind this one such as ModelCheckpoint, and
  /// back at the beginning of the next one.
  bool swap_on_epoch = false;
};

/// As keras.callbacks.SwapEMAWeights: while evaluate, a validation or predict runs, the model has
/// the moving averages that an optimizer with use_ema keeps, and the optimizer the weights. Unlike
/// Keras, predict gives the weights back too.
class SwapEMAWeightsCallback : public Callback {
 public:
  using Config = SwapEMAWeightsConfig;                      ///< the options
  explicit SwapEMAWeightsCallback(Config c) : config(c) {}  ///< swaps nothing yet

  void on_epoch_begin(int64_t, Logs&) override;
  /// Throws ValueError when the optimizer keeps no averages; so do the hooks below.
  void on_epoch_end(int64_t epoch, Logs&) override;
  void on_test_begin(Logs&) override { put_in(true); }
  void on_test_end(Logs&) override { put_in(false); }
  void on_predict_begin(Logs&) override { put_in(true); }
  void on_predict_end(Logs&) override { put_in(false); }
  bool wants_batch_logs() const override { return false; }
  Value::Dict get_state() const override { return {{"averages_in_model", averages_in_model_}}; }
  void set_state(const Value::Dict& state) override;

  const Config config;  ///< as given

 private:
  // Weights and their averages.
  std::vector<std::pair<Variable, Variable>> pairs() const;
  void put_in(bool averages);

  bool averages_in_model_ = false;
};

using SwapEMAWeights =
    Ref<SwapEMAWeightsCallback>;  ///< a shared SwapEMAWeightsCallback, made from its options

}  // namespace cornu::callbacks
