// Decoding, cutting, resizing and normalizing in as few passes as there can be.
#include "decode_crop.h"

#include <fmt/core.h>

#include <algorithm>

#include "../../../backend/error.h"
#include "../../../backend/pixels.h"

namespace cornu::data {
namespace {

// The largest reduction that leaves no less than the target's pixels.
int64_t reduction_of(const Region& region, const CropTarget& target) {
  for (const int64_t reduction : {8, 4, 2})
    if (region.height >= target.height * reduction && region.width >= target.width * reduction)
      return reduction;
  return 1;
}

void check_crop(const Region& region, int64_t height, int64_t width, const std::string& source) {
  if (region.top < 0 || region.left < 0 || region.height < 1 || region.width < 1 ||
      region.top > height - region.height || region.left > width - region.width)
    throw ValueError(fmt::format(
        "a crop of {} x {} pixels at row {}, column {} is not in the {} x {} pixels of '{}'.",
        region.height, region.width, region.top, region.left, height, width, source));
}

struct Choice {
  const ChooseCrop& choose;
  const CropTarget& target;
  Crop crop = {};
};

// The box of a grid whose pixel (0, 0) is that of the image, or of a window of a reduced image, as
// the target's floats.
void put(const backend::PixelGrid& grid, const backend::PixelBox& box, bool flip,
         const CropTarget& target, float* values) {
  backend::PixelTarget out{.values = values,
                           .height = target.height,
                           .width = target.width,
                           .channels_first = target.channels_first,
                           .flip = flip};
  for (size_t c = 0; c < 3; ++c) {
    out.scale[c] = 1 / (255 * target.std[c]);
    out.offset[c] = -target.mean[c] / target.std[c];
  }
  backend::resize_pixels(grid, box, out);
}

}  // namespace

void check_target(const CropTarget& target, const char* who) {
  if (target.height < 1 || target.width < 1)
    throw ValueError(
        fmt::format("{}: a result of {} x {} pixels is none.", who, target.height, target.width));
}

Crop random_resized_crop(int64_t height, int64_t width, Random& random,
                         const RandomCropOptions& options) {
  Crop crop;
  crop.flip = random.happens(options.flip);
  crop.region = random_part(height, width, random, options.scale, options.ratio);
  return crop;
}

Crop center_crop(int64_t height, int64_t width, const CropTarget& target) {
  check_target(target, "center_crop");
  const double ratio = static_cast<double>(target.width) / static_cast<double>(target.height);
  return {middle_part(height, width, {ratio, ratio}), false};
}

void decode_crop(std::span<const std::byte> bytes, const std::string& source,
                 const ChooseCrop& choose, const CropTarget& target, float* values) {
  check_target(target, "decode_crop");
  if (io::detect_image_format(bytes, source) != io::ImageFormat::jpeg) {
    const io::Image image =
        io::decode_image(bytes, source, {.channels = 3, .limits = target.limits});
    return crop_pixels({image.pixels.data(), image.height, image.width, 3}, source, choose, target,
                       values);
  }
  thread_local io::RegionPixels pixels;
  Choice choice{choose, target};
  io::decode_jpeg_region(
      bytes, source,
      [](void* context, int64_t height, int64_t width) {
        auto& c = *static_cast<Choice*>(context);
        c.crop = c.choose(height, width);
        return io::RegionRequest{c.crop.region, reduction_of(c.crop.region, c.target)};
      },
      &choice, pixels, target.limits);
  const Region& window = pixels.window;
  const Region& region = choice.crop.region;
  const auto reduced = [&](int64_t at) {
    return static_cast<double>(at) / static_cast<double>(pixels.reduction);
  };
  put({pixels.pixels.data(), window.height, window.width, 4},
      {reduced(region.top) - static_cast<double>(window.top),
       reduced(region.left) - static_cast<double>(window.left), reduced(region.height),
       reduced(region.width)},
      choice.crop.flip, target, values);
}

void crop_pixels(const PixelView& view, const std::string& source, const ChooseCrop& choose,
                 const CropTarget& target, float* values) {
  check_target(target, "crop_pixels");
  if (view.channels != 3 && view.channels != 4)
    throw ShapeError(fmt::format(
        "crop_pixels: expected pixels of 3 channels, or of 4 of which the last is passed over, "
        "found {} in '{}'. Repeat a gray channel three times.",
        view.channels, source));
  const auto [region, flip] = choose(view.height, view.width);
  check_crop(region, view.height, view.width, source);
  put({view.pixels, view.height, view.width, view.channels},
      {static_cast<double>(region.top), static_cast<double>(region.left),
       static_cast<double>(region.height), static_cast<double>(region.width),
       reduction_of(region, target)},
      flip, target, values);
}

}  // namespace cornu::data
