// Samples in shards: packed once, read at the speed of memory.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "../io/shards.h"
#include "pipeline.h"
#include "sample.h"

namespace cornu::data {

/// Writes samples into shards (framework/io/shards.h): each tensor under its name in Sample, those
/// that were attached under "more/<name>" with how they follow the image.
class SampleWriter {
 public:
  /// Makes the folder, or reads its index to append. Throws FileError, ValueError.
  explicit SampleWriter(const std::string& folder, io::ShardOptions options = {})
      : shards_(folder, std::move(options)) {}

  /// Adds a sample as it is: pixels are read without decoding. Throws ValueError where a tensor has
  /// another dtype than in the samples before, FileError.
  void add(const Sample& sample);
  /// Adds a sample whose image is a file's bytes (JPEG, PNG, BMP, GIF), which readers decode.
  void add(const Sample& sample, std::span<const std::byte> image_file);
  /// Writes what is left and the index. Throws FileError. Call it once, last.
  void finish() { shards_.finish(); }
  int64_t size() const { return shards_.size(); }  ///< samples, those from before among them

 private:
  io::ShardWriter shards_;
};

/// How shards are read.
struct FromShardsOptions {
  bool verify = true;  ///< whether the sum of a sample's bytes is checked each time it is read
  std::string name = "shards";  ///< in errors, warnings and statistics
};

/// The samples of a folder of shards, by number. Throws FileError where there are none.
Pipeline<Sample> from_shards(const std::string& folder, const FromShardsOptions& options = {});
/// What the labels of a folder of shards stand for. Throws FileError.
std::vector<std::string> shard_classes(const std::string& folder);

namespace detail {

/// The field of an image that is kept as a file's bytes.
inline constexpr const char* image_file_field = "image_file";
/// A sample of a record's arrays, without its image. `record` names it where it has no source.
Sample sample_without_image(std::span<const io::ShardArray> arrays, const std::string& record);

}  // namespace detail

}  // namespace cornu::data
