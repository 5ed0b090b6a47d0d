// Layers against what Keras computes: the cases of tests/data/rnn_attention.json.
#pragma once
#include <string>

namespace cornu::test {

/// Runs, each as a section, the recorded cases of layers whose names begin with `prefix`: outputs,
/// and gradients by weights and inputs, must be those of Keras. Written by
/// tools/goldens/rnn_attention_goldens.py.
void check_recorded(const std::string& prefix);

/// The same for the recorded Einstein sums.
void check_recorded_einsum();

}  // namespace cornu::test
