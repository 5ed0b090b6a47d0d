// Internal to FileCheck: what the messages of an HDF5 object header say, read within their bounds.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cornu::io::h5 {

/// What is wrong with a part of a file; FileCheck says of which object and file.
struct Fault {
  std::string cause;
};

constexpr uint64_t undefined = UINT64_MAX;  ///< the address of what is not there

/// a * b, or UINT64_MAX when that is larger.
uint64_t product(uint64_t a, uint64_t b);

/// Reads little-endian numbers in turn. Throws Fault at the end of the bytes.
class Cursor {
 public:
  /// `what` names the bytes in faults: "attribute". A literal.
  Cursor(std::span<const std::byte> bytes, const char* what) : bytes_(bytes), what_(what) {}

  uint64_t number(size_t size);
  uint8_t u8() { return static_cast<uint8_t>(number(1)); }
  uint16_t u16() { return static_cast<uint16_t>(number(2)); }
  uint32_t u32() { return static_cast<uint32_t>(number(4)); }
  uint64_t u64() { return number(8); }
  std::span<const std::byte> take(uint64_t count);
  void skip(uint64_t count) { take(count); }
  /// Text up to its NUL, which is taken as well. With `unit`, text and NUL fill whole units.
  std::string_view text(size_t unit = 1);
  size_t left() const { return bytes_.size() - at_; }

  [[noreturn]] void fail(const std::string& cause) const;

 private:
  std::span<const std::byte> bytes_;
  size_t at_ = 0;
  const char* what_;
};

/// A datatype.
struct DataType {
  uint64_t size = 0;      ///< bytes of an element
  bool known = true;      ///< false for versions newer than HDF5 1.10, which it refuses itself
  bool variable = false;  ///< holds places in the global heap
};

/// A dataspace.
struct DataSpace {
  std::vector<uint64_t> sizes;
  uint64_t count = 1;  ///< elements; UINT64_MAX when they cannot be counted
  bool known = true;
};

/// Where a dataset's bytes are.
struct DataLayout {
  enum class Kind { other, compact, contiguous, chunked, elsewhere };
  Kind kind = Kind::other;
  uint64_t address = undefined;
  uint64_t size = 0;            ///< bytes stated in the message
  std::vector<uint64_t> chunk;  ///< elements of a chunk along each axis, then bytes of an element
  bool tree = false;            ///< chunks are found by a B-tree of version 1
  bool growing = false;         ///< by what the newest format has for datasets that can grow
};

/// Where the links of a group are.
struct Link {
  enum class Kind { hard, other };
  Kind kind = Kind::other;
  uint64_t address = undefined;
};

// Each reads one message and throws Fault when HDF5 1.10 would leave its bounds, or would take
// something impossible for true.

DataType read_type(Cursor& message);
DataSpace read_space(Cursor& message);
/// The bytes of a fill value, of a message of the old or new kind; empty when there are none.
std::span<const std::byte> read_fill(Cursor& message, bool old);
DataLayout read_layout(Cursor& message);
/// The numbers of the filters, in the order of writing.
std::vector<unsigned> read_filters(Cursor& message);
Link read_link(Cursor& message);
/// The address of the object that holds a shared datatype.
uint64_t read_shared(Cursor& message);

/// What is around the type and the space of an attribute message.
struct AttributeHead {
  uint8_t version = 0;
  bool shared_type = false;
  std::span<const std::byte> type, space, data;
};
AttributeHead read_attribute(Cursor& message);

/// Messages that are only measured: names, times, counts and the like.
void read_plain(Cursor& message, unsigned kind);

}  // namespace cornu::io::h5
