// Internal to the version adapters: their parts.
#pragma once
#include <string>
#include <string_view>

#include "../dispatch/value.h"

namespace cornu::saving {

/// A value with all objects in it as Keras 3 writes them. `module` is where objects are looked up
/// that do not say it, `key` the key under which the value stands.
Value upgrade(const Value& value, const char* module, std::string_view key);

/// A Functional's config: the calls of a graph of Keras 2 become args and kwargs, and layers stand
/// behind those whose tensors they take.
void upgrade_functional(Value::Dict& config);

/// Whether a value is [name, node, tensor] or [name, node, tensor, kwargs].
bool is_reference(const Value& value);

/// TFOpLambda and SlicingOpLambda of Keras 2, an operation of TensorFlow in a graph: the entry of
/// the equal op of Keras 3. `args` and `kwargs` are those of its call, with tensors as
/// __keras_tensor__. Throws UnsupportedError that names the function.
Value::Dict upgrade_tf_op(const std::string& layer, const std::string& function,
                          const Value::List& args, const Value::Dict& kwargs);

}  // namespace cornu::saving
