// The derivative of recurrent layers: a kernel of its own.
#include "../../../backend/error.h"
#include "../../dispatch/apply.h"
#include "../../ops/numpy/creation.h"
#include "../../ops/operators.h"
#include "../gradients.h"

namespace cornu {

Tensors gradient(const backend::Rnn& kernel, const Backprop& step) {
  using backend::RnnCell;
  if (kernel.backward)
    throw UnsupportedError(
        "GradientTape: the second derivative of a recurrent layer's kernel is not supported. Make "
        "the layer with unroll = true: it is then composed of operations that have one.");
  const size_t states = kernel.cell == RnnCell::lstm ? 2 : 1;
  backend::Rnn k = kernel;
  k.backward = true;
  Tensors inputs(step.inputs.begin(), step.inputs.end());
  inputs.push_back(step.outputs[0]);
  if (kernel.cell != RnnCell::simple) {
    inputs.push_back(step.outputs[states + 1]);
    inputs.push_back(step.outputs[states + 2]);
  }
  // An empty gradient counts as zeros.
  for (size_t i = 0; i <= states; ++i)
    inputs.push_back(step.gradients[i] ? step.gradients[i]
                                       : ops::zeros({0}, step.outputs[i].dtype()));
  std::vector<TensorSpec> outputs;
  for (const Tensor& input : step.inputs) outputs.push_back(input.spec());
  Tensors result = apply(k, inputs, outputs);
  for (size_t i = 0; i < result.size(); ++i)
    if (!step.wants(static_cast<int>(i))) result[i] = Tensor();
  return result;
}

}  // namespace cornu
