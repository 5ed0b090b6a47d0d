// Laying out and drawing samples.
#include "show.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "../io/atomic_file.h"
#include "../io/images/png.h"
#include "../ops/bounding_boxes.h"
#include "../ops/core/cast.h"
#include "canvas.h"
#include "pipeline.h"

namespace cornu::data {
namespace {

constexpr Color paper = {24, 24, 27}, ink = {235, 235, 235};
constexpr int64_t gap = 8, line_height = 12;

std::vector<float> floats_of(const Tensor& tensor) {
  return ops::cast(tensor, DType::float32).to_vector<float>();
}

// An image as RGB bytes of its own size.
struct ShownImage {
  int64_t height = 0, width = 0;
  std::vector<uint8_t> rgb = {};
};

ShownImage shown_image_of(const Tensor& image) {
  const Shape& shape = image ? image.shape() : Shape();
  const int64_t channels = shape.rank() == 3 ? shape[2] : 1;
  if ((shape.rank() != 2 && shape.rank() != 3) || channels < 1 || channels > 4 || channels == 2 ||
      shape.numel() == 0)
    throw ValueError(
        fmt::format("show: an image is (h, w), or (h, w, c) with 1, 3 or 4 channels, found {}.",
                    image ? shape.str() : "none"));
  const std::vector<float> values = floats_of(image);
  const float most = *std::max_element(values.begin(), values.end());
  const float scale = is_float(image.dtype()) && most <= 1.5f ? 255 : 1;
  ShownImage picture{shape[0], shape[1], {}};
  picture.rgb.reserve(static_cast<size_t>(shape[0] * shape[1] * 3));
  for (size_t pixel = 0; pixel < values.size(); pixel += static_cast<size_t>(channels))
    for (size_t c = 0; c < 3; ++c) {
      const float value = values[pixel + (channels >= 3 ? c : 0)] * scale;
      picture.rgb.push_back(static_cast<uint8_t>(std::clamp(std::nearbyint(value), 0.f, 255.f)));
    }
  return picture;
}

// Where an image is in the grid: its corner, and how many pixels there one of its own takes.
struct Frame {
  int64_t x, y;
  double scale;
  int64_t height, width;

