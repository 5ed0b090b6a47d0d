// Checks and types of datasets and attributes.
#include "h5_values.h"

#include <hdf5.h>

#include <algorithm>
#include <cstring>

#include "h5_heap.h"

namespace cornu::io::h5 {
namespace {

constexpr uint64_t string_limit = uint64_t{256} << 20;  ///< bytes of one list of strings
constexpr uint64_t most_strings = 4'000'000;            ///< in one list
constexpr size_t largest_element = 16;                  ///< bytes of a number, as a long double has

Elements plain(DType dtype) { return {dtype, memory_type(dtype)}; }

bool is_half(hid_t type) {
  size_t sign, exponent, exponent_size, mantissa, mantissa_size;
  return H5Tget_fields(type, &sign, &exponent, &exponent_size, &mantissa, &mantissa_size) >= 0 &&
         H5Tget_precision(type) == 16 && exponent_size == 5 && mantissa_size == 10;
}

/// The name of a member of an enum or a compound, or "".
std::string member_name(hid_t type, unsigned index) {
  char* text = H5Tget_member_name(type, index);
  const std::string name = text != nullptr ? text : "";
  H5free_memory(text);
  return name;
}

/// h5py's enum for truth values: one byte, FALSE = 0 and TRUE = 1.
bool is_bool(hid_t type) {
  if (H5Tget_size(type) != 1 || H5Tget_nmembers(type) != 2) return false;
  bool found[2] = {};
  for (unsigned i = 0; i < 2; ++i) {
    uint8_t value = 0;
    if (H5Tget_member_value(type, i, &value) < 0 || value > 1) return false;
    found[value] = member_name(type, i) == (value == 0 ? "FALSE" : "TRUE");
  }
  return found[0] && found[1];
}

/// h5py's complex numbers: a compound of r and i, both floats of 4 or both of 8 bytes.
bool is_complex_number(hid_t type) {
  if (H5Tget_nmembers(type) != 2 || member_name(type, 0) != "r" || member_name(type, 1) != "i")
    return false;
  size_t sizes[2] = {};
  for (unsigned i = 0; i < 2; ++i) {
    const Handle member(H5Tget_member_type(type, i), H5Tclose);
    if (member < 0 || H5Tget_class(member) != H5T_FLOAT) return false;
    sizes[i] = H5Tget_size(member);
  }
  return sizes[0] == sizes[1] && (sizes[0] == 4 || sizes[0] == 8) &&
         H5Tget_size(type) == 2 * sizes[0];
}

const char* class_name(H5T_class_t type) {
  switch (type) {
    case H5T_INTEGER:
    case H5T_FLOAT:
      return "numbers";
    case H5T_STRING:
      return "strings";
    case H5T_BITFIELD:
      return "bit fields";
    case H5T_OPAQUE:
      return "raw bytes without a known dtype";
    case H5T_COMPOUND:
      return "compound values other than complex numbers";
    case H5T_REFERENCE:
      return "references";
    case H5T_ENUM:
      return "an enum other than bool";
    case H5T_VLEN:
      return "lists of variable length";
    case H5T_ARRAY:
      return "arrays as elements";
    case H5T_TIME:
      return "times";
    default:
      return "elements of an unknown type";
  }
}

/// HDF5 takes the memory of whole chunks and of what they inflate to: both must fit the dataset.
void expect_sane_chunks(const std::string& file, hid_t dataset, hid_t properties,
                        const std::string& what) {
  hsize_t chunk[H5S_MAX_RANK], sizes[H5S_MAX_RANK];
  const Handle space = take(H5Dget_space(dataset), H5Sclose, file, "cannot read " + what);
  const int rank = H5Pget_chunk(properties, H5S_MAX_RANK, chunk);
  if (rank < 1 || rank != H5Sget_simple_extent_ndims(space))
    fail(file, what + " has invalid chunks");
  H5Sget_simple_extent_dims(space, sizes, nullptr);
  const Handle type = take(H5Dget_type(dataset), H5Tclose, file, "cannot read " + what);
  // In floating point: products of declared sizes overflow, and these need not be exact.
  double chunk_bytes = static_cast<double>(H5Tget_size(type)), grid_bytes = chunk_bytes;
  for (int i = 0; i < rank; ++i) {
    if (chunk[i] == 0) fail(file, what + " has invalid chunks");
    const hsize_t along = sizes[i] / chunk[i] + (sizes[i] % chunk[i] != 0 ? 1 : 0);
    chunk_bytes *= static_cast<double>(chunk[i]);
    grid_bytes *= static_cast<double>(chunk[i]) * static_cast<double>(along);
  }
  constexpr double small = 1 << 20;
  // Chunks may stick out of the dataset, as files that were made to grow have them.
  double data_bytes = static_cast<double>(H5Tget_size(type));
  for (int i = 0; i < rank; ++i) data_bytes *= static_cast<double>(sizes[i]);
  if (chunk_bytes > std::max(4 * data_bytes, 16 * small))
    fail(file, what + " is refused: one of its chunks is far larger than the whole dataset");
  if (static_cast<double>(H5Dget_storage_size(dataset)) > 1.25 * grid_bytes + small)
    fail(file, what + " is refused: it stores more bytes than its shape has");
}

}  // namespace

void expect_own_storage(const std::string& file, Id dataset, const std::string& what) {
  const Handle properties =
      take(H5Dget_create_plist(dataset), H5Pclose, file, "cannot read the properties of " + what);
  const H5D_layout_t layout = H5Pget_layout(properties);
  if (layout == H5D_VIRTUAL)
    fail(file, what + " is refused: it is virtual, made of parts of other files");
  if (layout != H5D_COMPACT && layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED)
    fail(file, what + " has an unknown layout");
  if (H5Pget_external_count(properties) != 0)
    fail(file, what + " is refused: it keeps its bytes in another file (external storage)");
  const int filters = H5Pget_nfilters(properties);
  for (int i = 0; i < filters; ++i) {
    unsigned flags = 0, config = 0;
    size_t values = 0;
    const H5Z_filter_t filter = H5Pget_filter2(properties, static_cast<unsigned>(i), &flags,
                                               &values, nullptr, 0, nullptr, &config);
    if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE &&
        filter != H5Z_FILTER_FLETCHER32)
      fail(file, what + " uses filter " + std::to_string(filter) +
                     "; only gzip, shuffle and fletcher32 are understood");
  }
  if (layout == H5D_CHUNKED) expect_sane_chunks(file, dataset, properties, what);
}

