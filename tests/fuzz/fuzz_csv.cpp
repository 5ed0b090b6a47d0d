// Fuzz target: tables as text.
#include <cornu/framework/io/csv.h>

#include "fuzz_support.h"

using namespace cornu;
using fuzz::expect_own_errors;

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
  return 0;
}