  double across(double image_x) const { return static_cast<double>(x) + image_x * scale; }
  double down(double image_y) const { return static_cast<double>(y) + image_y * scale; }
};

// The pixel of an image of that many pixels which a pixel of the frame shows.
int64_t shown(int64_t i, double scale, int64_t size) {
  return std::min(static_cast<int64_t>((static_cast<double>(i) + 0.5) / scale), size - 1);
}

void draw_image(Canvas& canvas, const Frame& frame, const ShownImage& picture) {
  for (int64_t y = 0; y < frame.height; ++y)
    for (int64_t x = 0; x < frame.width; ++x) {
      const int64_t row = shown(y, frame.scale, picture.height),
                    column = shown(x, frame.scale, picture.width);
      const uint8_t* from = &picture.rgb[static_cast<size_t>((row * picture.width + column) * 3)];
      canvas.put(frame.x + x, frame.y + y, {from[0], from[1], from[2]});
    }
}

// Class 0 is the background.
void draw_mask(Canvas& canvas, const Frame& frame, const Tensor& mask) {
  if (!mask) return;
  if (mask.rank() < 2) throw ValueError("show: a mask is (h, w) or (h, w, c).");
  const std::vector<float> values = floats_of(mask);
  const int64_t rows = mask.shape(0), columns = mask.shape(1);
  if (rows == 0 || columns == 0) return;
  const int64_t channels = mask.size() / (rows * columns);
  for (int64_t y = 0; y < frame.height; ++y)
    for (int64_t x = 0; x < frame.width; ++x) {
      const int64_t row = y * rows / frame.height, column = x * columns / frame.width;
      const float number = values[static_cast<size_t>((row * columns + column) * channels)];
      if (number != 0) canvas.put(frame.x + x, frame.y + y, class_color(std::lround(number)), 0.45);
    }
}

std::string class_name(int64_t number, const ShowOptions& options) {
  const bool known = number >= 0 && number < static_cast<int64_t>(options.classes.size());
  return known ? options.classes[static_cast<size_t>(number)] : std::to_string(number);
}

void draw_boxes(Canvas& canvas, const Frame& frame, const Sample& sample, const ShownImage& picture,
                const ShowOptions& options) {
  if (!sample.boxes || sample.boxes.size() == 0) return;
  const Tensor boxes = ops::cast(sample.boxes, DType::float32);
  const std::vector<float> sides =
      floats_of(ops::convert_boxes(boxes, sample.box_format, "xyxy", Tensor(picture.height),
                                   Tensor(picture.width))
                    .tensor());
  const std::vector<float> labels =
      sample.box_labels ? floats_of(sample.box_labels) : std::vector<float>();
  for (size_t i = 0; i * 4 < sides.size(); ++i) {
    const int64_t label = i < labels.size() ? std::lround(labels[i]) : 0;
    if (label < 0) continue;  // nothing of it is left
    const Color color = class_color(label + 1);
    const double left = frame.across(sides[4 * i]), top = frame.down(sides[4 * i + 1]);
    canvas.box(left, top, frame.across(sides[4 * i + 2]), frame.down(sides[4 * i + 3]), color);
    if (i < labels.size())
      canvas.text(std::lround(left) + 3, std::lround(top) + 3, class_name(label, options), color);
  }
}

void draw_points(Canvas& canvas, const Frame& frame, const Sample& sample) {
  if (!sample.points || sample.points.size() == 0) return;
  const std::vector<float> places = floats_of(sample.points);
  const std::vector<float> visible =
      sample.visible ? floats_of(sample.visible) : std::vector<float>();
  for (size_t i = 0; i * 2 < places.size(); ++i) {
    // Points count from the middle of a pixel.
    const double x = frame.across(places[2 * i] + 0.5), y = frame.down(places[2 * i + 1] + 0.5);
    const Color color = class_color(static_cast<int64_t>(i));
    constexpr double arm = 3;
    if (i < visible.size() && visible[i] == 0) {
      canvas.box(x - arm, y - arm, x + arm, y + arm, color);
      continue;
    }
    canvas.line(x - arm, y, x + arm, y, color);
    canvas.line(x, y - arm, x, y + arm, color);
  }
}

std::string caption(const Sample& sample, const ShowOptions& options) {
  if (!sample.label || sample.label.size() == 0) return "";
  const std::vector<float> values = floats_of(sample.label);
  if (values.size() == 1) {
    const bool whole = values[0] == std::nearbyint(values[0]);
    return whole ? class_name(std::lround(values[0]), options) : fmt::format("{:.3g}", values[0]);
  }
  const auto most = std::max_element(values.begin(), values.end());
  return fmt::format("{} {:.2g}", class_name(most - values.begin(), options), *most);
}

void check_options(const ShowOptions& options) {
  if (options.columns < 0)
    throw ValueError(fmt::format("show: columns must be at least 0, found {}.", options.columns));
  if (options.size < 16)
    throw ValueError(fmt::format("show: size must be at least 16, found {}.", options.size));
}

// Row i of a tensor, or of a list's first tensor; nothing where there is none.
Tensor sample_row(const Nest& nest, int64_t i) {
  if (nest.empty() || !nest.is_tensor() || nest.tensor().rank() == 0) return {};
  return nest.tensor()[i];
}

}  // namespace

Tensor draw(const std::vector<Sample>& samples, const ShowOptions& options) {
  check_options(options);
  if (samples.empty()) throw ValueError("show: there are no samples.");
  const auto count = static_cast<int64_t>(samples.size());
  const int64_t columns =
      options.columns > 0 ? std::min(options.columns, count)
                          : static_cast<int64_t>(std::ceil(std::sqrt(static_cast<double>(count))));
  const int64_t rows = (count + columns - 1) / columns;
  const int64_t across = options.size + gap, down = options.size + gap + line_height;
  Canvas canvas(rows * down + gap, columns * across + gap, paper);
  for (int64_t i = 0; i < count; ++i) {
    const Sample& sample = samples[static_cast<size_t>(i)];
    const ShownImage picture = shown_image_of(sample.image);
    const double scale = static_cast<double>(options.size) /
                         static_cast<double>(std::max(picture.height, picture.width));
    const auto scaled = [&](int64_t size) {
      return std::max<int64_t>(std::lround(static_cast<double>(size) * scale), 1);
    };
    const Frame frame{gap + i % columns * across, gap + i / columns * down, scale,
                      scaled(picture.height), scaled(picture.width)};
    draw_image(canvas, frame, picture);
    draw_mask(canvas, frame, sample.mask);
    draw_boxes(canvas, frame, sample, picture, options);
    draw_points(canvas, frame, sample);
    canvas.text(frame.x, frame.y + options.size + 3, caption(sample, options), ink);
  }
  return Tensor::from(canvas.pixels(), {canvas.height(), canvas.width(), 3});
}

void show(const std::vector<Sample>& samples, const std::string& path, const ShowOptions& options) {
  if (std::filesystem::path(path).extension() != ".png")
    throw ValueError(
        fmt::format("show: '{}' does not end in '.png', which is what it draws.", path));
  const Tensor grid = draw(samples, options);
  const std::string file = io::encode_png(
      {static_cast<const uint8_t*>(grid.host_data()), static_cast<size_t>(grid.size())},
      grid.shape(0), grid.shape(1), 3);
  io::write_file(path, std::as_bytes(std::span(file)));
}

namespace detail {

void show_first(const Pipeline<Sample>& samples, int64_t count, const std::string& path,
                const ShowOptions& options) {
  std::vector<Sample> taken;
  for (const Sample& sample : samples.take(count)) taken.push_back(sample);
  show(taken, path, options);
}

void show_first(const Pipeline<Batch>& batches, int64_t count, const std::string& path,
                const ShowOptions& options) {
  std::vector<Sample> taken;
  for (const Batch& batch : batches) {
    const int64_t size = count_samples(batch.x);
    for (int64_t i = 0; i < size && static_cast<int64_t>(taken.size()) < count; ++i)
      taken.push_back({.image = sample_row(batch.x, i), .label = sample_row(batch.y, i)});
    if (static_cast<int64_t>(taken.size()) >= count) break;
  }
  show(taken, path, options);
}

}  // namespace detail
}  // namespace cornu::data