Elements elements_of(const std::string& file, Id type, Id object, const std::string& what) {
  const size_t size = H5Tget_size(type);
  const H5T_class_t kind = H5Tget_class(type);
  if (kind == H5T_INTEGER && size >= 1 && size <= 8) {
    constexpr DType unsigneds[] = {DType::uint8, DType::uint16, DType::uint32, DType::uint64};
    constexpr DType signeds[] = {DType::int8, DType::int16, DType::int32, DType::int64};
    const int log2 = size <= 1 ? 0 : size <= 2 ? 1 : size <= 4 ? 2 : 3;
    return plain((H5Tget_sign(type) == H5T_SGN_NONE ? unsigneds : signeds)[log2]);
  }
  // HDF5 takes memory by an element's size, which a damaged file can put at gigabytes.
  if ((kind == H5T_INTEGER || kind == H5T_FLOAT) && size > largest_element)
    fail(file, what + " declares elements of " + std::to_string(size) + " bytes");
  if (kind == H5T_FLOAT && is_half(type)) return plain(DType::float16);
  if (kind == H5T_FLOAT) return plain(size <= 4 ? DType::float32 : DType::float64);
  if (kind == H5T_COMPOUND && size <= largest_element && is_complex_number(type))
    return plain(size == 8 ? DType::complex64 : DType::complex128);
  // HDF5 converts enums and raw bytes only to their own type.
  if (kind == H5T_ENUM && is_bool(type)) return {DType::boolean, Handle(H5Tcopy(type), H5Tclose)};
  if (kind == H5T_OPAQUE && size == 2 && H5Aexists(object, "dtype") > 0 &&
      strings_of(file, object, "dtype", what) == std::vector<std::string>{"bfloat16"})
    return {DType::bfloat16, Handle(H5Tcopy(type), H5Tclose)};
  fail(file, what + " holds " + class_name(kind) + "; expected numbers or truth values");
}

