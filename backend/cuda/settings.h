// Settings of all CUDA devices; the switch for TF32 is declared in context.h.
#pragma once
#include <cstdint>
#include <optional>

namespace cornu::backend::cuda {

/// Changes whenever a setting does that kernels are made by.
uint64_t settings_version();

/// Whether each block of memory is the driver's own, of its exact size, so that compute-sanitizer
/// sees accesses beyond it: what CORNU_CUDA_EXACT_BLOCKS says (1 or 0), else false.
bool exact_blocks();

/// Whether steps of a captured graph that do not need each other may run side by side: what
/// CORNU_CUDA_BRANCHES says (1 or 0), else true.
bool branches();

/// Whether kernels of a captured graph may be put in place before the one that they follow has
/// ended: what CORNU_CUDA_EARLY_KERNELS says (1 or 0), else true.
bool early_kernels();

/// Whether devices copy from each other without the host, where they can: what CORNU_CUDA_PEERS
/// says (1 or 0), else true.
bool peer_copies();

/// Whether attention with fewer heads of keys and values than of queries goes to libraries as it
/// is: what CORNU_CUDA_GROUPED_HEADS says (1 or 0), else true.
bool grouped_heads();

/// What CORNU_CUDA_SLOW_DOUBLES says (1 or 0) of all devices, whatever they say themselves: whether
/// sums of float32 are kept in two floats instead of a double. Empty: nothing.
std::optional<bool> slow_doubles();

}  // namespace cornu::backend::cuda
