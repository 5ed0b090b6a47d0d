// Boxes and letters on images.
#include "draw_bounding_boxes.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "../../ops/bounding_boxes.h"
#include "../../ops/core/cast.h"
#include "../../ops/numpy/manipulation.h"

namespace cornu::visualization {
namespace {

using data::Canvas;

void fill(Canvas& canvas, int64_t left, int64_t top, int64_t right, int64_t bottom, Color color) {
  left = std::max<int64_t>(left, 0), top = std::max<int64_t>(top, 0);
  right = std::min(right, canvas.width() - 1), bottom = std::min(bottom, canvas.height() - 1);
  for (int64_t y = top; y <= bottom; ++y)
    for (int64_t x = left; x <= right; ++x) canvas.put(x, y, color);
}

// The disk of OpenCV's round line ends: by Bresenham's circle, whose octants go outward in x where
// the squared distance has grown by more than a step inward takes off.
void fill_disk(Canvas& canvas, int64_t x, int64_t y, int64_t radius, Color color) {
  int64_t error = 0;
  for (int64_t across = radius, down = 0; across >= down; ++down) {
    fill(canvas, x - across, y - down, x + across, y - down, color);
    fill(canvas, x - across, y + down, x + across, y + down, color);
    fill(canvas, x - down, y - across, x + down, y - across, color);
    fill(canvas, x - down, y + across, x + down, y + across, color);
    error += 2 * down + 1;
    if (error > 0) error -= 2 * across-- - 1;
  }
}

// Four lines with round ends, of OpenCV's width: one pixel, or an odd number above the thickness.
void draw_box(Canvas& canvas, std::array<int64_t, 4> box, int64_t thickness, Color color) {
  const auto [x0, y0, x1, y1] = box;
  const auto [left, right] = std::minmax(x0, x1);
  const auto [top, bottom] = std::minmax(y0, y1);
  const int64_t side = thickness > 1 ? (thickness + 1) / 2 : 0;
  for (const int64_t y : {top, bottom}) fill(canvas, left, y - side, right, y + side, color);
  for (const int64_t x : {left, right}) fill(canvas, x - side, top, x + side, bottom, color);
  for (const int64_t x : {left, right})
    for (const int64_t y : {top, bottom}) fill_disk(canvas, x, y, side, color);
}

// Letters whose lower left corner is at (x, y).
void write_enlarged(Canvas& canvas, int64_t x, int64_t y, const std::string& text, double scale,
                    Color color) {
  constexpr int64_t rows = 7;
  const int64_t size = std::max<int64_t>(std::lround(3 * scale), 1);
  Canvas small(rows, std::max<int64_t>(Canvas::text_width(text), 1), {0, 0, 0});
  small.text(0, 0, text, {255, 255, 255});
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < small.width(); ++column)
      if (small.pixels()[static_cast<size_t>((row * small.width() + column) * 3)])
        fill(canvas, x + column * size, y - (rows - row) * size, x + (column + 1) * size - 1,
             y - (rows - row - 1) * size - 1, color);
}

// Above the box, or inside where there is no room above.
void write_label(Canvas& canvas, int64_t x, int64_t y, const std::string& label,
                 const DrawBoxesOptions& options) {
  const auto height = static_cast<int64_t>(options.font_scale * 12);
  const bool above = y - 8 - 2 * height > 0;
  write_enlarged(canvas, above ? x : x + 3,
                 above ? y - 8 : y + 2 * height + options.text_thickness + 3, label,
                 options.font_scale, options.color);
}

// Bytes of images of any numbers.
std::vector<uint8_t> bytes_of(const Tensor& images) {
  if (!is_float(images.dtype())) return ops::cast(images, DType::uint8).to_vector<uint8_t>();
  const std::vector<float> values = ops::cast(images, DType::float32).to_vector<float>();
  const bool shares = std::all_of(values.begin(), values.end(), [](float v) { return v <= 1; });
  std::vector<uint8_t> bytes;
  for (const float v : values)
    bytes.push_back(
        static_cast<uint8_t>(shares ? std::clamp(v, 0.f, 1.f) * 255 : std::clamp(v, 0.f, 255.f)));
  return bytes;
}

struct Boxes {
  int64_t count;             // of each image
  std::vector<float> sides;  // left, top, right, bottom
  std::vector<int64_t> labels;
  std::vector<float> confidences;  // empty without any
};

Boxes boxes_of(const Nest& given, const std::string& format, const Shape& images) {
  const auto entry = [&](const char* key) -> Tensor {
    if (given.is_dict())
      for (const auto& [name, part] : given.entries())
        if (name == key) return part.tensor();
    return {};
  };
  const Tensor boxes = entry("boxes"), labels = entry("labels"), confidences = entry("confidences");
  if (!boxes || !labels)
    throw ValueError(fmt::format(
        "draw_bounding_boxes: expected a dictionary with 'boxes' and 'labels', found {}.",
        given.structure()));
  const Shape& shape = boxes.shape();
  const bool fits = shape.rank() == 3 && shape[0] == images[0] && shape[2] == 4;
  const auto each = [&](const Tensor& t) { return !t || t.shape() == Shape{shape[0], shape[1]}; };
  if (!fits || !each(labels) || !each(confidences))
    throw ShapeError(fmt::format(
        "draw_bounding_boxes: expected boxes ({}, n, 4), and labels and confidences ({}, n), found "
        "boxes {} and labels {}.",
        images[0], images[0], shape.str(), labels.shape().str()));
  const Tensor sides = ops::convert_boxes(ops::cast(boxes, DType::float32), format, "xyxy",
                                          Tensor(images[1]), Tensor(images[2]))
                           .tensor();
  return {shape[1], sides.to_vector<float>(), ops::cast(labels, DType::int64).to_vector<int64_t>(),
          confidences ? ops::cast(confidences, DType::float32).to_vector<float>()
                      : std::vector<float>()};
}

void draw_boxes_of(Canvas& canvas, const Boxes& boxes, int64_t image,
                   const DrawBoxesOptions& options) {
  for (int64_t i = image * boxes.count; i < (image + 1) * boxes.count; ++i) {
    const auto n = static_cast<size_t>(i);
    if (boxes.labels[n] == -1) continue;
    std::array<int64_t, 4> box{};
    for (size_t k = 0; k < 4; ++k) box[k] = static_cast<int64_t>(boxes.sides[4 * n + k]);
    draw_box(canvas, box, options.line_thickness, options.color);
    const auto name = options.class_mapping.find(boxes.labels[n]);
    if (name == options.class_mapping.end()) continue;
    write_label(canvas, box[0], box[1],
                boxes.confidences.empty()
                    ? name->second
                    : fmt::format("{} | {:.2f}", name->second, boxes.confidences[n]),
                options);
  }
}

void check_drawing(const Shape& images, const DrawBoxesOptions& options) {
  if (images.rank() != 4 || (images[3] != 1 && images[3] != 3))
    throw ShapeError(fmt::format(
        "draw_bounding_boxes: expected images (batch, height, width, channels) of 1 or 3 channels, "
        "found {}.",
        images.str()));
  if (options.line_thickness < 1 || options.font_scale <= 0)
    throw ValueError(fmt::format(
        "draw_bounding_boxes: line_thickness must be at least 1 and font_scale above 0, found {} "
        "and {}.",
        options.line_thickness, options.font_scale));
}

}  // namespace

