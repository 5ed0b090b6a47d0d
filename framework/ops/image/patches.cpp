// Patches, by a convolution-like gather.
#include "patches.h"

#include <fmt/core.h>

#include "../catalog.h"
#include "../detail/images.h"
#include "../nn/convolution.h"
#include "../numpy/creation.h"
#include "../numpy/manipulation.h"
#include "../operators.h"

namespace cornu::ops {

Tensor extract_patches(const Tensor& images, const IntegerList& size,
                       const OptionalIntegers& strides, const IntegerList& dilation_rate,
                       const std::string& padding, const std::optional<std::string>& data_format) {
  if (is_symbolic(images))
    return symbolic_call(&extract_patches, images, size, strides, dilation_rate, padding,
                         data_format);
  const std::string format = data_format.value_or("channels_last");
  const bool last = detail::is_channels_last(format, "extract_patches");
  std::vector<int64_t> window = size;
  if (window.size() == 1) window.push_back(window[0]);
  const int axes = static_cast<int>(window.size());
  const bool single = images.rank() == axes + 1;
  if (!single && images.rank() != axes + 2)
    throw ShapeError(
        fmt::format("extract_patches: expected {} or {} axes, found images of shape {}.", axes + 1,
                    axes + 2, images.shape().str()));
  const Tensor x = single ? expand_dims(images, {0}) : images;
  const int64_t channels = x.shape(last ? -1 : 1);
  int64_t columns = channels;
  Shape kernel;
  for (int64_t n : window) {
    kernel.push_back(n);
    columns *= n;
  }
  // A convolution by the identity copies each window into the channels.
  const Tensor identity =
      reshape(eye(columns, {}, 0, x.dtype()), concat(kernel, {channels, columns}));
  const Tensor y = conv(x, identity, strides && !strides->empty() ? *strides : window, padding,
                        format, dilation_rate);
  return single ? squeeze(y, 0) : y;
}

Tensor extract_patches_3d(const Tensor& volumes, const IntegerList& size,
                          const OptionalIntegers& strides, const IntegerList& dilation_rate,
                          const std::string& padding,
                          const std::optional<std::string>& data_format) {
  if (is_symbolic(volumes))
    return symbolic_call(&extract_patches_3d, volumes, size, strides, dilation_rate, padding,
                         data_format);
  return extract_patches(volumes,
                         size.size() == 1 ? IntegerList(std::vector<int64_t>(3, size[0])) : size,
                         strides, dilation_rate, padding, data_format);
}

void list_image_patches(OpCatalog& catalog) {
  catalog.add(
      "image.ExtractPatches",
      {"images", "size", "strides=None", "dilation_rate=1", "padding='valid'", "data_format=None"},
      &extract_patches);
  catalog.add(
      "image.ExtractPatches3D",
      {"volumes", "size", "strides=None", "dilation_rate=1", "padding='valid'", "data_format=None"},
      &extract_patches_3d);
}

}  // namespace cornu::ops
