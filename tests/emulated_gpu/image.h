// A compiled kernel of the emulated GPU: what its NVRTC gives, and what its driver loads.
#pragma once
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace cornu::backend::testing {

/// A kernel and the shared library that holds it.
struct EmulatedImage {
  std::string name;
  std::string_view library;  ///< the file's bytes
};

inline constexpr std::string_view emulated_image_mark = "emulated kernel\n";

/// One block of bytes, which tells its length by itself, as cubins do.
inline std::string write_image(const EmulatedImage& image) {
  std::string bytes(emulated_image_mark);
  bytes += image.name + "\n" + std::to_string(image.library.size()) + "\n";
  return bytes.append(image.library);
}

/// Empty when the bytes are no such image.
inline std::optional<EmulatedImage> read_image(const char* bytes) {
  // The rest is read only after the mark was found.
  for (const char c : emulated_image_mark)
    if (*bytes++ != c) return {};
  EmulatedImage image;
  while (*bytes != '\n') image.name += *bytes++;
  char* end = nullptr;
  const size_t size = std::strtoull(bytes, &end, 10);
  image.library = std::string_view(end + 1, size);
  return image;
}

}  // namespace cornu::backend::testing
