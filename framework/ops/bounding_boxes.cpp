// Boxes by way of their corners.
#include "bounding_boxes.h"

#include <fmt/core.h>

#include <algorithm>
#include <numbers>

#include "catalog.h"
#include "convert.h"
#include "core/cast.h"
#include "elementwise.h"
#include "numpy/creation.h"
#include "numpy/indexing.h"
#include "numpy/joining.h"
#include "numpy/manipulation.h"
#include "numpy/matrices.h"
#include "numpy/products.h"
#include "numpy/reduction.h"
#include "operators.h"

namespace cornu::ops {
namespace {

using Corners = std::vector<Tensor>;  // left, top, right, bottom, each (..., 1)

constexpr double epsilon = 1e-7;

// A format without "rel_", and whether that was there.
struct Format {
  std::string name;
  bool relative;
};

Format format_of(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  const std::vector<std::string> known = {"xyxy",        "yxyx",        "xywh",
                                          "center_xywh", "center_yxhw", "rel_xyxy",
                                          "rel_yxyx",    "rel_xywh",    "rel_center_xywh"};
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw ValueError(fmt::format("bounding boxes: the format '{}' is not known.{}", name,
                                 did_you_mean(name, known)));
  if (name.starts_with("rel_")) return {name.substr(4), true};
  return {name, false};
}

Corners corners_of(const Tensor& boxes, const std::string& format) {
  const auto p = split(boxes, 4, -1);
  if (format == "xyxy") return p;
  if (format == "yxyx") return {p[1], p[0], p[3], p[2]};
  if (format == "xywh") return {p[0], p[1], p[0] + p[2], p[1] + p[3]};
  if (format == "center_xywh")
    return {p[0] - p[2] / 2.0, p[1] - p[3] / 2.0, p[0] + p[2] / 2.0, p[1] + p[3] / 2.0};
  return {p[1] - p[3] / 2.0, p[0] - p[2] / 2.0, p[1] + p[3] / 2.0, p[0] + p[2] / 2.0};
}

Tensor boxes_of(const Corners& c, const std::string& format) {
  const auto join = [](const Corners& parts) { return concatenate(parts, -1); };
  if (format == "xyxy") return join(c);
  if (format == "yxyx") return join({c[1], c[0], c[3], c[2]});
  const Tensor w = c[2] - c[0], h = c[3] - c[1];
  if (format == "xywh") return join({c[0], c[1], w, h});
  const Tensor x = (c[0] + c[2]) / 2.0, y = (c[1] + c[3]) / 2.0;
  return format == "center_xywh" ? join({x, y, w, h}) : join({y, x, h, w});
}

Tensor converted(const Tensor& given, const std::string& source, const std::string& target,
                 const Tensor& height, const Tensor& width, DType dtype = DType::float32) {
  if (given.rank() == 0 || given.shape().back() != 4)
    throw ShapeError(
        fmt::format("bounding boxes: expected four numbers in the last axis, found shape {}.",
                    given.shape().str()));
  const Format from = format_of(source), to = format_of(target);
  if ((from.relative || to.relative) && (!height || !width))
    throw ValueError(
        fmt::format("bounding boxes: from '{}' to '{}' height and width of the image are needed.",
                    source, target));
  const Tensor boxes = cast(given, dtype);
  if (from.name == to.name && from.relative == to.relative) return boxes;
  Corners c = corners_of(boxes, from.name);
  if (from.relative != to.relative) {
    const Tensor w = cast(width, dtype), h = cast(height, dtype);
    for (int i = 0; i < 4; ++i)
      c[static_cast<size_t>(i)] = from.relative ? c[i] * (i % 2 ? h : w) : c[i] / (i % 2 ? h : w);
  }
  return boxes_of(c, to.name);
}

// Sides of the image (height, width, channels), or nothing.
Tensor side(const std::optional<std::vector<int64_t>>& image_shape, size_t i) {
  return image_shape && i < image_shape->size() ? Tensor((*image_shape)[i]) : Tensor();
}

const Value& entry(const Value& dict, const std::string& key) {
  if (dict.is<Value::Dict>())
    for (const auto& [k, v] : dict.get<Value::Dict>())
      if (k == key) return v;
  throw ValueError(fmt::format("bounding boxes: expected a dictionary with the entry '{}'.", key));
}

// The dictionary with some entries replaced.
Nest with_entries(const Value& dict, const std::vector<std::pair<std::string, Tensor>>& replaced) {
  Nest::Dict result;
  for (const auto& [key, value] : dict.get<Value::Dict>()) {
    const auto found = std::find_if(replaced.begin(), replaced.end(),
                                    [&name = key](const auto& r) { return r.first == name; });
    result.emplace_back(key, found == replaced.end() ? value.nest() : Nest(found->second));
  }
  return Nest::dict(result);
}

Tensor given_or_none(const std::optional<Tensor>& t) { return t ? *t : Tensor(); }

Tensor limited(const Tensor& x, const Tensor& top) { return minimum(maximum(x, 0), top); }

}  // namespace

Nest convert_boxes(const Value& boxes, const std::string& source, const std::string& target,
                   const std::optional<Tensor>& height, const std::optional<Tensor>& width,
                   DType dtype) {
  const Tensor h = given_or_none(height), w = given_or_none(width);
  if (!boxes.is<Value::Dict>())
    return converted(detail::from_value<Tensor>(boxes), source, target, h, w, dtype);
  const Tensor inner = detail::from_value<Tensor>(entry(boxes, "boxes"));
  return with_entries(boxes, {{"boxes", converted(inner, source, target, h, w, dtype)}});
}

Nest clip_to_image_size(const Value& bounding_boxes, const std::optional<Tensor>& height,
                        const std::optional<Tensor>& width,
                        const std::string& bounding_box_format) {
  const bool relative = bounding_box_format == "rel_xyxy";
  if (!relative && bounding_box_format != "xyxy")
    throw UnsupportedError(
        fmt::format("clip_to_image_size: formats are \"xyxy\" and \"rel_xyxy\", found \"{}\".",
                    bounding_box_format));
  const Tensor boxes = detail::from_value<Tensor>(entry(bounding_boxes, "boxes"));
  Tensor h = given_or_none(height), w = given_or_none(width);
  if (!relative && (!h || !w))
    throw ValueError("clip_to_image_size: height and width must be given.");
  h = cast(relative ? Tensor(1) : h, boxes.dtype());
  w = cast(relative ? Tensor(1) : w, boxes.dtype());
  const Corners c = corners_of(boxes, "xyxy");
  const Corners inside = {limited(c[0], w), limited(c[1], h), limited(c[2], w), limited(c[3], h)};
  std::vector<std::pair<std::string, Tensor>> entries = {{"boxes", boxes_of(inside, "xyxy")}};
  for (const auto& [key, value] : bounding_boxes.get<Value::Dict>())
    if (key == "labels") {
      const Tensor labels = detail::from_value<Tensor>(value);
      const Tensor area = squeeze((inside[2] - inside[0]) * (inside[3] - inside[1]), -1);
      entries.emplace_back(key, where(greater(area, 0), labels, cast(Tensor(-1), labels.dtype())));
    }
  return with_entries(bounding_boxes, entries);
}

Tensor compute_iou(const Tensor& boxes1, const Tensor& boxes2, const std::string& format,
                   bool use_masking, double mask_val,
                   const std::optional<std::vector<int64_t>>& image_shape) {
  if (is_symbolic(boxes1, boxes2))
    return symbolic_call(&compute_iou, boxes1, boxes2, format, use_masking, mask_val, image_shape);
  for (const Tensor& boxes : {boxes1, boxes2})
    if (boxes.rank() != 2 && boxes.rank() != 3)
      throw ShapeError(
          fmt::format("compute_iou: expected boxes (n, 4) or (batch, n, 4), found shape {}.",
                      boxes.shape().str()));
  const Tensor h = side(image_shape, 0), w = side(image_shape, 1);
  const Tensor first = converted(boxes1, format, "xyxy", h, w),
               second = converted(boxes2, format, "xyxy", h, w);
  const Corners a = corners_of(first, "xyxy");
  Corners b = corners_of(second, "xyxy");
  for (Tensor& t : b) t = swapaxes(t, -1, -2);
  const auto overlap = [&](size_t low) {
    return maximum(minimum(a[low + 2], b[low + 2]) - maximum(a[low], b[low]), 0);
  };
  const auto area = [](const Corners& c) { return (c[2] - c[0]) * (c[3] - c[1]); };
  const Tensor common = overlap(0) * overlap(1);
  const Tensor result = common / (area(a) + area(b) - common + epsilon);
  if (!use_masking) return result;
  const Tensor gone1 = less(max(first, -1, true), 0), gone2 = less(max(second, -1, true), 0);
  return where(logical_or(gone1, swapaxes(gone2, -1, -2)),
               full(result.shape(), mask_val, result.dtype()), result);
}

Tensor compute_ciou(const Tensor& boxes1, const Tensor& boxes2, const std::string& format,
                    const std::optional<std::vector<int64_t>>& image_shape) {
  if (is_symbolic(boxes1, boxes2))
    return symbolic_call(&compute_ciou, boxes1, boxes2, format, image_shape);
  if (format_of(format).relative)
    throw ValueError("compute_ciou: relative formats are not supported; use convert_boxes first.");
  const Tensor h = side(image_shape, 0), w = side(image_shape, 1);
  const Corners a = corners_of(converted(boxes1, format, "xyxy", h, w), "xyxy");
  const Corners b = corners_of(converted(boxes2, format, "xyxy", h, w), "xyxy");
  const Tensor w1 = a[2] - a[0], h1 = a[3] - a[1] + epsilon, w2 = b[2] - b[0],
               h2 = b[3] - b[1] + epsilon;
  const auto overlap = [&](size_t low) {
    return maximum(minimum(a[low + 2], b[low + 2]) - maximum(a[low], b[low]), 0);
  };
  const auto span = [&](size_t low) {
    return maximum(a[low + 2], b[low + 2]) - minimum(a[low], b[low]);
  };
  const auto shift = [&](size_t low) {
    return square((a[low] + a[low + 2]) / 2.0 - (b[low] + b[low + 2]) / 2.0);
  };
  const Tensor common = overlap(0) * overlap(1);
  const Tensor iou = common / (w1 * h1 + w2 * h2 - common + 2 * epsilon);
  const Tensor diagonal = square(span(0)) + square(span(1)) + epsilon;
  const Tensor form =
      square(arctan(w2 / h2) - arctan(w1 / h1)) * (4 / (std::numbers::pi * std::numbers::pi));
  const Tensor weight = form / (form - iou + (1 + epsilon));
  return squeeze(iou - ((shift(0) + shift(1)) / diagonal + form * weight), -1);
}

void list_bounding_boxes(OpCatalog& catalog) {
  catalog.add("bounding_boxes.ConvertFormat",
              {"boxes", "source", "target", "height=None", "width=None", "dtype='float32'"},
              &convert_boxes);
  catalog.add("bounding_boxes.ClipToImageSize",
              {"bounding_boxes", "height=None", "width=None", "bounding_box_format='xyxy'"},
              &clip_to_image_size);
  catalog.add("bounding_boxes.ComputeIou",
              {"boxes1", "boxes2", "bounding_box_format", "use_masking=False", "mask_val=-1",
               "image_shape=None"},
              &compute_iou);
  catalog.add("bounding_boxes.ComputeCiou",
              {"boxes1", "boxes2", "bounding_box_format", "image_shape=None"}, &compute_ciou);
}

}  // namespace cornu::ops
