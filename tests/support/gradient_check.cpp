// Finite differences.
#include "gradient_check.h"

#include <cornu/framework/ops/ops.h>

#include <cmath>
#include <random>

namespace cornu::test {

Tensor noise(const Shape& shape, double low, double high, int seed) {
  std::mt19937_64 engine(static_cast<uint64_t>(seed));
  std::vector<double> values(static_cast<size_t>(shape.numel()));
  for (double& v : values) v = low + (high - low) * static_cast<double>(engine() >> 11) * 0x1p-53;
  return Tensor::from(values, shape);
}

double gradient_error(const std::function<Tensor(const std::vector<Tensor>&)>& f,
                      const std::vector<Tensor>& inputs, double step) {
  const Shape shape = f(inputs).shape();
  const Tensor weights = noise(shape, 0.5, 1.5, 99);
  auto total = [&](const std::vector<Tensor>& x) { return ops::sum(f(x) * weights); };

  GradientTape tape;
  for (const Tensor& x : inputs) tape.watch(x);
  const Tensor loss = total(inputs);
  const std::vector<Tensor> gradients = tape.gradient(loss, inputs);

  double worst = 0, scale = 1;
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::vector<double> values = inputs[i].to_vector<double>();
    const std::vector<double> found =
        gradients[i] ? gradients[i].to_vector<double>() : std::vector<double>(values.size(), 0.0);
    if (gradients[i] && gradients[i].shape() != inputs[i].shape()) return INFINITY;
    for (size_t k = 0; k < values.size(); ++k) {
      std::vector<Tensor> moved = inputs;
      const double x = values[k];
      values[k] = x + step;
      moved[i] = Tensor::from(values, inputs[i].shape());
      const double up = total(moved).item();
      values[k] = x - step;
      moved[i] = Tensor::from(values, inputs[i].shape());
      const double down = total(moved).item();
      values[k] = x;
      const double expected = (up - down) / (2 * step);
      scale = std::max(scale, std::abs(expected));
      worst = std::max(worst, std::abs(expected - found[k]));
      if (std::isnan(found[k])) return INFINITY;
    }
  }
  return worst / scale;
}

}  // namespace cornu::test
