// Borders of images.
#include "padding.h"

#include <fmt/core.h>

#include "../catalog.h"
#include "../detail/images.h"
#include "../elementwise.h"
#include "../numpy/indexing.h"
#include "../numpy/manipulation.h"
#include "../operators.h"

namespace cornu::ops {

namespace {

using OptionalSize = std::optional<int64_t>;

// Borders of an axis from two of low, high and the size after; `sign` is 1 for padding, -1 for
// cropping.
std::pair<int64_t, int64_t> borders(OptionalSize low, OptionalSize high, OptionalSize target,
                                    int64_t size, int sign, const char* who, const char* names) {
  if (low.has_value() + high.has_value() + target.has_value() != 2)
    throw ValueError(fmt::format("{}: exactly two of {} must be given.", who, names));
  const int64_t total = target ? sign * (*target - size) : 0;
  const int64_t before = low ? *low : total - *high, after = high ? *high : total - *low;
  if (before < 0 || after < 0)
    throw ValueError(
        fmt::format("{}: {} come out as {} and {} for a size of {}; they must not be negative.",
                    who, names, before, after, size));
  return {before, after};
}

}  // namespace

Tensor pad_images(const Tensor& images, OptionalSize top, OptionalSize left, OptionalSize bottom,
                  OptionalSize right, OptionalSize height, OptionalSize width,
                  const DataFormat& format) {
  if (is_symbolic(images))
    return symbolic_call(&pad_images, images, top, left, bottom, right, height, width, format);
  detail::check_images(images, "pad_images");
  const bool last = detail::is_channels_last(format, "pad_images");
  const auto [t, b] = borders(top, bottom, height, images.shape(last ? -3 : -2), 1, "pad_images",
                              "top_padding, bottom_padding and target_height");
  const auto [l, r] = borders(left, right, width, images.shape(last ? -2 : -1), 1, "pad_images",
                              "left_padding, right_padding and target_width");
  std::vector<std::vector<int64_t>> widths(static_cast<size_t>(images.rank()), {0, 0});
  const size_t row = static_cast<size_t>(images.rank() - (last ? 3 : 2));
  widths[row] = {t, b};
  widths[row + 1] = {l, r};
  return pad(images, widths);
}

Tensor crop_images(const Tensor& images, OptionalSize top, OptionalSize left, OptionalSize bottom,
                   OptionalSize right, OptionalSize height, OptionalSize width,
                   const DataFormat& format) {
  if (is_symbolic(images))
    return symbolic_call(&crop_images, images, top, left, bottom, right, height, width, format);
  detail::check_images(images, "crop_images");
  const bool last = detail::is_channels_last(format, "crop_images");
  const int64_t h = images.shape(last ? -3 : -2), w = images.shape(last ? -2 : -1);
  const auto [t, b] = borders(top, bottom, height, h, -1, "crop_images",
                              "top_cropping, bottom_cropping and target_height");
  const auto [l, r] = borders(left, right, width, w, -1, "crop_images",
                              "left_cropping, right_cropping and target_width");
  if (t + b > h || l + r > w)
    throw ValueError(
        fmt::format("crop_images: expected at most {} x {} pixels to crop, found {} rows and {} "
                    "columns.",
                    h, w, t + b, l + r));
  const Slice rows{t, h - b}, columns{l, w - r};
  if (last) return get_item(images, Value::List{Ellipsis{}, rows, columns, Slice{}});
  return get_item(images, Value::List{Ellipsis{}, rows, columns});
}

void list_image_padding(OpCatalog& catalog) {
  catalog.add("image.PadImages",
              {"images", "top_padding=None", "left_padding=None", "bottom_padding=None",
               "right_padding=None", "target_height=None", "target_width=None", "data_format=None"},
              &pad_images);
  catalog.add(
      "image.CropImages",
      {"images", "top_cropping=None", "left_cropping=None", "bottom_cropping=None",
       "right_cropping=None", "target_height=None", "target_width=None", "data_format=None"},
      &crop_images);
}

}  // namespace cornu::ops
