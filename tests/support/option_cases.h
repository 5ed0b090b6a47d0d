// Layers with options of all kinds against what Keras computes: the cases of
// tests/data/option_*.json, which tools/goldens/option_*_goldens.py write.
#pragma once
#include <string>

#include <cornu/framework/tensor/tensor.h>

namespace cornu::test {

/// The numbers of option_recorder.py, whose inputs, weights and cotangents they are: in
/// [-1.98, 1.98], or whole ones in [0, below).
Tensor option_numbers(const Shape& shape, int64_t salt, DType dtype = DType::float32,
                      int64_t below = 2);

/// Checks each case of tests/data/`file` whose name begins with `prefix`, in a section of its own:
/// outputs, their masks, losses, state and gradients against Keras's; that the layer made again
/// from its config computes the same; that shapes are inferred, for an unknown batch too; that a
/// graph gives the same, read from its JSON as well; and that a compiled function does. There must
/// be at least `count` such cases.
void check_options(const std::string& file, const std::string& prefix, int count);

}  // namespace cornu::test
