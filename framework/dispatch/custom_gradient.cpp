// Computes unseen, and shows the result with the derivative that came with it.
#include "custom_gradient.h"

#include <algorithm>

namespace cornu {

Tensor stop_gradient(const Tensor& x) {
  return x.is_eager() ? x.detached() : Tensor::abstract(x.shape(), x.dtype());
}

void make_distinct(std::span<Tensor> outputs, std::span<const Tensor> inputs) {
  const auto is = [](const Tensor& output) {
    return [&output](const Tensor& t) { return t && t.impl()->key == output.impl()->key; };
  };
  for (size_t i = 0; i < outputs.size(); ++i) {
    Tensor& output = outputs[i];
    if (!output) continue;
    const std::span<Tensor> before = outputs.first(i);
    if (std::none_of(inputs.begin(), inputs.end(), is(output)) &&
        std::none_of(before.begin(), before.end(), is(output)))
      continue;
    Tensor other = output.detached();
    other.set_mask(output.mask());
    output = other;
  }
}

Tensors custom_gradient(std::span<const Tensor> inputs,
                        const std::function<WithGradient(std::span<const Tensor>)>& f) {
  WithGradient result;
  {
    PauseRecording pause;
    result = f(inputs);
  }
  make_distinct({result.outputs.begin(), result.outputs.end()}, inputs);
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
