// Texts, their hashes, and argument blocks.
#include "kernel_plan.h"

#include <set>

#include "prelude.h"

namespace cornu::backend::cuda {

std::string text_hash(std::string_view text) {
  // Two FNV-1a hashes of 64 bits with different starts, each mixed once more at the end.
  uint64_t hashes[2] = {0xCBF29CE484222325u, 0x9E3779B97F4A7C15u};
  for (const char c : text) {
    hashes[0] = (hashes[0] ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
    hashes[1] = (hashes[1] ^ static_cast<unsigned char>(c)) * 0xD6E8FEB86659FD93u;
    hashes[1] ^= hashes[1] >> 32;
  }
  std::string digits;
  for (uint64_t hash : hashes) {
    hash = (hash ^ hash >> 31) * 0xBF58476D1CE4E5B9u;
    hash ^= hash >> 29;
    for (int shift = 60; shift >= 0; shift -= 4) digits += "0123456789abcdef"[hash >> shift & 15];
  }
  return digits;
}

std::string Source::text() const {
  std::string all(prelude());
  if (random) all += random_prelude();
  return all + body;
}

std::string batch_text(std::span<const std::shared_ptr<const Source>> sources) {
  std::string all(prelude());
  for (const auto& source : sources) {
    if (!source->random) continue;
    all += random_prelude();
    break;
  }
  std::set<std::string_view> names;
  for (const auto& source : sources)
    if (names.insert(source->name).second) all += source->body;
  return all;
}

std::vector<uint64_t> Stage::arguments() const {
  std::vector<uint64_t> block(pointers.size());
  block.insert(block.end(), words.begin(), words.end());
  return block;
}

void Stage::bind(std::span<void* const> data, void* workspace, uint64_t* block) const {
  for (size_t i = 0; i < pointers.size(); ++i) {
    const size_t operand = static_cast<size_t>(pointers[i]);
    block[i] = reinterpret_cast<uint64_t>(operand < data.size() ? data[operand] : workspace);
  }
}

}  // namespace cornu::backend::cuda
