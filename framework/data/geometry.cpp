// Pictures, points and boxes through one change of places.
#include "geometry.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "pictures.h"

namespace cornu::data {
namespace {

using backend::image::Fill;
using Point = std::array<double, 2>;

Fill fill_of(const std::string& name) {
  const std::vector<std::string> names = {"constant", "nearest", "wrap", "mirror", "reflect"};
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end())
    throw ValueError("fill_mode: '" + name + "' is not known." + did_you_mean(name, names));
  return static_cast<Fill>(at - names.begin());
}

backend::image::Sampling sampling_of(const Resampling& how, bool nearest) {
  return {.linear = !nearest && how.interpolation != "nearest",
          .fill = fill_of(how.fill_mode),
          .value = how.fill_value};
}

// One picture, or each slice of a volume.
Tensor picture_changed(const Tensor& tensor, const Geometry& g, bool nearest, const char* what,
                       const Shape& image) {
  const bool volume = tensor.rank() == 4;
  const int rows = volume ? 1 : 0;
  if (tensor.rank() < 2 || tensor.shape()[rows] != image[0] || tensor.shape()[rows + 1] != image[1])
    throw ShapeError(fmt::format("{}: expected the rows and columns of the image {}, found {}.",
                                 what, image.str(), tensor.shape().str()));
  if (!volume) {
    const Tensor result = empty_like(tensor, g.height, g.width);
    g.pixels(picture_of(tensor, what, nearest), picture_of(result, what, nearest), nearest);
    return result;
  }
  Shape shape = tensor.shape();
  shape[1] = g.height;
  shape[2] = g.width;
  const Tensor result = Tensor::empty(shape, tensor.dtype(), backend::cpu_backend());
  const Picture from = picture_of(tensor[0], what, nearest);
  Picture in = from, out = from;
  out.height = g.height;
  out.width = g.width;
  for (int64_t i = 0; i < shape[0]; ++i) {
    in.data = static_cast<std::byte*>(tensor.data()) +
              static_cast<size_t>(i) * in.row_bytes() * static_cast<size_t>(in.height);
    out.data = static_cast<std::byte*>(result.data()) +
               static_cast<size_t>(i) * out.row_bytes() * static_cast<size_t>(out.height);
    g.pixels(in, out, nearest);
  }
  return result;
}

// Of the pixels of a field near a place of the source, the one that shows it best, and the rest of
// the way by one of Newton's steps.
class FieldInverse {
 public:
  explicit FieldInverse(const Geometry& g) : g_(g) {
    float most = 0;
    for (float step : g.field) most = std::max(most, std::abs(step));
    reach_ = static_cast<int64_t>(std::ceil(most)) + 1;
  }

  int64_t reach() const { return reach_; }

  Point source(int64_t x, int64_t y) const {
    const float* step = g_.field.data() + 2 * (y * g_.width + x);
    return {static_cast<double>(x) + static_cast<double>(step[0]),
            static_cast<double>(y) + static_cast<double>(step[1])};
  }

  Point operator()(double x, double y) const {
    const auto column = static_cast<int64_t>(std::llround(x)),
               line = static_cast<int64_t>(std::llround(y));
    double best = std::numeric_limits<double>::infinity();
    int64_t bx = std::clamp<int64_t>(column, 0, g_.width - 1),
            by = std::clamp<int64_t>(line, 0, g_.height - 1);
    for (int64_t j = std::max<int64_t>(0, line - reach_);
         j <= std::min(g_.height - 1, line + reach_); ++j)
      for (int64_t i = std::max<int64_t>(0, column - reach_);
           i <= std::min(g_.width - 1, column + reach_); ++i) {
        const Point p = source(i, j);
        const double distance = (p[0] - x) * (p[0] - x) + (p[1] - y) * (p[1] - y);
        if (distance < best) {
          best = distance;
          bx = i;
          by = j;
        }
      }
    return refined(bx, by, x, y);
  }

