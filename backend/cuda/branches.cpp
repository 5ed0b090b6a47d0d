// Finding what a step waits for, and telling the driver.
#include "branches.h"

#include <algorithm>
#include <bit>

#include "../error.h"

namespace cornu::backend::cuda {
namespace {

constexpr unsigned add_to_set = 0, replace_set = 1;
constexpr size_t bits = 64;

bool has(const std::vector<uint64_t>& set, size_t i) {
  return i / bits < set.size() && (set[i / bits] >> i % bits & 1) != 0;
}

template <class T>
void make_unique(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

void Branches::begin_step(std::span<const MemoryRange> reads, std::span<const MemoryRange> writes) {
  end_step();
  steps_.emplace_back();
  if (sequence_) return;
  std::vector<size_t> waits;
  for (const MemoryRange& range : reads) note(range, false, waits);
  for (const MemoryRange& range : writes) note(range, true, waits);
  const std::vector<Node> nodes = ends(waits);
  if (!depend(waits.empty() ? base_ : nodes, replace_set)) become_sequence();
}

void Branches::touch(MemoryRange range, bool write) {
  if (steps_.empty() || sequence_) return;
  std::vector<size_t> waits;
  note(range, write, waits);
  const std::vector<Node> nodes = ends(waits);
  if (!nodes.empty() && !depend(nodes, add_to_set)) become_sequence();
}

void Branches::end_step() {
  if (sequence_) return;
  // A step that launched nothing ends where it began, so whoever waits for it waits for the same.
  if (!current(steps_.empty() ? base_ : steps_.back().end)) become_sequence();
}

// Remembers a use of memory by the step, and adds the earlier steps to `waits` that it must wait
// for.
void Branches::note(MemoryRange range, bool write, std::vector<size_t>& waits) {
  if (!range.data || range.bytes == 0) return;
  const auto begin = reinterpret_cast<uintptr_t>(range.data);
  const uintptr_t end = begin + range.bytes;
  const size_t step = steps_.size() - 1;
  std::erase_if(accesses_, [&](const Access& a) {
    if (a.end <= begin || end <= a.begin) return false;
    if (a.step != step && (write || a.write)) waits.push_back(a.step);
    // Whoever would wait for that access will wait for this step, which waits for it.
    return write && begin <= a.begin && a.end <= end;
  });
  accesses_.push_back({begin, end, step, write});
}

// The last nodes of those steps, without steps that the current one comes after anyway. Each edge
// of a graph costs time in each of its runs.
std::vector<Branches::Node> Branches::ends(std::vector<size_t>& waits) {
  make_unique(waits);
  std::vector<Node> nodes;
  std::vector<uint64_t>& before = steps_.back().before;
  before.resize(steps_.size() / bits + 1);
  // The latest first: it may come after others.
  for (size_t i = waits.size(); i-- > 0;) {
    if (has(before, waits[i])) continue;
    const Step& step = steps_[waits[i]];
    for (size_t word = 0; word < step.before.size(); ++word) before[word] |= step.before[word];
    before[waits[i] / bits] |= uint64_t{1} << waits[i] % bits;
    nodes.insert(nodes.end(), step.end.begin(), step.end.end());
  }
  make_unique(nodes);
  return nodes;
}

bool Branches::current(std::vector<Node>& nodes) const {
  int status = 0;
  unsigned long long id = 0;
  CUgraph_st* graph = nullptr;
  Node const* set = nullptr;
  size_t count = 0;
  if (driver_.capture_info(stream_, &status, &id, &graph, &set, &count) != 0) return false;
  nodes.assign(set, set + count);
  return true;
}

bool Branches::depend(const std::vector<Node>& nodes, unsigned flags) {
  Node none = nullptr;
  std::vector<Node> copy = nodes;  // the driver's argument is not const
  Node* const set = copy.empty() ? &none : copy.data();
  if (driver_.capture_depend(stream_, set, copy.size(), flags) != 0) return false;
  changed_ = true;
  return true;
}

// The next launch waits for all before, and each later one for that before it.
void Branches::become_sequence() {
  sequence_ = true;
  if (!changed_) return;  // they are one
  std::vector<Node> all = base_;
  for (const Step& step : steps_) all.insert(all.end(), step.end.begin(), step.end.end());
  make_unique(all);
  valid_ = all.empty() || depend(all, add_to_set);
}

StepScratch::~StepScratch() {
  for (const Block& block : blocks_) allocator_.deallocate(block.data, block.bytes);
}

void* StepScratch::take(size_t bytes, Branches& branches, const void* memory) {
  const auto enough = [bytes](const Block& block) { return block.bytes >= bytes; };
  const auto own =
      std::find_if(blocks_.end() - static_cast<ptrdiff_t>(of_step_), blocks_.end(), enough);
  if (own != blocks_.end()) return own->data;
  constexpr size_t least = 4096;
  const size_t size = std::bit_ceil(std::max(bytes, least));
  if (together_ + size <= most_bytes_together && add(size)) {
    // An earlier step may have given the block back to the allocator.
    branches.touch(memory, false);
  } else {
    // What was taken longest ago is what others have most probably done with.
    const auto oldest = std::find_if(blocks_.begin(), blocks_.end(), enough);
    if (oldest == blocks_.end()) return nullptr;
    std::rotate(oldest, oldest + 1, blocks_.end());
  }
  ++of_step_;
  branches.touch({blocks_.back().data, blocks_.back().bytes}, true);
  return blocks_.back().data;
}

bool StepScratch::add(size_t bytes) {
  try {
    blocks_.push_back({allocator_.allocate(bytes), bytes});
  } catch (const MemoryError&) {
    return false;
  }
  together_ += bytes;
  return true;
}

}  // namespace cornu::backend::cuda
