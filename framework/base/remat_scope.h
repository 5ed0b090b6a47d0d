// RematScope: layers whose results in between are computed again for the gradient.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../tensor/nest.h"

namespace cornu {

class Layer;
struct Call;

/// Which layers of a RematScope compute again, as in Keras.
struct RematMode {
  /// "full": all layers; "activations": what built-in and other activations of layers compute;
  /// "larger_than": layers whose outputs have more than `output_size_threshold` elements;
  /// "list_of_layers": those of `layer_names`; none: no layer.
  std::optional<std::string> mode = "full";
  int64_t output_size_threshold = 1024;       ///< elements of all outputs together
  std::vector<std::string> layer_names = {};  ///< names of layers

  bool operator==(const RematMode&) const = default;
};

/// Layers that this thread makes while it lives keep only their inputs for the gradient and compute
/// once more when it is asked for: less memory for one more forward pass, the values being the
/// same. A scope inside another takes its place. As keras.RematScope; for functions see `remat`,
/// for whole models the option `remat` of compile.
///
///   RematScope scope({.mode = "larger_than", .output_size_threshold = 4096});
///   auto hidden = layers::Dense({.units = 4096});
///
/// Calls that get tensors by name (as `initial_state`) keep their results all the same, and with
/// "larger_than" those whose size depends on values.
class RematScope {
 public:
  /// Throws ValueError for an unknown mode.
  explicit RematScope(RematMode mode = {});
  ~RematScope();
  RematScope(const RematScope&) = delete;

 private:
  std::shared_ptr<const RematMode> outer_;
};

namespace detail {

/// The mode of the innermost scope on this thread; null outside of any.
std::shared_ptr<const RematMode> current_remat_mode();

/// Whether a layer that was made with this mode may compute this call again for its gradient; what
/// the size of its outputs says is left to the layer.
bool may_rematerialize(const RematMode& mode, const Layer& layer, const Nest& inputs,
                       const Call& call);

/// The layer whose call is under way, if its activations are computed again; else null.
Layer* rematerializing_activations();

/// Runs a part of a layer's call, and arranges that it is run again for its gradient: inside of a
/// call of `layer` with the training flag and the dtype of now, and with what layers add to the
/// loss as `layer`'s own losses.
Nest run_rematerialized(Layer& layer, const Nest& inputs, std::function<Nest(const Nest&)> part);

}  // namespace detail
}  // namespace cornu
