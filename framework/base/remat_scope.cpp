// Computing layers again for their gradients.
#include "remat_scope.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>

#include "../autodiff/remat.h"
#include "call_scope.h"

namespace cornu {
namespace {

const std::vector<std::string> modes = {"full", "activations", "larger_than", "list_of_layers"};

std::shared_ptr<const RematMode>& current() {
  thread_local std::shared_ptr<const RematMode> mode;
  return mode;
}

// Spares programs without such a scope the look at the layer of each activation.
std::atomic<bool> activations_wanted = false;

}  // namespace

RematScope::RematScope(RematMode mode) : outer_(current()) {
  if (mode.mode && std::find(modes.begin(), modes.end(), *mode.mode) == modes.end())
    throw ValueError(
        fmt::format("RematScope: unknown mode '{}'. There are 'full', 'activations', "
                    "'larger_than' and 'list_of_layers'.",
                    *mode.mode));
  if (mode.mode == "activations") activations_wanted = true;
  current() = std::make_shared<const RematMode>(std::move(mode));
}

RematScope::~RematScope() { current() = std::move(outer_); }

namespace detail {

std::shared_ptr<const RematMode> current_remat_mode() { return current(); }

bool may_rematerialize(const RematMode& mode, const Layer& layer, const Nest& inputs,
                       const Call& call) {
  if (!mode.mode || mode.mode == "activations") return false;
  // Without a tape nobody asks for gradients.
  if (graph_context().recorders.empty()) return false;
  const std::vector<Tensor> tensors = inputs.flatten();
  if (!std::all_of(tensors.begin(), tensors.end(),
                   [](const Tensor& t) { return !t || t.is_eager(); }))
    return false;
  // Only the inputs are arguments of what is run again.
  for (const auto& [name, value] : call.extra) {
    std::vector<Tensor> named;
    value.collect(named);
    if (!named.empty()) return false;
  }
  if (mode.mode == "list_of_layers")
    return std::find(mode.layer_names.begin(), mode.layer_names.end(), layer.name()) !=
           mode.layer_names.end();
  return true;
}

Layer* rematerializing_activations() {
  if (!activations_wanted) return nullptr;
  const CallContext& context = call_context();
  if (context.stack.empty() || graph_context().recorders.empty()) return nullptr;
  // Calls are made on layers that may change; the stack is for those who look on.
  auto* layer = const_cast<Layer*>(context.stack.back());
  const RematMode* mode = layer->remat_mode();
  return mode && mode->mode == "activations" ? layer : nullptr;
}

Nest run_rematerialized(Layer& layer, const Nest& inputs, std::function<Nest(const Nest&)> part) {
  // The second run comes when the call is over. A layer that nobody shares outlives it by itself.
  const auto owner = layer.weak_from_this().lock();
  const auto whole = remat(
      [owner, &layer, part = std::move(part), training = call_context().training](const Nest& in) {
        std::optional<CallScope> scope;
        std::optional<AutocastScope> autocast;
        // The second run happens outside of the layer's call: the stack, the flag and the dtype are
        // restored for it.
        if (call_context().stack.empty() || call_context().stack.back() != &layer) {
          scope.emplace(layer, training);
          if (layer.compute_dtype() != layer.variable_dtype())
            autocast.emplace(layer.compute_dtype());
        }
        const LossScope losses;
        Nest::List results = {part(in)};
        // Losses are outputs too, so that the gradient reaches them through the recomputation.
        for (const auto& [adder, loss] : losses.losses()) results.push_back(loss);
        return Nest(std::move(results));
      });
  const Nest results = whole(inputs);
  for (size_t i = 1; i < results.size(); ++i) layer.add_loss(results[i]);
  return results[0];
}

}  // namespace detail
}  // namespace cornu
