// Internal to H5Reader: looks through a file's metadata before HDF5 does, which believes much of
// it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "bytes.h"
#include "h5_message.h"

namespace cornu::io::h5 {

/// Walks over the metadata of an HDF5 file and refuses what HDF5 1.10 would follow out of bounds or
/// in circles: sizes and addresses in superblock, object headers with all their messages, symbol
/// tables, local heaps, and B-trees of groups and chunks. Never looks at data, and looks at each
/// piece of metadata once. What it does not know (fractal heaps, newer versions) it lets pass.
class FileCheck {
 public:
  /// `file` names the file in error texts. The bytes stay with the check.
  FileCheck(std::string file, Bytes bytes) : file_(std::move(file)), bytes_(std::move(bytes)) {}

  /// Checks the superblock and everything that hard links of the root lead to. Throws FileError.
  /// Does nothing when this is no HDF5 file.
  void check_file();
  /// Checks one object more and all below it. Throws FileError, and does so ever after.
  void check_object(uint64_t address);
  /// Why HDF5 must not even open this object, or "".
  std::string closed(uint64_t address) const;

 private:
  struct Message {
    unsigned kind;
    unsigned flags;
    std::span<const std::byte> bytes;
  };
  struct Heap {
    std::span<const std::byte> data;
    uint64_t last_nul = 0;  ///< what starts up to here ends inside; data.size() when nothing does
  };
  struct Node {
    unsigned level = 0;
    std::vector<uint64_t> children;
  };
  struct Dataset;

  [[noreturn]] void fail(const std::string& cause);
  std::span<const std::byte> view(uint64_t address, uint64_t size, const char* what);
  void expect_inside(uint64_t address, uint64_t size, const char* what) const;

  void superblock();
  void work_off();
  void object(uint64_t address);
  void message(Dataset& dataset, const Message& message);
  std::vector<Message> messages(uint64_t address);
  void split(std::span<const std::byte> block, bool old, size_t header, bool order,
             std::vector<Message>& all,
             std::vector<std::pair<uint64_t, uint64_t>>& continuations) const;
  DataType type_of(const Message& message);
  DataType committed_type(uint64_t address);
  void attribute(const Message& message);
  void dense_storage(const Message& message);
  void external_files(const Message& message);
  void dataset(uint64_t address, const Dataset& dataset);

  void symbol_table(uint64_t tree, uint64_t heap);
  void symbol_node(uint64_t address, const Heap& heap);
  const Heap& local_heap(uint64_t address);
  void expect_name(const Heap& heap, uint64_t offset) const;
  void chunk_tree(const DataLayout& layout, bool filtered);
  /// Walks a B-tree: `entry(key, child, leaf)` for each entry of each node, then for its last key
  /// with an undefined child.
  template <class Entry>
  void tree(uint64_t root, unsigned kind, unsigned k, size_t key_size, Entry entry);

  std::string file_;
  Bytes bytes_;
  std::span<const std::byte> image_;  // from the superblock to the stated end of the file
  uint64_t looked_at_ = 0;            // bytes; bounds the work
  unsigned leaf_k_ = 4, group_k_ = 16, chunk_k_ = 32;
  std::vector<uint64_t> queue_;
  std::unordered_set<uint64_t> seen_;              // objects, of which some are still in the queue
  std::unordered_map<uint64_t, uint64_t> tables_;  // B-trees of groups with their heaps
  std::unordered_map<uint64_t, Heap> heaps_;
  std::unordered_map<uint64_t, DataType> types_;
  std::unordered_map<uint64_t, std::string> closed_;
  std::string refusal_;
};

}  // namespace cornu::io::h5
