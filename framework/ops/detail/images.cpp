// Data formats and checks of images.
#include "images.h"

#include <fmt/core.h>

#include <algorithm>

#include "../../tensor/device.h"
#include "../numpy/joining.h"
#include "../operators.h"

namespace cornu::detail {

bool is_channels_last(const ops::DataFormat& data_format, const char* who) {
  const std::string format = data_format.value_or(config::image_data_format());
  if (format == "channels_last") return true;
  if (format == "channels_first") return false;
  throw ValueError(
      fmt::format("{}: data_format must be \"channels_last\" or \"channels_first\", found \"{}\".",
                  who, format));
}

void check_images(const Tensor& images, const char* who) {
  if (images.rank() != 3 && images.rank() != 4)
    throw ShapeError(
        fmt::format("{}: expected one image (3 axes) or a batch of them (4 axes), found shape {}.",
                    who, images.shape().str()));
}

std::vector<Tensor> planes(const Tensor& images, const ops::DataFormat& format, const char* who) {
  detail::check_images(images, who);
  if (!is_float(images.dtype()))
    throw ValueError(
        fmt::format("{}: expected floats, found {}.", who, dtype_name(images.dtype())));
  const int axis = detail::is_channels_last(format, who) ? -1 : -3;
  if (images.shape(axis) != 3)
    throw ShapeError(
        fmt::format("{}: expected 3 channels, found shape {}.", who, images.shape().str()));
  return ops::split(images, 3, axis);
}

bool may_run_on_host(std::initializer_list<Tensor> inputs) {
  return std::all_of(inputs.begin(), inputs.end(), [](const Tensor& t) {
    return t.is_eager() && t.device().is_cpu() &&
           t.impl()->tapes.load(std::memory_order_relaxed) == 0;
  });
}

}  // namespace cornu::detail
