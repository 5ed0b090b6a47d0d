// Reading the state that a callback gave to a backup.
#pragma once
#include <string>
#include <vector>

#include "../framework/config/configurable.h"

namespace cornu::callbacks {

/// The entry of this name. Throws ValueError when it is missing or of another kind.
template <class T>
T state_entry(const Value::Dict& state, const char* name) {
  const Value* value = detail::find(state, name);
  if (!value) throw ValueError("the state of a backup has no '" + std::string(name) + "'.");
  return detail::OptionCodec<T>::decode(*value);
}

/// The tensors of this entry. Throws ValueError when it is missing or of another kind.
inline std::vector<Tensor> state_tensors(const Value::Dict& state, const char* name) {
  const Value* value = detail::find(state, name);
  if (!value || !value->is<Value::List>())
    throw ValueError("the state of a backup has no list '" + std::string(name) + "'.");
  std::vector<Tensor> tensors;
  value->collect(tensors);
  return tensors;
}

}  // namespace cornu::callbacks
