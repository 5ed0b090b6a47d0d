// Tables in files by rows.
#include "csv_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "../../backend/error.h"
#include "csv_scanner.h"

namespace cornu::io {
namespace {

constexpr int64_t stretch = 16;  // rows from one place that is kept to the next
constexpr size_t small_piece = size_t{1} << 14, large_piece = size_t{1} << 18;

// The bytes [begin, end) of a file.
class FilePieces final : public csv::Pieces {
 public:
  FilePieces(const InputFile& file, uint64_t begin, uint64_t end, size_t first)
      : file_(file), next_(begin), end_(end), piece_(first) {}

  std::string_view more(std::string_view rest) override {
    // What is read at once grows with what is needed at once.
    const size_t count = std::min<uint64_t>(std::max(piece_, rest.size()), end_ - next_);
    piece_ = large_piece;
    if (buffer_.size() < rest.size() + count) {
      std::vector<char> larger(rest.size() + count);
      std::copy(rest.begin(), rest.end(), larger.begin());
      buffer_.swap(larger);
    } else if (!rest.empty()) {
      std::memmove(buffer_.data(), rest.data(), rest.size());
    }
    const std::span<char> fresh = std::span(buffer_).subspan(rest.size(), count);
    file_.read(next_, std::as_writable_bytes(fresh));
    next_ += count;
    if (std::find(fresh.begin(), fresh.end(), '\0') != fresh.end()) fail_no_text();
    return {buffer_.data(), rest.size() + count};
  }

  void expect_text() override {
    while (next_ < end_) more({});
  }

 private:
  [[noreturn]] void fail_no_text() const {
    throw FileError(fmt::format("'{}' line 1: the file is no text.", file_.name()));
  }

  const InputFile& file_;
  uint64_t next_, end_;
  size_t piece_;
  std::vector<char> buffer_;
};

}  // namespace

// Where the cells of a row go: for each column, its places among the values of a row.
struct CsvFile::Columns {
  struct Target {
    size_t at;
    bool text;
  };
  std::vector<size_t> begins;  // of each column's targets, and the end of all
  std::vector<Target> all;

  Columns(const CsvTable& table, const CsvChoice& choice, const std::string& file)
      : begins(table.columns.size() + 2), all(choice.numbers.size() + choice.texts.size()) {
    const size_t count = table.columns.size();
    for (const auto* chosen : {&choice.numbers, &choice.texts})
      for (const size_t c : *chosen) {
        if (c >= count)
          throw ValueError(
              fmt::format("'{}' has {} columns, there is no number {}.", file, count, c));
        const CsvColumn& one = table.columns[c];
        if (chosen == &choice.numbers && one.is_text())
          throw ValueError(
              fmt::format("column '{}' of '{}' has '{}' in line {}, which is no number.", one.name,
                          file, one.text, one.text_line));
        ++begins[c + 2];
      }
    for (size_t c = 2; c < begins.size(); ++c) begins[c] += begins[c - 1];
    for (const auto* chosen : {&choice.numbers, &choice.texts})
      for (size_t i = 0; i < chosen->size(); ++i)
        all[begins[(*chosen)[i] + 1]++] = {i, chosen == &choice.texts};
  }
  std::span<const Target> of(size_t column) const {
    return std::span(all).subspan(begins[column], begins[column + 1] - begins[column]);
  }
};

CsvFile::CsvFile(const std::filesystem::path& path) : file_(path) {
  FilePieces pieces(file_, 0, file_.size(), large_piece);
  csv::Scanner scanner(pieces, file_.name());
  separator_ = scanner.separator();
  csv::read_header(scanner, table_);
  int64_t row = 0;
  csv::look_over(scanner, table_, [&](csv::RowPlace place) {
    if (row++ % stretch == 0) places_.emplace_back(place.offset, place.line);
  });
  places_.shrink_to_fit();
  file_.expect_unchanged();
}

CsvFile::Place CsvFile::place_of(int64_t row) const {
  const size_t number = static_cast<size_t>(row / stretch);
  const auto& [offset, line] = places_[number];
  const Place begin{row - row % stretch, offset, line};
  const std::lock_guard lock(mutex_);
  const Place& left = left_[number % left_.size()];
  return left.row > begin.row && left.row <= row ? left : begin;
}

void CsvFile::leave(const Place& place) const {
  const std::lock_guard lock(mutex_);
  left_[static_cast<size_t>(place.row / stretch) % left_.size()] = place;
}

CsvValues CsvFile::read(std::span<const int64_t> rows, const CsvChoice& choice) const {
  const Columns columns(table_, choice, file_.name());
  for (const int64_t row : rows)
    if (row < 0 || row >= table_.rows)
      throw ValueError(
          fmt::format("'{}' has {} rows, there is no number {}.", file_.name(), table_.rows, row));
  file_.expect_unchanged();
  CsvValues values;
  values.numbers.resize(rows.size() * choice.numbers.size());
  values.texts.resize(rows.size() * choice.texts.size());
  for (size_t i = 0; i < rows.size();) {
    // Rows that follow each other.
    size_t end = i + 1;
    while (end < rows.size() && rows[end] == rows[end - 1] + 1) ++end;
    Place place = place_of(rows[i]);
    const size_t behind = static_cast<size_t>(rows[end - 1] / stretch) + 1;
    const uint64_t last = behind < places_.size() ? places_[behind].first : file_.size();
    FilePieces pieces(file_, place.offset, last, end - i > 1 ? large_piece : small_piece);
    csv::Scanner scanner(pieces, file_.name(), separator_, {place.offset, place.line});
    const auto next_row = [&] {
      if (!scanner.next_row()) scanner.fail("the row is gone since the file was opened.");
    };
    for (; place.row < rows[i]; ++place.row) {
      next_row();
      scanner.skip_row();
    }
    for (; i < end; ++i) {
      double* const numbers = values.numbers.data() + i * choice.numbers.size();
      std::string* const texts = values.texts.data() + i * choice.texts.size();
      next_row();
      csv::for_each_cell(scanner, table_.columns.size(), [&](size_t c, std::string_view cell) {
        for (const auto& [at, text] : columns.of(c)) {
          if (text) {
            texts[at] = cell;
            continue;
          }
          const std::optional<double> number = csv::number_in(csv::trimmed(cell));
          if (!number)
            scanner.fail(fmt::format("column '{}' has '{}', and had a number when it was opened.",
                                     table_.columns[c].name, csv::trimmed(cell)));
          numbers[at] = *number;
        }
      });
      ++place.row;
    }
    const csv::RowPlace stop = scanner.place();
    leave({place.row, stop.offset, stop.line});
  }
  file_.expect_unchanged();
  return values;
}

}  // namespace cornu::io
