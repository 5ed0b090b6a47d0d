// The messages of object headers. Format: section IV.A of
// https://docs.hdfgroup.org/hdf5/v1_14/_f_m_t11.html
#include "h5_message.h"

#include <algorithm>

namespace cornu::io::h5 {
namespace {

constexpr int deepest_type = 16;  ///< types within types
constexpr uint64_t highest_rank = 32;
constexpr uint64_t most_filters = 32;

enum TypeClass : unsigned {
  integer,
  floating,
  time_of_day,
  fixed_string,
  bit_field,
  opaque,
  compound,
  reference,
  enumeration,
  variable_length,
  array
};

void expect_bits(const Cursor& message, uint64_t first, uint64_t count, uint64_t within,
                 const char* what) {
  if (count == 0 || first + count > within)
    message.fail(std::string("its datatype has ") + what + " outside of its elements");
}

DataType read_type(Cursor& message, int depth);

void read_floating(Cursor& message, unsigned flags, uint64_t bits) {
  const uint64_t offset = message.u16(), precision = message.u16();
  const uint64_t exponent = message.u8(), exponent_bits = message.u8();
  const uint64_t mantissa = message.u8(), mantissa_bits = message.u8();
  message.skip(4);
  expect_bits(message, offset, precision, bits, "bits");
  expect_bits(message, exponent, exponent_bits, bits, "an exponent");
  expect_bits(message, mantissa, mantissa_bits, bits, "a mantissa");
  expect_bits(message, flags >> 8 & 0xff, 1, bits, "a sign");
}

bool read_compound(Cursor& message, unsigned version, unsigned members, uint64_t size, int depth,
                   DataType& type) {
  if (members == 0) message.fail("its compound datatype has no members");
  // From version 3 offsets have as many bytes as the size of the type needs.
  size_t width = 1;
  while (width < 4 && size >> (8 * width) != 0) ++width;
  for (unsigned i = 0; i < members; ++i) {
    message.text(version < 3 ? 8 : 1);
    const uint64_t offset = message.number(version < 3 ? 4 : width);
    uint64_t count = 1;
    if (version == 1) {
      const unsigned rank = message.u8();
      if (rank > 4) message.fail("a member of its datatype has more than four axes");
      message.skip(11);
      for (unsigned axis = 0; axis < 4; ++axis) {
        const uint64_t along = message.u32();
        if (axis < rank) count = product(count, along);
      }
      if (count == 0) message.fail("a member of its datatype is empty");
    }
    const DataType member = read_type(message, depth + 1);
    if (!member.known) return false;
    const uint64_t bytes = product(member.size, count);
    if (offset > size || bytes > size - offset)
      message.fail("a member of its datatype lies outside of it");
    type.variable |= member.variable;
  }
  return true;
}

void read_enumeration(Cursor& message, unsigned version, unsigned members, uint64_t size,
                      const DataType& base) {
  if (base.size != size) message.fail("its enum is not as large as its numbers");
  for (unsigned i = 0; i < members; ++i) message.text(version < 3 ? 8 : 1);
  message.skip(product(members, size));
}

DataType read_type(Cursor& message, int depth) {
  if (depth > deepest_type) message.fail("its datatype is nested too deeply");
  const uint32_t first = message.u32();
  const unsigned kind = first & 15, version = first >> 4 & 15, flags = first >> 8;
  DataType type;
  if (version < 1 || version > 3 || kind > array) {
    type.known = false;
    return type;
  }
  type.size = message.u32();
  if (type.size == 0) message.fail("its datatype has elements of zero bytes");
  const uint64_t bits = 8 * type.size;
  switch (kind) {
    case integer:
    case bit_field: {
      const uint64_t offset = message.u16(), precision = message.u16();
      expect_bits(message, offset, precision, bits, "bits");
      break;
    }
    case floating:
      read_floating(message, flags, bits);
      break;
    case time_of_day:
      expect_bits(message, 0, message.u16(), bits, "bits");
      break;
    case fixed_string:
      break;
    case opaque:
      message.skip(flags & 0xff);
      break;
    case reference:
      if ((flags & 15) == 0 && type.size != 8)
        message.fail("its references have " + std::to_string(type.size) + " bytes, not 8");
      type.variable = true;
      break;
    case compound:
      type.known = read_compound(message, version, flags & 0xffff, type.size, depth, type);
      break;
    case enumeration: {
      const DataType base = read_type(message, depth + 1);
      type.known = base.known;
      if (type.known) read_enumeration(message, version, flags & 0xffff, type.size, base);
      break;
    }
    case variable_length:
      if ((flags & 15) > 1 || type.size != 16)
        message.fail("its datatype of variable length is none");
      type.known = read_type(message, depth + 1).known;
      type.variable = true;
      break;
    case array: {
      const uint64_t rank = message.u8();
      if (rank == 0 || rank > highest_rank) message.fail("its array datatype has no valid rank");
      if (version < 3) message.skip(3);
      uint64_t count = 1;
      for (uint64_t i = 0; i < rank; ++i) count = product(count, message.u32());
      if (version < 3) message.skip(4 * rank);
      const DataType base = read_type(message, depth + 1);
      type.known = base.known;
      type.variable = base.variable;
      if (type.known && product(count, base.size) != type.size)
        message.fail("its array datatype is not as large as its elements");
      break;
    }
  }
  return type;
}

}  // namespace

uint64_t product(uint64_t a, uint64_t b) {
  uint64_t result = 0;
  // Saturates: the largest number fails every later comparison with a size.
  return __builtin_mul_overflow(a, b, &result) ? UINT64_MAX : result;
}

uint64_t Cursor::number(size_t size) {
  const std::span<const std::byte> bytes = take(size);
  uint64_t value = 0;
  for (size_t i = size; i > 0; --i) value = value << 8 | std::to_integer<uint64_t>(bytes[i - 1]);
  return value;
}

std::span<const std::byte> Cursor::take(uint64_t count) {
  if (count > left())
    fail("it is cut short: it needs " + std::to_string(count) + " more bytes and has " +
         std::to_string(left()));
  const std::span<const std::byte> taken = bytes_.subspan(at_, count);
  at_ += count;
  return taken;
}

std::string_view Cursor::text(size_t unit) {
  const auto rest = bytes_.subspan(at_);
  const auto end = std::find(rest.begin(), rest.end(), std::byte{0});
  if (end == rest.end()) fail("a name in it does not end");
  const auto length = static_cast<size_t>(end - rest.begin());
  // With its zero byte, padded to a multiple of `unit`.
  skip((length + unit) / unit * unit);
  return {reinterpret_cast<const char*>(rest.data()), length};
}

void Cursor::fail(const std::string& cause) const {
  throw Fault{std::string(what_) + ": " + cause};
}

DataType read_type(Cursor& message) { return read_type(message, 0); }

DataSpace read_space(Cursor& message) {
  DataSpace space;
  const unsigned version = message.u8();
  if (version < 1 || version > 2) {
    space.known = false;
    return space;
  }
  const unsigned rank = message.u8(), flags = message.u8(), kind = message.u8();
  if (rank > highest_rank) message.fail("its rank is " + std::to_string(rank));
  if (version == 1) message.skip(4);
  if (version == 2 && (kind > 2 || (kind != 1 && rank > 0)))
    message.fail("it is of an unknown kind");
  for (unsigned i = 0; i < rank; ++i) {
    space.sizes.push_back(message.u64());
    space.count = product(space.count, space.sizes.back());
  }
  // Zero times what overflows is zero all the same.
  if (std::find(space.sizes.begin(), space.sizes.end(), uint64_t{0}) != space.sizes.end())
    space.count = 0;
  if (flags & 1) message.skip(8 * rank);
  if (version == 2 && kind == 2) space.count = 0;
  return space;
}

std::span<const std::byte> read_fill(Cursor& message, bool old) {
  if (old) return message.take(message.u32());
  const unsigned version = message.u8();
  if (version == 1 || version == 2) {
    message.skip(2);
    if (message.u8() == 0) return {};
    const uint32_t size = message.u32();
    // A negative size says that there is no value.
    return size >> 31 ? std::span<const std::byte>() : message.take(size);
  }
  if (version != 3) return {};
  const unsigned flags = message.u8();
  constexpr unsigned none = 0x10, given = 0x20;
  if ((flags & none) && (flags & given)) message.fail("it has a value and has none");
  return flags & given ? message.take(message.u32()) : std::span<const std::byte>();
}

DataLayout read_layout(Cursor& message) {
  using Kind = DataLayout::Kind;
  DataLayout layout;
  const unsigned version = message.u8();
  if (version < 1 || version > 4) return layout;
  const auto chunk_of = [&](uint64_t rank, size_t width) {
    if (rank < 2 || rank > highest_rank + 1) message.fail("its chunks have no valid rank");
    uint64_t bytes = 1;
    for (uint64_t i = 0; i < rank; ++i) {
      layout.chunk.push_back(message.number(width));
      if (layout.chunk.back() == 0) message.fail("its chunks are empty");
      bytes = product(bytes, layout.chunk.back());
    }
    // HDF5 keeps the size of a chunk in 32 bits.
    if (bytes > UINT32_MAX) message.fail("its chunks have more than 4 GiB");
  };
  constexpr Kind kinds[] = {Kind::compact, Kind::contiguous, Kind::chunked, Kind::elsewhere};
  if (version < 3) {
    const unsigned rank = message.u8(), kind = message.u8();
    if (kind > 2) message.fail("it is of an unknown kind");
    if (rank == 0 || rank > highest_rank + 1) message.fail("it has no valid rank");
    layout.kind = kinds[kind];
    message.skip(5);
    if (layout.kind != Kind::compact) layout.address = message.u64();
    layout.tree = layout.kind == Kind::chunked;
    if (layout.tree)
      chunk_of(rank, 4);
    else
      message.skip(4 * rank);
    if (layout.kind == Kind::compact) message.skip(layout.size = message.u32());
    return layout;
  }
  const unsigned kind = message.u8();
  if (kind > 3 || (kind == 3 && version < 4)) message.fail("it is of an unknown kind");
  layout.kind = kinds[kind];
  if (layout.kind == Kind::compact) {
    message.skip(layout.size = message.u16());
  } else if (layout.kind == Kind::contiguous) {
    layout.address = message.u64();
    layout.size = message.u64();
  } else if (layout.kind == Kind::elsewhere) {
    message.skip(12);
  } else if (version == 3) {
    layout.tree = true;
    const unsigned rank = message.u8();
    layout.address = message.u64();
    chunk_of(rank, 4);
  } else {
    const unsigned flags = message.u8(), rank = message.u8(), width = message.u8();
    if (width == 0 || width > 8) message.fail("the sizes of its chunks have no valid width");
    chunk_of(rank, width);
    // Single chunk, implicit, fixed array, extensible array, B-tree: what each has to say.
    const unsigned index = message.u8();
    if (index == 0 || index > 5) message.fail("its chunks have an unknown index");
    layout.growing = index > 3;
    const unsigned parameters[] = {0, flags & 2 ? 12u : 0u, 0, 1, 5, 6};
    message.skip(parameters[index]);
    layout.address = message.u64();
  }
  return layout;
}

std::vector<unsigned> read_filters(Cursor& message) {
  std::vector<unsigned> filters;
  const unsigned version = message.u8();
  if (version < 1 || version > 2) return filters;
  const unsigned count = message.u8();
  if (count > most_filters) message.fail("it has " + std::to_string(count) + " filters");
  if (version == 1) message.skip(6);
  for (unsigned i = 0; i < count; ++i) {
    filters.push_back(message.u16());
    const bool named = version == 1 || filters.back() >= 256;
    const uint64_t name = named ? message.u16() : 0;
    message.skip(2);
    const uint64_t values = message.u16();
    if (name > 0) {
      const auto text = message.take(name);
      if (std::find(text.begin(), text.end(), std::byte{0}) == text.end())
        message.fail("the name of a filter does not end");
    }
    message.skip(4 * values + (version == 1 && values % 2 == 1 ? 4 : 0));
  }
  return filters;
}

Link read_link(Cursor& message) {
  Link link;
  // HDF5 1.10 does not survive to refuse one of several links, so nothing unknown passes here.
  const unsigned version = message.u8(), flags = message.u8();
  const unsigned kind = flags & 8 ? message.u8() : 0;
  if (version != 1 || flags > 31 || (kind > 1 && kind < 64))
    message.fail("it is of an unknown kind");
  if (flags & 4) message.skip(8);
  if ((flags & 16) && message.u8() > 1) message.fail("its name has an unknown encoding");
  const uint64_t length = message.number(size_t{1} << (flags & 3));
  if (length == 0) message.fail("its name is empty");
  message.skip(length);
  if (kind == 0) {
    link.kind = Link::Kind::hard;
    link.address = message.u64();
  } else {
    const auto target = message.take(message.u16());
    if (target.empty()) message.fail("it leads nowhere");
    // To another file: flags, the name of the file, the path in it.
    if (kind == 64 && std::count(target.begin() + 1, target.end(), std::byte{0}) < 2)
      message.fail("a name in it does not end");
  }
  return link;
}

uint64_t read_shared(Cursor& message) {
  const unsigned version = message.u8(), kind = message.u8();
  if (version < 1 || version > 3) message.fail("it is shared in an unknown way");
  if (version == 3 && kind != 2)
    message.fail("it is shared through a heap of messages, which is not supported");
  if (version == 1) message.skip(14);
  return message.u64();
}

AttributeHead read_attribute(Cursor& message) {
  AttributeHead head;
  head.version = message.u8();
  if (head.version < 1 || head.version > 3) return head;
  const unsigned flags = message.u8();
  const uint64_t name = message.u16(), type = message.u16(), space = message.u16();
  if (head.version == 3) message.skip(1);
  if (head.version > 1 && (flags & 2))
    message.fail("its dataspace is shared, which is not supported");
  head.shared_type = head.version > 1 && (flags & 1);
  const auto padded = [&](uint64_t size) { return head.version == 1 ? (size + 7) / 8 * 8 : size; };
  const auto text = message.take(padded(name));
  const auto end = std::find(text.begin(), text.end(), std::byte{0});
  if (static_cast<uint64_t>(end - text.begin()) + 1 != name)
    message.fail("its name has another length than stated");
  head.type = message.take(padded(type));
  head.space = message.take(padded(space));
  head.data = message.take(message.left());
  return head;
}

void read_plain(Cursor& message, unsigned kind) {
  switch (kind) {
    case 0x0a: {  // group info
      message.skip(1);
      const unsigned flags = message.u8();
      message.skip((flags & 1 ? 4 : 0) + (flags & 2 ? 4 : 0));
      break;
    }
    case 0x0d:  // comment
      message.text();
      break;
    case 0x0e:  // time, old
      message.skip(14);
      break;
    case 0x12:  // time
      message.skip(8);
      break;
    case 0x16:  // count of links
      message.skip(5);
      break;
    case 0x17: {  // free space
      if (message.u8() == 0) {
        message.skip(message.u8() == 1 ? 56 : 8);
        break;
      }
      message.skip(1);
      const bool kept = message.u8() != 0;
      message.skip(8);
      if (message.u64() < 512) message.fail("its pages are too small");
      message.skip(10 + (kept ? 96 : 0));
      break;
    }
    case 0x0f:
      message.fail("files that share messages are not supported");
    case 0x14:
      message.fail("files for a driver are not supported");
    case 0x18:
      message.fail("files with an image of HDF5's cache are not supported");
    default:
      break;
  }
}

}  // namespace cornu::io::h5
