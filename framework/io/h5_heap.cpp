// The global heap: collections of numbered objects. Format: section III.E of
// https://docs.hdfgroup.org/hdf5/v1_14/_f_m_t11.html
#include "h5_heap.h"

#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace cornu::io::h5 {
namespace {

constexpr const char* tag = "cornu: place in the heap";

uint64_t number(const std::byte* bytes, int size) {
  uint64_t value = 0;
  for (int i = size - 1; i >= 0; --i) value = value << 8 | std::to_integer<uint64_t>(bytes[i]);
  return value;
}

/// HDF5's conversion from elements of variable length to HeapPlaces: none.
herr_t keep(hid_t, hid_t to, H5T_cdata_t* call, size_t, size_t, size_t, void*, void*, hid_t) {
  if (call->command != H5T_CONV_INIT) return 0;
  call->need_bkg = H5T_BKG_NO;
  char* name = H5Tget_tag(to);
  const bool ours = name != nullptr && std::strcmp(name, tag) == 0;
  H5free_memory(name);
  return ours ? 0 : -1;
}

}  // namespace

Id HeapReader::memory_type() {
  // Lives as long as HDF5, which knows the conversion by it.
  static const hid_t type = [] {
    const hid_t made = H5Tcreate(H5T_OPAQUE, sizeof(HeapPlace));
    H5Tset_tag(made, tag);
    const Handle strings = string_type();
    H5Tregister(H5T_PERS_SOFT, "cornu_heap_place", strings, made, &keep);
    return made;
  }();
  return type;
}

HeapReader::HeapReader(const std::string& file, Id object, const std::string& what)
    : file_(file), what_(what) {
  handle_ = take(H5Iget_file_id(object), H5Fclose, file, "cannot read " + what);
  const Handle creation(H5Fget_create_plist(handle_), H5Pclose);
  const Handle access(H5Fget_access_plist(handle_), H5Pclose);
  size_t address_size = 0, length_size = 0;
  hsize_t user_block = 0, size = 0;
  void* driver = nullptr;
  if (H5Pget_sizes(creation, &address_size, &length_size) < 0 ||
      H5Pget_userblock(creation, &user_block) < 0 || H5Fget_filesize(handle_, &size) < 0 ||
      H5Fget_vfd_handle(handle_, access, &driver) < 0 || driver == nullptr)
    fail(file, "cannot read " + what);
  if (address_size != 8 || length_size != 8 || user_block != 0)
    fail(file, what +
                   " holds strings of variable length, which are read from files with addresses "
                   "of 8 bytes and without a user block only");
  size_ = size;
  if (H5Pget_driver(access) == H5FD_CORE)
    memory_ = *static_cast<const std::byte* const*>(driver);
  else
    descriptor_ = *static_cast<const int*>(driver);
}

void HeapReader::read(uint64_t offset, void* out, size_t size) const {
  const bool inside = offset <= size_ && size <= size_ - offset;
  if (inside && size == 0) return;  // `out` may be null
  if (inside && memory_ != nullptr)
    std::memcpy(out, memory_ + offset, size);
  else if (!inside || ::pread(descriptor_, out, size, static_cast<off_t>(offset)) !=
                          static_cast<ssize_t>(size))
    fail(file_, what_ + " cannot be read: its strings lie outside of the file");
}

const std::map<uint64_t, HeapReader::Object>& HeapReader::collection(uint64_t address) {
  const auto [found, fresh] = collections_.try_emplace(address);
  std::map<uint64_t, Object>& objects = found->second;
  if (!fresh) return objects;
  std::byte header[16];
  read(address, header, sizeof header);
  const uint64_t size = number(header + 8, 8);
  if (std::memcmp(header, "GCOL\x01", 5) != 0 || size < sizeof header || size > size_ ||
      address > size_ - size)
    fail(file_, what_ + " cannot be read: there is no heap where its strings should be");
  // Honest collections do not overlap.
  covered_ += size;
  if (covered_ > size_) fail(file_, what_ + " cannot be read: its heaps overlap");
  // Most collections have a few kibibytes: one reading for all their headers.
  std::vector<std::byte> begin(std::min<uint64_t>(size, 1 << 14));
  read(address, begin.data(), begin.size());
  for (uint64_t at = sizeof header; at + sizeof header <= size;) {
    if (at + sizeof header <= begin.size())
      std::memcpy(header, begin.data() + at, sizeof header);
    else
      read(address + at, header, sizeof header);
    const uint64_t index = number(header, 2), length = number(header + 8, 8);
    at += sizeof header;
    if (index == 0) break;  // the rest is free
    if (length > size - at) fail(file_, what_ + " cannot be read: its heap is damaged");
    objects.emplace(index, Object{address + at, length});
    at += (length + 7) / 8 * 8;
  }
  return objects;
}

std::string HeapReader::text(const HeapPlace& place, uint64_t limit) {
  const uint64_t length = number(place.bytes, 4), address = number(place.bytes + 4, 8),
                 index = number(place.bytes + 12, 4);
  if (address == 0 || address == UINT64_MAX || length == 0) return {};  // as HDF5 writes none
  const auto& objects = collection(address);
  const auto found = objects.find(index);
  if (found == objects.end() || length > found->second.size)
    fail(file_, what_ + " cannot be read: a string is longer than what the file holds of it");
  if (length > limit) fail(file_, what_ + " declares too many bytes of strings");
  std::string text(length, '\0');
  read(found->second.offset, text.data(), text.size());
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

}  // namespace cornu::io::h5
