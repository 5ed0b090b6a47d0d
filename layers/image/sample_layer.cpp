// Batches through changes of samples.
#include "sample_layer.h"

#include <cstring>

#include "../../framework/dispatch/apply.h"

namespace cornu::layers {
namespace {

data::Draws draws_of(const Tensor& key, int64_t image) {
  static const data::AugmentOptions none;
  const auto* words = key.mutable_data<uint32_t>();
  return {data::Random(backend::split_at({words[0], words[1]}, static_cast<uint64_t>(image))),
          none};
}

// Entry i of a batch, in its memory.
Tensor entry(const Tensor& batch, int64_t i) {
  Shape shape = batch.shape().slice(1, batch.rank());
  const size_t bytes = static_cast<size_t>(shape.numel()) * size_of(batch.dtype());
  return Tensor::part_of(batch,
                         static_cast<std::byte*>(batch.data()) + static_cast<size_t>(i) * bytes,
                         shape, batch.dtype());
}

// `change` makes entry i of the result from that of the input.
Tensor one_by_one(const Tensor& x, const Tensor& key, const Shape& output,
                  const std::function<Tensor(const Tensor&, data::Draws&)>& change) {
  const TensorSpec spec{output, x.dtype()};
  const Tensor inputs[] = {x, key};
  return apply_host(
      [change](std::span<const Tensor> in, std::span<const Tensor> out) {
        for (int64_t i = 0; i < in[0].shape()[0]; ++i) {
          data::Draws draws = draws_of(in[1], i);
          const Tensor result = change(entry(in[0], i), draws);
          const Tensor place = entry(out[0], i);
          if (result.shape() != place.shape())
            throw ShapeError("a layer made " + result.spec().str() + " of one image, expected " +
                             place.spec().str() + ".");
          std::memcpy(place.data(), result.data(), place.bytes());
        }
      },
      inputs, {&spec, 1}, "augment")[0];
}

Tensor blank(int64_t height, int64_t width) {
  const Tensor image = Tensor::empty({height, width, 3}, DType::uint8, backend::cpu_backend());
  std::memset(image.data(), 0, image.bytes());
  return image;
}

}  // namespace

Tensor change_one_by_one(const data::Augmenter& layer, const Tensor& images, const Tensor& key,
                         std::pair<int64_t, int64_t> output) {
  const Shape shape{images.shape()[0], output.first, output.second, images.shape()[3]};
  return one_by_one(images, key, shape, [&layer](const Tensor& image, data::Draws& draws) {
    data::Sample sample{.image = image};
    layer.augment(sample, draws);
    return sample.image;
  });
}

Tensor change_masks_one_by_one(const data::Augmenter& layer, const Tensor& masks, const Tensor& key,
                               std::pair<int64_t, int64_t> output) {
  const Shape shape{masks.shape()[0], output.first, output.second, masks.shape()[3]};
  return one_by_one(masks, key, shape, [&layer](const Tensor& mask, data::Draws& draws) {
    data::Sample sample{.image = blank(mask.shape()[0], mask.shape()[1]), .mask = mask};
    layer.augment(sample, draws);
    return sample.mask;
  });
}

Nest change_boxes_one_by_one(const data::Augmenter& layer, const Nest& boxes, const Tensor& key,
                             int64_t height, int64_t width, const std::string& format) {
  const Tensor inputs[] = {boxes["boxes"].tensor(), boxes["labels"].tensor(), key};
  const TensorSpec specs[] = {inputs[0].spec(), inputs[1].spec()};
  const Tensors out = apply_host(
      [&layer, height, width, format](std::span<const Tensor> in, std::span<const Tensor> out) {
        for (int64_t i = 0; i < in[0].shape()[0]; ++i) {
          data::Draws draws = draws_of(in[2], i);
          data::Sample sample{.image = blank(height, width),
                              .boxes = entry(in[0], i),
                              .box_labels = entry(in[1], i),
                              .box_format = format};
          layer.augment(sample, draws);
          std::memcpy(entry(out[0], i).data(), sample.boxes.data(), sample.boxes.bytes());
          std::memcpy(entry(out[1], i).data(), sample.box_labels.data(), sample.box_labels.bytes());
        }
      },
      inputs, specs, "augment boxes");
  return Nest::dict({{"boxes", out[0]}, {"labels", out[1]}});
}

}  // namespace cornu::layers
