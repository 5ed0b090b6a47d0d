// keras.utils' functions for single images.
#include "load_img.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <span>

#include "../../../backend/error.h"
#include "../../../backend/log.h"
#include "../../io/atomic_file.h"
#include "../../io/convert_elements.h"
#include "../../io/images/bmp.h"
#include "../../io/images/jpeg.h"
#include "../../io/images/png.h"
#include "resample.h"

namespace cornu::utils {
namespace {

bool channels_first(const std::string& data_format) {
  if (data_format == "channels_last") return false;
  if (data_format == "channels_first") return true;
  throw ValueError(fmt::format(
      "data_format: expected 'channels_last' or 'channels_first', found '{}'.", data_format));
}

// The largest box in the middle of an image that has the target's shape.
data::Box middle(const Image& image, int64_t height, int64_t width) {
  const int64_t crop_height = std::min(image.height, image.width * height / width);
  const int64_t crop_width = std::min(image.width, image.height * width / height);
  const int64_t top = (image.height - crop_height) / 2, left = (image.width - crop_width) / 2;
  return {static_cast<double>(left), static_cast<double>(top),
          static_cast<double>(left + crop_width), static_cast<double>(top + crop_height)};
}

// Of 16-bit gray, as Pillow makes colors of it: all above 255 is white.
void cut_to_8_bits(Image& image) {
  image.pixels.resize(image.wide.size());
  std::transform(image.wide.begin(), image.wide.end(), image.pixels.begin(),
                 [](uint16_t v) { return static_cast<uint8_t>(std::min<uint16_t>(v, 255)); });
  image.wide.clear();
}

// Values (height, width, channels) to (channels, height, width).
template <class T>
std::vector<T> planes(std::span<const T> values, int64_t pixels, int64_t channels) {
  std::vector<T> result(values.size());
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t i = 0; i < pixels; ++i)
      result[static_cast<size_t>(c * pixels + i)] = values[static_cast<size_t>(i * channels + c)];
  return result;
}

template <class T>
Tensor to_tensor(const std::vector<T>& values, const Image& image, bool first, DType dtype) {
  const Shape shape = first ? Shape{image.channels, image.height, image.width}
                            : Shape{image.height, image.width, image.channels};
  const std::vector<T> moved =
      first ? planes<T>(values, image.height * image.width, image.channels) : std::vector<T>();
  const std::vector<T>& ordered = first ? moved : values;
  return Tensor::written(shape, dtype, [&](void* target) {
    io::convert_elements(ordered.data(), dtype_for_v<T>, target, dtype, ordered.size());
  });
}

// Shifted and stretched to 0 ... 255, in the arithmetic of T.
template <class T>
void stretch(std::vector<double>& values) {
  const auto low = static_cast<T>(*std::min_element(values.begin(), values.end()));
  T high = 0;
  for (double& value : values) {
    value = static_cast<T>(static_cast<T>(value) - low);
    high = std::max(high, static_cast<T>(value));
  }
  for (double& value : values) {
    auto v = static_cast<T>(value);
    if (high != 0) v /= high;
    value = static_cast<T>(v * T{255});
  }
}

void write_values(const std::vector<double>& values, Image& image) {
  const double high = *std::max_element(values.begin(), values.end());
  if (image.channels == 1 && high > 255) {
    const double low = *std::min_element(values.begin(), values.end());
    if (low < 0 || high >= 65536)
      throw ValueError(fmt::format(
          "array_to_img: values from {} to {} are no image of 16 bits; option 'scale' makes 0 to "
          "255 of them.",
          low, high));
    image.wide.resize(values.size());
    std::transform(values.begin(), values.end(), image.wide.begin(),
                   [](double v) { return static_cast<uint16_t>(v); });
    return;
  }
  image.pixels.resize(values.size());
  std::transform(values.begin(), values.end(), image.pixels.begin(), [](double v) {
    // NaN becomes 0.
    return std::isfinite(v) ? static_cast<uint8_t>(static_cast<int64_t>(std::fmod(v, 256.0))) : 0;
  });
}

std::string format_of(const std::filesystem::path& path, const std::string& given) {
  std::string format = given.empty() ? path.extension().string() : given;
  if (format.starts_with('.')) format.erase(0, 1);
  std::transform(format.begin(), format.end(), format.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (format == "jpg") format = "jpeg";
  if (format != "png" && format != "jpeg" && format != "bmp")
    throw ValueError(
        fmt::format("save_img: '{}' is to be written as '{}'; there are png, jpeg and bmp. Option "
                    "'file_format' says which, or the ending of the name.",
                    path.string(), format));
  return format;
}

}  // namespace

TargetSize::TargetSize(std::initializer_list<Shape::Size> sides) {
  if (sides.size() != 2)
    throw ValueError(fmt::format(
        "option 'target_size': expected height and width, found {} numbers.", sides.size()));
  emplace(sides.begin()->value, sides.begin()[1].value);
}

int color_channels(const std::string& mode) {
  if (mode == "grayscale") return 1;
  if (mode == "rgb") return 3;
  if (mode == "rgba") return 4;
  throw ValueError(
      fmt::format("option 'color_mode': expected 'grayscale', 'rgb' or 'rgba', found '{}'.{}", mode,
                  did_you_mean(mode, {"grayscale", "rgb", "rgba"})));
}

Image load_img(const std::filesystem::path& path, const LoadImgOptions& options) {
  const int channels = color_channels(options.color_mode);
  if (options.target_size) {
    const auto& methods = data::resampling_methods();
    if (std::find(methods.begin(), methods.end(), options.interpolation) == methods.end())
      throw ValueError(fmt::format(
          "option 'interpolation': expected nearest, bilinear, bicubic, lanczos, box or hamming, "
          "found '{}'.{}",
          options.interpolation, did_you_mean(options.interpolation, methods)));
    if (options.target_size->first < 1 || options.target_size->second < 1)
      throw ValueError(
          fmt::format("option 'target_size': expected at least one pixel, found {} x {}.",
                      options.target_size->first, options.target_size->second));
  }
  Image image = io::read_image(path.string(), {.keep_16_bits = true, .limits = options.limits});
  if (image.is_wide() && channels != 1) cut_to_8_bits(image);
  image = io::convert_channels(std::move(image), channels);
  if (!options.target_size) return image;
  const auto [height, width] = *options.target_size;
  if (image.height == height && image.width == width) return image;
  if (options.keep_aspect_ratio)
    return data::resample(image, height, width, options.interpolation,
                          middle(image, height, width));
  return data::resample(image, height, width, options.interpolation);
}

Tensor img_to_array(const Image& image, const ImgToArrayOptions& options) {
  const bool first = channels_first(options.data_format);
  if (image.is_wide()) return to_tensor(image.wide, image, first, options.dtype);
  return to_tensor(image.pixels, image, first, options.dtype);
}

Image array_to_img(const Tensor& x, const ArrayToImgOptions& options) {
  const bool first = channels_first(options.data_format);
  if (x.rank() != 3 || x.size() == 0)
    throw ShapeError(fmt::format("array_to_img: expected one image of rank 3, found shape {}.",
                                 x.shape().str()));
  const int64_t channels = x.shape(first ? 0 : 2);
  if (channels != 1 && channels != 3 && channels != 4)
    throw ShapeError(
        fmt::format("array_to_img: expected 1 (gray), 3 (RGB) or 4 (RGBA) channels, found {} in "
                    "shape {} with data_format '{}'.",
                    channels, x.shape().str(), options.data_format));
  Image image{x.shape(first ? 1 : 0), x.shape(first ? 2 : 1), channels};
  std::vector<double> values = x.to_vector<double>();
  if (first) {
    // The planes of planes: from (channels, pixels) to (pixels, channels).
    values = planes<double>(values, channels, image.height * image.width);
  }
  if (options.scale) {
    if (options.dtype == DType::float64)
      stretch<double>(values);
    else
      stretch<float>(values);
  }
  write_values(values, image);
  return image;
}

void save_img(const std::filesystem::path& path, const Tensor& x, const SaveImgOptions& options) {
  const std::string format = format_of(path, options.file_format);
  Image image = array_to_img(x, {.data_format = options.data_format, .scale = options.scale});
  std::string file;
  if (format == "png") {
    file = io::encode_png(image);
  } else if (format == "bmp") {
    file = io::encode_bmp(image);
  } else {
    if (image.channels == 4) {
      warn_once("save_img: JPEG files have no alpha channel; it is left out.");
      image = io::convert_channels(std::move(image), 3);
    }
    file = io::encode_jpeg(image, {.quality = options.quality});
  }
  io::write_file(path, std::as_bytes(std::span(file)));
}

}  // namespace cornu::utils
