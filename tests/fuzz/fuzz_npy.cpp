// Fuzz target: NumPy's array files. What is read is written and read again.
#include <cornu/framework/io/npy.h>

#include "fuzz_support.h"

using namespace cornu;
using fuzz::expect_own_errors;

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  if (seed % 3 > 0) return LLVMFuzzerMutate(data, size, max_size);
  fuzz::damage(data, size, seed);
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  expect_own_errors([&] {
    const io::NpyArray array = io::parse_npy(bytes, "fuzz");
    const auto count = static_cast<size_t>(array.shape.numel());
    if (array.dtype == DType::string ? array.strings.size() != count
                                     : array.data.size() != count * size_of(array.dtype))
      std::abort();
    const io::NpyArray again = io::parse_npy(io::format_npy(array), "written");
    if (again.dtype != array.dtype || again.shape != array.shape || again.data != array.data ||
        again.strings != array.strings)
      std::abort();
  });
  expect_own_errors([&] { io::view_npy(io::Bytes({}, bytes), "fuzz"); });
  return 0;
}
