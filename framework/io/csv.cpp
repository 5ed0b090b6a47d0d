// Reading and writing of tables as text.
#include "csv.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "../../backend/error.h"
#include "atomic_file.h"

namespace cornu::io {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

// The first of comma, semicolon and tab that the header has outside of quotes.
char separator_of(std::string_view text) {
  // Lines of nothing or of blanks come before a header, and blanks may be its own.
  const size_t named = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  text.remove_prefix(text.find_last_of("\r\n", named) + 1);
  const std::string_view header = text.substr(0, text.find_first_of("\r\n"));
  bool inside = false;
  std::array<bool, 256> seen{};
  for (const char c : header) {
    if (c == '"') inside = !inside;
    if (!inside) seen[static_cast<unsigned char>(c)] = true;
  }
  for (const char c : {',', ';', '\t'})
    if (seen[static_cast<unsigned char>(c)]) return c;
  return ',';
}

// Cells one after the other.
class Scanner {
 public:
  Scanner(std::string_view text, const std::string& source) : text_(text), source_(source) {
    if (text_.starts_with(byte_order_mark)) text_.remove_prefix(byte_order_mark.size());
    separator_ = separator_of(text_);
    if (text_.find('\0') != std::string_view::npos) fail("the file is no text.");
  }

  // Goes to the next line with something in it; false at the end.
  bool next_row() {
    for (size_t end = blank_end(); end == text_.size() || is_line_end(end); end = blank_end()) {
      at_ = end;
      if (at_ == text_.size()) break;
      skip_line_end();
    }
    row_line_ = line_;
    more_ = at_ < text_.size();
    return more_;
  }

  // The next cell of the row; nothing behind its last one. It is valid until the next call.
  std::optional<std::string_view> next_cell() {
    if (!more_) return {};
    const std::string_view cell = at_ < text_.size() && text_[at_] == '"' ? quoted() : plain();
    more_ = at_ < text_.size() && text_[at_] == separator_;
    if (more_) ++at_;
    return cell;
  }

  int64_t row_line() const { return row_line_; }

  [[noreturn]] void fail(const std::string& why) const {
    throw FileError(fmt::format("'{}' line {}: {}", source_, row_line_, why));
  }

 private:
  bool is_line_end(size_t at) const {
    return at < text_.size() && (text_[at] == '\n' || text_[at] == '\r');
  }

  // Where the spaces and tabs end that begin here.
  size_t blank_end() const {
    size_t end = at_;
    while (end < text_.size() && (text_[end] == ' ' || text_[end] == '\t') &&
           text_[end] != separator_)
      ++end;
    return end;
  }

  void skip_line_end() {
    if (text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') ++at_;
    ++at_;
    ++line_;
  }

  std::string_view plain() {
    const size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != separator_ && text_[at_] != '\n' &&
           text_[at_] != '\r')
      ++at_;
    return text_.substr(begin, at_ - begin);
  }

  std::string_view quoted() {
    cell_.clear();
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] != '"') {
        cell_ += text_[at_];
        continue;
      }
      if (at_ + 1 >= text_.size() || text_[at_ + 1] != '"') break;
      cell_ += text_[at_++];
    }
    if (at_ >= text_.size()) fail("a quote begins here that does not end.");
    ++at_;
    if (at_ < text_.size() && text_[at_] != separator_ && text_[at_] != '\n' && text_[at_] != '\r')
      fail("text stands behind a closing quote; quotes inside a cell are written twice.");
    return cell_;
  }

  std::string_view text_;
  const std::string& source_;
  char separator_ = ',';
  size_t at_ = 0;
  int64_t line_ = 1;
  int64_t row_line_ = 1;
  bool more_ = false;
  std::string cell_;  // of a quoted one
};

std::string_view trimmed(std::string_view cell) {
  while (!cell.empty() && (cell.front() == ' ' || cell.front() == '\t')) cell.remove_prefix(1);
  while (!cell.empty() && (cell.back() == ' ' || cell.back() == '\t')) cell.remove_suffix(1);
  return cell;
}

// The words that pandas.read_csv takes for missing values; NaN itself is read as a number.
bool is_missing(std::string_view cell) {
  for (const std::string_view word :
       {"", "NA", "N/A", "n/a", "<NA>", "#NA", "#N/A", "#N/A N/A", "NULL", "null", "None", "1.#IND",
        "-1.#IND", "1.#QNAN", "-1.#QNAN"})
    if (cell == word) return true;
  return false;
}

