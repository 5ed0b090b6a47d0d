// Boxes under changes of the image: turned and sheared, cropped, padded, and as distances from
// anchors.
#include <fmt/core.h>

#include <algorithm>
#include <numbers>

#include "bounding_boxes.h"
#include "catalog.h"
#include "convert.h"
#include "core/cast.h"
#include "elementwise.h"
#include "numpy/arithmetic.h"
#include "numpy/complex.h"
#include "numpy/creation.h"
#include "numpy/indexing.h"
#include "numpy/joining.h"
#include "numpy/manipulation.h"
#include "numpy/products.h"
#include "numpy/reduction.h"
#include "operators.h"

namespace cornu::ops {
namespace {

constexpr double smallest_size = 1e-7;

void check_xyxy(const std::string& format, const char* who) {
  if (format != "xyxy")
    throw UnsupportedError(fmt::format(
        "{}: boxes must be \"xyxy\", found \"{}\"; use convert_boxes first.", who, format));
}

std::vector<Tensor> sides_of(const Tensor& boxes, const char* who) {
  if (boxes.rank() < 1 || boxes.shape().back() != 4)
    throw ShapeError(fmt::format("{}: expected four numbers in the last axis, found shape {}.", who,
                                 boxes.shape().str()));
  return split(boxes, 4, -1);
}

// The first two rows of the matrix of the inverse of an affine change, (n, 2, 3).
Tensor inverse_affine(const Tensor& center_x, const Tensor& center_y, const Tensor& angle,
                      const Tensor& translate_x, const Tensor& translate_y, const Tensor& scale,
                      const Tensor& shear_x, const Tensor& shear_y, const Tensor& height,
                      const Tensor& width) {
  const double radian = std::numbers::pi / 180;
  const Tensor last_x = width - 1, last_y = height - 1;
  const Tensor cx = center_x * last_x, cy = center_y * last_y;
  const Tensor turn = -angle * radian, sx = -shear_x * radian, sy = -shear_y * radian;
  const Tensor x = cx - translate_x * last_x, y = cy - translate_y * last_y;
  const Tensor a = cos(turn - sy) / cos(sy), c = -sin(turn - sy) / cos(sy);
  const Tensor b = a * tan(sx) + sin(turn), d = cos(turn) - c * tan(sx);
  const Tensor a0 = d * scale, a1 = -b * scale, b0 = -c * scale, b1 = a * scale;
  const Tensor a2 = cx - a0 * x - a1 * y, b2 = cy - b0 * x - b1 * y;
  return reshape(stack({a0, a1, a2, b0, b1, b2}, -1), {-1, 2, 3});
}

// The variance of deltas, or nothing. Throws ValueError unless it has four numbers.
Tensor variance_of(const std::optional<std::vector<double>>& variance, const char* who) {
  if (!variance) return {};
  if (variance->size() != 4)
    throw ValueError(
        fmt::format("{}: expected a variance of four numbers, found {}.", who, variance->size()));
  return Tensor(std::vector<float>(variance->begin(), variance->end()));
}

void check_encoding(const std::string& format, const char* who) {
  if (format != "center_xywh" && format != "center_yxhw")
    throw ValueError(fmt::format(
        "{}: the encoding must be \"center_xywh\" or \"center_yxhw\", found \"{}\".", who, format));
}

using ImageShape = std::optional<std::vector<int64_t>>;

Tensor convert(const Tensor& boxes, const std::string& from, const std::string& to,
               const ImageShape& image) {
  const auto side = [&](size_t i) {
    return image && i < image->size() ? std::optional(Tensor((*image)[i])) : std::nullopt;
  };
  return convert_boxes(boxes, from, to, side(0), side(1)).tensor();
}

Tensor numbers(const Tensor& boxes, int64_t from, int64_t to) {
  return get_item(boxes, Value::List{Ellipsis{}, Slice{from, to}});
}

}  // namespace

Tensor transform_boxes(const Tensor& boxes, const Tensor& angle, const Tensor& translate_x,
                       const Tensor& translate_y, const Tensor& scale, const Tensor& shear_x,
                       const Tensor& shear_y, const Tensor& height, const Tensor& width,
                       const std::optional<Tensor>& center_x, const std::optional<Tensor>& center_y,
                       const std::string& bounding_box_format) {
  check_xyxy(bounding_box_format, "transform_boxes");
  if (boxes.rank() != 3 || boxes.shape().back() != 4)
    throw ShapeError(fmt::format("transform_boxes: expected boxes (n, boxes, 4), found shape {}.",
                                 boxes.shape().str()));
  const Tensor matrix =
      inverse_affine(center_x ? *center_x : Tensor(0.5), center_y ? *center_y : Tensor(0.5), angle,
                     translate_x, translate_y, scale, shear_x, shear_y, height, width);
  const auto p = split(cast(boxes, matrix.dtype()), 4, -1);
  const Tensor one = ones_like(p[0]);
  const Shape corners{boxes.shape()[0], boxes.shape()[1] * 4, 3};
  const Tensor points = reshape(concatenate({p[0], p[1], one, p[2], p[1], one,  //
                                             p[2], p[3], one, p[0], p[3], one},
                                            -1),
                                corners);
  const Tensor moved =
      reshape(matmul(points, transpose(matrix, {{0, 2, 1}})), {corners[0], boxes.shape()[1], 4, 2});
  return concatenate({min(moved, 2), max(moved, 2)}, -1);
}

Tensor crop_boxes(const Tensor& boxes, const Tensor& top, const Tensor& left, const Tensor& height,
                  const Tensor& width, const std::string& bounding_box_format) {
  check_xyxy(bounding_box_format, "crop_boxes");
  const auto p = sides_of(boxes, "crop_boxes");
  return concatenate({clip(p[0] - left, 0, width), clip(p[1] - top, 0, height),
                      clip(p[2] - left, 0, width), clip(p[3] - top, 0, height)},
                     -1);
}

Tensor pad_boxes(const Tensor& boxes, const Tensor& top, const Tensor& left,
                 const std::optional<Tensor>&, const std::optional<Tensor>&,
                 const std::string& bounding_box_format) {
  check_xyxy(bounding_box_format, "pad_boxes");
  const auto p = sides_of(boxes, "pad_boxes");
  return concatenate({p[0] + left, p[1] + top, p[2] + left, p[3] + top}, -1);
}

Tensor encode_box_to_deltas(const Tensor& anchors, const Tensor& boxes,
                            const std::string& anchor_format, const std::string& box_format,
                            const std::string& encoding_format,
                            const std::optional<std::vector<double>>& variance,
                            const std::optional<std::vector<int64_t>>& image_shape) {
  const Tensor spread = variance_of(variance, "encode_box_to_deltas");
  check_encoding(encoding_format, "encode_box_to_deltas");
  const Tensor from = convert(anchors, anchor_format, encoding_format, image_shape);
  const Tensor to = convert(boxes, box_format, encoding_format, image_shape);
  const Tensor from_size = maximum(numbers(from, 2, 4), smallest_size);
  const Tensor to_size = maximum(numbers(to, 2, 4), smallest_size);
  const Tensor deltas = concatenate(
      {(numbers(to, 0, 2) - numbers(from, 0, 2)) / from_size, log(to_size / from_size)}, -1);
  return spread ? deltas / spread : deltas;
}

Nest decode_deltas_to_boxes(const Value& anchors, const Value& boxes_delta,
                            const std::string& anchor_format, const std::string& box_format,
                            const std::string& encoded_format,
                            const std::optional<std::vector<double>>& variance,
                            const std::optional<std::vector<int64_t>>& image_shape) {
  const Tensor spread = variance_of(variance, "decode_deltas_to_boxes");
  check_encoding(encoded_format, "decode_deltas_to_boxes");
  const auto decoded = [&](const Value& anchor, const Value& delta) {
    const Tensor from =
        convert(detail::from_value<Tensor>(anchor), anchor_format, encoded_format, image_shape);
    Tensor by = detail::from_value<Tensor>(delta);
    if (spread) by = by * spread;
    const Tensor size = numbers(from, 2, 4);
    const Tensor box = concatenate(
        {numbers(by, 0, 2) * size + numbers(from, 0, 2), exp(numbers(by, 2, 4)) * size}, -1);
    return convert(box, encoded_format, box_format, image_shape);
  };
  if (!anchors.is<Value::Dict>() || !boxes_delta.is<Value::Dict>())
    return decoded(anchors, boxes_delta);
  Nest::Dict levels;
  for (const auto& [level, anchor] : anchors.get<Value::Dict>()) {
    const auto& deltas = boxes_delta.get<Value::Dict>();
    const auto delta =
        std::find_if(deltas.begin(), deltas.end(),
                     [&name = level](const auto& entry) { return entry.first == name; });
    if (delta == deltas.end())
      throw ValueError(
          fmt::format("decode_deltas_to_boxes: boxes_delta has no level '{}'.", level));
    levels.emplace_back(level, decoded(anchor, delta->second));
  }
  return Nest::dict(std::move(levels));
}

void list_bounding_box_transforms(OpCatalog& catalog) {
  catalog.add("bounding_boxes.AffineTransform",
              {"boxes", "angle", "translate_x", "translate_y", "scale", "shear_x", "shear_y",
               "height", "width", "center_x=None", "center_y=None", "bounding_box_format='xyxy'"},
              &transform_boxes);
  catalog.add("bounding_boxes.Crop",
              {"boxes", "top", "left", "height", "width", "bounding_box_format='xyxy'"},
              &crop_boxes);
  catalog.add("bounding_boxes.Pad",
              {"boxes", "top", "left", "height=None", "width=None", "bounding_box_format='xyxy'"},
              &pad_boxes);
  catalog.add("bounding_boxes.EncodeBoxToDeltas",
              {"anchors", "boxes", "anchor_format", "box_format", "encoding_format='center_yxhw'",
               "variance=None", "image_shape=None"},
              &encode_box_to_deltas);
  catalog.add("bounding_boxes.DecodeDeltasToBoxes",
              {"anchors", "boxes_delta", "anchor_format", "box_format",
               "encoded_format='center_yxhw'", "variance=None", "image_shape=None"},
              &decode_deltas_to_boxes);
}

}  // namespace cornu::ops
