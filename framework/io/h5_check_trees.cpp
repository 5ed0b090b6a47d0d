// FileCheck: symbol tables, local heaps and B-trees of version 1. Format: section III of
// https://docs.hdfgroup.org/hdf5/v1_14/_f_m_t11.html
#include <algorithm>
#include <cstring>

#include "h5_check.h"

namespace cornu::io::h5 {

template <class Entry>
void FileCheck::tree(uint64_t root, unsigned kind, unsigned k, size_t key_size, Entry entry) {
  struct Place {
    uint64_t address;
    int level;  ///< -1: any, of the root
  };
  std::vector<Place> open = {{root, -1}};
  std::unordered_set<uint64_t> nodes;
  const uint64_t size = 24 + uint64_t{2} * k * 8 + (uint64_t{2} * k + 1) * key_size;
  while (!open.empty()) {
    const Place place = open.back();
    open.pop_back();
    if (!nodes.insert(place.address).second) throw Fault{"its B-tree holds a node twice"};
    Cursor node(view(place.address, size, "a node of its B-tree"), "B-tree");
    if (std::memcmp(node.take(4).data(), "TREE", 4) != 0 || node.u8() != kind)
      node.fail("there is no node of it where one should be");
    const unsigned level = node.u8(), entries = node.u16();
    if (place.level >= 0 && level != static_cast<unsigned>(place.level))
      node.fail("a node of it is at a wrong level");
    if (entries > 2 * k)
      node.fail("a node of it has " + std::to_string(entries) + " entries; at most " +
                std::to_string(2 * k) + " fit");
    for (int side = 0; side < 2; ++side)
      if (const uint64_t sibling = node.u64(); sibling != undefined)
        expect_inside(sibling, size, "a node of its B-tree");
    for (unsigned i = 0; i < entries; ++i) {
      const auto key = node.take(key_size);
      const uint64_t child = node.u64();
      entry(key, child, level == 0);
      if (level > 0) open.push_back({child, static_cast<int>(level) - 1});
    }
    if (entries > 0) entry(node.take(key_size), undefined, false);
  }
}

void FileCheck::symbol_table(uint64_t address, uint64_t heap_address) {
  const auto [known, fresh] = tables_.emplace(address, heap_address);
  if (!fresh) {
    if (known->second != heap_address) throw Fault{"its symbol table is that of another group"};
    return;
  }
  const Heap& heap = local_heap(heap_address);
  tree(address, 0, group_k_, 8, [&](std::span<const std::byte> key, uint64_t child, bool leaf) {
    expect_name(heap, Cursor(key, "B-tree").u64());
    if (leaf) symbol_node(child, heap);
  });
}

void FileCheck::symbol_node(uint64_t address, const Heap& heap) {
  constexpr uint64_t entry_size = 40;
  Cursor node(view(address, 8 + 2 * leaf_k_ * entry_size, "a node of its symbol table"),
              "symbol table");
  if (std::memcmp(node.take(4).data(), "SNOD", 4) != 0)
    node.fail("there is no node of it where one should be");
  node.skip(2);
  const unsigned count = node.u16();
  if (count > 2 * leaf_k_)
    node.fail("a node of it has " + std::to_string(count) + " symbols; at most " +
              std::to_string(2 * leaf_k_) + " fit");
  for (unsigned i = 0; i < count; ++i) {
    expect_name(heap, node.u64());
    const uint64_t target = node.u64();
    const uint32_t kind = node.u32();
    node.skip(4);
    Cursor scratch(node.take(16), "symbol table");
    if (kind > 2) node.fail("it has an entry of an unknown kind");
    if (kind == 2)
      expect_name(heap, scratch.u32());
    else if (seen_.insert(target).second)
      queue_.push_back(target);
  }
}

const FileCheck::Heap& FileCheck::local_heap(uint64_t address) {
  const auto known = heaps_.find(address);
  if (known != heaps_.end()) return known->second;
  constexpr uint64_t prefix_size = 32, end_of_list = 1;
  Cursor prefix(view(address, prefix_size, "its local heap"), "local heap");
  if (std::memcmp(prefix.take(4).data(), "HEAP", 4) != 0 || prefix.u8() != 0)
    prefix.fail("there is none where one should be");
  prefix.skip(3);
  const uint64_t size = prefix.u64();
  uint64_t free = prefix.u64();
  const uint64_t data = prefix.u64();
  Heap heap;
  if (size > 0) heap.data = view(data, size, "the names of its local heap");
  for (uint64_t blocks = 0; free != end_of_list; ++blocks) {
    if (free == 0 || free >= size || size - free < 16 || blocks > size / 16)
      prefix.fail("the list of its free blocks is damaged");
    Cursor block(heap.data.subspan(free, 16), "local heap");
    const uint64_t start = free;
    free = block.u64();
    if (block.u64() > size - start) prefix.fail("one of its free blocks is too long");
  }
  heap.last_nul = size;
  for (uint64_t i = size; i > 0; --i)
    if (heap.data[i - 1] == std::byte{0}) {
      heap.last_nul = i - 1;
      break;
    }
  return heaps_.emplace(address, heap).first->second;
}

void FileCheck::expect_name(const Heap& heap, uint64_t offset) const {
  if (offset >= heap.data.size()) throw Fault{"local heap: a name lies outside of it"};
  if (heap.last_nul == heap.data.size() || offset > heap.last_nul)
    throw Fault{"local heap: a name in it does not end"};
}

void FileCheck::chunk_tree(const DataLayout& layout, bool filtered) {
  uint64_t bytes = 1;
  for (const uint64_t along : layout.chunk) bytes = product(bytes, along);
  tree(layout.address, 1, chunk_k_, 8 + 8 * layout.chunk.size(),
       [&](std::span<const std::byte> key, uint64_t child, bool leaf) {
         if (!leaf) return;
         Cursor cursor(key, "B-tree");
         const uint64_t stored = cursor.u32();
         cursor.skip(4);
         for (const uint64_t along : layout.chunk)
           if (cursor.u64() % along != 0) cursor.fail("a chunk lies between two others");
         if (stored == 0 || (!filtered && stored != bytes))
           cursor.fail("a chunk has " + std::to_string(stored) + " bytes, not " +
                       std::to_string(bytes));
         expect_inside(child, stored, "a chunk of its data");
       });
}

}  // namespace cornu::io::h5
