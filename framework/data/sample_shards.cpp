// Samples to records and back.
#include "sample_shards.h"

#include <fmt/core.h>

#include <cstring>

#include "../io/images/image.h"
#include "sample_tensors.h"

namespace cornu::data {
namespace {

using io::ShardArray;

constexpr std::pair<Follow, const char*> prefixes[] = {{Follow::unchanged, "more/"},
                                                       {Follow::linear, "linear/"},
                                                       {Follow::nearest, "nearest/"},
                                                       {Follow::points, "points/"}};

std::span<const std::byte> bytes_of(const Tensor& tensor) {
  return {static_cast<const std::byte*>(tensor.host_data()), tensor.bytes()};
}

ShardArray text_array(const char* name, const std::string& text) {
  return {name, DType::uint8, Shape({static_cast<int64_t>(text.size())}),
          std::as_bytes(std::span(text))};
}

std::string text_of(const ShardArray& array) {
  return {reinterpret_cast<const char*>(array.data.data()), array.data.size()};
}

std::vector<ShardArray> arrays_of(const Sample& sample) {
  std::vector<ShardArray> arrays;
  for_each_tensor(sample, [&](const char* name, const Tensor& tensor) {
    if (tensor) arrays.push_back({name, tensor.dtype(), tensor.shape(), bytes_of(tensor)});
  });
  for (const auto& [name, attached] : sample.more)
    for (const auto& [follow, prefix] : prefixes)
      if (follow == attached.follow)
        arrays.push_back({prefix + name, attached.value.dtype(), attached.value.shape(),
                          bytes_of(attached.value)});
  if (sample.box_format != "xyxy") arrays.push_back(text_array("box_format", sample.box_format));
  if (!sample.source.empty()) arrays.push_back(text_array("source", sample.source));
  return arrays;
}

Tensor decoded(const ShardArray& file, const std::string& source, const io::ImageLimits& limits) {
  const io::Image image = io::decode_image(file.data, source, {.channels = 3, .limits = limits});
  return Tensor::copy_of(image.pixels.data(), {image.height, image.width, image.channels},
                         DType::uint8);
}

void take(Sample& sample, const ShardArray& array) {
  const auto tensor = [&] { return Tensor::copy_of(array.data.data(), array.shape, array.dtype); };
  bool known = false;
  for_each_tensor(sample, [&](const char* name, Tensor& to) {
    if (array.name != name) return;
    to = tensor();
    known = true;
  });
  if (known) return;
  if (array.name == "box_format") sample.box_format = text_of(array);
  for (const auto& [follow, prefix] : prefixes)
    if (array.name.starts_with(prefix))
      sample.more[array.name.substr(std::strlen(prefix))] = {tensor(), follow};
}

// `source` becomes that of the sample as soon as it is known.
Sample sample_of(const std::vector<ShardArray>& arrays, const io::ImageLimits& limits,
                 std::string& source) {
  Sample sample = detail::sample_without_image(arrays, source);
  source = sample.source;
  for (const ShardArray& array : arrays)
    if (array.name == detail::image_file_field) {
      sample.image = decoded(array, sample.source, limits);
    } else if (array.name == "image") {
      if (array.shape.rank() == 3 && array.shape.numel() > 0)
        io::check_image_size(array.shape[0], array.shape[1], limits, sample.source);
      take(sample, array);
    }
  return sample;
}

}  // namespace

Sample detail::sample_without_image(std::span<const ShardArray> arrays, const std::string& record) {
  Sample sample;
  sample.source = record;
  for (const ShardArray& array : arrays)
    if (array.name == "source")
      sample.source = text_of(array);
    else if (array.name != image_file_field && array.name != "image")
      take(sample, array);
  return sample;
}

detail::RecordSource detail::record_source(const std::string& folder, bool verify) {
  return {std::make_shared<const io::ShardReader>(folder, verify), folder};
}

std::string detail::RecordSource::name_of(int64_t index) const {
  return fmt::format("{}#{}", folder, index);
}

Pipeline<int64_t> detail::RecordSource::numbers(bool shuffle, std::optional<int64_t> seed) const {
  const Pipeline<int64_t> all = range(reader->size());
  return shuffle ? all.shuffle({.seed = seed}) : all;
}

void detail::throw_record_error(const std::string& stage, int64_t epoch, int64_t index,
                                const std::string& source) {
  std::string why = "an exception that is no std::exception";
  try {
    throw;
  } catch (const DataError&) {
    throw;
  } catch (const std::exception& error) {
    why = error.what();
  } catch (...) {
  }
  throw DataError(fmt::format("Stage '{}', element {} of epoch {} (from '{}'): {}", stage, index,
                              epoch, source, why),
                  stage, epoch, index, std::current_exception());
}

void SampleWriter::add(const Sample& sample) { shards_.add(arrays_of(sample)); }

void SampleWriter::add(const Sample& sample, std::span<const std::byte> image_file) {
  std::vector<ShardArray> arrays = arrays_of(sample);
  arrays.push_back({detail::image_file_field, DType::uint8,
                    Shape({static_cast<int64_t>(image_file.size())}), image_file});
  shards_.add(arrays);
}

Pipeline<Sample> from_shards(const std::string& folder, const FromShardsOptions& options) {
  detail::check_least("from_shards", "workers", options.workers, 0);
  const detail::RecordSource records = detail::record_source(folder, options.verify);
  return records.numbers(options.shuffle, options.seed)
      .map(
          [records, limits = options.limits, name = options.name](int64_t i, const Place& place) {
            std::string source = records.name_of(i);
            try {
              return sample_of((*records.reader)[i], limits, source);
            } catch (...) {
              detail::throw_record_error(name, place.epoch, i, source);
            }
          },
          {.workers = options.workers, .name = options.name, .on_error = options.on_error});
}

std::vector<std::string> shard_classes(const std::string& folder) {
  return io::ShardReader(folder, false).classes();
}

}  // namespace cornu::data
