// Kernels whose code for the CPU is large: a program that is linked statically contains it only
// when it contains an op that makes them.
#pragma once

namespace cornu::backend {

/// Makes the CPU's code for Rnn kernels part of the program, once and for all. Whoever makes such a
/// kernel calls this first: running one is a StateError otherwise.
void use_rnn_kernel();

/// The same for Attention kernels.
void use_attention_kernel();

}  // namespace cornu::backend
