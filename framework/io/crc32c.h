// CRC-32C, the sum of bytes that TensorBoard's files and shards have.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace cornu::io {

/// The CRC with Castagnoli's polynomial, as in RFC 3720, B.4.
uint32_t crc32c(std::span<const std::byte> bytes);

}  // namespace cornu::io
