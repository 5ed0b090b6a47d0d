// Internal to H5Reader and H5Writer: identifiers that close themselves, types, errors of HDF5.
#pragma once
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../backend/dtype.h"

namespace cornu::io::h5 {

using Id = int64_t;  ///< HDF5's hid_t

/// An HDF5 identifier with the function that closes it.
class Handle {
 public:
  using Close = int (*)(Id);

  Handle() = default;
  Handle(Id id, Close close) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() { reset(); }

  operator Id() const { return id_; }
  /// Closes now. Returns whether that went well.
  bool reset() { return id_ < 0 || close_(std::exchange(id_, -1)) >= 0; }

 private:
  Id id_ = -1;
  Close close_ = nullptr;
};

/// Held by every public function: one thread at a time in a library that may be built without
/// thread safety, and no error text on stderr. Restores the caller's settings at the end.
class Scope {
 public:
  Scope();
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  std::lock_guard<std::recursive_mutex> lock_;
  int (*report_)(Id, void*) = nullptr;
  void* report_data_ = nullptr;
};

/// The innermost message on HDF5's error stack as " (message)", or "".
std::string library_error();

/// Throws FileError: "'file': what (HDF5's message)."
[[noreturn]] void fail(const std::string& file, const std::string& what);

/// A handle from a call that returned `id`; fails with `what` when that is negative.
Handle take(Id id, Handle::Close close, const std::string& file, const std::string& what);

/// The names of a path: "/a//b/" gives {"a", "b"}.
std::vector<std::string> split_path(std::string_view path);

/// The type of `dtype` in a file: little-endian.
Handle file_type(DType dtype);
/// The type of `dtype` in memory, of this machine's byte order. bool and bfloat16 as one and two
/// bytes of their bits.
Handle memory_type(DType dtype);
/// Variable-length UTF-8 strings.
Handle string_type();

/// A unique name for a file in memory: HDF5 takes two open files of one name for the same file.
std::string unique_name();

}  // namespace cornu::io::h5
