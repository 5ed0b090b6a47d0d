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

Tensor decoded(const ShardArray& file, const std::string& source) {
  const io::Image image = io::decode_image(file.data, source, {.channels = 3});
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

Sample sample_of(const std::vector<ShardArray>& arrays, const std::string& record) {
  Sample sample = detail::sample_without_image(arrays, record);
  for (const ShardArray& array : arrays)
    if (array.name == detail::image_file_field)
      sample.image = decoded(array, sample.source);
    else if (array.name == "image")
      take(sample, array);
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

void SampleWriter::add(const Sample& sample) { shards_.add(arrays_of(sample)); }

void SampleWriter::add(const Sample& sample, std::span<const std::byte> image_file) {
  std::vector<ShardArray> arrays = arrays_of(sample);
  arrays.push_back({detail::image_file_field, DType::uint8,
                    Shape({static_cast<int64_t>(image_file.size())}), image_file});
  shards_.add(arrays);
}

Pipeline<Sample> from_shards(const std::string& folder, const FromShardsOptions& options) {
  const auto reader = std::make_shared<const io::ShardReader>(folder, options.verify);
  return generate(reader->size(),
                  [reader, folder](const Place& place) {
                    return sample_of((*reader)[place.index],
                                     fmt::format("{}#{}", folder, place.index));
                  },
                  {.name = options.name});
}

std::vector<std::string> shard_classes(const std::string& folder) {
  return io::ShardReader(folder, false).classes();
}

}  // namespace cornu::data
