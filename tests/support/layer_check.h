// One call that tests a layer's whole contract: check_layer<Dense>({.units = 3}, {.input = {2, 5},
// ...}).
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <cornu/framework/base/layer.h>

namespace cornu::test {

/// What a layer is given, and what must come of it.
struct LayerExpectation {
  Shape input = {};                ///< of the one input
  std::vector<Shape> inputs = {};  ///< or of several
  Shape output = {};               ///< of the (first) output
  int weights = 0;                 ///< how many, trainable or not
  int non_trainable = 0;
  DType input_dtype = DType::float32;
  int64_t indices_below = 2;  ///< integer inputs are in [0, indices_below)
  bool training = false;      ///< what `call` is told
  bool random = false;        ///< outputs differ from call to call
  Tensor mask = {};
};

/// Checks that layers from `make`
/// - build, with the expected weights and output shape;
/// - are made again from their config, and then compute the same;
/// - infer the shape that they compute, for an unknown batch as well;
/// - have gradients in float64 that agree with finite differences, for inputs and weights;
/// - train: a step along the gradient lowers a loss.
void check_layer(const std::function<std::shared_ptr<Layer>()>& make,
                 const LayerExpectation& expected);

template <class Handle>
void check_layer(const typename Handle::Config& config, const LayerExpectation& expected) {
  check_layer([&]() -> std::shared_ptr<Layer> { return Handle(config).shared(); }, expected);
}

/// The most by which two tensors of one shape differ, relative to 1 + |b|; infinite when the shapes
/// differ or a value is not a number.
double difference(const Tensor& a, const Tensor& b);

/// Whether two configs are equal; what differs is written into `where`.
bool same(const Value& a, const Value& b, std::string& where);

}  // namespace cornu::test
