// Calls of layers, and classes of one's own; see check.sh.
#include <cornu/framework/compile/function.h>
#include <cornu/framework/model/sequential.h>
#include <cornu/layers/core/dense.h>

using namespace cornu;

void calls(const layers::Dense& dense, const Tensor& a, const Tensor& b) {
  (void)dense(a, b);  // error: in braces: layer({a, b})
  (void)dense(a, {.training = true});
}

// Its hook has other parameters than Callback's.
struct Stop : Callback {
  void on_epoch_end(int, const Logs&) {}
};
const Callbacks stop = {std::make_shared<Stop>()};  // error: on_epoch_end would never be called

// It inherits how a Dense is made of its options.
struct Narrow : layers::DenseLayer {
  using DenseLayer::DenseLayer;
};
CORNU_REGISTER("tests>Narrow", Narrow);  // error: inherits another class's from_config

// A model is no value: what a function returns is a handle.
Sequential by_value() {
  Sequential model({layers::Dense({.units = 2})});
  return model;  // error: models are shared by make<Sequential>({...})
}

// Keras's Model(inputs, outputs) has a name of its own.
const Input x({4});
const Model graph(x, x);  // error: a model of a graph is Functional(inputs, outputs)

const auto add = function([](const Tensor& x, const Tensor& y) -> Tensor { return x + y; });
