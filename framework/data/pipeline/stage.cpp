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
  const int64_t number = position_[next_++];
  if (number < 0)
    throw StateError(fmt::format(
        "The position has the number {}; those of a position are not negative.", number));
  return number;
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

void Stage::ancestors(const Pass&, const Where& where, Ancestors& out) const {
  for (const auto& source : sources()) out.push_back(OfStage{source.get(), where});
}

void Stage::begin_pass(int64_t epoch) const {
  for (const auto& source : sources()) source->begin_pass(epoch);
}

void Stage::end_pass(int64_t epoch) const {
  for (const auto& source : sources()) source->end_pass(epoch);
}

void check_position(const Stage& stage, int64_t count) {
  const int64_t size = stage.size();
  if (size >= 0 && count > size)
    throw StateError(
        fmt::format("The position is behind {} elements of stage '{}', which has {}: it is another "
                    "pipeline's, or the data have become fewer.",
                    count, stage.name(), size));
}

void throw_not_indexed(const Stage& stage) {
  throw StateError(fmt::format(
      "The elements of stage '{}' come one after the other; none can be asked for by its number.",
      stage.name()));
}

namespace {

// The elements of sources where they have other numbers than the stage's, and the file.
std::string origin_in_words(const Failed& failed) {
  std::string file = failed.file.empty() ? file_of(failed.made_of) : failed.file;
  if (!file.empty()) file = fmt::format("from '{}'", file);
  bool same = true;
  for (const SourceElement& one : failed.made_of)
    same &= one.index == failed.where.index && one.epoch == failed.where.epoch;
  if (same) return file;
  return describe(failed.made_of, failed.where.epoch) + (file.empty() ? "" : ", " + file);
}

std::string in_words(const Failed& failed) {
  const std::string origin = origin_in_words(failed);
  return fmt::format("Stage '{}', element {} of epoch {}{}", failed.stage.name(),
                     failed.where.index, failed.where.epoch,
                     origin.empty() ? "" : fmt::format(" ({})", origin));
}

// A row as errors name it: always by its number in the source, since that in the batch tells
// little.
std::string row_name(size_t row, const Failed& element) {
  const std::string file = element.file.empty() ? file_of(element.made_of) : element.file;
  const std::string number = element.made_of.empty()
                                 ? fmt::format("element {}", element.where.index)
                                 : describe(element.made_of, element.where.epoch);
  return fmt::format("row {} ({}{})", row, number,
                     file.empty() ? "" : fmt::format(", from '{}'", file));
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

void throw_data_error(const Failed& failed) {
  try {
    throw;
  } catch (const DataError&) {
    throw;  // of a pipeline inside of the function
  } catch (...) {
    throw DataError(in_words(failed) + ": " + text_of_current(), failed.stage.name(),
                    failed.where.epoch, failed.where.index, std::current_exception(),
                    failed.made_of);
  }
}

void throw_data_error(const Stage& stage, const Where& where, const std::string& file) {
  throw_data_error({stage, where, file});
}

void throw_inside(const Failed& around, const DataError& error) {
  std::vector<SourceElement> made_of = around.made_of;
  made_of.insert(made_of.end(), error.made_of().begin(), error.made_of().end());
  throw DataError(in_words(around) + ": " + error.what(), error.stage(), error.epoch(),
                  error.index(), error.cause(), std::move(made_of));
}

void throw_row_error(Failed row, const RowError& error) {
  row.file = error.source;
  try {
    std::rethrow_exception(error.cause);
  } catch (...) {
    throw_data_error(row);
  }
}

void throw_rows_differ(const Failed& batch, const RowsDiffer& error,
                       const std::function<Failed(size_t)>& row) {
  Failed rows[2] = {row(error.rows[0]), row(error.rows[1])};
  for (size_t i : {0, 1})
    if (rows[i].file.empty()) rows[i].file = error.files[i];
  std::vector<SourceElement> made_of = rows[0].made_of;
  made_of.insert(made_of.end(), rows[1].made_of.begin(), rows[1].made_of.end());
  throw DataError(
      fmt::format("Stage '{}', element {} of epoch {}: {}", batch.stage.name(), batch.where.index,
                  batch.where.epoch,
                  error.text(row_name(error.rows[0], rows[0]), row_name(error.rows[1], rows[1]))),
      batch.stage.name(), batch.where.epoch, batch.where.index, std::current_exception(),
      std::move(made_of));
}

void warn_skipped(const Failed& failed) {
  std::string text;
  try {
    throw;
  } catch (const DataError& error) {
    text = fmt::format("Left out: {}", error.what());  // which says of which element
  } catch (...) {
    text = fmt::format("{} was left out: {}", in_words(failed), text_of_current());
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
