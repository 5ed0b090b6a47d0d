// Internal to the readers of tables: rows and cells of a text, which comes as a whole or piece by
// piece.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "csv.h"

namespace cornu::io::csv {

/// Text that comes piece by piece.
class Pieces {
 public:
  virtual ~Pieces() = default;
  /// The end of what was given before, which begins at `rest`, with more text behind it. Gives no
  /// more than `rest` at the end. What was given before is no longer valid.
  virtual std::string_view more(std::string_view rest) = 0;
  /// Throws when what has not been given yet is no text, which is said before any other fault.
  virtual void expect_text() = 0;
};

/// Where a row begins.
struct RowPlace {
  uint64_t offset = 0;  ///< in the text
  int64_t line = 1;     ///< of the file
};

/// Cells one after the other. A copy goes on by itself where the text is a whole.
class Scanner {
 public:
  /// From the start of a whole text, whose header has the separator.
  Scanner(std::string_view text, const std::string& source);
  /// The same of a text in pieces, which must stay.
  Scanner(Pieces& pieces, const std::string& source);
  /// From the begin of a row on, where the text is a part.
  Scanner(Pieces& pieces, const std::string& source, char separator, RowPlace from);

  /// Goes to the next line with something in it; false at the end.
  bool next_row();
  /// The next cell of the row; nothing behind its last one. It is valid until the next call.
  std::optional<std::string_view> next_cell();
  /// Goes to the row's end.
  void skip_row();

  char separator() const { return separator_; }                           ///< between cells
  int64_t row_line() const { return row_line_; }                          ///< where the row begins
  RowPlace place() const { return {begin_ + at_, line_}; }                ///< behind what was read
  [[noreturn]] void fail(const std::string& why) const;                   ///< names the row's line
  [[noreturn]] void fail_at(int64_t line, const std::string& why) const;  ///< names a line

 private:
  bool is_line_end(size_t at) const { return text_[at] == '\n' || text_[at] == '\r'; }
  /// Whether there is a character so far behind the current one.
  bool has(size_t ahead) { return at_ + ahead < text_.size() || reach(ahead); }
  bool reach(size_t ahead);
  [[noreturn]] void fail_long() const;
  void find_separator();
  size_t blanks();
  void skip_line_end();
  std::string_view plain();
  std::string_view quoted();

  std::string_view text_;
  Pieces* pieces_ = nullptr;
  const std::string& source_;
  uint64_t begin_ = 0;  // of text_ in the whole
  char separator_ = ',';
  size_t at_ = 0;
  int64_t line_ = 1;
  int64_t row_line_ = 1;
  bool more_ = false;
  std::string cell_;  // of a quoted one
};

/// Without the blanks around it.
std::string_view trimmed(std::string_view cell);
/// The number that a trimmed cell says, NaN for a missing one; nothing for a text.
std::optional<double> number_in(std::string_view cell);

/// Reads the header into the columns' names.
void read_header(Scanner& scanner, CsvTable& table);
/// Finds the kind of each column and the number of rows, and calls row(place) for each.
void look_over(Scanner& scanner, CsvTable& table, const std::function<void(RowPlace)>& row);
/// Says that a row has not as many cells as the header.
[[noreturn]] void fail_length(const Scanner& scanner, size_t cells, size_t header);

/// Calls cell(column, text) for each cell of a row, of which there must be `count`.
template <class Cell>
void for_each_cell(Scanner& scanner, size_t count, const Cell& cell) {
  size_t column = 0;
  while (const auto text = scanner.next_cell()) {
    if (column < count) cell(column, *text);
    ++column;
  }
  if (column != count) fail_length(scanner, column, count);
}

}  // namespace cornu::io::csv
