// Functions with a derivative of their own.
#pragma once
#include <functional>
#include <span>
#include <utility>

#include "../tensor/recorder.h"

namespace cornu {

/// x, with no gradient through it.
Tensor stop_gradient(const Tensor& x);

/// Gives those of `outputs` that are an input, or the same as an output before them, an identity of
/// their own: a tape would else take gradients of the one for the other's.
void make_distinct(std::span<Tensor> outputs, std::span<const Tensor> inputs);

/// A function with its own derivative: `f` computes outputs, and returns them with the function
/// that maps their gradients to those of the inputs.
struct WithGradient {
  Tensors outputs;            ///< of the function
  GradientFunction gradient;  ///< called with the outputs' gradients; gives one for each input, of
                              ///< its shape or empty
};
/// Runs `f`, hidden from tapes, and gives its outputs the gradient that it returns.
Tensors custom_gradient(std::span<const Tensor> inputs,
                        const std::function<WithGradient(std::span<const Tensor>)>& f);
/// The same for one input and one output.
Tensor custom_gradient(
    const Tensor& x,
    const std::function<std::pair<Tensor, std::function<Tensor(const Tensor&)>>(const Tensor&)>& f);

}  // namespace cornu
