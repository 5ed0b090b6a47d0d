// Fuzz target: tables as text, as a whole and by rows of a file.
#include <cornu/framework/io/csv.h>
#include <cornu/framework/io/csv_file.h>

#include <cstring>
#include <optional>

#include "fuzz_support.h"

using namespace cornu;
using fuzz::expect_own_errors;

namespace {

// What a table is, or why it is none.
template <class Read>
auto read(const Read& f, std::string& error) -> std::optional<decltype(f())> {
  try {
    return f();
  } catch (const FileError& e) {
    error = e.what();
    return {};
  }
}

// Rows of a file, last one first, are those of the whole table, and so are errors.
void compare(const std::string& path, const std::string& text) {
  std::string error, file_error;
  const auto table = read([&] { return io::parse_csv(text, path); }, error);
  const auto file = read([&] { return std::make_shared<io::CsvFile>(path); }, file_error);
  if (error != file_error || table.has_value() != file.has_value()) std::abort();
  if (!table) return;
  for (int64_t row = table->rows; row-- > 0;) {
    for (size_t c = 0; c < table->columns.size(); ++c) {
      const io::CsvColumn& column = table->columns[c];
      const auto at = static_cast<size_t>(row);
      const auto found = (*file)->read({&row, 1}, column.is_text() ? io::CsvChoice{.texts = {c}}
                                                                   : io::CsvChoice{.numbers = {c}});
      if (column.is_text()
              ? found.texts[0] != column.texts[at]
              : std::memcmp(&found.numbers[0], &column.numbers[at], sizeof(double)) != 0)
        std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  expect_own_errors([&] {
    for (const io::CsvRow& row : io::csv_rows(text, "fuzz"))
      if (row.cells.empty() || row.line < 1) std::abort();
  });
  expect_own_errors([&] {
    const io::CsvTable table = io::parse_csv(text, "fuzz");
    for (const io::CsvColumn& column : table.columns) {
      const size_t values = column.is_text() ? column.texts.size() : column.numbers.size();
      if (static_cast<int64_t>(values) != table.rows || table.find(column.name) != &column)
        std::abort();
    }
  });
  static fuzz::ScratchFile scratch(".csv");
  const std::string& path = scratch.write(data, size);
  compare(path, std::string(text));
  return 0;
}
