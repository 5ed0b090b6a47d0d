// StepWitness: who is shown each training step of fit before it is taken.
#pragma once
#include "../data/dataset.h"

namespace cornu {

class Model;

/// A second base of callbacks that look at the batches of fit and at the state before their steps.
class StepWitness {
 public:
  virtual ~StepWitness() = default;
  /// Whether the run that begins is to be watched; asked once, after on_train_begin.
  virtual bool watches_steps() const = 0;
  /// Before each training step. The batch has its class weights already; `step` is that of the
  /// epoch, from 0.
  virtual void before_step(Model& model, const Batch& batch, int64_t step) = 0;
};

}  // namespace cornu
