// The walk from a symbolic tensor back to its inputs.
#include "source_inputs.h"

#include <set>

#include "../../backend/error.h"
#include "../dispatch/node.h"
#include "input.h"

namespace cornu::utils {

std::vector<Tensor> get_source_inputs(const Tensor& tensor) {
  if (!tensor) throw ValueError("get_source_inputs: expected a tensor, found an empty one.");
  if (!tensor.is_symbolic()) return {tensor};
  std::vector<Tensor> sources;
  // Without recursion, as graphs may be deep; the last of `open` is the next to be visited.
  std::vector<std::shared_ptr<Node>> open = {tensor.origin().node};
  std::set<const Node*> seen;
  while (!open.empty()) {
    const std::shared_ptr<Node> node = open.back();
    open.pop_back();
    if (!seen.insert(node.get()).second) continue;
    if (dynamic_cast<InputLayer*>(node->operation.get()))
      for (const Tensor& input : outputs_of(node).flatten()) sources.push_back(input);
    const std::vector<Tensor> arguments = node->arguments.tensors();
    for (auto argument = arguments.rbegin(); argument != arguments.rend(); ++argument)
      if (argument->is_symbolic()) open.push_back(argument->origin().node);
  }
  return sources;
}

}  // namespace cornu::utils
