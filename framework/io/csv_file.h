// CsvFile: a table in a file, whose rows are read as they are asked for.
#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "csv.h"
#include "input_file.h"

namespace cornu::io {

/// Which columns of a CsvFile are read, by their numbers from 0, in the order of the values.
struct CsvChoice {
  std::vector<size_t> numbers = {};  ///< of columns of numbers
  std::vector<size_t> texts = {};    ///< of any columns, as they are written
};

/// What some rows of a CsvFile hold.
struct CsvValues {
  std::vector<double> numbers;     ///< (rows, CsvChoice::numbers); NaN for missing ones
  std::vector<std::string> texts;  ///< (rows, CsvChoice::texts)
};

/// A table in a file, read by rows by any number of threads. It is what read_csv makes of the file,
/// and throws the same errors, but only the place of every 16th row stays in memory.
class CsvFile {
 public:
  /// Reads through the file once. Throws FileError as parse_csv does, for a cell of more than
  /// 256 MiB, and when the file was changed meanwhile.
  explicit CsvFile(const std::filesystem::path& path);

  /// Names and kinds of the columns, which have no values, and the number of rows.
  const CsvTable& table() const { return table_; }
  uint64_t bytes() const { return file_.size(); }  ///< of the file
  /// The values of rows, by their numbers from 0, in the order and as often as they are asked for;
  /// rows that follow each other are read in one go. Throws ValueError for a row or a column that
  /// is not there or that is none of numbers, FileError when the file was changed.
  CsvValues read(std::span<const int64_t> rows, const CsvChoice& choice) const;

 private:
  struct Place {
    int64_t row = -1;
    uint64_t offset = 0;
    int64_t line = 0;
  };
  struct Columns;
  Place place_of(int64_t row) const;
  void leave(const Place& place) const;

  InputFile file_;
  CsvTable table_;
  char separator_ = ',';
  std::vector<std::pair<uint64_t, int64_t>> places_;  // offset and line of every 16th row
  // Where reading stopped in some of the stretches of 16 rows, to go on there.
  mutable std::mutex mutex_;
  mutable std::array<Place, 64> left_;
};

}  // namespace cornu::io
