// The records of event files, read without protobuf and checked with a CRC32C of the tests' own.
#pragma once
#include <catch.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace cornu::test {

/// Bit by bit, by the definition.
inline uint32_t crc32c(const std::string& bytes) {
  uint32_t crc = ~0u;
  for (unsigned char byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0x82f63b78u : 0u);
  }
  return ~crc;
}

inline uint32_t masked(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8u; }

template <class T>
T number_at(const std::string& bytes, size_t at) {
  REQUIRE(at + sizeof(T) <= bytes.size());
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

/// The messages of a file, in order, each without its wall time; checks the framing.
inline std::vector<std::string> event_records(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  std::vector<std::string> records;
  for (size_t at = 0; at < bytes.size();) {
    const auto size = number_at<uint64_t>(bytes, at);
    REQUIRE(at + 16 + size <= bytes.size());
    CHECK(number_at<uint32_t>(bytes, at + 8) == masked(crc32c(bytes.substr(at, 8))));
    const std::string message = bytes.substr(at + 12, size);
    CHECK(number_at<uint32_t>(bytes, at + 12 + size) == masked(crc32c(message)));
    // Field 1, eight bytes: the wall time.
    REQUIRE(message.size() >= 9);
    CHECK(message[0] == 0x09);
    records.push_back(message.substr(9));
    at += 16 + size;
  }
  return records;
}

/// The event files of a folder, by name.
inline std::vector<std::filesystem::path> event_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().filename().string().starts_with("events.out.tfevents."))
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// How many records hold this text.
inline int64_t count_holding(const std::vector<std::string>& records, const std::string& text) {
  return std::count_if(records.begin(), records.end(), [&](const std::string& record) {
    return record.find(text) != std::string::npos;
  });
}

}  // namespace cornu::test
