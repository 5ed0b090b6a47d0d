// What the tests of models share: values, quiet options, callbacks and datasets that keep notes.
#pragma once
#include <catch.h>
#include <cornu/framework/model/functional.h>
#include <cornu/framework/model/sequential.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/framework/ops/numpy/logic.h>
#include <cornu/framework/ops/operators.h>
#include <cornu/layers/core/dense.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/all_close.h"

namespace cornu::test {

/// Matches text with `part` in it, in version 2 and 3 of Catch2.
inline auto has(const std::string& part) {
#if __has_include(<catch2/catch_all.hpp>)
  return Catch::Matchers::ContainsSubstring(part);
#else
  return Catch::Contains(part);
#endif
}

/// Numbers in [-1, 1] that look random but are the same everywhere.
inline Tensor wave(const Shape& shape, double phase = 0) {
  std::vector<float> values(static_cast<size_t>(shape.numel()));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(std::sin(1.7 * static_cast<double>(i) + phase));
  return Tensor::from(values, shape);
}

inline std::vector<float> floats(const Tensor& t) { return t.to_vector<float>(); }

inline bool close(const Tensor& a, const Tensor& b, double tolerance = 1e-5) {
  return a.shape() == b.shape() && test::all_close(a, b, tolerance, tolerance);
}

/// Names of layers in order.
inline std::vector<std::string> names(const std::vector<std::shared_ptr<Layer>>& layers) {
  std::vector<std::string> result;
  for (const auto& layer : layers) result.push_back(layer->name());
  return result;
}

/// A Dense whose weights are all `value`, without a bias.
inline layers::Dense constant_dense(int64_t units, const char* initializer = "ones") {
  return layers::Dense({.units = units, .use_bias = false, .kernel_initializer = initializer});
}

/// Batches {x, y} of rows of a range, and a line of what was asked for.
class NotingDataset : public Dataset {
 public:
  NotingDataset(int64_t batches, int64_t features) : batches_(batches), features_(features) {}
  int64_t size() const override { return batches_; }
  Batch batch(int64_t index) override {
    notes += std::to_string(index);
    return {wave({2, features_}, static_cast<double>(index)), ops::ones({2, 1})};
  }
  void on_epoch_begin(int64_t epoch) override { notes += "<" + std::to_string(epoch) + ":"; }
  void on_epoch_end(int64_t epoch) override { notes += ":" + std::to_string(epoch) + ">"; }
  std::string notes;

 private:
  int64_t batches_, features_;
};

}  // namespace cornu::test
