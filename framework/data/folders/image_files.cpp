// From files to normalized crops.
#include "image_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "../../../backend/error.h"
#include "../../io/atomic_file.h"

namespace cornu::data {

std::vector<ImageFile> image_files(const std::filesystem::path& directory,
                                   const utils::FolderOptions& options) {
  utils::FileList list = utils::index_directory(directory, utils::image_file_endings(), options);
  std::vector<ImageFile> files(list.file_paths.size());
  for (size_t i = 0; i < files.size(); ++i)
    files[i] = {std::move(list.file_paths[i]), list.labels.empty() ? 0 : list.labels[i]};
  return files;
}

DecodeCrop::DecodeCrop(DecodeCropOptions options) : options_(std::move(options)) {
  const auto& [target, random, middle] = options_;
  if (!(middle > 0 && middle <= 1))
    throw ValueError(fmt::format(
        "decode_crop: option 'middle' must be above 0 and at most 1, found {}.", middle));
  check_target(target, "decode_crop");
}

Crop DecodeCrop::choose(int64_t height, int64_t width, Random& random) const {
  if (options_.random) return random_resized_crop(height, width, random, *options_.random);
  const double ratio =
      static_cast<double>(options_.target.width) / static_cast<double>(options_.target.height);
  const Region largest = middle_part(height, width, {ratio, ratio});
  const auto share = [&](int64_t side) {
    const double taken = options_.middle * static_cast<double>(side);
    return std::clamp<int64_t>(std::lround(taken), 1, side);
  };
  const int64_t rows = share(largest.height), columns = share(largest.width);
  return {{(height - rows) / 2, (width - columns) / 2, rows, columns}, false};
}

Tensor DecodeCrop::image_of(std::span<const std::byte> bytes, const std::string& source,
                            const Place& place) const {
  const CropTarget& target = options_.target;
  const Shape shape = target.channels_first ? Shape{3, target.height, target.width}
                                            : Shape{target.height, target.width, 3};
  const Tensor image = Tensor::empty(shape, DType::float32, backend::cpu_backend());
  Random random = place.random();
  decode_crop(
      bytes, source, [&](int64_t height, int64_t width) { return choose(height, width, random); },
      target, image.mutable_data<float>());
  return image;
}

Batch DecodeCrop::operator()(const ImageFile& file, const Place& place) const {
  const int64_t limit = options_.target.limits.bytes;
  const std::vector<std::byte> bytes =
      io::read_file(file.source, limit > 0 ? static_cast<uint64_t>(limit) : UINT64_MAX);
  const auto label = static_cast<int32_t>(file.label);
  return {image_of(bytes, file.source, place), Tensor::from_host(&label, Shape{})};
}

DecodeCrop decode_crop(const DecodeCropOptions& options) { return DecodeCrop(options); }

}  // namespace cornu::data