// What a number becomes that is too large or too small for a double: as in pandas, infinite or 0.
double beyond_range(std::string_view digits) {
  const size_t exponent = digits.find_first_of("eE");
  const bool small =
      exponent == std::string_view::npos
          ? digits.substr(0, digits.find('.')).find_first_of("123456789") == std::string_view::npos
          : digits.substr(exponent + 1).starts_with('-');
  const double size = small ? 0.0 : std::numeric_limits<double>::infinity();
  return digits.starts_with('-') ? -size : size;
}

// The number that a cell says, NaN for a missing one; nothing for a text.
std::optional<double> number_in(std::string_view cell) {
  std::string_view digits = cell;
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (end == digits.data() + digits.size()) {
    if (error == std::errc()) return number;
    if (error == std::errc::result_out_of_range) return beyond_range(digits);
  }
  if (is_missing(cell)) return std::numeric_limits<double>::quiet_NaN();
  if (cell == "True" || cell == "true" || cell == "TRUE") return 1;
  if (cell == "False" || cell == "false" || cell == "FALSE") return 0;
  return {};
}

void read_header(Scanner& scanner, CsvTable& table) {
  if (!scanner.next_row()) scanner.fail("the file is empty; the first line names the columns.");
  std::set<std::string> taken;
  bool numbers = true;
  while (const auto cell = scanner.next_cell()) {
    CsvColumn column;
    column.name = trimmed(*cell);
    if (column.name.empty())
      scanner.fail(fmt::format("column {} has no name.", table.columns.size() + 1));
    if (!taken.insert(column.name).second)
      scanner.fail(fmt::format("two columns are named '{}'.", column.name));
    numbers &= number_in(column.name).has_value();
    table.columns.push_back(std::move(column));
  }
  if (numbers)
    scanner.fail("there are numbers where the names of the columns should be. Put a header first.");
}

// Calls f(column, cell) for every cell below the header.
template <class F>
void for_each_cell(Scanner scanner, CsvTable& table, const F& f) {
  const size_t count = table.columns.size();
  while (scanner.next_row()) {
    size_t column = 0;
    while (const auto cell = scanner.next_cell()) {
      if (column < count) f(table.columns[column], *cell, scanner.row_line());
      ++column;
    }
    if (column != count)
      scanner.fail(fmt::format("the row has {} cells, the header {}.", column, count));
  }
}

// What kind each column is of, and how many rows there are.
void look_over(const Scanner& scanner, CsvTable& table) {
  int64_t last_line = 0;
  for_each_cell(scanner, table, [&](CsvColumn& column, std::string_view cell, int64_t line) {
    if (line != last_line) ++table.rows;
    last_line = line;
    const std::string_view value = trimmed(cell);
    const std::optional<double> number = number_in(value);
    if (number && std::isnan(*number) && column.missing++ == 0) column.missing_line = line;
    if (column.is_text() || number) return;
    column.text_line = line;
    column.text = value;
  });
}

void take_values(const Scanner& scanner, CsvTable& table) {
  for (CsvColumn& column : table.columns) {
    if (column.is_text())
      column.texts.reserve(static_cast<size_t>(table.rows));
    else
      column.numbers.reserve(static_cast<size_t>(table.rows));
  }
  for_each_cell(scanner, table, [](CsvColumn& column, std::string_view cell, int64_t) {
    if (column.is_text())
      column.texts.emplace_back(cell);
    else
      column.numbers.push_back(*number_in(trimmed(cell)));
  });
}

std::string quoted(const std::string& cell) {
  if (cell.find_first_of(",;\t\"\r\n") == std::string::npos) return cell;
  std::string text = "\"";
  for (const char c : cell) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + "\"";
}

std::string line_of(const std::vector<std::string>& cells) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) line += (i > 0 ? "," : "") + quoted(cells[i]);
  // A row of one empty cell is no empty line, which readers pass over.
  if (trimmed(line).empty()) line = '"' + line + '"';
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
  read_header(scanner, table);
  look_over(scanner, table);
  if (table.rows == 0) scanner.fail("there are no rows below the header.");
  take_values(scanner, table);
  return table;
}

CsvTable read_csv(const std::filesystem::path& path) {
  const std::vector<std::byte> bytes = read_file(path, UINT64_MAX);
  return parse_csv({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path.string());
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
