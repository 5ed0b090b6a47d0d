// Samples in files that are read as they are asked for.
#pragma once
#include "stage.h"

namespace cornu::data::detail {

/// Samples whose rows are read in any order, by several threads at a time. What reading throws
/// becomes a DataError.
class ReadSource final : public Node<Batch> {
 public:
  /// The rows with these numbers, in this order, as tensors in the host's memory. Without `axis`
  /// there is one, whose tensors have no axis of rows.
  using Read = std::function<Batch(std::span<const int64_t> rows, bool axis)>;

  /// `file` is what errors name.
  ReadSource(std::string name, std::string file, int64_t count, Read read)
      : name_(std::move(name)), file_(std::move(file)), count_(count), read_(std::move(read)) {}
  std::string name() const override { return name_; }
  int64_t size() const override { return count_; }
  bool indexed() const override { return true; }
  bool batched() const override { return false; }
  std::string file_of(const Where&) const override { return file_; }
  Batch at(const Pass& pass, const Where& where) const override;
  std::optional<Batch> gather(const Pass& pass, std::span<const Where> places) const override;

 private:
  Batch read(const Pass& pass, std::span<const Where> places, bool axis) const;
  Where failing(std::span<const Where> places) const;

  std::string name_, file_;
  int64_t count_;
  Read read_;
};

}  // namespace cornu::data::detail
