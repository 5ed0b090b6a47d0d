// Fuzz target: image files of all formats, whole, in part, and as animations.
#include <cornu/framework/io/images/gif.h>
#include <cornu/framework/io/images/jpeg.h>

#include <algorithm>

#include "fuzz_support.h"

using namespace cornu;
using fuzz::expect_own_errors;

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  if (seed % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  fuzz::damage(data, size, seed);
  return size;
}

namespace {

constexpr io::ImageLimits limits{.pixels = 1 << 18, .bytes = 1 << 20, .frames = 20};

// What a reader promises of an image.
void check(const io::Image& image, int64_t channels) {
  if (image.height < 1 || image.width < 1 || image.height * image.width > limits.pixels ||
      (channels > 0 && image.channels != channels) ||
      (image.is_wide() ? image.wide.size() : image.pixels.size()) != image.size())
    std::abort();
}

// The lower right quarter, reduced by two.
io::RegionRequest quarter(void*, int64_t height, int64_t width) {
  return {{height / 2, width / 2, height - height / 2, width - width / 2}, 2};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  expect_own_errors([&] { io::read_image_info(bytes, "fuzz", limits); });
  for (const int channels : {0, 1, 3, 4})
    expect_own_errors([&] {
      check(io::decode_image(bytes, "fuzz",
                             {.channels = channels,
                              .fast_transform = channels == 1,
                              .keep_16_bits = channels == 1,
                              .limits = limits}),
            channels);
    });
  expect_own_errors([&] {
    for (const io::Frame& frame : io::decode_gif_frames(bytes, "fuzz", limits))
      check(frame.image, 4);
  });
  expect_own_errors([&] {
    io::RegionPixels pixels;
    io::decode_jpeg_region(bytes, "fuzz", quarter, nullptr, pixels, limits);
    if (pixels.pixels.size() < static_cast<size_t>(4 * pixels.window.height * pixels.window.width))
      std::abort();
  });
  return 0;
}
