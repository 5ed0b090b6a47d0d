// The variables of launchers.
#include "local_rank.h"

#include <fmt/core.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "error.h"

namespace cornu::backend {

std::optional<size_t> local_rank() {
  for (const char* name : {"LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_RANK",
                           "MPI_LOCALRANKID", "SLURM_LOCALID"}) {
    const char* const value = std::getenv(name);
    if (!value || !*value) continue;
    const std::string_view text = value;
    size_t rank = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), rank);
    if (fault != std::errc() || end != text.data() + text.size() || rank > 1023)
      throw ValueError(fmt::format(
          "The environment variable {}: expected the number of this process on its machine, from 0 "
          "to 1023, found '{}'. Unset it, or name a device in CORNU_DEVICE.",
          name, text));
    return rank;
  }
  return std::nullopt;
}

}  // namespace cornu::backend
