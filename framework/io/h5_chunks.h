// Internal to H5Reader: whether the filtered chunks of a dataset hold as many bytes as they must.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "h5_handle.h"

namespace cornu::io::h5 {

/// The number of bytes that a zlib stream inflates to, up to `limit`. Nothing when it is damaged,
/// cut short, or longer.
std::optional<uint64_t> inflated_size(std::span<const std::byte> stream, uint64_t limit);

/// A filter of a dataset's chunks, as HDF5 numbers them.
struct Filter {
  int id = 0;
  size_t element = 1;  ///< bytes that shuffling takes apart
};

/// The filters of a dataset that has passed expect_own_storage, in the order of writing.
std::vector<Filter> filters_of(Id properties);

/// The `size` bytes of a stored chunk. Filters whose bits are set in `mask` were left out. Nothing
/// when it is damaged or has another size. Asks nothing of HDF5, so that threads unpack side by
/// side.
std::optional<std::vector<std::byte>> unpack_chunk(std::vector<std::byte> stored,
                                                   const std::vector<Filter>& filters,
                                                   uint32_t mask, uint64_t size);

/// Refuses a dataset of which a stored chunk has too few or too many bytes after its filters: HDF5
/// 1.10 takes for granted that a chunk is whole. `dataset` has passed expect_own_storage.
void expect_whole_chunks(const std::string& file, Id dataset, const std::string& what);

}  // namespace cornu::io::h5
