// Rows and cells, and the numbers in them.
#include "csv_scanner.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include "../../backend/error.h"

namespace cornu::io::csv {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr std::string_view line_ends = "\r\n";

// Most bytes of a cell of text that comes piece by piece, so that a quote without an end does not
// fill the memory.
constexpr size_t most_bytes = size_t{256} << 20;

// The header in what comes first; nothing where its end is not there.
std::optional<std::string_view> header_in(std::string_view text, bool whole) {
  // Lines of nothing or of blanks come before a header, and blanks may be its own.
  const size_t named = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  const size_t end = std::min(text.find_first_of(line_ends, named), text.size());
  if (end == text.size() && !whole) return {};
  text = text.substr(0, end);
  return text.substr(text.find_last_of(line_ends, named) + 1);
}

// The first of comma, semicolon and tab that the header has outside of quotes.
char separator_of(std::string_view header) {
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

}  // namespace

Scanner::Scanner(std::string_view text, const std::string& source) : text_(text), source_(source) {
  find_separator();
  if (text_.find('\0') != std::string_view::npos) fail("the file is no text.");
}

Scanner::Scanner(Pieces& pieces, const std::string& source) : pieces_(&pieces), source_(source) {
  find_separator();
}

Scanner::Scanner(Pieces& pieces, const std::string& source, char separator, RowPlace from)
    : pieces_(&pieces),
      source_(source),
      begin_(from.offset),
      separator_(separator),
      line_(from.line),
      row_line_(from.line) {}

void Scanner::find_separator() {
  if (has(byte_order_mark.size() - 1) && text_.starts_with(byte_order_mark))
    at_ = byte_order_mark.size();
  bool whole = false;
  std::optional<std::string_view> header;
  while (!(header = header_in(text_.substr(at_), whole))) whole = !reach(text_.size() - at_);
  separator_ = separator_of(*header);
}

bool Scanner::reach(size_t ahead) {
  while (pieces_ && at_ + ahead >= text_.size()) {
    const std::string_view rest = text_.substr(at_);
    if (rest.size() > most_bytes) fail_long();
    const std::string_view more = pieces_->more(rest);
    begin_ += at_;
    at_ = 0;
    text_ = more;
    if (more.size() == rest.size()) return false;
  }
  return at_ + ahead < text_.size();
}

bool Scanner::next_row() {
  for (size_t count = blanks(); !has(count) || is_line_end(at_ + count); count = blanks()) {
    at_ += count;
    if (at_ == text_.size()) break;
    skip_line_end();
  }
  row_line_ = line_;
  more_ = at_ < text_.size();
  return more_;
}

std::optional<std::string_view> Scanner::next_cell() {
  if (!more_) return {};
  const std::string_view cell = has(0) && text_[at_] == '"' ? quoted() : plain();
  more_ = at_ < text_.size() && text_[at_] == separator_;
  if (more_) ++at_;
  return cell;
}

void Scanner::skip_row() {
  // Most rows have no quotes, in which their end could be.
  const std::string_view rest = text_.substr(at_);
  const size_t end = rest.find('\n');
  if (end != std::string_view::npos && rest.substr(0, end).find('"') == std::string_view::npos &&
      rest.substr(0, end).find('\r') == std::string_view::npos) {
    at_ += end;
    more_ = false;
  }
  while (next_cell()) {
  }
}

void Scanner::fail(const std::string& why) const { fail_at(row_line_, why); }

void Scanner::fail_at(int64_t line, const std::string& why) const {
  if (pieces_) pieces_->expect_text();
  throw FileError(fmt::format("'{}' line {}: {}", source_, line, why));
}

void Scanner::fail_long() const {
  fail(fmt::format("a cell has more than {} MiB. Does a quote begin that does not end?",
                   most_bytes >> 20));
}

// How many spaces and tabs begin here.
size_t Scanner::blanks() {
  size_t count = 0;
  while (has(count) && (text_[at_ + count] == ' ' || text_[at_ + count] == '\t') &&
         text_[at_ + count] != separator_)
    ++count;
  return count;
}

void Scanner::skip_line_end() {
  if (text_[at_] == '\r' && has(1) && text_[at_ + 1] == '\n') ++at_;
  ++at_;
  ++line_;
}

std::string_view Scanner::plain() {
  size_t count = 0;
  while (has(count)) {
    const auto end = std::find_if(
        text_.begin() + static_cast<ptrdiff_t>(at_ + count), text_.end(),
        [separator = separator_](char c) { return c == separator || c == '\n' || c == '\r'; });
    count = static_cast<size_t>(end - text_.begin()) - at_;
    if (end != text_.end()) break;
  }
  const std::string_view cell = text_.substr(at_, count);
  at_ += count;
  return cell;
}

std::string_view Scanner::quoted() {
  cell_.clear();
  ++at_;
  while (true) {
    const size_t end = std::min(text_.find('"', at_), text_.size());
    line_ += std::count(text_.begin() + static_cast<ptrdiff_t>(at_),
                        text_.begin() + static_cast<ptrdiff_t>(end), '\n');
    cell_ += text_.substr(at_, end - at_);
    at_ = end;
    if (pieces_ && cell_.size() > most_bytes) fail_long();
    if (at_ == text_.size()) {
      if (!has(0)) fail("a quote begins here that does not end.");
      continue;
    }
    if (!has(1) || text_[at_ + 1] != '"') break;
    cell_ += '"';
    at_ += 2;
  }
  ++at_;
  if (has(0) && text_[at_] != separator_ && !is_line_end(at_))
    fail("text stands behind a closing quote; quotes inside a cell are written twice.");
  return cell_;
}

std::string_view trimmed(std::string_view cell) {
  while (!cell.empty() && (cell.front() == ' ' || cell.front() == '\t')) cell.remove_prefix(1);
  while (!cell.empty() && (cell.back() == ' ' || cell.back() == '\t')) cell.remove_suffix(1);
  return cell;
}

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

void look_over(Scanner& scanner, CsvTable& table, const std::function<void(RowPlace)>& row) {
  const int64_t header_line = scanner.row_line();
  while (scanner.next_row()) {
    row(scanner.place());
    ++table.rows;
    const int64_t line = scanner.row_line();
    for_each_cell(scanner, table.columns.size(), [&](size_t c, std::string_view cell) {
      CsvColumn& column = table.columns[c];
      const std::string_view value = trimmed(cell);
      const std::optional<double> number = number_in(value);
      if (number && std::isnan(*number) && column.missing++ == 0) column.missing_line = line;
      if (column.is_text() || number) return;
      column.text_line = line;
      column.text = value;
    });
  }
  if (table.rows == 0) scanner.fail_at(header_line, "there are no rows below the header.");
}

void fail_length(const Scanner& scanner, size_t cells, size_t header) {
  scanner.fail(fmt::format("the row has {} cells, the header {}.", cells, header));
}

}  // namespace cornu::io::csv
