// Derivatives along a direction.
#pragma once
#include <functional>
#include <utility>
#include <vector>

#include "../tensor/nest.h"

namespace cornu::ops {

/// Outputs of a function, and how they change.
struct Directional {
  std::vector<Tensor> outputs;   ///< f(primals)
  std::vector<Tensor> tangents;  ///< of the outputs' shapes; empty where nothing depends on primals
  Nest aux = {};                 ///< what else f gave, with has_aux
};
/// f(primals), and its derivative along `tangents`, which have the shapes of primals: the product
/// of f's Jacobian with them. Floats only; by two reverse passes, so that all that f does needs a
/// second derivative. Throws ValueError for has_aux: a function that gives more returns a pair.
Directional jvp(const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& f,
                const std::vector<Tensor>& primals, const std::vector<Tensor>& tangents,
                bool has_aux = false);
/// The same for a function that returns its outputs and, behind them, what is not differentiated
/// and becomes `aux`. Throws ValueError without has_aux.
Directional jvp(
    const std::function<std::pair<std::vector<Tensor>, Nest>(const std::vector<Tensor>&)>& f,
    const std::vector<Tensor>& primals, const std::vector<Tensor>& tangents, bool has_aux);

}  // namespace cornu::ops
