// What stages of all types share.
#include "stage.h"

#include <fmt/core.h>

#include "../../../backend/log.h"

namespace cornu::data::detail {

int64_t PositionReader::take() {
  if (!given()) return 0;
  if (next_ >= position_.size())
    throw StateError(fmt::format(
        "The position has {} numbers, too few for this pipeline: it is another pipeline's.",
        position_.size()));
  return position_[next_++];
}

void PositionReader::finish() const {
  if (next_ < position_.size())
    throw StateError(
        fmt::format("The position has {} numbers, of which this pipeline needs {}: it is another "
                    "pipeline's.",
                    position_.size(), next_));
}

bool Stage::threaded() const {
  if (workers() > 0) return true;
  for (const auto& source : sources())
    if (source->threaded()) return true;
  return false;
}

bool Stage::batched() const {
  const auto all = sources();
  return all.empty() || all[0]->batched();
}

void Stage::begin_pass(int64_t epoch) const {
  for (const auto& source : sources()) source->begin_pass(epoch);
}

void Stage::end_pass(int64_t epoch) const {
  for (const auto& source : sources()) source->end_pass(epoch);
}

void throw_not_indexed(const Stage& stage) {
  throw StateError(fmt::format(
      "The elements of stage '{}' come one after the other; none can be asked for by its number.",
      stage.name()));
}

namespace {

std::string describe(const Stage& stage, const Where& where, const std::string& source) {
  return fmt::format("Stage '{}', element {} of epoch {}{}", stage.name(), where.index, where.epoch,
                     source.empty() ? "" : fmt::format(" (from '{}')", source));
}

std::string text_of_current() {
  try {
    throw;
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

}  // namespace

void throw_data_error(const Stage& stage, const Where& where, const std::string& source) {
  try {
    throw;
  } catch (const DataError&) {
    throw;  // of a pipeline inside of the function
  } catch (...) {
    throw DataError(describe(stage, where, source) + ": " + text_of_current(), stage.name(),
                    where.epoch, where.index, std::current_exception());
  }
}

void throw_row_error(const Stage& stage, const Where& where, const RowError& error) {
  try {
    std::rethrow_exception(error.cause);
  } catch (...) {
    throw_data_error(stage, where, error.source);
  }
}

void warn_skipped(const Stage& stage, const Where& where, const std::string& source) {
  std::string text;
  try {
    throw;
  } catch (const DataError& error) {
    text = fmt::format("Left out: {}", error.what());  // which says of which element
  } catch (...) {
    text = fmt::format("{} was left out: {}", describe(stage, where, source), text_of_current());
  }
  warn_once(text + " (Further ones are counted only; see explain.)");
}

int64_t bytes_of(const Tensor& tensor) {
  return tensor ? static_cast<int64_t>(tensor.bytes() + sizeof(Tensor)) : 0;
}

int64_t bytes_of(const Nest& nest) {
  if (nest.empty()) return 0;
  if (nest.is_tensor()) return bytes_of(nest.tensor());
  int64_t sum = 0;
  for (const Tensor& tensor : nest.flatten()) sum += bytes_of(tensor);
  return sum;
}

int64_t bytes_of(const Batch& batch) {
  return bytes_of(batch.x) + bytes_of(batch.y) + bytes_of(batch.sample_weight);
}

}  // namespace cornu::data::detail
