// ProgbarLogger: the progress bar of fit as a callback, for loops of one's own.
#pragma once
#include "../framework/config/configurable.h"
#include "../framework/model/progbar_callback.h"

namespace cornu::callbacks {

/// ProgbarLogger has no options, as in Keras.
struct ProgbarLoggerConfig {};

/// As keras.callbacks.ProgbarLogger: what fit, evaluate and predict print, as a callback. They have
/// a bar already unless they are silent, so this one is for a CallbackList in a loop of one's own,
/// whose TrainingParams say how many epochs and steps there are and how much to print.
class ProgbarLoggerCallback : public ProgbarCallback {
 public:
  using Config = ProgbarLoggerConfig;             ///< the options
  explicit ProgbarLoggerCallback(Config = {}) {}  ///< prints from the first epoch on
};

using ProgbarLogger = Ref<ProgbarLoggerCallback>;  ///< a shared ProgbarLoggerCallback

}  // namespace cornu::callbacks
