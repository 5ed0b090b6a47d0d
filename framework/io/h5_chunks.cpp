// Sizes of filtered chunks.
#include "h5_chunks.h"

#include <hdf5.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "../../backend/error.h"

namespace cornu::io::h5 {
namespace {

constexpr size_t checksum_size = 4;

/// The bytes that a stored chunk has after its filters, of which those in `mask` were left out.
std::optional<uint64_t> unfiltered_size(std::span<const std::byte> stored,
                                        const std::vector<Filter>& filters, uint32_t mask,
                                        uint64_t limit) {
  uint64_t size = stored.size();
  bool inflated = false, shuffled = false;
  for (size_t i = filters.size(); i-- > 0;) {
    if (i < 32 && (mask >> i & 1)) continue;
    if (filters[i].id == H5Z_FILTER_SHUFFLE) {
      shuffled = true;
    } else if (filters[i].id == H5Z_FILTER_FLETCHER32) {
      if (size < checksum_size) return {};
      size -= checksum_size;
      if (!inflated) stored = stored.first(size);
    } else {
      // Nobody compresses twice, or before the bytes are shuffled.
      if (inflated || shuffled) return {};
      inflated = true;
      const std::optional<uint64_t> whole =
          inflated_size(stored, limit + checksum_size * filters.size());
      if (!whole) return {};
      size = *whole;
    }
  }
  return size;
}

/// The bytes of a zlib stream that must be `size` of them.
std::optional<std::vector<std::byte>> inflated(std::span<const std::byte> stream, uint64_t size) {
  std::vector<std::byte> out(size);
  z_stream state{};
  if (inflateInit(&state) != Z_OK) throw MemoryError("zlib has no memory to begin with.");
  constexpr size_t most = size_t{1} << 30;
  size_t taken = 0, made = 0;
  // Room for a byte more, so that a stream that is too long is seen.
  Bytef beyond = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    const size_t input = std::min(stream.size() - taken, most);
    const size_t room = std::min(out.size() - made, most);
    state.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(stream.data() + taken));
    state.avail_in = static_cast<uInt>(input);
    state.next_out = room > 0 ? reinterpret_cast<Bytef*>(out.data() + made) : &beyond;
    state.avail_out = room > 0 ? static_cast<uInt>(room) : 1;
    status = inflate(&state, Z_NO_FLUSH);
    taken += input - state.avail_in;
    if (room > 0)
      made += room - state.avail_out;
    else if (state.avail_out == 0)
      status = Z_DATA_ERROR;
  }
  inflateEnd(&state);
  if (status != Z_STREAM_END || made != size) return {};
  return out;
}

/// Puts bytes beside each other that belong to one element.
std::vector<std::byte> unshuffled(const std::vector<std::byte>& bytes, size_t element) {
  const size_t count = element > 0 ? bytes.size() / element : 0;
  if (element < 2 || count < 2) return bytes;
  std::vector<std::byte> out(bytes.size());
  for (size_t k = 0; k < element; ++k) {
    const std::byte* const from = bytes.data() + k * count;
    std::byte* const to = out.data() + k;
    for (size_t i = 0; i < count; ++i) to[i * element] = from[i];
  }
  std::copy(bytes.begin() + static_cast<ptrdiff_t>(count * element), bytes.end(),
            out.begin() + static_cast<ptrdiff_t>(count * element));
  return out;
}

/// Fletcher's checksum as HDF5 counts it: of 16-bit numbers with the high byte first.
uint32_t fletcher32(std::span<const std::byte> bytes) {
  const auto folded = [](uint32_t sum) { return (sum & 0xffff) + (sum >> 16); };
  uint32_t first = 0, second = 0;
  for (size_t i = 0; i < bytes.size();) {
    // As many as the sums have room for.
    const size_t end = std::min(i + 720, bytes.size());
    for (; i < end; i += 2) {
      first += std::to_integer<uint32_t>(bytes[i]) << 8;
      if (i + 1 < end) first += std::to_integer<uint32_t>(bytes[i + 1]);
      second += first;
    }
    first = folded(first);
    second = folded(second);
  }
  return folded(second) << 16 | folded(first);
}

/// Whether the bytes in front of the checksum have it.
bool has_checksum(std::span<const std::byte> bytes) {
  const std::span<const std::byte> sum = bytes.last(checksum_size);
  uint32_t stored = 0;
  for (size_t i = checksum_size; i-- > 0;) stored = stored << 8 | std::to_integer<uint32_t>(sum[i]);
  const uint32_t counted = fletcher32(bytes.first(bytes.size() - checksum_size));
  // HDF5 before 1.6.3 stored it with the bytes of each half the other way round.
  const uint32_t turned = (stored & 0x00ff00ff) << 8 | (stored >> 8 & 0x00ff00ff);
  return stored == counted || turned == counted;
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

std::vector<Filter> filters_of(Id properties) {
  std::vector<Filter> filters;
  const int count = H5Pget_nfilters(properties);
  for (int i = 0; i < count; ++i) {
    unsigned flags = 0, config = 0, values[1] = {1};
    size_t room = 1;
    const H5Z_filter_t id = H5Pget_filter2(properties, static_cast<unsigned>(i), &flags, &room,
                                           values, 0, nullptr, &config);
    filters.push_back({id, id == H5Z_FILTER_SHUFFLE && room > 0 ? values[0] : 1});
  }
  return filters;
}

std::optional<std::vector<std::byte>> unpack_chunk(std::vector<std::byte> stored,
                                                   const std::vector<Filter>& filters,
                                                   uint32_t mask, uint64_t size) {
  // What follows the bytes of the chunk before they are compressed.
  uint64_t packed = size;
  for (size_t i = 0; i < filters.size(); ++i) {
    if (i < 32 && (mask >> i & 1)) continue;
    if (filters[i].id == H5Z_FILTER_DEFLATE) break;
    if (filters[i].id == H5Z_FILTER_FLETCHER32) packed += checksum_size;
  }
  bool unpacked = false;
  for (size_t i = filters.size(); i-- > 0;) {
    if (i < 32 && (mask >> i & 1)) continue;
    if (filters[i].id == H5Z_FILTER_SHUFFLE) {
      stored = unshuffled(stored, filters[i].element);
    } else if (filters[i].id == H5Z_FILTER_FLETCHER32) {
      if (stored.size() < checksum_size || !has_checksum(stored)) return {};
      stored.resize(stored.size() - checksum_size);
    } else {
      if (std::exchange(unpacked, true)) return {};  // nobody compresses twice
      std::optional<std::vector<std::byte>> whole = inflated(stored, packed);
      if (!whole) return {};
      stored = std::move(*whole);
    }
  }
  if (stored.size() != size) return {};
  return stored;
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
  const std::vector<Filter> filters = filters_of(properties);
  std::vector<std::byte> stored;
  for (bool more = true; more;) {
    hsize_t size = 0;
    if (H5Dget_chunk_storage_size(dataset, at, &size) >= 0 && size > 0) {
      uint32_t mask = 0;
      if (size > 2 * bytes + (1 << 16)) fail(file, what + " has a chunk of too many bytes");
      stored.resize(size);
      if (H5Dread_chunk(dataset, H5P_DEFAULT, at, &mask, stored.data()) < 0)
        fail(file, "cannot read " + what + "; the file may be damaged");
      if (unfiltered_size(stored, filters, mask, bytes) != bytes)
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
