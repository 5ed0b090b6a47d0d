// Batches as pictures behind each other in memory.
#include "batch_pictures.h"

#include <algorithm>

#include "../../backend/image_batch.h"
#include "../../framework/ops/detail/host_sampling.h"
#include "../../framework/ops/detail/images.h"

namespace cornu::layers {
Picture first_plane(const Tensor& batch, bool channels_first) {
  if (!channels_first) return detail::first_picture(batch);
  const Shape& shape = batch.shape();
  return {batch.data(), shape[2], shape[3], 1, batch.dtype()};
}

float DrawsOfImage::operator[](size_t which) const {
  const Tensor& draw = draws_[which];
  const auto place = static_cast<size_t>(draw.size() == 1 ? 0 : image());
  if (draw.dtype() == DType::boolean) return draw.mutable_data<bool>()[place] ? 1.0f : 0.0f;
  return draw.mutable_data<float>()[place];
}

int64_t DrawsOfImage::whole(size_t which) const {
  const Tensor& draw = draws_[which];
  return draw.mutable_data<int32_t>()[static_cast<size_t>(draw.size() == 1 ? 0 : image())];
}

Picture DrawsOfImage::other(int64_t image) const {
  return nth(first_, image * planes_ + i_ % planes_);
}

Picture DrawsOfImage::picture(size_t which) const {
  const Tensor& draw = draws_[which];
  const int64_t planes = channels_first_ ? draw.shape()[1] : 1;
  const int64_t image = draw.shape()[0] == 1 ? 0 : i_ / planes_;
  return nth(first_plane(draw, channels_first_), image * planes + i_ % planes_ % planes);
}

bool may_move_pictures(const Tensor& images, std::initializer_list<Tensor> draws) {
  return images.rank() == 4 && images.size() > 0 && detail::may_run_on_host({images}) &&
         detail::may_run_on_host(draws);
}

bool by_pictures(const Tensor& images, std::initializer_list<Tensor> draws) {
  const bool known = std::all_of(draws.begin(), draws.end(), [](const Tensor& t) {
    return t.dtype() == DType::float32 || t.dtype() == DType::int32 || t.dtype() == DType::boolean;
  });
  return known && images.dtype() == DType::float32 && may_move_pictures(images, draws);
}

Tensor each_picture(const Tensor& images, std::initializer_list<Tensor> draws, bool channels_first,
                    const std::string& text, const PictureChange& change,
                    std::optional<std::array<int64_t, 2>> size, std::optional<DType> dtype) {
  Tensors inputs = {images};
  for (const Tensor& draw : draws) inputs.push_back(draw);
  TensorSpec spec = images.spec();
  spec.dtype = dtype.value_or(spec.dtype);
  if (size) {
    const int rows = channels_first ? 2 : 1;
    spec.shape[rows] = (*size)[0];
    spec.shape[rows + 1] = (*size)[1];
  }
  return apply_host(
      [change, channels_first](std::span<const Tensor> in, std::span<const Tensor> out) {
        const Picture from = first_plane(in[0], channels_first),
                      to = first_plane(out[0], channels_first);
        const int64_t planes = channels_first ? in[0].shape()[1] : 1;
        backend::image::for_each_picture(from, in[0].shape()[0] * planes, [&](int64_t i) {
          change(nth(from, i), nth(to, i),
                 DrawsOfImage(in.subspan(1), from, planes, channels_first, i));
        });
      },
      inputs, {&spec, 1}, text + (channels_first ? " channels first" : ""))[0];
}

}  // namespace cornu::layers
