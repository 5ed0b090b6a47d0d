// Records of shards to crops, and crops to batches.
#include "shard_crops.h"

#include <fmt/core.h>

#include "../../backend/backend.h"

namespace cornu::data {
namespace {

bool follows_image(const Sample& sample) {
  for (const auto& [name, attached] : sample.more)
    if (attached.follow != Follow::unchanged) return true;
  return sample.points || sample.visible || sample.boxes || sample.mask || sample.depth;
}

const io::ShardArray& image_of(const std::vector<io::ShardArray>& arrays,
                               const std::string& source) {
  for (const io::ShardArray& array : arrays)
    if (array.name == detail::image_file_field || array.name == "image") return array;
  throw ValueError(fmt::format("'{}' has no image to take a crop of.", source));
}

ShardCrop crop_of(const std::vector<io::ShardArray>& arrays, const std::string& record,
                  const Place& place, const std::shared_ptr<const ShardCropOptions>& options) {
  Sample sample = detail::sample_without_image(arrays, record);
  if (follows_image(sample))
    throw UnsupportedError(fmt::format(
        "crops_from_shards: '{}' has points, boxes, a mask or others that a crop would have to "
        "take along. Read it by from_shards, and change it by data::augment.",
        sample.source));
  const io::ShardArray& image = image_of(arrays, sample.source);
  return {std::move(sample), image, place.random(), options};
}

PixelView view_of(const io::ShardArray& image, const std::string& source) {
  if (image.shape.rank() != 3 || image.dtype != DType::uint8)
    throw ShapeError(fmt::format("'{}': expected an image (h, w, c) of uint8, found {} of {}.",
                                 source, image.shape.str(), dtype_name(image.dtype)));
  return {reinterpret_cast<const uint8_t*>(image.data.data()), image.shape[0], image.shape[1],
          image.shape[2]};
}

}  // namespace

void ShardCrop::write(float* values) const {
  Random draws = random;
  const ChooseCrop choose = [&](int64_t height, int64_t width) {
    return options->draw ? options->draw(height, width, draws)
                         : random_resized_crop(height, width, draws, options->crop);
  };
  if (image.name == detail::image_file_field)
    decode_crop(image.data, sample.source, choose, options->target, values);
  else
    crop_pixels(view_of(image, sample.source), sample.source, choose, options->target, values);
}

Batch collate(std::vector<ShardCrop> crops, const BatchOptions& options) {
  const CropTarget& target = crops.at(0).options->target;
  const auto count = static_cast<int64_t>(crops.size());
  const Shape shape = target.channels_first ? Shape{count, 3, target.height, target.width}
                                            : Shape{count, target.height, target.width, 3};
  const Tensor x = Tensor::empty(shape, DType::float32, backend::cpu_backend());
  auto* values = static_cast<float*>(x.data());
  std::vector<Batch> rows;
  for (const ShardCrop& crop : crops) {
    crop.write(values);
    values += target.height * target.width * 3;
    rows.push_back(as_batch(crop.sample));
    rows.back().x = {};
  }
  Batch batch = detail::stack(std::move(rows), options);
  batch.x = x;
  return batch;
}

Pipeline<ShardCrop> crops_from_shards(const std::string& folder, ShardCropOptions options) {
  const auto reader = std::make_shared<const io::ShardReader>(folder, options.verify);
  const std::string name = options.name;
  const auto shared = std::make_shared<const ShardCropOptions>(std::move(options));
  return generate(reader->size(),
                  [reader, folder, shared](const Place& place) {
                    return crop_of((*reader)[place.index],
                                   fmt::format("{}#{}", folder, place.index), place, shared);
                  },
                  {.name = name});
}

}  // namespace cornu::data
