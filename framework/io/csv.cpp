// Reading and writing of tables as text.
#include "csv.h"

#include <fmt/core.h>

#include "../../backend/error.h"
#include "atomic_file.h"
#include "csv_scanner.h"

namespace cornu::io {
namespace {

using csv::Scanner;

void take_values(Scanner& scanner, CsvTable& table) {
  for (CsvColumn& column : table.columns) {
    if (column.is_text())
      column.texts.reserve(static_cast<size_t>(table.rows));
    else
      column.numbers.reserve(static_cast<size_t>(table.rows));
  }
  while (scanner.next_row())
    csv::for_each_cell(scanner, table.columns.size(), [&](size_t c, std::string_view cell) {
      CsvColumn& column = table.columns[c];
      if (column.is_text())
        column.texts.emplace_back(cell);
      else
        column.numbers.push_back(*csv::number_in(csv::trimmed(cell)));
    });
}

std::string line_of(const std::vector<std::string>& cells) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) line += (i > 0 ? "," : "") + csv_cell(cells[i], ",;\t");
  // A row of one empty cell is no empty line, which readers pass over.
  if (csv::trimmed(line).empty()) line = '"' + line + '"';
  return line + "\r\n";
}

}  // namespace

const CsvColumn* CsvTable::find(std::string_view name) const {
  for (const CsvColumn& column : columns)
    if (column.name == name) return &column;
  return nullptr;
}

std::vector<std::string> CsvTable::names() const {
  std::vector<std::string> result;
  for (const CsvColumn& column : columns) result.push_back(column.name);
  return result;
}

std::vector<CsvRow> csv_rows(std::string_view text, const std::string& source) {
  std::vector<CsvRow> rows;
  Scanner scanner(text, source);
  while (scanner.next_row()) {
    CsvRow& row = rows.emplace_back(CsvRow{scanner.row_line(), {}});
    while (const auto cell = scanner.next_cell()) row.cells.emplace_back(*cell);
  }
  return rows;
}

CsvTable parse_csv(std::string_view text, const std::string& source) {
  CsvTable table;
  Scanner scanner(text, source);
  csv::read_header(scanner, table);
  Scanner again = scanner;
  csv::look_over(scanner, table, [](csv::RowPlace) {});
  take_values(again, table);
  return table;
}

CsvTable read_csv(const std::filesystem::path& path) {
  const std::vector<std::byte> bytes = read_file(path, UINT64_MAX);
  return parse_csv({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path.string());
}

std::string csv_cell(const std::string& text, std::string_view separators) {
  if (text.find_first_of("\"\r\n") == std::string::npos &&
      text.find_first_of(separators) == std::string::npos)
    return text;
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? "\"\"" : std::string(1, c);
  return cell + "\"";
}

void write_csv(const std::filesystem::path& path, const std::vector<std::string>& header,
               const std::vector<std::vector<std::string>>& rows) {
  std::string text;
  const auto put = [&](const std::vector<std::string>& cells) {
    if (cells.size() != header.size())
      throw ValueError(fmt::format("'{}': a row has {} cells, the header {}.", path.string(),
                                   cells.size(), header.size()));
    text += line_of(cells);
  };
  put(header);
  for (const auto& row : rows) put(row);
  write_file(path, std::as_bytes(std::span(text.data(), text.size())));
}

}  // namespace cornu::io
