// Decoding, cutting, resizing and normalizing in as few passes as there can be.
#include "decode_crop.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

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

// The target as the kernel has it.
backend::PixelTarget pixel_target(const CropTarget& target, bool flip, float* values) {
  backend::PixelTarget out{.values = values,
                           .height = target.height,
                           .width = target.width,
                           .channels_first = target.channels_first,
                           .flip = flip};
  for (size_t c = 0; c < 3; ++c) {
    out.scale[c] = 1 / (255 * target.std[c]);
    out.offset[c] = -target.mean[c] / target.std[c];
  }
  return out;
}

// Rows of a JPEG file on their way to the target, each while it is in the caches.
class CroppedRows final : public io::RegionRows {
 public:
  CroppedRows(const Choice& choice, float* values) : choice_(choice), values_(values) {}

  void begin(const io::RegionFrame& frame) override {
    const Region &window = frame.window, &region = choice_.crop.region;
    const auto reduced = [&](int64_t at) {
      return static_cast<double>(at) / static_cast<double>(frame.reduction);
    };
    rows_.emplace(backend::PixelGrid{nullptr, window.height, window.width, 4},
                  backend::PixelBox{reduced(region.top) - static_cast<double>(window.top),
                                    reduced(region.left) - static_cast<double>(window.left),
                                    reduced(region.height), reduced(region.width)},
                  pixel_target(choice_.target, choice_.crop.flip, values_));
    stride_ = static_cast<size_t>(window.width) * 4;
    // Memory is kept for the thread's next image.
    if (memory().size() < kept * stride_) memory().resize(kept * stride_);
  }
  uint8_t* room(int64_t y) override {
    return memory().data() + static_cast<size_t>(y) % kept * stride_;
  }
  void done(int64_t y) override { rows_->add(y, room(y)); }

 private:
  static constexpr size_t kept = 8;
  static std::vector<uint8_t>& memory() {
    thread_local std::vector<uint8_t> rows;
    return rows;
  }

  const Choice& choice_;
  float* values_;
  std::optional<backend::PixelRows> rows_;
  size_t stride_ = 0;
};

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
  Choice choice{choose, target};
  CroppedRows rows(choice, values);
  io::decode_jpeg_region(
      bytes, source,
      [](void* context, int64_t height, int64_t width) {
        auto& c = *static_cast<Choice*>(context);
        c.crop = c.choose(height, width);
        return io::RegionRequest{c.crop.region, reduction_of(c.crop.region, c.target)};
      },
      &choice, rows, target.limits);
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
  backend::resize_pixels({view.pixels, view.height, view.width, view.channels},
                         {static_cast<double>(region.top), static_cast<double>(region.left),
                          static_cast<double>(region.height), static_cast<double>(region.width),
                          reduction_of(region, target)},
                         pixel_target(target, flip, values));
}

}  // namespace cornu::data
