// What the fuzz targets share: running a reader that may only fail with Cornu's own errors.
#pragma once
#include <cornu/backend/error.h>
#include <cornu/backend/log.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <random>
#include <string>
#include <typeinfo>

namespace cornu::fuzz {

/// Runs `read`. A refusal in Cornu's own words is what a hostile file deserves; any other
/// exception is a finding, and so is what the sanitizers see.
template <class Read>
void expect_own_errors(Read read) {
  try {
    read();
  } catch (const Error&) {
  } catch (const std::exception& e) {
    std::fprintf(stderr, "an exception that is not Cornu's: %s: %s\n", typeid(e).name(), e.what());
    std::abort();
  }
}

/// A file in memory with the given name's ending, made anew for each input and removed at the end.
class ScratchFile {
 public:
  explicit ScratchFile(const std::string& ending)
      : path_("/dev/shm/cornu-fuzz-" + std::to_string(::getpid()) + ending) {}
  ~ScratchFile() { ::unlink(path_.c_str()); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  const std::string& write(const uint8_t* data, size_t size) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    return path_;
  }

 private:
  std::string path_;
};

/// Overwrites a few places with numbers that readers stumble over, moving nothing: what the
/// offsets inside a binary file point to stays where it is.
inline void damage(uint8_t* data, size_t size, unsigned seed) {
  if (size < 16) return;
  std::minstd_rand random(seed);
  const uint64_t odd[] = {0,        1,          2,
                          0x7f,     0x80,       0xff,
                          0xffff,   0x7fffffff, size,
                          size / 2, UINT64_MAX, UINT64_MAX >> 1,
                          0x10000,  8,          uint64_t{1} << 40};
  for (unsigned n = 1 + random() % 4; n > 0; --n) {
    const size_t at = random() % (size - 8);
    switch (random() % 4) {
      case 0:
        data[at] ^= static_cast<uint8_t>(1u << random() % 8);
        break;
      case 1:
        data[at] = static_cast<uint8_t>(random());
        break;
      case 2: {
        const uint64_t value = odd[random() % std::size(odd)];
        const size_t width = size_t{1} << random() % 4;
        for (size_t i = 0; i < width; ++i) data[at + i] = static_cast<uint8_t>(value >> (8 * i));
        break;
      }
      default: {
        const size_t from = random() % (size - 8);
        for (size_t i = 0; i < 8; ++i) data[at + i] = data[from + i];
      }
    }
  }
}

}  // namespace cornu::fuzz
