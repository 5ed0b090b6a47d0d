// Fuzz target: zip archives of any content, as archives, as .keras packages and as .npz.
#include <cornu/framework/io/archive.h>
#include <cornu/framework/io/npy.h>
#include <cornu/framework/saving/model_package.h>

#include "fuzz_support.h"

using namespace cornu;
using fuzz::expect_own_errors;

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  if (seed % 3 == 0) return LLVMFuzzerMutate(data, size, max_size);
  fuzz::damage(data, size, seed);
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static fuzz::ScratchFile file(".keras");
  const std::string& path = file.write(data, size);
  expect_own_errors([&] {
    io::ArchiveReader archive{std::filesystem::path(path)};
    size_t left = 64;
    for (const auto& member : archive.members()) {
      if (left-- == 0) break;
      expect_own_errors([&] { archive.read(member.name, uint64_t{1} << 22); });
      expect_own_errors([&] { archive.map(member.name, uint64_t{1} << 22); });
    }
  });
  expect_own_errors([&] {
    const saving::PackageReader package{std::filesystem::path(path)};
    for (const char* member : {"config.json", "model.weights.h5", "assets/vocabulary.txt"}) {
      if (!package.has(member)) continue;
      package.stored_size(member);
      package.text(member, uint64_t{1} << 20);
    }
  });
  expect_own_errors([&] { io::read_npz(path); });
  return 0;
}
