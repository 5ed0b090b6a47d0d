// CRC-32C by ISA-L, which uses the processor's instructions.
#include "crc32c.h"

#include <isa-l/crc.h>

#include <algorithm>

namespace cornu::io {

uint32_t crc32c(std::span<const std::byte> bytes) {
  // It takes the length as an int, and its bytes as if it would change them.
  constexpr size_t most = size_t{1} << 30;
  uint32_t crc = ~0u;
  while (!bytes.empty()) {
    const size_t count = std::min(bytes.size(), most);
    auto* data = const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(bytes.data()));
    crc = crc32_iscsi(data, static_cast<int>(count), crc);
    bytes = bytes.subspan(count);
  }
  return ~crc;
}

}  // namespace cornu::io