Shape shape_of(const std::string& file, Id space, const std::string& what) {
  const H5S_class_t kind = H5Sget_simple_extent_type(space);
  if (kind != H5S_SCALAR && kind != H5S_SIMPLE) fail(file, what + " holds no values");
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank < 0 || rank > Shape::max_rank)
    fail(file, what + " has " + std::to_string(rank) + " axes; at most " +
                   std::to_string(Shape::max_rank) + " are supported");
  hsize_t sizes[Shape::max_rank];
  H5Sget_simple_extent_dims(space, sizes, nullptr);
  Shape shape;
  uint64_t bytes = 16;  // Of the largest element: what fits then fits for every type.
  for (int i = 0; i < rank; ++i) {
    const uint64_t size = std::max<uint64_t>(sizes[i], 1);
    if (size > static_cast<uint64_t>(INT64_MAX) / bytes)
      fail(file, what + " declares a shape that no memory can hold");
    bytes *= size;
    shape.push_back(static_cast<int64_t>(sizes[i]));
  }
  return shape;
}

std::vector<std::string> load_strings(const std::string& file, Id object, Id type, Id space,
                                      const std::string& what,
                                      const std::function<int(Id, void*)>& load) {
  const hssize_t points = H5Sget_simple_extent_npoints(space);
  if (points < 0 || H5Sget_simple_extent_type(space) == H5S_NULL)
    fail(file, what + " holds no values");
  // An empty list of names is written by numpy as an empty list of float64.
  if (points == 0) return {};
  if (H5Tget_class(type) != H5T_STRING)
    fail(file, what + " holds " + class_name(H5Tget_class(type)) + "; expected strings");
  const uint64_t count = static_cast<uint64_t>(points);
  const size_t width = H5Tget_size(type);
  if (width == 0 || count > string_limit / width || count > most_strings)
    fail(file,
         what + " declares more than " + std::to_string(string_limit >> 20) + " MiB of strings");
  const bool varies = H5Tis_variable_str(type) > 0;
  const Handle memory(H5Tcopy(varies ? HeapReader::memory_type() : type), H5Tclose);
  std::vector<std::byte> block(count * (varies ? sizeof(HeapPlace) : width));
  if (load(memory, block.data()) < 0) fail(file, "cannot read " + what);
  return strings_in(file, object, type, what, block);
}

std::vector<std::string> strings_in(const std::string& file, Id object, Id type,
                                    const std::string& what, std::span<const std::byte> block) {
  std::vector<std::string> strings;
  if (H5Tis_variable_str(type) > 0) {
    HeapReader heap(file, object, what);
    uint64_t left = string_limit;
    for (size_t i = 0; i + sizeof(HeapPlace) <= block.size(); i += sizeof(HeapPlace)) {
      HeapPlace place;
      std::memcpy(&place, block.data() + i, sizeof place);
      strings.push_back(heap.text(place, left));
      left -= strings.back().size();
    }
    return strings;
  }
  const size_t width = H5Tget_size(type);
  const bool padded = H5Tget_strpad(type) == H5T_STR_SPACEPAD;
  strings.reserve(block.size() / width);
  for (size_t i = 0; i + width <= block.size(); i += width) {
    std::string text(reinterpret_cast<const char*>(block.data()) + i, width);
    text.resize(std::min(text.find('\0'), text.size()));
    if (padded) text.resize(text.find_last_not_of(' ') + 1);
    strings.push_back(std::move(text));
  }
  return strings;
}

void expect_stored(const std::string& file, uint64_t size, uint64_t stored,
                   const std::string& what) {
  constexpr uint64_t free_size = uint64_t{64} << 20;
  if (size > free_size && size / 1000 > stored)
    fail(file, what + " is refused: it declares " + std::to_string(size) + " bytes and stores " +
                   std::to_string(stored));
}

Handle open_attribute(const std::string& file, Id object, const std::string& key,
                      const std::string& what) {
  if (H5Aexists(object, key.c_str()) <= 0) fail(file, what + " has no attribute '" + key + "'");
  return take(H5Aopen(object, key.c_str(), H5P_DEFAULT), H5Aclose, file,
              "cannot open attribute '" + key + "' of " + what);
}

std::vector<std::string> strings_of(const std::string& file, Id object, const std::string& key,
                                    const std::string& what) {
  const Handle attribute = open_attribute(file, object, key, what);
  const Handle type(H5Aget_type(attribute), H5Tclose);
  const Handle space(H5Aget_space(attribute), H5Sclose);
  return load_strings(file, attribute, type, space, "attribute '" + key + "' of " + what,
                      [&](Id memory, void* out) { return H5Aread(attribute, memory, out); });
}

}  // namespace cornu::io::h5
