// Numbers of programs on the device: each value is copied there once.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>

#include "../dtype.h"

namespace cornu::backend::cuda {

/// Addresses of numbers that the host has. Thousands fit; then a new table is begun. The old one
/// stays until the new one is full too, since a kernel may have numbers of both, and longer if a
/// graph of launches needs it.
class NumberTable {
 public:
  static constexpr size_t slots = 4096;
  static constexpr size_t slot_bytes = 16;
  struct Memory {
    /// `slots * slot_bytes` that nobody uses or has used; goes with the last copy of the pointer.
    std::function<std::shared_ptr<void>(size_t bytes)> allocate;
    /// Copies at once, in no order with other work.
    std::function<void(void* to, const void* from, size_t bytes)> upload;
  };

  explicit NumberTable(Memory memory) : memory_(std::move(memory)) {}

  /// Where the number of this type at `value` (on the host) lies on the device, aligned to 16.
  void* address(DType dtype, const void* value);
  /// What keeps the addresses valid that are given out now.
  const std::shared_ptr<void>& slab() const { return slab_; }
  void clear();

 private:
  struct Key {
    DType dtype;
    uint64_t bits;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    size_t operator()(const Key& key) const {
      const uint64_t mixed = (key.bits ^ static_cast<uint64_t>(key.dtype)) * 0x9E3779B97F4A7C15u;
      return mixed ^ mixed >> 32;
    }
  };

  Memory memory_;
  std::shared_ptr<void> slab_, last_slab_;
  std::unordered_map<Key, void*, Hash> addresses_;
};

}  // namespace cornu::backend::cuda
