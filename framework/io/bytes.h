// Bytes: a block of read-only memory together with whatever keeps it alive.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace cornu::io {

/// Read-only bytes and their owner (a vector, a mapped file, an HDF5 image, or nobody). Copies
/// share the memory, so files of gigabytes pass between readers and writers without being copied.
class Bytes {
 public:
  Bytes() = default;
  /// Bytes kept alive by `owner`; an empty owner means that the caller keeps them alive.
  Bytes(std::shared_ptr<const void> owner, std::span<const std::byte> bytes)
      : owner_(std::move(owner)), bytes_(bytes) {}

  /// `size` bytes from `offset` of an open file, mapped into memory; the descriptor may be closed.
  /// Only what is used is read from the disk. Empty when that is impossible.
  static Bytes map(int descriptor, uint64_t offset, uint64_t size);
  /// A whole file, likewise.
  static Bytes map(const std::filesystem::path& path);

  /// Takes over a vector or a string.
  template <class Container>
  static Bytes of(Container container) {
    auto owner = std::make_shared<const Container>(std::move(container));
    return Bytes(owner, std::as_bytes(std::span(owner->data(), owner->size())));
  }

  const std::byte* data() const { return bytes_.data(); }     ///< null when empty
  size_t size() const { return bytes_.size(); }               ///< in bytes
  std::span<const std::byte> span() const { return bytes_; }  ///< all of them
  /// Says that these bytes are not needed soon: those of a mapped file leave memory until they are
  /// read again.
  void forget(size_t offset, size_t count) const;
  /// A copy as text.
  std::string text() const { return {reinterpret_cast<const char*>(data()), size()}; }

 private:
  std::shared_ptr<const void> owner_;
  std::span<const std::byte> bytes_;
  bool mapped_ = false;
};

}  // namespace cornu::io
