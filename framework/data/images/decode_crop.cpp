// Decoding, cutting, resizing and normalizing in as few passes as there can be.
#include "decode_crop.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

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

// Means over squares of a whole image's region, for formats that cannot reduce while decoding.
void reduce(const io::Image& image, const Region& region, int64_t reduction,
            io::RegionPixels& result) {
  result.image_height = image.height, result.image_width = image.width;
  result.reduction = reduction;
  const auto first = [&](int64_t at) { return at / reduction; };
  const auto last = [&](int64_t end) { return (end + reduction - 1) / reduction; };
  Region& window = result.window;
  window = {first(region.top), first(region.left), 0, 0};
  window.height = last(region.top + region.height) - window.top;
  window.width = last(region.left + region.width) - window.left;
  result.pixels.resize(
      std::max(result.pixels.size(), static_cast<size_t>(window.height * window.width * 4)));
  uint8_t* out = result.pixels.data();
  for (int64_t y = 0; y < window.height; ++y)
    for (int64_t x = 0; x < window.width; ++x, out += 4) {
      const int64_t top = (window.top + y) * reduction, left = (window.left + x) * reduction;
      const int64_t bottom = std::min(top + reduction, image.height);
      const int64_t right = std::min(left + reduction, image.width);
      int64_t sums[3] = {0, 0, 0};
      for (int64_t v = top; v < bottom; ++v)
        for (int64_t u = left; u < right; ++u)
          for (int64_t c = 0; c < 3; ++c)
            sums[c] += image.pixels[static_cast<size_t>((v * image.width + u) * 3 + c)];
      const int64_t count = (bottom - top) * (right - left);
      for (int64_t c = 0; c < 3; ++c) out[c] = static_cast<uint8_t>((sums[c] + count / 2) / count);
      out[3] = 255;
    }
}

}  // namespace

Crop random_resized_crop(int64_t height, int64_t width, Random& random,
                         const RandomCropOptions& options) {
  const auto& [scale, ratio, flip] = options;
  if (!(scale[0] > 0 && scale[0] <= scale[1]) || !(ratio[0] > 0 && ratio[0] <= ratio[1]))
    throw ValueError(fmt::format(
        "random_resized_crop: options 'scale' ({}, {}) and 'ratio' ({}, {}) need positive numbers "
        "in ascending order.",
        scale[0], scale[1], ratio[0], ratio[1]));
  Crop crop;
  crop.flip = random.happens(flip);
  const auto area = static_cast<double>(height * width);
  for (int i = 0; i < 10; ++i) {
    const double part = area * random.uniform(scale[0], scale[1]);
    const double shape = std::exp(random.uniform(std::log(ratio[0]), std::log(ratio[1])));
    const auto w = static_cast<int64_t>(std::lround(std::sqrt(part * shape)));
    const auto h = static_cast<int64_t>(std::lround(std::sqrt(part / shape)));
    if (w < 1 || w > width || h < 1 || h > height) continue;
    crop.region = {random.below(height - h + 1), random.below(width - w + 1), h, w};
    return crop;
  }
  const double shape = static_cast<double>(width) / static_cast<double>(height);
  int64_t h = height, w = width;
  if (shape < ratio[0])
    h = static_cast<int64_t>(std::lround(static_cast<double>(width) / ratio[0]));
  else if (shape > ratio[1])
    w = static_cast<int64_t>(std::lround(static_cast<double>(height) * ratio[1]));
  h = std::clamp<int64_t>(h, 1, height), w = std::clamp<int64_t>(w, 1, width);
  crop.region = {(height - h) / 2, (width - w) / 2, h, w};
  return crop;
}

void decode_crop(std::span<const std::byte> bytes, const std::string& source,
                 const ChooseCrop& choose, const CropTarget& target, float* values) {
  if (target.height < 1 || target.width < 1)
    throw ValueError(fmt::format("decode_crop: a result of {} x {} pixels is none.", target.height,
                                 target.width));
  thread_local io::RegionPixels pixels;
  Choice choice{choose, target};
  if (io::detect_image_format(bytes, source) == io::ImageFormat::jpeg) {
    io::decode_jpeg_region(
        bytes, source,
        [](void* context, int64_t height, int64_t width) {
          auto& c = *static_cast<Choice*>(context);
          c.crop = c.choose(height, width);
          return io::RegionRequest{c.crop.region, reduction_of(c.crop.region, c.target)};
        },
        &choice, pixels, target.limits);
  } else {
    const io::Image image =
        io::decode_image(bytes, source, {.channels = 3, .limits = target.limits});
    choice.crop = choose(image.height, image.width);
    check_crop(choice.crop.region, image.height, image.width, source);
    reduce(image, choice.crop.region, reduction_of(choice.crop.region, target), pixels);
  }
  const Region& window = pixels.window;
  const Region& region = choice.crop.region;
  const auto reduced = [&](int64_t at) {
    return static_cast<double>(at) / static_cast<double>(pixels.reduction);
  };
  backend::PixelTarget out{.values = values,
                           .height = target.height,
                           .width = target.width,
                           .channels_first = target.channels_first,
                           .flip = choice.crop.flip};
  for (size_t c = 0; c < 3; ++c) {
    out.scale[c] = 1 / (255 * target.std[c]);
    out.offset[c] = -target.mean[c] / target.std[c];
  }
  backend::resize_pixels({pixels.pixels.data(), window.height, window.width},
                         {reduced(region.top) - static_cast<double>(window.top),
                          reduced(region.left) - static_cast<double>(window.left),
                          reduced(region.height), reduced(region.width)},
                         out);
}

}  // namespace cornu::data
