// Pictures of tensors.
#include "pictures.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "../ops/bounding_boxes.h"
#include "../ops/numpy/indexing.h"
#include "../ops/numpy/joining.h"
#include "../ops/numpy/manipulation.h"

namespace cornu::data {
namespace {

Tensor converted(const Tensor& boxes, const std::string& from, const std::string& to,
                 std::array<int64_t, 2> size) {
  if (from == to) return boxes;
  return ops::convert_boxes(Value(Nest(boxes)), from, to, Tensor(size[0]), Tensor(size[1]))
      .tensor();
}

// Labels of boxes may be of any of these.
void set_number(const Tensor& tensor, int64_t index, int value) {
  if (tensor.dtype() == DType::float32)
    tensor.mutable_data<float>()[index] = static_cast<float>(value);
  else if (tensor.dtype() == DType::int32)
    tensor.mutable_data<int32_t>()[index] = value;
  else if (tensor.dtype() == DType::int64)
    tensor.mutable_data<int64_t>()[index] = value;
  else
    throw ShapeError(fmt::format("box_labels: expected int32, int64 or float32, found {}.",
                                 dtype_name(tensor.dtype())));
}

std::array<int64_t, 2> size_of_image(const Sample& sample) {
  return {sample.image.shape()[0], sample.image.shape()[1]};
}

}  // namespace

Picture picture_of(const Tensor& tensor, const char* what, bool any_dtype) {
  if (!tensor || !tensor.is_eager() || (tensor.rank() != 2 && tensor.rank() != 3))
    throw ShapeError(
        fmt::format("{}: expected a picture (height, width, channels) with values, found {}.", what,
                    tensor ? tensor.spec().str() : "no tensor"));
  if (!any_dtype && tensor.dtype() != DType::uint8 && tensor.dtype() != DType::float32)
    throw ShapeError(fmt::format("{}: expected uint8 or float32, found {}. Cast it first.", what,
                                 dtype_name(tensor.dtype())));
  if (!tensor.device().is_cpu())
    throw StateError(
        fmt::format("{}: samples are in the host's memory; move it there first.", what));
  const Shape& shape = tensor.shape();
  return {tensor.data(), shape[0], shape[1], shape.rank() == 3 ? shape[2] : 1, tensor.dtype()};
}

Tensor empty_like(const Tensor& like, int64_t height, int64_t width) {
  Shape shape = like.shape();
  shape[0] = height;
  shape[1] = width;
  return Tensor::empty(shape, like.dtype(), backend::cpu_backend());
}

void recolor(Sample& sample, const std::function<void(const Picture&, const Picture&)>& change) {
  const Picture from = picture_of(sample.image, "image");
  const Tensor result = empty_like(sample.image, from.height, from.width);
  change(from, picture_of(result, "image"));
  sample.image = result;
}

Tensor with_rows(const Tensor& tensor, int64_t rows, double fill_value) {
  const int64_t count = tensor.shape()[0];
  std::vector<std::vector<int64_t>> width(static_cast<size_t>(tensor.rank()), {0, 0});
  width[0] = {0, std::max<int64_t>(rows - count, 0)};
  const Tensor first = count > rows ? ops::get_item(tensor, Value::List{Slice{0, rows}}) : tensor;
  return ops::pad(first, width, "constant", fill_value);
}

void change_boxes(Sample& sample, std::array<int64_t, 2> size, std::array<int64_t, 2> new_size,
                  const std::function<void(std::array<float, 4>&)>& change) {
  const Tensor boxes = converted(sample.boxes, sample.box_format, "xyxy", size).duplicate();
  const Tensor labels = sample.box_labels ? sample.box_labels.duplicate() : Tensor();
  auto* at = boxes.mutable_data<float>();
  for (int64_t i = 0; i < boxes.shape()[0]; ++i, at += 4) {
    std::array<float, 4> box = {at[0], at[1], at[2], at[3]};
    if (box == std::array<float, 4>{-1, -1, -1, -1}) continue;
    change(box);
    if (!(box[2] > box[0] && box[3] > box[1])) {
      box = {};
      if (labels) set_number(labels, i, -1);
    }
    std::copy(box.begin(), box.end(), at);
  }
  sample.boxes = converted(boxes, "xyxy", sample.box_format, new_size);
  sample.box_labels = labels;
}

bool has_places(const Sample& sample) {
  for (const auto& [name, attached] : sample.more)
    if (attached.follow != Follow::unchanged) return true;
  return sample.points || sample.visible || sample.boxes || sample.mask || sample.depth;
}

void cut_boxes(Sample& sample, double left, double top, double right, double bottom) {
  if (!sample.boxes) return;
  const auto size = size_of_image(sample);
  change_boxes(sample, size, size, [&](std::array<float, 4>& box) {
    const auto between = [](float value, double low, double high) {
      return std::clamp(value, static_cast<float>(low), static_cast<float>(high));
    };
    box = {between(box[0], left, right), between(box[1], top, bottom), between(box[2], left, right),
           between(box[3], top, bottom)};
  });
}

std::array<double, 4> frame_of_boxes(const Sample& sample) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::array<double, 4> frame = {infinity, infinity, -infinity, -infinity};
  if (!sample.boxes) return frame;
  const Tensor boxes = converted(sample.boxes, sample.box_format, "xyxy", size_of_image(sample));
  const auto* at = boxes.mutable_data<float>();
  for (int64_t i = 0; i < boxes.shape()[0]; ++i, at += 4) {
    if (!(at[2] > at[0] && at[3] > at[1])) continue;
    for (size_t k = 0; k < 2; ++k) {
      frame[k] = std::min(frame[k], static_cast<double>(at[k]));
      frame[k + 2] = std::max(frame[k + 2], static_cast<double>(at[k + 2]));
    }
  }
  return frame;
}

void append_boxes(Sample& sample, const Sample& other) {
  if (!other.boxes) return;
  if (!sample.boxes) {
    sample.boxes = other.boxes;
    sample.box_labels = other.box_labels;
    sample.box_format = other.box_format;
    return;
  }
  const Tensor boxes =
      converted(other.boxes, other.box_format, sample.box_format, size_of_image(other));
  if (static_cast<bool>(sample.box_labels) != static_cast<bool>(other.box_labels))
    throw ShapeError("box_labels: one of two samples that are mixed has them, the other has not.");
  if (sample.box_labels)
    sample.box_labels = ops::concatenate({sample.box_labels, other.box_labels}, 0);
  sample.boxes = ops::concatenate({sample.boxes, boxes}, 0);
}

}  // namespace cornu::data
