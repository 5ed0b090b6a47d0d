// The walk over a file's objects. Format: sections II and IV of
// https://docs.hdfgroup.org/hdf5/v1_14/_f_m_t11.html
#include "h5_check.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "../../backend/error.h"

namespace cornu::io::h5 {
namespace {

bool starts_with(std::span<const std::byte> bytes, std::string_view text) {
  return bytes.size() >= text.size() && std::memcmp(bytes.data(), text.data(), text.size()) == 0;
}

constexpr unsigned shared_flag = 2;

enum Kind : unsigned {
  dataspace = 0x01,
  link_info = 0x02,
  datatype = 0x03,
  old_fill = 0x04,
  fill = 0x05,
  link_message = 0x06,
  external = 0x07,
  layout = 0x08,
  filters = 0x0b,
  attribute_message = 0x0c,
  continuation = 0x10,
  symbols = 0x11,
  tree_sizes = 0x13,
  attribute_info = 0x15
};

}  // namespace

/// What the messages of an object say about its data.
struct FileCheck::Dataset {
  std::optional<DataType> type;
  std::optional<DataSpace> space;
  std::optional<DataLayout> layout;
  std::vector<std::span<const std::byte>> fills;
  bool filtered = false;
  bool external = false;
};

void FileCheck::fail(const std::string& cause) {
  refusal_ = "'" + file_ + "' is damaged: " + cause + ".";
  throw FileError(refusal_);
}

std::span<const std::byte> FileCheck::view(uint64_t address, uint64_t size, const char* what) {
  expect_inside(address, size, what);
  looked_at_ += size;
  // Every piece is looked at once: sound metadata is no longer than the file.
  if (looked_at_ > 4 * image_.size() + 4096) throw Fault{"parts of its metadata overlap"};
  return image_.subspan(address, size);
}

void FileCheck::expect_inside(uint64_t address, uint64_t size, const char* what) const {
  if (address > image_.size() || size > image_.size() - address)
    throw Fault{std::string(what) + " at address " + std::to_string(address) + " (" +
                std::to_string(size) + " bytes) lies outside of the file"};
}

void FileCheck::check_file() {
  try {
    superblock();
  } catch (const Fault& fault) {
    fail(fault.cause);
  }
  work_off();
}

void FileCheck::check_object(uint64_t address) {
  // What was met before the fault was found has not passed for that.
  if (!refusal_.empty()) throw FileError(refusal_);
  if (image_.empty()) return;
  if (seen_.insert(address).second) queue_.push_back(address);
  work_off();
}

std::string FileCheck::closed(uint64_t address) const {
  const auto found = closed_.find(address);
  return found == closed_.end() ? "" : found->second;
}

void FileCheck::work_off() {
  while (!queue_.empty()) {
    const uint64_t address = queue_.back();
    queue_.pop_back();
    try {
      object(address);
    } catch (const Fault& fault) {
      fail("the object at address " + std::to_string(address) + ": " + fault.cause);
    }
  }
}

void FileCheck::superblock() {
  constexpr std::string_view signature("\x89HDF\r\n\x1a\n", 8);
  const std::span<const std::byte> all = bytes_.span();
  uint64_t start = 0;
  while (start < all.size() && !starts_with(all.subspan(start), signature))
    // A user block, whose size is a power of two from 512, may precede the signature.
    start = start == 0 ? 512 : 2 * start;
  if (start >= all.size()) return;

  Cursor block(all.subspan(start), "the superblock");
  block.skip(8);
  const unsigned version = block.u8();
  if (version > 3) return;  // HDF5 1.10 refuses it
  const bool old = version < 2;
  if (old) block.skip(4);
  if (block.u8() != 8 || block.u8() != 8)
    block.fail("its addresses and lengths must have 8 bytes each");
  uint64_t extension = undefined, driver = undefined;
  block.skip(1);
  if (old) {
    leaf_k_ = block.u16();
    group_k_ = block.u16();
    block.skip(4);
    if (version == 1) {
      chunk_k_ = block.u16();
      block.skip(2);
    }
  }
  const uint64_t base = block.u64();
  (old ? driver : extension) = block.u64();  // in old ones the place of free space, never used
  if (!old) driver = undefined;
  const uint64_t end = block.u64();
  if (base != start) block.fail("it is not where it says to be");
  if (old) driver = block.u64();
  if (driver != undefined) block.fail("files for a driver are not supported");
  if (leaf_k_ == 0 || group_k_ == 0 || chunk_k_ == 0 || group_k_ > 16384 || chunk_k_ > 16384)
    block.fail("the sizes of its B-trees are invalid");
  // HDF5 counts the end from the start of the file.
  if (end > all.size() || end < start)
    block.fail("the file is truncated: it has " + std::to_string(all.size()) + " of " +
               std::to_string(end) + " bytes");
  // Addresses in the file count from its signature.
  image_ = all.subspan(start, end - start);

  uint64_t root = undefined;
  if (old) {
    block.skip(8);
    root = block.u64();
    const uint32_t cached = block.u32();
    block.skip(4);
    const uint64_t tree = block.u64(), heap = block.u64();
    // HDF5 may use these cached places of the root instead of its header, so they are checked as
    // well.
    if (cached == 1) symbol_table(tree, heap);
  } else {
    root = block.u64();
    block.skip(4);
  }
  if (extension != undefined) {
    for (const Message& m : messages(extension)) {
      Cursor cursor(m.bytes, "the superblock's extension");
      if (m.kind == tree_sizes) {
        cursor.skip(1);
        chunk_k_ = cursor.u16();
        group_k_ = cursor.u16();
        leaf_k_ = cursor.u16();
        if (leaf_k_ == 0 || group_k_ == 0 || chunk_k_ == 0 || group_k_ > 16384 || chunk_k_ > 16384)
          cursor.fail("the sizes of its B-trees are invalid");
      } else {
        read_plain(cursor, m.kind);
      }
    }
  }
  // A queue instead of recursion: a forged file could nest groups deeper than the stack.
  if (seen_.insert(root).second) queue_.push_back(root);
}

std::vector<FileCheck::Message> FileCheck::messages(uint64_t address) {
  std::vector<Message> all;
  std::vector<std::pair<uint64_t, uint64_t>> continuations;
  expect_inside(address, 16, "its header");
  const bool old = !starts_with(image_.subspan(address), "OHDR");
  bool order = false;
  size_t header = 8;
  if (old) {
    Cursor prefix(view(address, 16, "its header"), "its header");
    if (prefix.u8() != 1) prefix.fail("it has an unknown version");
    prefix.skip(7);
    split(view(address + 16, prefix.u32(), "its header"), old, header, order, all, continuations);
  } else {
    expect_inside(address, 6, "its header");
    const unsigned flags = std::to_integer<unsigned>(image_[address + 5]);
    const uint64_t before = 6u + (flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0);
    const uint64_t length = uint64_t{1} << (flags & 3);
    Cursor prefix(view(address, before + length, "its header"), "its header");
    prefix.skip(4);
    if (prefix.u8() != 2) prefix.fail("it has an unknown version");
    prefix.skip(before - 5);
    const uint64_t size = prefix.number(length);
    order = flags & 4;
    header = order ? 6 : 4;
    view(address + before + length, size < 4 ? 4 : size, "its header");
    expect_inside(address + before + length + size, 4, "its header");
    split(image_.subspan(address + before + length, size), old, header, order, all, continuations);
  }
  std::unordered_set<uint64_t> followed;
  while (!continuations.empty()) {
    const auto [at, size] = continuations.back();
    continuations.pop_back();
    // A forged header must not lead the walk in a circle without end.
    if (at == address || !followed.insert(at).second)
      throw Fault{"its header continues in a circle"};
    std::span<const std::byte> block = view(at, size, "the continuation of its header");
    if (!old) {
      if (!starts_with(block, "OCHK") || size < 8)
        throw Fault{"the continuation of its header is none"};
      block = block.subspan(4, size - 8);
    }
    if (block.size() < header) throw Fault{"the continuation of its header is too short"};
    split(block, old, header, order, all, continuations);
  }
  return all;
}

void FileCheck::split(std::span<const std::byte> block, bool old, size_t header, bool order,
                      std::vector<Message>& all,
                      std::vector<std::pair<uint64_t, uint64_t>>& continuations) const {
  Cursor rest(block, "its header");
  while (rest.left() >= header) {
    Message message;
    message.kind = old ? rest.u16() : rest.u8();
    const uint64_t size = rest.u16();
    message.flags = rest.u8();
    if (old) rest.skip(3);
    if (order) rest.skip(2);
    if (old && size % 8 != 0) rest.fail("a message in it is not aligned");
    message.bytes = rest.take(size);
    if (message.kind == continuation) {
      Cursor cursor(message.bytes, "the continuation of its header");
      const uint64_t at = cursor.u64();
      continuations.emplace_back(at, cursor.u64());
    }
    all.push_back(message);
  }
}

DataType FileCheck::type_of(const Message& message) {
  Cursor cursor(message.bytes, "datatype");
  if (message.flags & shared_flag) return committed_type(read_shared(cursor));
  return read_type(cursor);
}

DataType FileCheck::committed_type(uint64_t address) {
  const auto known = types_.find(address);
  // Many datasets may share a type, but each piece of metadata is looked at once.
  if (known != types_.end()) return known->second;
  if (seen_.insert(address).second) queue_.push_back(address);
  for (const Message& m : messages(address)) {
    if (m.kind != datatype) continue;
    if (m.flags & shared_flag) throw Fault{"its shared datatype is itself shared"};
    return types_[address] = type_of(m);
  }
  throw Fault{"its shared datatype is none"};
}

void FileCheck::object(uint64_t address) {
  Dataset parts;
  for (const Message& m : messages(address)) message(parts, m);
  dataset(address, parts);
}

void FileCheck::message(Dataset& parts, const Message& m) {
  // Only types are followed to the place where they are shared.
  if ((m.flags & shared_flag) && m.kind != datatype && m.kind < 0x19 && m.kind != 0)
    throw Fault{"a message of its header is shared, which is not supported"};
  switch (m.kind) {
    case dataspace: {
      Cursor cursor(m.bytes, "dataspace");
      const DataSpace space = read_space(cursor);
      if (!parts.space) parts.space = space;
      break;
    }
    case datatype: {
      const DataType type = type_of(m);
      if (!parts.type) parts.type = type;
      break;
    }
    case old_fill:
    case fill: {
      Cursor cursor(m.bytes, "fill value");
      parts.fills.push_back(read_fill(cursor, m.kind == old_fill));
      break;
    }
    case link_message: {
      Cursor cursor(m.bytes, "link");
      const Link link = read_link(cursor);
      if (link.kind == Link::Kind::hard && seen_.insert(link.address).second)
        queue_.push_back(link.address);
      break;
    }
    case link_info:
    case attribute_info:
      dense_storage(m);
      break;
    case external:
      parts.external = true;
      external_files(m);
      break;
    case layout: {
      Cursor cursor(m.bytes, "layout");
      const DataLayout found = read_layout(cursor);
      if (!parts.layout) parts.layout = found;
      break;
    }
    case filters: {
      Cursor cursor(m.bytes, "filters");
      parts.filtered |= !read_filters(cursor).empty();
      break;
    }
    case attribute_message:
      attribute(m);
      break;
    case symbols: {
      Cursor cursor(m.bytes, "symbol table");
      const uint64_t tree = cursor.u64();
      symbol_table(tree, cursor.u64());
      break;
    }
    default: {
      Cursor cursor(m.bytes, "a message of its header");
      read_plain(cursor, m.kind);
    }
  }
}

void FileCheck::attribute(const Message& m) {
  Cursor cursor(m.bytes, "attribute");
  const AttributeHead head = read_attribute(cursor);
  if (head.version < 1 || head.version > 3) return;
  const DataType type = type_of({datatype, head.shared_type ? shared_flag : 0, head.type});
  Cursor space_cursor(head.space, "dataspace of an attribute");
  const DataSpace space = read_space(space_cursor);
  if (!type.known || !space.known) return;
  const uint64_t size = product(space.count, type.size);
  // HDF5 reads as many bytes as type and space say.
  if (size > head.data.size())
    throw Fault{"attribute: it declares " + std::to_string(size) + " bytes and has " +
                std::to_string(head.data.size())};
}

void FileCheck::dense_storage(const Message& m) {
  Cursor cursor(m.bytes, "list of links or attributes");
  if (cursor.u8() != 0) cursor.fail("it is of an unknown kind");
  const unsigned flags = cursor.u8();
  if (flags & 1) cursor.skip(m.kind == link_info ? 8 : 2);
  const uint64_t heap = cursor.u64(), names = cursor.u64();
  const uint64_t order = flags & 2 ? cursor.u64() : undefined;
  if ((heap == undefined) != (names == undefined)) cursor.fail("half of it is missing");
  const auto expect = [&](uint64_t address, std::string_view signature) {
    if (address == undefined) return;
    expect_inside(address, 32, "its list of links or attributes");
    if (!starts_with(image_.subspan(address), signature))
      cursor.fail("there is none where it should be");
  };
  expect(heap, "FRHP");
  expect(names, "BTHD");
  expect(order, "BTHD");
}

void FileCheck::external_files(const Message& m) {
  Cursor cursor(m.bytes, "list of external files");
  if (cursor.u8() != 1) return;
  cursor.skip(3);
  cursor.skip(2);
  const unsigned used = cursor.u16();
  const Heap& heap = local_heap(cursor.u64());
  expect_name(heap, 0);
  for (unsigned i = 0; i < used; ++i) {
    expect_name(heap, cursor.u64());
    cursor.skip(16);
  }
}

void FileCheck::dataset(uint64_t address, const Dataset& parts) {
  if (!parts.layout) return;
  using Kind = DataLayout::Kind;
  const DataLayout& where = *parts.layout;
  if (where.kind == Kind::elsewhere) {
    // Not damaged, only never to be opened: a file must not make the reader open others.
    closed_[address] = "it is virtual, made of parts of other files";
    return;
  }
  if (parts.external) {
    closed_[address] = "it keeps its bytes in another file (external storage)";
    return;
  }
  // HDF5 1.10 takes very long for a forged index of this kind, and Keras never writes one.
  if (where.growing) {
    closed_[address] = "it can grow, in the way of the newest format (libver='latest')";
    return;
  }
  if (!parts.type || !parts.space || !parts.type->known || !parts.space->known) return;
  const DataType& type = *parts.type;
  const DataSpace& space = *parts.space;
  for (const auto& value : parts.fills) {
    if (value.empty()) continue;
    if (value.size() != type.size) throw Fault{"its fill value is not as large as its elements"};
    // HDF5 would look for it in the global heap.
    if (type.variable &&
        std::any_of(value.begin(), value.end(), [](auto b) { return b != std::byte{0}; }))
      throw Fault{"its fill value has a variable length, which is not supported"};
  }
  const uint64_t size = product(space.count, type.size);
  if (where.kind == Kind::compact && size > where.size)
    throw Fault{"layout: it declares " + std::to_string(size) + " bytes and has " +
                std::to_string(where.size)};
  if (where.kind == Kind::contiguous && where.address != undefined)
    expect_inside(where.address, std::max(size, where.size), "layout: its data");
  if (where.kind != Kind::chunked) return;
  if (where.chunk.size() != space.sizes.size() + 1)
    throw Fault{"layout: its chunks have not the rank of its dataspace"};
  if (where.chunk.back() != type.size)
    throw Fault{"layout: its chunks have elements of " + std::to_string(where.chunk.back()) +
                " bytes, and its datatype has " + std::to_string(type.size)};
  if (where.address == undefined) return;
  if (where.tree)
    chunk_tree(where, parts.filtered);
  else
    expect_inside(where.address, 1, "layout: the index of its chunks");
}

}  // namespace cornu::io::h5
