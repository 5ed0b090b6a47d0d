// Functions by their Keras names.
#pragma once
#include <cornu/framework/dispatch/node.h>

#include <string>

namespace cornu::conformance {

/// Calls "keras.ops.conv", "keras.activations.relu", "keras.losses.hinge" and others with arguments
/// as Python takes them. Throws ValueError when there is no such function, or it does not take
/// these arguments.
Value call_function(const std::string& name, const Arguments& arguments);

}  // namespace cornu::conformance
