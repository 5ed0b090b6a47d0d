// Draws, tables and rectangles.
#include "sample_changes.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "../../backend/image_colors.h"
#include "../../backend/image_filter.h"

namespace cornu::layers {

double drawn(const Numbers& factor, data::Draws& draws) {
  return draws.uniform(factor.values()[0], factor.values()[1]);
}

bool happens(const Numbers& factor, data::Draws& draws) {
  return draws.happens(drawn(factor, draws));
}

void check_colors(const data::Sample& sample) {
  if (sample.image.rank() != 3 || sample.image.shape()[2] != 3)
    throw ShapeError(fmt::format("image: expected 3 channels (height, width, 3), found {}.",
                                 sample.image.shape().str()));
}

void cut_to_range(const Picture& picture, const std::vector<double>& value_range) {
  if (picture.dtype == DType::uint8 && value_range[0] <= 0 && value_range[1] >= 255) return;
  const std::vector<float> ones(static_cast<size_t>(picture.channels), 1), zeros(ones.size(), 0);
  scale(picture, picture, ones, zeros, static_cast<float>(value_range[0]),
        static_cast<float>(value_range[1]));
}

void map_bytes(const Picture& from, const Picture& to, const std::function<double(double)>& f) {
  std::array<uint8_t, 256> table;
  for (size_t i = 0; i < 256; ++i)
    table[i] =
        static_cast<uint8_t>(std::nearbyint(std::clamp(f(static_cast<double>(i)), 0.0, 255.0)));
  look_up(from, to, table);
}

Area drawn_area(int64_t height, int64_t width, double share_of_height, double share_of_width,
                data::Draws& draws) {
  const auto along = [&](int64_t side, double share) {
    const double length = share * static_cast<double>(side);
    const double start = draws.uniform() * (static_cast<double>(side) - length);
    const auto first = static_cast<int64_t>(std::ceil(start)),
               end = static_cast<int64_t>(std::ceil(start + length));
    return std::pair{first, std::clamp<int64_t>(end - first, 0, side - first)};
  };
  const auto [left, columns] = along(width, share_of_width);
  const auto [top, rows] = along(height, share_of_height);
  return {top, left, rows, columns};
}

void copy_area(const Picture& from, const Picture& to, const Area& area) {
  const size_t pixel = from.pixel_bytes(), left = static_cast<size_t>(area.left) * pixel;
  for (int64_t y = area.top; y < area.top + area.height; ++y)
    std::memcpy(to.row(y) + left, from.row(y) + left, static_cast<size_t>(area.width) * pixel);
}

void cut_out(const Picture& from, const Picture& to, int64_t top, int64_t left) {
  for (int64_t y = 0; y < to.height; ++y)
    std::memcpy(to.row(y), from.row(top + y) + static_cast<size_t>(left) * from.pixel_bytes(),
                to.row_bytes());
}

void paste(const Picture& from, const Picture& to, int64_t top, int64_t left) {
  for (int64_t y = 0; y < from.height; ++y)
    std::memcpy(to.row(top + y) + static_cast<size_t>(left) * to.pixel_bytes(), from.row(y),
                from.row_bytes());
}

void fill_area(const Picture& picture, const Area& area, double value) {
  const int64_t start = area.left * picture.channels, count = area.width * picture.channels;
  for (int64_t y = area.top; y < area.top + area.height; ++y) {
    if (picture.dtype == DType::uint8)
      std::fill_n(picture.row_as<uint8_t>(y) + start, count, static_cast<uint8_t>(value));
    else
      std::fill_n(picture.row_as<float>(y) + start, count, static_cast<float>(value));
  }
}

namespace {

// Keeps visible what is visible and of which `stays` holds, by x and y.
void limit_points(data::Sample& sample, const std::function<bool(double, double)>& stays) {
  if (!sample.points) return;
  const int64_t n = sample.points.shape()[0];
  const bool* before = sample.visible ? sample.visible.mutable_data<bool>() : nullptr;
  const Tensor visible = Tensor::empty({n}, DType::boolean, backend::cpu_backend());
  const auto* p = sample.points.mutable_data<float>();
  for (int64_t i = 0; i < n; ++i)
    visible.mutable_data<bool>()[i] =
        (!before || before[i]) &&
        stays(static_cast<double>(p[2 * i]), static_cast<double>(p[2 * i + 1]));
  sample.visible = visible;
}

bool is_in(const Area& area, double x, double y) {
  x += 0.5 - static_cast<double>(area.left);
  y += 0.5 - static_cast<double>(area.top);
  return x >= 0 && y >= 0 && x < static_cast<double>(area.width) &&
         y < static_cast<double>(area.height);
}

}  // namespace

void hide_points(data::Sample& sample, const Area& area) {
  limit_points(sample, [&](double x, double y) { return !is_in(area, x, y); });
}

void keep_area(data::Sample& sample, const Area& area) {
  data::cut_boxes(sample, static_cast<double>(area.left), static_cast<double>(area.top),
                  static_cast<double>(area.left + area.width),
                  static_cast<double>(area.top + area.height));
  limit_points(sample, [&](double x, double y) { return is_in(area, x, y); });
}

namespace {

// The side [low, high) of a box without [from, to), which covers the other side: what is left, or
// where both ends are, from the first to the last.
void uncover(float& low, float& high, int64_t from, int64_t to) {
  const auto begin = static_cast<float>(from), end = static_cast<float>(to);
  if (begin <= low && end >= high)
    high = low;
  else if (begin <= low)
    low = std::max(low, end);
  else if (end >= high)
    high = std::min(high, begin);
}

// Slice i of a volume (slices, h, w, c), in its memory.
Tensor slice_of(const Tensor& volume, int64_t i) {
  const Shape shape = volume.shape().slice(1, volume.rank());
  const size_t bytes = static_cast<size_t>(shape.numel()) * size_of(volume.dtype());
  return Tensor::part_of(volume,
                         static_cast<std::byte*>(volume.data()) + static_cast<size_t>(i) * bytes,
                         shape, volume.dtype());
}

void check_alike(const Tensor& mine, const Tensor& other, const char* what) {
  if (!other || other.spec() != mine.spec())
    throw ShapeError(
        fmt::format("{}: samples that are mixed have channels and dtype alike, found {} and {}.",
                    what, mine.spec().str(), other ? other.spec().str() : "none"));
}

// change(from, to) of a picture, or of each slice of a volume, on a copy of `mine`.
template <class F>
Tensor mixed_pictures(const Tensor& mine, const Tensor& other, const char* what, bool any_dtype,
                      const F& change) {
  if (!mine) return mine;
  check_alike(mine, other, what);
  const Tensor result = mine.duplicate();
  const auto apply = [&](const Tensor& from, const Tensor& to) {
    change(data::picture_of(from, what, any_dtype), data::picture_of(to, what, any_dtype));
  };
  if (mine.rank() != 4) apply(other, result);
  for (int64_t i = 0; mine.rank() == 4 && i < mine.shape()[0]; ++i)
    apply(slice_of(other, i), slice_of(result, i));
  return result;
}

// The picture, or each slice of a volume, with the rectangle of another one.
Tensor with_area(const Tensor& to, const Tensor& from, const char* what, const Area& area) {
  return mixed_pictures(to, from, what, true, [&](const Picture& source, const Picture& target) {
    copy_area(source, target, area);
  });
}

// The weighted mean of both.
Tensor blended(const Tensor& mine, const Tensor& other, const char* what, double weight) {
  return mixed_pictures(mine, other, what, false, [&](const Picture& from, const Picture& to) {
    blend(to, static_cast<float>(weight), from, static_cast<float>(1 - weight), to);
  });
}

// That of the two with more weight.
Tensor heavier(const Tensor& mine, const Tensor& other, const char* what, double weight) {
  if (!mine) return mine;
  check_alike(mine, other, what);
  return weight < 0.5 ? other : mine;
}

// The attached tensor of that name; empty where there is none.
Tensor attached_of(const data::Sample& sample, const std::string& name) {
  const auto found = sample.more.find(name);
  return found == sample.more.end() ? Tensor() : found->second.value;
}

bool is_picture(const data::Attached& attached) {
  return attached.follow == data::Follow::linear || attached.follow == data::Follow::nearest;
}

}  // namespace

void cover_area(data::Sample& sample, const Area& area) {
  hide_points(sample, area);
  if (!sample.boxes || area.height == 0 || area.width == 0) return;
  const std::array<int64_t, 2> size = {height_of(sample), width_of(sample)};
  const int64_t right = area.left + area.width, bottom = area.top + area.height;
  data::change_boxes(sample, size, size, [&](std::array<float, 4>& box) {
    const bool across =
        static_cast<float>(area.left) <= box[0] && static_cast<float>(right) >= box[2];
    const bool down =
        static_cast<float>(area.top) <= box[1] && static_cast<float>(bottom) >= box[3];
    if (across) uncover(box[1], box[3], area.top, bottom);
    if (down) uncover(box[0], box[2], area.left, right);
  });
}

void put_area(data::Sample& sample, const data::Sample& other, const Area& area) {
  // All results before any is kept: a failed change leaves the sample as it was.
  data::Sample result = sample;
  result.image = with_area(sample.image, other.image, "image", area);
  result.mask = with_area(sample.mask, other.mask, "mask", area);
  result.depth = with_area(sample.depth, other.depth, "depth", area);
  for (auto& [name, attached] : result.more) {
    if (is_picture(attached))
      attached.value = with_area(attached.value, attached_of(other, name), name.c_str(), area);
  }
  data::append_boxes(result, other);
  sample = std::move(result);
}

void blend_samples(data::Sample& sample, const data::Sample& other, double weight) {
  // As above: all results before any is kept.
  data::Sample result = sample;
  result.image = blended(sample.image, other.image, "image", weight);
  result.depth = blended(sample.depth, other.depth, "depth", weight);
  result.mask = heavier(sample.mask, other.mask, "mask", weight);
  result.label = mixed_label(sample.label, other.label, weight);
  for (auto& [name, attached] : result.more) {
    if (!is_picture(attached)) continue;
    const auto mix = attached.follow == data::Follow::linear ? blended : heavier;
    attached.value = mix(attached.value, attached_of(other, name), name.c_str(), weight);
  }
  data::append_boxes(result, other);
  sample = std::move(result);
}

std::array<float, 12> toward_gray(float share) {
  const float weights[3] = {0.2989f, 0.587f, 0.114f};
  std::array<float, 12> matrix{};
  for (size_t row = 0; row < 3; ++row)
    for (size_t c = 0; c < 3; ++c)
      matrix[4 * row + c] = share * weights[c] + (row == c ? 1 - share : 0);
  return matrix;
}

void toward_gray(const Picture& from, const Picture& to, float share) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  if (share == 0)
    std::memcpy(to.data, from.data, static_cast<size_t>(from.height) * from.row_bytes());
  else
    mix_channels(from, to, toward_gray(share), -infinity, infinity);
}

