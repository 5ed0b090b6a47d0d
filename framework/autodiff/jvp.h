// Derivatives along a direction.
#pragma once
#include <functional>
#include <vector>

#include "../tensor/tensor.h"

namespace cornu::ops {

/// Outputs of a function, and how they change.
struct Directional {
  std::vector<Tensor> outputs;   ///< f(primals)
  std::vector<Tensor> tangents;  ///< of the outputs' shapes; empty where nothing depends on primals
};
/// f(primals), and its derivative along `tangents`, which have the shapes of primals: the product
/// of f's Jacobian with them. Floats only; by two reverse passes, so that all that f does needs a
/// second derivative.
Directional jvp(const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& f,
                const std::vector<Tensor>& primals, const std::vector<Tensor>& tangents);

}  // namespace cornu::ops