 private:
  Point refined(int64_t i, int64_t j, double x, double y) const {
    const Point p = source(i, j);
    const int64_t right = std::min(i + 1, g_.width - 1), left = std::max<int64_t>(i - 1, 0);
    const int64_t below = std::min(j + 1, g_.height - 1), above = std::max<int64_t>(j - 1, 0);
    const double across = static_cast<double>(right - left),
                 down = static_cast<double>(below - above);
    Point result{static_cast<double>(i), static_cast<double>(j)};
    if (across == 0 || down == 0) return result;
    const Point r = source(right, j), l = source(left, j), b = source(i, below),
                a = source(i, above);
    const double xx = (r[0] - l[0]) / across, yx = (r[1] - l[1]) / across,
                 xy = (b[0] - a[0]) / down, yy = (b[1] - a[1]) / down;
    const double determinant = xx * yy - xy * yx;
    // Where the field folds the nearest pixel has to do.
    if (determinant < 0.1) return result;
    const double ex = x - p[0], ey = y - p[1];
    const double sx = (ex * yy - ey * xy) / determinant, sy = (ey * xx - ex * yx) / determinant;
    // Far from the picture the steps of its edge go on.
    const bool inside = x >= 0 && y >= 0 && x <= static_cast<double>(g_.width - 1) &&
                        y <= static_cast<double>(g_.height - 1);
    const double limit = inside ? 1 : std::numeric_limits<double>::infinity();
    result[0] += std::clamp(sx, -limit, limit);
    result[1] += std::clamp(sy, -limit, limit);
    return result;
  }

  const Geometry& g_;
  int64_t reach_;
};

// Where places of the source are in the result.
std::function<Point(double, double)> forward_of(const Geometry& g) {
  if (!g.field.empty()) return FieldInverse(g);
  return [there = inverse(g.source)](double x, double y) { return mapped(there, x, y); };
}

bool is_mirror(const Geometry& g) {
  return g.field.empty() && g.source[0] * g.source[4] - g.source[1] * g.source[3] < 0;
}

Tensor moved(const Tensor& points, const std::function<Point(double, double)>& forward) {
  const Tensor result = points.duplicate();
  auto* p = result.mutable_data<float>();
  for (int64_t i = 0; i < points.size() / 2; ++i) {
    const Point to = forward(static_cast<double>(p[2 * i]), static_cast<double>(p[2 * i + 1]));
    p[2 * i] = static_cast<float>(to[0]);
    p[2 * i + 1] = static_cast<float>(to[1]);
  }
  return result;
}

// Row i taken from row rows[i], in each of `groups` that follow each other.
Tensor reordered(const Tensor& tensor, const std::vector<int64_t>& rows, int64_t groups = 1) {
  const Tensor result = Tensor::empty(tensor.shape(), tensor.dtype(), backend::cpu_backend());
  const size_t group = tensor.bytes() / static_cast<size_t>(groups), row = group / rows.size();
  auto* to = static_cast<std::byte*>(result.data());
  const auto* from = static_cast<const std::byte*>(tensor.data());
  for (int64_t g = 0; g < groups; ++g, from += group)
    for (const int64_t i : rows) {
      std::memcpy(to, from + static_cast<size_t>(i) * row, row);
      to += row;
    }
  return result;
}

// Of points (..., n, 2) that were attached; a single one (2) is on no side.
Tensor moved_attached(const std::string& name, const Tensor& points, const Geometry& g,
                      const Draws& draws, const std::function<Point(double, double)>& forward) {
  const Tensor result = moved(points, forward);
  if (!is_mirror(g) || points.rank() < 2 || points.size() == 0) return result;
  const int64_t count = points.shape()[points.rank() - 2];
  const std::vector<int64_t> rows = draws.mirrored_points(name, count);
  return rows.empty() ? result : reordered(result, rows, points.size() / (2 * count));
}

void move_points(Sample& sample, const Geometry& g, const Draws& draws,
                 const std::function<Point(double, double)>& forward) {
  sample.points = moved(sample.points, forward);
  const int64_t n = sample.points.shape()[0];
  Tensor visible = Tensor::empty({n}, DType::boolean, backend::cpu_backend());
  const auto* p = sample.points.mutable_data<float>();
  const bool* before = sample.visible ? sample.visible.mutable_data<bool>() : nullptr;
  for (int64_t i = 0; i < n; ++i) {
    const float x = p[2 * i], y = p[2 * i + 1];
    const bool inside = x >= -0.5f && y >= -0.5f && x < static_cast<float>(g.width) - 0.5f &&
                        y < static_cast<float>(g.height) - 0.5f;
    visible.mutable_data<bool>()[i] = inside && (!before || before[i]);
  }
  sample.visible = visible;
  if (is_mirror(g) && !draws.mirrored_points().empty()) {
    sample.points = reordered(sample.points, draws.mirrored_points());
    sample.visible = reordered(sample.visible, draws.mirrored_points());
  }
}

struct Bounds {
  double left = std::numeric_limits<double>::infinity(), top = left, right = -left, bottom = -left;
  void take(double x0, double y0, double x1, double y1) {
    left = std::min(left, x0);
    top = std::min(top, y0);
    right = std::max(right, x1);
    bottom = std::max(bottom, y1);
  }
};

// What a map makes of a box's corners; straight edges stay straight.
Bounds through_map(const float* box, const std::function<Point(double, double)>& forward) {
  Bounds bounds;
  for (int corner = 0; corner < 4; ++corner) {
    const Point p = forward(static_cast<double>(box[corner % 2 ? 2 : 0]) - 0.5,
                            static_cast<double>(box[corner / 2 ? 3 : 1]) - 0.5);
    bounds.take(p[0] + 0.5, p[1] + 0.5, p[0] + 0.5, p[1] + 0.5);
  }
  return bounds;
}

// The pixels of the result that show something of the box.
Bounds through_field(const float* box, const Geometry& g, const FieldInverse& field) {
  Bounds bounds;
  const double left = box[0] - 0.5, top = box[1] - 0.5, right = box[2] - 0.5, bottom = box[3] - 0.5;
  const auto low = [&](double edge) {
    return std::max<int64_t>(0, static_cast<int64_t>(edge) - field.reach());
  };
  const auto high = [&](double edge, int64_t size) {
    return std::min(size - 1, static_cast<int64_t>(edge) + field.reach());
  };
  for (int64_t y = low(top); y <= high(bottom, g.height); ++y)
    for (int64_t x = low(left); x <= high(right, g.width); ++x) {
      const Point p = field.source(x, y);
      if (p[0] >= left && p[0] < right && p[1] >= top && p[1] < bottom)
        bounds.take(static_cast<double>(x), static_cast<double>(y), static_cast<double>(x + 1),
                    static_cast<double>(y + 1));
    }
  return bounds;
}

void move_boxes(Sample& sample, const Geometry& g, const Shape& image,
                const std::function<Point(double, double)>& forward) {
  const FieldInverse field(g);
  change_boxes(sample, {image[0], image[1]}, {g.height, g.width}, [&](std::array<float, 4>& b) {
    const Bounds to =
        g.field.empty() ? through_map(b.data(), forward) : through_field(b.data(), g, field);
    const auto limited = [](double value, int64_t size) {
      return static_cast<float>(std::clamp(value, 0.0, static_cast<double>(size)));
    };
    b = {limited(to.left, g.width), limited(to.top, g.height), limited(to.right, g.width),
         limited(to.bottom, g.height)};
  });
}

}  // namespace

