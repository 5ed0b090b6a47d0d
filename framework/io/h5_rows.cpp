// Rows of a dataset over the HDF5 C API.
#include "h5_rows.h"

#include <hdf5.h>

#include <algorithm>
#include <compare>
#include <numeric>

#include "../../backend/error.h"
#include "h5_rows_impl.h"

namespace cornu::io {
namespace {

using h5::Handle;
using h5::Scope;

// Rows of datasets that are not in chunks are read so many bytes at a time where they are kept.
constexpr size_t piece_bytes = size_t{1} << 20;
// Of rows of so many bytes, a call to read each one costs little beside its copy.
constexpr size_t large_row = size_t{1} << 14;

std::vector<int64_t> chunk_shape(hid_t properties, const Shape& shape, size_t item) {
  if (H5Pget_layout(properties) == H5D_CHUNKED) {
    hsize_t sizes[H5S_MAX_RANK];
    const int rank = H5Pget_chunk(properties, H5S_MAX_RANK, sizes);
    return {sizes, sizes + rank};
  }
  std::vector<int64_t> chunk;
  int64_t row = static_cast<int64_t>(item);
  for (int i = 0; i < shape.rank(); ++i) {
    chunk.push_back(std::max<int64_t>(shape[i], 1));
    if (i > 0) row *= chunk.back();
  }
  chunk[0] = std::clamp<int64_t>(static_cast<int64_t>(piece_bytes) / row, 1, chunk[0]);
  return chunk;
}

}  // namespace

H5Rows::Impl::Impl(std::shared_ptr<const void> owner, const InputFile* file_on_disk,
                   const std::string& file, const std::string& path, Handle opened, Shape found,
                   uint64_t cache_bytes)
    : owner(std::move(owner)),
      name(file),
      what(path),
      dataset(std::move(opened)),
      shape(found),
      input(file_on_disk),
      cache(cache_bytes) {
  const Handle properties = h5::take(H5Dget_create_plist(dataset), H5Pclose, name,
                                     "cannot read the properties of " + what);
  type = h5::take(H5Dget_type(dataset), H5Tclose, name, "cannot read " + what);
  if (H5Tget_class(type) == H5T_STRING) {
    dtype = DType::string;
    varies = H5Tis_variable_str(type) > 0;
    memory = Handle(varies ? H5Tcopy(h5::HeapReader::memory_type()) : H5Tcopy(type), H5Tclose);
    item = varies ? sizeof(h5::HeapPlace) : H5Tget_size(type);
    stored_item = item;
    native = true;
  } else {
    h5::Elements elements = h5::elements_of(name, type, dataset, what);
    dtype = elements.dtype;
    memory = std::move(elements.memory);
    item = size_of(dtype);
    stored_item = H5Tget_size(type);
    native = H5Tequal(type, memory) > 0;
  }
  const auto count = static_cast<uint64_t>(shape.numel());
  // Axes of size 0 too must leave numbers that can be counted with.
  uint64_t most = static_cast<uint64_t>(INT64_MAX) / std::max<uint64_t>(item, 1);
  for (int i = 0; i < shape.rank(); ++i)
    most /= static_cast<uint64_t>(std::max<int64_t>(shape[i], 1));
  if (item == 0 || most == 0) h5::fail(name, what + " declares elements that no memory can hold");
  h5::expect_stored(name, count * item, H5Dget_storage_size(dataset), what);
  chunked = H5Pget_layout(properties) == H5D_CHUNKED;
  filters = h5::filters_of(properties);
  H5D_fill_value_t fill_kind = H5D_FILL_VALUE_UNDEFINED;
  if (count > 0) fill.resize(item);
  if (count > 0 && !varies && H5Pfill_value_defined(properties, &fill_kind) >= 0 &&
      fill_kind == H5D_FILL_VALUE_USER_DEFINED &&
      H5Pget_fill_value(properties, memory, fill.data()) < 0)
    h5::fail(name, "cannot read the fill value of " + what);
  grid.emplace(shape, chunk_shape(properties, shape, item), item);
  if (input && native && !chunked && H5Pget_layout(properties) == H5D_CONTIGUOUS)
    if (const haddr_t at = H5Dget_offset(dataset); at != HADDR_UNDEF) offset = at;
  singly = offset && (grid->row_bytes() >= large_row || count * item > cache_bytes);
}

H5Rows::Impl::~Impl() {
  const Scope scope;
  type.reset();
  memory.reset();
  dataset.reset();
}

void H5Rows::Impl::fail(const std::string& why) const {
  const Scope scope;
  h5::fail(name, why);
}

void H5Rows::Impl::check(std::span<const int64_t> rows) const {
  for (const int64_t row : rows)
    if (row < 0 || row >= shape[0])
      throw ValueError("'" + name + "': " + what + " has " + std::to_string(shape[0]) +
                       " rows, there is no number " + std::to_string(row) + ".");
  if (input) input->expect_unchanged();
}

void H5Rows::Impl::read(std::span<const int64_t> rows, std::byte* out) const {
  check(rows);
  if (rows.empty() || grid->row_bytes() == 0) return;
  if (singly)
    read_singly(rows, out);
  else
    read_chunks(rows, out);
}

void H5Rows::Impl::read_singly(std::span<const int64_t> rows, std::byte* out) const {
  const size_t bytes = grid->row_bytes();
  for (size_t i = 0, end = 0; i < rows.size(); i = end) {
    // Rows that follow each other.
    for (end = i + 1; end < rows.size() && rows[end] == rows[end - 1] + 1;) ++end;
    input->read(*offset + static_cast<uint64_t>(rows[i]) * bytes,
                {out + i * bytes, (end - i) * bytes});
  }
  input->expect_unchanged();
  if (dtype == DType::boolean) make_truths(out, rows.size() * bytes);
}

void H5Rows::Impl::read_chunks(std::span<const int64_t> rows, std::byte* out) const {
  // Band by band, so that each chunk is asked for once.
  struct Wanted {
    int64_t band;
    size_t i;
    bool operator<(const Wanted& other) const {
      return band != other.band ? band < other.band : i < other.i;
    }
  };
  std::vector<Wanted> order;
  order.reserve(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) order.push_back({rows[i] / grid->band_rows(), i});
  if (!std::is_sorted(order.begin(), order.end())) std::sort(order.begin(), order.end());
  const auto across = static_cast<uint64_t>(grid->chunks_in_band());
  for (size_t first = 0, last = 0; first < order.size(); first = last) {
    const int64_t band = order[first].band;
    while (last < order.size() && order[last].band == band) ++last;
    for (uint64_t k = 0; k < across; ++k) {
      const uint64_t number = static_cast<uint64_t>(band) * across + k;
      const std::vector<uint64_t> origin = grid->origin(number);
      const BlockCache::Block block = cache.get(number, [&] { return load(origin); });
      for (size_t begin = first, end = first; begin < last; begin = end) {
        // Rows that follow each other, there and here.
        const size_t i = order[begin].i;
        while (end < last && order[end].i - i == end - begin &&
               rows[order[end].i] - rows[i] == static_cast<int64_t>(end - begin))
          ++end;
        grid->copy(block->data(), origin, rows[i] - band * grid->band_rows(), end - begin,
                   out + i * grid->row_bytes());
      }
    }
  }
}

std::vector<std::byte> H5Rows::Impl::load(const std::vector<uint64_t>& origin) const {
  std::vector<std::byte> block = chunked  ? load_chunk(origin)
                                 : offset ? load_in_place(origin)
                                          : load_rows(origin);
  // What was read is only sound if the file was whole until now.
  if (input) input->expect_unchanged();
  if (dtype == DType::boolean) make_truths(block.data(), block.size());
  return block;
}

std::vector<std::byte> H5Rows::Impl::load_chunk(const std::vector<uint64_t>& origin) const {
  const std::string where = what + ", rows from " + std::to_string(origin[0]) + " on";
  const std::vector<hsize_t> at(origin.begin(), origin.end());
  const uint64_t size = grid->chunk_elements() * stored_item;
  uint32_t mask = 0;
  std::vector<std::byte> stored;
  {
    const Scope scope;
    hsize_t stored_size = 0;
    if (H5Dget_chunk_storage_size(dataset, at.data(), &stored_size) < 0 || stored_size == 0) {
      // Never written, or damaged. Only then the call that tells, as it walks through the chunks
      // before this one.
      unsigned stored_mask = 0;
      haddr_t address = HADDR_UNDEF;
      if (H5Dget_chunk_info_by_coord(dataset, at.data(), &stored_mask, &address, &stored_size) < 0)
        h5::fail(name, "cannot read " + where + "; the file may be damaged");
      if (address == HADDR_UNDEF) return filled();
    }
    if (stored_size > 2 * size + (1 << 16)) h5::fail(name, where + ": a chunk has too many bytes");
    stored.resize(stored_size);
    if (H5Dread_chunk(dataset, H5P_DEFAULT, at.data(), &mask, stored.data()) < 0)
      h5::fail(name, "cannot read " + where + "; the file may be damaged");
  }
  std::optional<std::vector<std::byte>> chunk =
      h5::unpack_chunk(std::move(stored), filters, mask, size);
  if (!chunk) {
    if (input) input->expect_unchanged();
    fail("cannot read " + where + ": a chunk is damaged");
  }
  return native ? std::move(*chunk) : converted(std::move(*chunk));
}

std::vector<std::byte> H5Rows::Impl::filled() const {
  std::vector<std::byte> block(grid->chunk_elements() * item);
  if (std::any_of(fill.begin(), fill.end(), [](std::byte b) { return b != std::byte{0}; }))
    for (size_t i = 0; i < block.size(); i += item)
      std::copy(fill.begin(), fill.end(), block.begin() + static_cast<ptrdiff_t>(i));
  return block;
}

std::vector<std::byte> H5Rows::Impl::converted(std::vector<std::byte> chunk) const {
  const Scope scope;
  const uint64_t count = grid->chunk_elements();
  chunk.resize(count * std::max(item, stored_item));
  // Only elements with parts are put together in other memory.
  std::vector<std::byte> background(is_complex(dtype) ? chunk.size() : 0);
  if (H5Tconvert(type, memory, count, chunk.data(),
                 background.empty() ? nullptr : background.data(), H5P_DEFAULT) < 0)
    h5::fail(name, "cannot convert " + what);
  chunk.resize(count * item);
  return chunk;
}

std::vector<std::byte> H5Rows::Impl::load_in_place(const std::vector<uint64_t>& origin) const {
  std::vector<std::byte> block(grid->extent(origin)[0] * grid->row_bytes());
  input->read(*offset + origin[0] * grid->row_bytes(), block);
  return block;
}

std::vector<std::byte> H5Rows::Impl::load_rows(const std::vector<uint64_t>& origin) const {
  const Scope scope;
  const std::vector<uint64_t> extent = grid->extent(origin);
  const std::vector<hsize_t> start(origin.begin(), origin.end()),
      count(extent.begin(), extent.end());
  const Handle space = h5::take(H5Dget_space(dataset), H5Sclose, name, "cannot read " + what);
  const Handle rows(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr),
                    H5Sclose);
  std::vector<std::byte> block(
      std::accumulate(extent.begin(), extent.end(), item, std::multiplies<>()));
  if (H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr) <
          0 ||
      H5Dread(dataset, memory, rows, space, H5P_DEFAULT, block.data()) < 0)
    h5::fail(name, "cannot read " + what + "; the file may be damaged");
  return block;
}

