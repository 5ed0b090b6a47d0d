// Internal to H5Reader: whether the filtered chunks of a dataset hold as many bytes as they must.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "h5_handle.h"

namespace cornu::io::h5 {

/// The number of bytes that a zlib stream inflates to, up to `limit`. Nothing when it is damaged,
/// cut short, or longer.
std::optional<uint64_t> inflated_size(std::span<const std::byte> stream, uint64_t limit);

/// Refuses a dataset of which a stored chunk has too few or too many bytes after its filters: HDF5
/// 1.10 takes for granted that a chunk is whole. `dataset` has passed expect_own_storage.
void expect_whole_chunks(const std::string& file, Id dataset, const std::string& what);

}  // namespace cornu::io::h5
