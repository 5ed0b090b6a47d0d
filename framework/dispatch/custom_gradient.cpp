// Computes unseen, and shows the result with the derivative that came with it.
#include "custom_gradient.h"

namespace cornu {

Tensor stop_gradient(const Tensor& x) {
  return x.is_eager() ? x.detached() : Tensor::abstract(x.shape(), x.dtype());
}

Tensors custom_gradient(std::span<const Tensor> inputs,
                        const std::function<WithGradient(std::span<const Tensor>)>& f) {
  WithGradient result;
  {
    PauseRecording pause;
    result = f(inputs);
  }
  apply_custom(inputs, result.outputs, result.gradient);
  return result.outputs;
}

Tensor custom_gradient(
    const Tensor& x,
    const std::function<std::pair<Tensor, std::function<Tensor(const Tensor&)>>(const Tensor&)>&
        f) {
  return custom_gradient({&x, 1}, [&](std::span<const Tensor> inputs) -> WithGradient {
    auto [y, derivative] = f(inputs[0]);
    return {{y}, [derivative = derivative](std::span<const Tensor> dy) -> Tensors {
              return {derivative(dy[0])};
            }};
  })[0];
}

}  // namespace cornu
