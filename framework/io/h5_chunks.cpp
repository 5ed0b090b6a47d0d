// Sizes of filtered chunks.
#include "h5_chunks.h"

#include <hdf5.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <vector>

#include "../../backend/error.h"

namespace cornu::io::h5 {
namespace {

/// The bytes that a stored chunk has after its filters, of which those in `mask` were left out.
std::optional<uint64_t> unfiltered_size(std::span<const std::byte> stored, hid_t properties,
                                        uint32_t mask, uint64_t limit) {
  uint64_t size = stored.size();
  bool inflated = false, shuffled = false;
  for (int i = H5Pget_nfilters(properties) - 1; i >= 0; --i) {
    if (i < 32 && (mask >> i & 1)) continue;
    unsigned flags = 0, config = 0;
    size_t values = 0;
    const H5Z_filter_t filter = H5Pget_filter2(properties, static_cast<unsigned>(i), &flags,
                                               &values, nullptr, 0, nullptr, &config);
    if (filter == H5Z_FILTER_SHUFFLE) {
      shuffled = true;
    } else if (filter == H5Z_FILTER_FLETCHER32) {
      if (size < 4) return {};
      size -= 4;
      if (!inflated) stored = stored.first(size);
    } else {
      // Nobody compresses twice, or before the bytes are shuffled.
      if (inflated || shuffled) return {};
      inflated = true;
      const std::optional<uint64_t> whole = inflated_size(stored, limit);
      if (!whole) return {};
      size = *whole;
    }
  }
  return size;
}

}  // namespace

std::optional<uint64_t> inflated_size(std::span<const std::byte> stream, uint64_t limit) {
  z_stream state{};
  if (inflateInit(&state) != Z_OK) throw MemoryError("zlib has no memory to begin with.");
  std::array<Bytef, 1 << 14> sink;
  uint64_t size = 0;
  int status = Z_OK;
  while (status == Z_OK && size <= limit) {
    if (state.avail_in == 0) {
      constexpr size_t most = size_t{1} << 30;
      state.avail_in = static_cast<uInt>(std::min(stream.size(), most));
      state.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(stream.data()));
      stream = stream.subspan(state.avail_in);
    }
    state.next_out = sink.data();
    state.avail_out = static_cast<uInt>(sink.size());
    status = inflate(&state, Z_NO_FLUSH);
    size += sink.size() - state.avail_out;
  }
  inflateEnd(&state);
  if (status != Z_STREAM_END || size > limit) return {};
  return size;
}

void expect_whole_chunks(const std::string& file, Id dataset, const std::string& what) {
  const Handle properties =
      take(H5Dget_create_plist(dataset), H5Pclose, file, "cannot read the properties of " + what);
  if (H5Pget_layout(properties) != H5D_CHUNKED || H5Pget_nfilters(properties) == 0) return;
  const Handle space = take(H5Dget_space(dataset), H5Sclose, file, "cannot read " + what);
  const Handle type = take(H5Dget_type(dataset), H5Tclose, file, "cannot read " + what);
  hsize_t chunk[H5S_MAX_RANK], sizes[H5S_MAX_RANK], at[H5S_MAX_RANK] = {};
  const int rank = H5Pget_chunk(properties, H5S_MAX_RANK, chunk);
  H5Sget_simple_extent_dims(space, sizes, nullptr);
  uint64_t bytes = 1;
  for (int i = 0; i < rank; ++i) {
    if (sizes[i] == 0) return;
    bytes *= chunk[i];
  }
  // Elements have another size in memory when their length varies.
  bytes *= H5Tis_variable_str(type) > 0 ? 16 : H5Tget_size(type);
  std::vector<std::byte> stored;
  for (bool more = true; more;) {
    hsize_t size = 0;
    if (H5Dget_chunk_storage_size(dataset, at, &size) >= 0 && size > 0) {
      uint32_t mask = 0;
      if (size > 2 * bytes + (1 << 16)) fail(file, what + " has a chunk of too many bytes");
      stored.resize(size);
      if (H5Dread_chunk(dataset, H5P_DEFAULT, at, &mask, stored.data()) < 0)
        fail(file, "cannot read " + what + "; the file may be damaged");
      if (unfiltered_size(stored, properties, mask, bytes) != bytes)
        fail(file, "cannot read " + what + ": one of its chunks is damaged");
    }
    more = false;
    for (int i = rank - 1; i >= 0 && !more; --i) {
      at[i] += chunk[i];
      more = at[i] < sizes[i];
      if (!more) at[i] = 0;
    }
  }
}

}  // namespace cornu::io::h5
