// The command pack: a folder of images becomes shards.
#include <cornu/framework/data/folders/index_directory.h>
#include <cornu/framework/data/images/resample.h>
#include <cornu/framework/data/sample_shards.h>
#include <cornu/framework/io/atomic_file.h>
#include <cornu/framework/io/images/image.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "commands.h"

namespace cornu::cli {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t largest_file = uint64_t{1} << 30;

Tensor pixels_of(io::Image image, int64_t size) {
  if (size > 0) {
    const double scale =
        static_cast<double>(size) / static_cast<double>(std::min(image.height, image.width));
    const auto scaled = [&](int64_t side) {
      return std::max(std::lround(static_cast<double>(side) * scale), 1L);
    };
    image = data::resample(image, scaled(image.height), scaled(image.width), "bilinear");
  }
  return Tensor::copy_of(image.pixels.data(), {image.height, image.width, image.channels},
                         DType::uint8);
}

bool has_subfolders(const std::string& folder) {
  if (!fs::is_directory(folder)) throw FileError(fmt::format("'{}' is no folder.", folder));
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_directory()) return true;
  return false;
}

// One file; it is decoded either way, so that shards have none that cannot be read.
void pack_file(data::SampleWriter& writer, const std::string& path, data::Sample sample,
               const PackOptions& options) {
  const std::vector<std::byte> bytes = io::read_file(path, largest_file);
  io::Image image = io::decode_image(bytes, path, {.channels = 3});
  if (!options.decode) return writer.add(sample, bytes);
  sample.image = pixels_of(std::move(image), options.size);
  writer.add(sample);
}

}  // namespace

void pack(const PackOptions& options) {
  utils::FolderOptions listing{.shuffle = false};
  if (!has_subfolders(options.folder)) listing.labels = std::nullopt;
  const utils::FileList files =
      utils::index_directory(options.folder, {".jpg", ".jpeg", ".png", ".bmp", ".gif"}, listing);
  data::SampleWriter writer(options.out, {.shard_bytes = options.shard_megabytes << 20,
                                          .classes = files.class_names,
                                          .append = options.append});
  const int64_t before = writer.size();
  int64_t skipped = 0;
  for (size_t i = 0; i < files.file_paths.size(); ++i) {
    data::Sample sample{.source =
                            fs::relative(files.file_paths[i], options.folder).generic_string()};
    if (!files.labels.empty()) sample.label = Tensor(files.labels[i]);
    try {
      pack_file(writer, files.file_paths[i], std::move(sample), options);
    } catch (const Error& e) {
      if (!options.skip_errors) throw;
      ++skipped;
      std::fprintf(stderr, "cornu: skipped: %s\n", e.what());
    }
  }
  writer.finish();
  fmt::print("packed {} images of {} classes into {}{}\n", writer.size() - before,
             files.class_names.size(), options.out,
             skipped > 0 ? fmt::format(", left out {}", skipped) : "");
}

}  // namespace cornu::cli