void apply(Sample& sample, const Geometry& g, const Draws& draws) {
  const Shape image = sample.image.shape();
  const auto forward = forward_of(g);
  // All results before any is kept: a failed change leaves the sample as it was.
  Sample result = sample;
  result.image = picture_changed(sample.image, g, false, "image", image);
  if (sample.mask) result.mask = picture_changed(sample.mask, g, true, "mask", image);
  if (sample.depth) result.depth = picture_changed(sample.depth, g, true, "depth", image);
  for (auto& [name, attached] : result.more) {
    if (attached.follow == Follow::points)
      attached.value = moved_attached(name, attached.value, g, draws, forward);
    else if (attached.follow != Follow::unchanged)
      attached.value = picture_changed(attached.value, g, attached.follow == Follow::nearest,
                                       name.c_str(), image);
  }
  if (sample.points) move_points(result, g, draws, forward);
  if (sample.boxes) move_boxes(result, g, image, forward);
  sample = std::move(result);
}

Geometry warped(const Homography& source, int64_t height, int64_t width, const Resampling& how) {
  return {.height = height,
          .width = width,
          .source = source,
          .pixels = [source, how](const Picture& from, const Picture& to, bool nearest) {
            sample(from, to, backend::image::places_of(source, to.width),
                   sampling_of(how, nearest));
          }};
}

Geometry displaced(std::vector<float> field, int64_t height, int64_t width, const Resampling& how) {
  const auto steps = std::make_shared<const std::vector<float>>(field);
  return {.height = height,
          .width = width,
          .field = std::move(field),
          .pixels = [steps, how](const Picture& from, const Picture& to, bool nearest) {
            sample(from, to, backend::image::places_of(steps->data(), to.width),
                   sampling_of(how, nearest));
          }};
}

Geometry mirrored(int64_t height, int64_t width, bool left_right, bool up_down) {
  Homography source = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  if (left_right) {
    source[0] = -1;
    source[2] = static_cast<double>(width - 1);
  }
  if (up_down) {
    source[4] = -1;
    source[5] = static_cast<double>(height - 1);
  }
  return {.height = height,
          .width = width,
          .source = source,
          .pixels = [left_right, up_down](const Picture& from, const Picture& to, bool) {
            mirror(from, to, left_right, up_down);
          }};
}

