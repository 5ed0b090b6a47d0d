// Reading the files in tests/data that hold layers' values from Keras.
#pragma once
#include <cornu/framework/tensor/nest.h>

#include <string>
#include <vector>

#include <cornu/framework/dispatch/value.h>

namespace cornu::test {

/// The file tests/data/`name`. Throws FileError when there is none.
Value golden_file(const std::string& name);
/// The value of `key`, or null.
const Value* find_entry(const Value& dict, const std::string& key);
/// The same; throws ValueError when there is none.
const Value& entry(const Value& dict, const std::string& key);
/// {"values", "shape", "dtype"}, of which the last may be missing: float32.
Tensor golden_tensor(const Value& value);
/// A list of them, in which null is no tensor.
std::vector<Tensor> golden_tensors(const Value& list);

}  // namespace cornu::test
