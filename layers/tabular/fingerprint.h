// Hashes of byte strings by which layers choose bins; they are those of TensorFlow, bit for bit.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace cornu::layers {

/// FarmHash's Fingerprint64, which never changes between releases or machines.
uint64_t fingerprint64(std::string_view text);

/// SipHash-2-4 with a key of 128 bits: https://www.aumasson.jp/siphash/siphash.pdf.
uint64_t sip_hash(std::array<uint64_t, 2> key, std::string_view text);

/// One fingerprint of two, in which their order counts.
uint64_t combine_fingerprints(uint64_t first, uint64_t second);

}  // namespace cornu::layers