Tensor draw_bounding_boxes(const Tensor& given, const Nest& bounding_boxes,
                           const std::string& format, const DrawBoxesOptions& options) {
  const bool first = options.data_format == "channels_first" && given.rank() == 4;
  const Tensor images = first ? ops::transpose(given, {0, 2, 3, 1}) : given;
  check_drawing(images.shape(), options);
  const Shape& shape = images.shape();
  const Boxes boxes = boxes_of(bounding_boxes, format, shape);
  std::vector<uint8_t> bytes = bytes_of(images);
  const int64_t pixels = shape[1] * shape[2], channels = shape[3];
  for (int64_t image = 0; image < shape[0]; ++image) {
    uint8_t* at = bytes.data() + image * pixels * channels;
    Canvas canvas(shape[1], shape[2], {0, 0, 0});
    for (int64_t i = 0; i < pixels; ++i) {
      const uint8_t* p = at + i * channels;
      canvas.put(i % shape[2], i / shape[2], {p[0], p[channels > 1 ? 1 : 0], p[channels - 1]});
    }
    draw_boxes_of(canvas, boxes, image, options);
    for (int64_t i = 0; i < pixels; ++i)
      std::copy_n(canvas.pixels().begin() + 3 * i, channels, at + i * channels);
  }
  const Tensor drawn = Tensor::from(bytes, shape);
  return first ? ops::transpose(drawn, {0, 3, 1, 2}) : drawn;
}

}  // namespace cornu::visualization
