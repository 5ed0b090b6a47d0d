// Internal to H5Reader: strings of variable length, taken from HDF5's global heap without HDF5.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "h5_handle.h"

namespace cornu::io::h5 {

/// Where a string stands, as an element of variable length has it in the file (16 bytes, little
/// endian).
struct HeapPlace {
  std::byte bytes[16];
};

/// Reads strings of variable length. HDF5's own conversion believes the length that the file
/// states: it takes that much memory, and copies what the heap holds into it even when that is
/// longer.
class HeapReader {
 public:
  /// `object` is open in the file. Fails for files whose addresses do not have 8 bytes.
  HeapReader(const std::string& file, Id object, const std::string& what);

  /// The type to read elements of variable length with: it leaves HeapPlaces as they are.
  static Id memory_type();

  /// The string at a place, up to the first NUL. Fails when it has more than `limit` bytes.
  std::string text(const HeapPlace& place, uint64_t limit);

 private:
  struct Object {
    uint64_t offset, size;
  };

  void read(uint64_t offset, void* out, size_t size) const;
  const std::map<uint64_t, Object>& collection(uint64_t address);

  const std::string& file_;
  const std::string& what_;
  Handle handle_;                      // of the file
  const std::byte* memory_ = nullptr;  // of a file in memory
  int descriptor_ = -1;                // of one on the disk; HDF5 closes it
  uint64_t size_ = 0;
  uint64_t covered_ = 0;  // bytes of all collections so far
  std::map<uint64_t, std::map<uint64_t, Object>> collections_;
};

}  // namespace cornu::io::h5
