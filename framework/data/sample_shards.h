// Samples in shards: packed once, read at the speed of memory.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "../io/images/image.h"
#include "../io/shards.h"
#include "pipeline.h"
#include "sample.h"

namespace cornu::data {

/// Writes samples into shards (framework/io/shards.h): each tensor under its name in Sample, those
/// that were attached under "more/<name>" with how they follow the image.
class SampleWriter {
 public:
  /// Makes the folder, or reads its index to append; until `finish` no other writer gets at it.
  /// Throws FileError, ValueError.
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
  int64_t workers = 0;          ///< threads that read and decode; 0: the caller's own
  /// Of samples that are damaged, cannot be decoded or ask for more than the limits. With `skip`
  /// the number of samples is not known, so all of them are shuffled by the option `shuffle` alone.
  OnError on_error = OnError::raise;
  io::ImageLimits limits = {};       ///< what images may ask for
  bool shuffle = false;              ///< another order in each epoch
  std::optional<int64_t> seed = {};  ///< of the shuffle; default: follows from the pipeline's seed
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
/// What records are read by: `folder`'s reader, and what is the same for samples and for crops.
struct RecordSource {
  std::shared_ptr<const io::ShardReader> reader;  ///< of the folder
  std::string folder;                             ///< its path
  /// What stands for the source of a record that has none.
  std::string name_of(int64_t index) const;
  /// The numbers of the records, in the order that the options ask for.
  Pipeline<int64_t> numbers(bool shuffle, std::optional<int64_t> seed) const;
};
/// Of a folder. Throws FileError where there are no shards.
RecordSource record_source(const std::string& folder, bool verify);
/// Throws the error that is being handled as a DataError of a record, by its own number, wherever
/// it comes in the epoch or in a batch.
[[noreturn]] void throw_record_error(const std::string& stage, int64_t epoch, int64_t index,
                                     const std::string& source);

}  // namespace detail

}  // namespace cornu::data
