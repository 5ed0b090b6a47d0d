// Tensors that a few words describe, as tools/goldens/patterns.py makes them for Keras.
#pragma once
#include <string>
#include <vector>

#include <cornu/framework/dispatch/value.h>
#include <cornu/framework/tensor/tensor.h>

namespace cornu::test {

/// The tensor of "KIND SHAPE [~PHASE] [@DTYPE]", such as "labels3 4x2 ~1 @int32"; the script lists
/// the kinds. Throws ValueError for another kind.
Tensor pattern(const std::string& words);
/// The pattern under `key`, or an empty tensor where there is none.
Tensor pattern_at(const Value& dict, const std::string& key);

/// Numbers of a golden, in which "nan" and "inf" are strings.
std::vector<double> golden_numbers(const Value& list);
/// Whether the elements of `t` are `wanted` up to `tolerance` in themselves or in proportion. The
/// first one that is not goes into the report of a failed check.
bool matches(const Tensor& t, const std::vector<double>& wanted, double tolerance);
/// The same, and of the shape and dtype that the golden {"values", "shape", "dtype"} says.
bool matches_golden(const Tensor& t, const Value& golden, double tolerance);

}  // namespace cornu::test