void H5Rows::Impl::make_truths(std::byte* bytes, size_t count) {
  // The file may hold any byte.
  for (size_t i = 0; i < count; ++i) bytes[i] = std::byte(bytes[i] != std::byte{0});
}

H5Rows::H5Rows(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
H5Rows::~H5Rows() = default;
const Shape& H5Rows::shape() const { return impl_->shape; }
DType H5Rows::dtype() const { return impl_->dtype; }
uint64_t H5Rows::bytes() const {
  const uint64_t elements = static_cast<uint64_t>(impl_->shape.numel()) * impl_->item;
  return impl_->varies && impl_->input ? elements + impl_->input->size() : elements;
}
uint64_t H5Rows::cached() const { return impl_->cache.bytes(); }

void H5Rows::read(std::span<const int64_t> rows, void* out) const {
  if (impl_->dtype == DType::string)
    throw ValueError("'" + impl_->name + "': " + impl_->what + " holds strings.");
  impl_->read(rows, static_cast<std::byte*>(out));
}

std::vector<std::string> H5Rows::read_strings(std::span<const int64_t> rows) const {
  if (impl_->dtype != DType::string)
    throw ValueError("'" + impl_->name + "': " + impl_->what + " holds no strings.");
  std::vector<std::byte> block(rows.size() * impl_->grid->row_bytes());
  impl_->read(rows, block.data());
  std::vector<std::string> strings;
  {
    const Scope scope;
    strings = h5::strings_in(impl_->name, impl_->dataset, impl_->type, impl_->what, block);
  }
  if (impl_->input) impl_->input->expect_unchanged();
  return strings;
}

}  // namespace cornu::io
