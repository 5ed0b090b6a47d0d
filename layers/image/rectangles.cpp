// Rectangles as stretches, and as masks.
#include "rectangles.h"

#include <cmath>
#include <cstring>

#include "../../backend/image_batch.h"
#include "../../framework/dispatch/apply.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/detail/images.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/numpy/creation.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/random/draws.h"
#include "../../framework/ops/random/seed.h"
#include "colors.h"

namespace cornu::layers {
namespace {

// The first whole number that is at least `place`, within [0, side].
int64_t first_at(float place, int64_t side) {
  if (place >= static_cast<float>(side)) return side;
  return place > 0 ? static_cast<int64_t>(std::ceil(place)) : 0;
}

// Marks what is inside of a rectangle, and nothing else.
void mark(const Picture& mask, int64_t left, int64_t right, int64_t top, int64_t bottom) {
  std::memset(mask.data, 0, static_cast<size_t>(mask.values()));
  if (right <= left) return;
  for (int64_t y = top; y < bottom; ++y)
    std::memset(mask.row(y) + left * mask.channels, 1,
                static_cast<size_t>((right - left) * mask.channels));
}

Tensor marked_on_host(const Stretch& across, const Stretch& down, const Shape& shape,
                      bool channels_first) {
  const Tensor inputs[] = {across.begin, across.end, down.begin, down.end};
  const TensorSpec spec{shape, DType::boolean};
  return apply_host(
      [channels_first](std::span<const Tensor> in, std::span<const Tensor> out) {
        const Picture first = first_plane(out[0], channels_first);
        const int64_t planes = channels_first ? out[0].shape()[1] : 1;
        backend::image::for_each_picture(first, out[0].shape()[0] * planes, [&](int64_t i) {
          const auto place = [&](size_t which, int64_t side) {
            return first_at(in[which].mutable_data<float>()[i / planes], side);
          };
          mark(nth(first, i), place(0, first.width), place(1, first.width), place(2, first.height),
               place(3, first.height));
        });
      },
      inputs, {&spec, 1}, "inside rectangles " + shape.str() + (channels_first ? " first" : ""))[0];
}

}  // namespace

Stretch drawn_stretch(const Tensor& shares, int64_t side, SeedGenerator& seeds) {
  const auto all = static_cast<double>(side);
  const Tensor length = shares * all;
  const Tensor begin =
      random::uniform(shares.shape(), 0, 1, seeds, shares.dtype()) * (all - length);
  return {begin, begin + length};
}

Tensor inside_rectangles(const Stretch& across, const Stretch& down, ImageSize size,
                         int64_t channels, bool channels_first) {
  const int64_t n = across.begin.shape()[0];
  const Shape shape = channels_first ? Shape{n, channels, size.height, size.width}
                                     : Shape{n, size.height, size.width, channels};
  if (across.begin.dtype() == DType::float32 &&
      detail::may_run_on_host({across.begin, across.end, down.begin, down.end}))
    return marked_on_host(across, down, shape, channels_first);
  const auto inside = [&](const Stretch& stretch, int64_t side, int axis) {
    Shape along{1, 1, 1, 1};
    along[axis] = side;
    const Tensor place = ops::reshape(
        ops::cast(ops::arange(0, side, 1, DType::float32), stretch.begin.dtype()), along);
    return ops::logical_and(ops::greater_equal(place, per_image(stretch.begin)),
                            ops::less(place, per_image(stretch.end)));
  };
  const int rows = channels_first ? 2 : 1;
  const Tensor masks =
      ops::logical_and(inside(across, size.width, rows + 1), inside(down, size.height, rows));
  return channels == 1 ? masks : ops::broadcast_to(masks, shape);
}

Tensor pasteable(const Tensor& images, DType dtype) {
  if (images.dtype() == DType::uint8 && dtype == DType::float32) return images;
  return ops::cast(images, dtype);
}

bool is_mask_of(const Tensor& mask, const Tensor& images, bool channels_first) {
  if (mask.dtype() != DType::boolean || mask.rank() != 4) return false;
  for (int axis = 0; axis < 4; ++axis) {
    const bool may_be_one = axis == 0 || axis == (channels_first ? 1 : 3);
    if (mask.shape()[axis] != images.shape()[axis] && !(may_be_one && mask.shape()[axis] == 1))
      return false;
  }
  return true;
}

}  // namespace cornu::layers
