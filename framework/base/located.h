// What the sources of Layer share: errors that say which layer they come from, and stand-ins for
// inputs.
#pragma once
#include "layer.h"

namespace cornu {

/// Puts the layer's path in front of an error that has no place yet.
void set_place(Error& error, const Layer& layer);

/// Warns that an exception which is not Cornu's, and is being handled, came out of this layer;
/// once, not again for the layers around it.
void warn_place(const Layer& layer);

/// f(), whose errors get the layer's path in front unless a layer further inside has put its own
/// there. Whatever is thrown stays the object that it is; of what is not Cornu's a warning
/// names the layer.
template <class F>
auto located(const Layer& layer, F&& f) {
  try {
    return f();
  } catch (Error& error) {
    set_place(error, layer);
    throw;
  } catch (...) {
    warn_place(layer);
    throw;
  }
}

/// What a layer is told by the arguments of a graph's node.
Call call_of(const Arguments& arguments);
/// The inputs among them; several positional ones, (query, value, key) of attention, are a list.
Nest inputs_of(const Arguments& arguments);

/// Tensors without values in the place of `inputs`. Throws ValueError where one is missing, unless
/// some may be: those stay empty.
Nest specs_of(const Nest& inputs, bool may_be_missing);

}  // namespace cornu
