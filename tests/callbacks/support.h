// What the tests of callbacks share: a model with one weight, epochs by hand.
#pragma once
#include <catch.h>
#include <cornu/framework/model/model.h>
#include <cornu/framework/ops/operators.h>

#include "../support/temporary.h"

namespace cornu::test {

/// Multiplies by its only weight, which tests set.
class OneWeight : public Model {
 public:
  OneWeight() { ensure_built(Nest(Tensor::from({1.0f}, {1, 1}))); }
  void build(const Shape&) override { weight_ = add_weight({.name = "weight", .shape = {1}}); }
  Tensor call(const Tensor& x, const Call&) override { return x * Tensor(weight_); }

  void set(float value) { weight_.assign(Tensor::from({value}, {1})); }
  float get() const { return weight_.value().to_vector<float>()[0]; }

 private:
  Variable weight_;
};

/// Ends epoch `epoch` with one figure; whether training was stopped by it.
inline bool end_epoch(Callback& callback, Model& model, int64_t epoch, Logs logs) {
  callback.set_model(&model);
  callback.on_epoch_end(epoch, logs);
  return model.stop_training;
}

}  // namespace cornu::test
