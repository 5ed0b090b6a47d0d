// Records of shards to crops, and crops to batches.
#include "shard_crops.h"

#include <fmt/core.h>

#include <cstring>

#include "../../backend/backend.h"
#include "pictures.h"

namespace cornu::data {
namespace {

const io::ShardArray& image_of(const std::vector<io::ShardArray>& arrays,
                               const std::string& source) {
  for (const io::ShardArray& array : arrays)
    if (array.name == detail::image_file_field || array.name == "image") return array;
  throw ValueError(fmt::format("'{}' has no image to take a crop of.", source));
}

// `source` becomes that of the sample as soon as it is known.
ShardCrop crop_of(const std::vector<io::ShardArray>& arrays, const Place& place,
                  const std::shared_ptr<const ShardCropOptions>& options, std::string& source) {
  Sample sample = detail::sample_without_image(arrays, source);
  source = sample.source;
  if (has_places(sample))
    throw UnsupportedError(fmt::format(
        "crops_from_shards: '{}' has points, boxes, a mask or others that a crop would have to "
        "take along. Read it by from_shards, and change it by data::augment.",
        sample.source));
  const io::ShardArray& image = image_of(arrays, sample.source);
  return {std::move(sample), image, place, options};
}

Shape shape_of(const CropTarget& target) {
  return target.channels_first ? Shape{3, target.height, target.width}
                               : Shape{target.height, target.width, 3};
}

// Cut now, so that an error is that of its own element.
void make(ShardCrop& crop) {
  const Tensor made =
      Tensor::empty(shape_of(crop.options->target), DType::float32, backend::cpu_backend());
  crop.write(made.mutable_data<float>());
  crop.made = made;
  crop.image = {};
}

[[noreturn]] void throw_for(const ShardCropOptions& options, const Place& place,
                            const std::string& source) {
  detail::throw_record_error(options.name, place.epoch, place.index, source);
}

PixelView view_of(const io::ShardArray& image, const std::string& source,
                  const io::ImageLimits& limits) {
  if (image.shape.rank() != 3 || image.dtype != DType::uint8)
    throw ShapeError(fmt::format("'{}': expected an image (h, w, c) of uint8, found {} of {}.",
                                 source, image.shape.str(), dtype_name(image.dtype)));
  io::check_image_size(image.shape[0], image.shape[1], limits, source);
  return {reinterpret_cast<const uint8_t*>(image.data.data()), image.shape[0], image.shape[1],
          image.shape[2]};
}

}  // namespace

int64_t ShardCrop::bytes() const {
  return static_cast<int64_t>(sizeof(ShardCrop)) + bytes_in(sample) + detail::bytes_of(made);
}

void ShardCrop::write(float* values) const {
  if (made) {
    std::memcpy(values, made.data(), made.bytes());
    return;
  }
  Random draws = place.random();
  const ChooseCrop choose = [&](int64_t height, int64_t width) {
    return options->draw ? options->draw(height, width, draws)
                         : random_resized_crop(height, width, draws, options->crop);
  };
  if (image.name == detail::image_file_field)
    decode_crop(image.data, sample.source, choose, options->target, values);
  else
    crop_pixels(view_of(image, sample.source, options->target.limits), sample.source, choose,
                options->target, values);
}

Batch collate(std::vector<ShardCrop> crops, const BatchOptions& options) {
  const CropTarget& target = crops.at(0).options->target;
  const auto count = static_cast<int64_t>(crops.size());
  Shape shape = shape_of(target);
  shape.insert(0, count);
  const Tensor x = Tensor::empty(shape, DType::float32, backend::cpu_backend());
  auto* values = static_cast<float*>(x.data());
  std::vector<Batch> rows;
  for (const ShardCrop& crop : crops) {
    try {
      crop.write(values);
    } catch (...) {
      throw_for(*crop.options, crop.place, crop.sample.source);
    }
    values += target.height * target.width * 3;
    rows.push_back(as_batch(crop.sample));
    rows.back().x = {};
  }
  try {
    Batch batch = detail::stack(std::move(rows), options);
    batch.x = x;
    return batch;
  } catch (detail::RowsDiffer& error) {
    for (size_t i : {0, 1}) error.files[i] = crops[error.rows[i]].sample.source;
    throw;
  }
}

Pipeline<ShardCrop> crops_from_shards(const std::string& folder, ShardCropOptions options) {
  detail::check_least("crops_from_shards", "workers", options.workers, 0);
  const detail::RecordSource records = detail::record_source(folder, options.verify);
  const auto shared = std::make_shared<const ShardCropOptions>(std::move(options));
  const bool ahead = shared->workers > 0 || shared->on_error == OnError::skip;
  return records.numbers(shared->shuffle, shared->seed)
      .map(
          [records, shared, ahead](int64_t i, const Place& at) {
            // By its number in the folder, wherever the record comes in the epoch.
            const Place place{at.seed, at.epoch, i, at.stop};
            std::string source = records.name_of(i);
            try {
              ShardCrop crop = crop_of((*records.reader)[i], place, shared, source);
              if (ahead) make(crop);
              return crop;
            } catch (...) {
              throw_for(*shared, place, source);
            }
          },
          {.workers = shared->workers, .name = shared->name, .on_error = shared->on_error});
}

}  // namespace cornu::data
