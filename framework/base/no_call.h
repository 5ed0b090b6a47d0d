// NoCall: the error of a layer that does not say what it computes.
#pragma once
#include "layer.h"

namespace cornu {

/// Neither call nor call_many is overridden.
class NoCall : public StateError {
 public:
  /// Of the layer that was called.
  explicit NoCall(const Layer& layer)
      : StateError(
            "neither call nor call_many is overridden for a single tensor. A layer overrides call, "
            "or call_many if it takes or gives several tensors; whoever uses a layer calls the "
            "layer itself, as in layer(x)."),
        layer_(&layer) {}
  const Layer* layer() const { return layer_; }  ///< that was called; for comparing only

 private:
  const Layer* layer_;
};

}  // namespace cornu