Geometry window(int64_t top, int64_t left, int64_t height, int64_t width, double fill_value,
                std::optional<double> mask_fill_value) {
  const double mask_value = mask_fill_value.value_or(fill_value);
  const Homography source = {1, 0, static_cast<double>(left), 0, 1, static_cast<double>(top), 0,
                             0, 1};
  return {.height = height,
          .width = width,
          .source = source,
          .pixels = [=](const Picture& from, const Picture& to, bool nearest) {
            const bool inside =
                top >= 0 && left >= 0 && top + height <= from.height && left + width <= from.width;
            if (!inside)
              return sample(from, to, backend::image::places_of(source, width),
                            {.linear = false,
                             .fill = Fill::constant,
                             .value = nearest ? mask_value : fill_value});
            for (int64_t y = 0; y < height; ++y)
              std::memcpy(to.row(y),
                          from.row(top + y) + static_cast<size_t>(left) * from.pixel_bytes(),
                          to.row_bytes());
          }};
}

Geometry resized(const std::array<int64_t, 4>& part, int64_t height, int64_t width,
                 const backend::image::Resizing& how) {
  const double x = static_cast<double>(part[3]) / static_cast<double>(width),
               y = static_cast<double>(part[2]) / static_cast<double>(height);
  // Edges go to edges, so middles of pixels are half a pixel off.
  return {.height = height,
          .width = width,
          .source = {x, 0, 0.5 * x - 0.5 + static_cast<double>(part[1]), 0, y,
                     0.5 * y - 0.5 + static_cast<double>(part[0]), 0, 0, 1},
          .pixels = [part, how](const Picture& from, const Picture& to, bool nearest) {
            if (nearest)
              backend::image::resize(from, part, to, {.interpolation = "nearest"});
            else
              backend::image::resize(from, part, to, how);
          }};
}

namespace {

// From the unit square, whose corners are in the order (0, 0), (1, 0), (0, 1), (1, 1), to four
// places (Heckbert, Fundamentals of Texture Mapping, 1989).
Homography from_square(const std::array<Point, 4>& to) {
  const auto& [a, b, d, c] = to;
  const double dx1 = b[0] - c[0], dx2 = d[0] - c[0], sx = a[0] - b[0] + c[0] - d[0],
               dy1 = b[1] - c[1], dy2 = d[1] - c[1], sy = a[1] - b[1] + c[1] - d[1];
  const double area = dx1 * dy2 - dx2 * dy1;
  if (area == 0) throw ValueError("Four places of which three lie on a line give no map.");
  const double g = (sx * dy2 - dx2 * sy) / area, h = (dx1 * sy - sx * dy1) / area;
  return {b[0] - a[0] + g * b[0],
          d[0] - a[0] + h * d[0],
          a[0],
          b[1] - a[1] + g * b[1],
          d[1] - a[1] + h * d[1],
          a[1],
          g,
          h,
          1};
}

}  // namespace

Homography homography(const std::array<Point, 4>& from, const std::array<Point, 4>& to) {
  Homography map = composed(from_square(to), inverse(from_square(from)));
  const double last = map[8];
  for (double& entry : map) entry /= last;
  return map;
}

Homography composed(const Homography& a, const Homography& b) {
  Homography c{};
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 3; ++j)
      for (size_t k = 0; k < 3; ++k) c[3 * i + j] += a[3 * i + k] * b[3 * k + j];
  return c;
}

Homography inverse(const Homography& m) {
  const auto minor = [&](size_t a, size_t b, size_t c, size_t d) {
    return m[a] * m[d] - m[b] * m[c];
  };
  const Homography adjugate = {minor(4, 5, 7, 8), minor(2, 1, 8, 7), minor(1, 2, 4, 5),
                               minor(5, 3, 8, 6), minor(0, 2, 6, 8), minor(2, 0, 5, 3),
                               minor(3, 4, 6, 7), minor(1, 0, 7, 6), minor(0, 1, 3, 4)};
  const double determinant = m[0] * adjugate[0] + m[1] * adjugate[3] + m[2] * adjugate[6];
  if (determinant == 0 || !std::isfinite(determinant))
    throw ValueError("A map of places that shrinks the image to a line has no inverse.");
  Homography result;
  for (size_t i = 0; i < 9; ++i) result[i] = adjugate[i] / determinant;
  return result;
}

std::array<double, 2> mapped(const Homography& m, double x, double y) {
  const double w = m[6] * x + m[7] * y + m[8];
  if (w <= 0) {
    const double far = std::numeric_limits<double>::infinity();
    return {far, far};
  }
  return {(m[0] * x + m[1] * y + m[2]) / w, (m[3] * x + m[4] * y + m[5]) / w};
}

}  // namespace cornu::data
