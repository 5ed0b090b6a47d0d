// Resizing on the host, and its derivative: the same kernel with the weights transposed.
#include "host_resize.h"

#include <fmt/core.h>

#include <memory>

#include "../../dispatch/custom_gradient.h"
#include "../../tensor/device.h"
#include "../core/cast.h"
#include "../operators.h"
#include "host_sampling.h"

namespace cornu::detail {
namespace {

using backend::image::AxisWeights;
using backend::image::Frame;
using backend::image::Picture;
using backend::image::Resizing;

// What is done to each image.
struct Resampling {
  Frame frame;
  AxisWeights across, down;
  std::string text;

  int64_t height() const { return static_cast<int64_t>(down.first.size()); }
  int64_t width() const { return static_cast<int64_t>(across.first.size()); }
  // What takes derivatives back to images of this size.
  std::shared_ptr<const Resampling> transposed(int64_t rows, int64_t columns) const {
    return std::make_shared<const Resampling>(
        Resampling{{0, 0, height(), width()},
                   backend::image::transposed(across, -frame.left, columns),
                   backend::image::transposed(down, -frame.top, rows),
                   text + " transposed"});
  }
};

using Plan = std::shared_ptr<const Resampling>;

Tensor filled(const Tensor& x, const TensorSpec& spec, const std::string& text,
              std::function<void(const Picture&, const Picture&, int64_t)> fill) {
  return apply_host(
      [fill = std::move(fill)](std::span<const Tensor> in, std::span<const Tensor> out) {
        fill(first_picture(in[0]), first_picture(out[0]), in[0].shape()[0]);
      },
      {&x, 1}, {&spec, 1}, text)[0];
}

TensorSpec spec_of(const Tensor& x, int64_t height, int64_t width) {
  return {Shape{x.shape()[0], height, width, x.shape()[3]}, x.dtype()};
}

// x in uint8, float32 or float64.
Tensor resampled(const Tensor& x, const Plan& plan) {
  const auto forward = [&plan](const Tensor& images) {
    return filled(images, spec_of(images, plan->height(), plan->width()), plan->text,
                  [plan](const Picture& from, const Picture& to, int64_t count) {
                    resample_batch(from, to, count, plan->frame, plan->across, plan->down);
                  });
  };
  if (!is_float(x.dtype())) return forward(x);
  return custom_gradient(x, [&](const Tensor& images) {
    const std::function<Tensor(const Tensor&)> back =
        [plan, rows = images.shape()[1], columns = images.shape()[2]](const Tensor& dy) {
          return resampled(dy, plan->transposed(rows, columns));
        };
    return std::pair{forward(images), back};
  });
}

// In a dtype that the kernels compute in.
Tensor computable(const Tensor& x) {
  const DType dtype = x.dtype();
  const bool known = dtype == DType::uint8 || dtype == DType::float32 || dtype == DType::float64;
  return known ? x : ops::cast(x, DType::float32);
}

Tensor nearest(const Tensor& x, const Plan& plan) {
  const auto forward = [&plan](const Tensor& images) {
    return filled(images, spec_of(images, plan->height(), plan->width()), plan->text,
                  [frame = plan->frame](const Picture& from, const Picture& to, int64_t count) {
                    resample_nearest(from, to, count, frame);
                  });
  };
  if (!is_float(x.dtype())) return forward(x);
  return custom_gradient(x, [&](const Tensor& images) {
    const std::function<Tensor(const Tensor&)> back =
        [plan, rows = images.shape()[1], columns = images.shape()[2]](const Tensor& dy) {
          return ops::cast(resampled(computable(dy), plan->transposed(rows, columns)), dy.dtype());
        };
    return std::pair{forward(images), back};
  });
}

}  // namespace

bool host_resizes(const Tensor& images) {
  return images.is_eager() && images.device().is_cpu() && images.size() > 0;
}

Tensor resized_on_host(const Tensor& images, const Frame& frame, int64_t height, int64_t width,
                       const Resizing& how) {
  const auto plan = std::make_shared<const Resampling>(Resampling{
      frame, backend::image::resize_weights(frame.width, width, how),
      backend::image::resize_weights(frame.height, height, how),
      fmt::format("resize images {} {} {} {} {} {} {} {} {}", height, width, how.interpolation,
                  how.antialias, frame.top, frame.left, frame.height, frame.width, frame.value)});
  if (how.interpolation == "nearest") return nearest(images, plan);
  const Tensor y = resampled(computable(images), plan);
  if (y.dtype() == images.dtype()) return y;
  return ops::cast(is_float(images.dtype()) ? y : round_even(y), images.dtype());
}

}  // namespace cornu::detail
