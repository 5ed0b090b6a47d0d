// The number of a process among those that a launcher started on the same machine.
#pragma once
#include <cstddef>
#include <optional>

namespace cornu::backend {

/// What torchrun (LOCAL_RANK), Open MPI, MVAPICH, Intel MPI and MPICH, or Slurm say of this
/// process; none without a launcher. Throws ValueError where such a variable holds no number.
std::optional<size_t> local_rank();

}  // namespace cornu::backend