std::vector<float> smooth_field(int64_t height, int64_t width, double alpha, double sigma,
                                backend::Key key) {
  std::vector<float> noise(static_cast<size_t>(height * width), 0), smooth(noise.size());
  const Picture drawn{noise.data(), height, width, 1, DType::float32};
  const Picture smoothed{smooth.data(), height, width, 1, DType::float32};
  constexpr float infinity = std::numeric_limits<float>::infinity();
  add_noise(drawn, drawn, key, 0, static_cast<float>(sigma * alpha), false, -infinity, infinity);
  const auto reach = static_cast<int64_t>(std::floor(3 * sigma));
  const std::vector<float> bell = backend::image::bell(2 * reach + 1, sigma);
  filter_separable(drawn, smoothed, bell, bell, backend::image::Fill::constant);
  std::vector<float> field;
  field.reserve(2 * smooth.size());
  for (float step : smooth) field.insert(field.end(), {step, step});
  return field;
}

data::Sample other_like(const data::Sample& sample, data::Draws& draws) {
  data::Sample other = draws.other();
  if (other.image.spec() != sample.image.spec())
    throw ShapeError(fmt::format(
        "Samples that are mixed have images of one shape and dtype, found {} and {} ({}). Let the "
        "source of others resize them.",
        sample.image.spec().str(), other.image.spec().str(), other.source));
  return other;
}

Tensor mixed_label(const Tensor& label, const Tensor& other, double weight) {
  if (!label) return label;
  if (label.dtype() != DType::float32 || other.spec() != label.spec())
    throw ShapeError(fmt::format(
        "label: samples are mixed with labels of probabilities, float32 (classes), found {} and "
        "{}. Use ops::one_hot.",
        label.spec().str(), other ? other.spec().str() : "none"));
  const Tensor result = label.duplicate();
  auto* to = result.mutable_data<float>();
  const auto* from = other.mutable_data<float>();
  for (int64_t i = 0; i < result.size(); ++i)
    to[i] = static_cast<float>(weight * static_cast<double>(to[i]) +
                               (1 - weight) * static_cast<double>(from[i]));
  return result;
}

}  // namespace cornu::layers
