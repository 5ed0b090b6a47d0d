// CSV: tables as text, with a header and a column's values of one kind.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace cornu::io {

/// One column of a table: numbers, or texts when one of its cells is no number.
struct CsvColumn {
  std::string name;                ///< from the header
  std::vector<double> numbers;     ///< empty for a column of texts
  std::vector<std::string> texts;  ///< empty for a column of numbers
  int64_t text_line = 0;           ///< of the first cell that is no number; 0: there is none
  std::string text;                ///< what stands in that cell
  int64_t missing = 0;             ///< cells that hold no value (parse_csv); NaN in `numbers`
  int64_t missing_line = 0;        ///< of the first of them
  bool is_text() const { return text_line > 0; }  ///< whether `texts` has its values
};

/// A table: columns of equal length.
struct CsvTable {
  std::vector<CsvColumn> columns;                      ///< in the order of the file
  int64_t rows = 0;                                    ///< without the header
  const CsvColumn* find(std::string_view name) const;  ///< null when there is none
  std::vector<std::string> names() const;              ///< of the columns
};

/// Reads a table as RFC 4180 has it: the first line has the columns' names, cells with separators,
/// quotes or line ends are in quotes. The separator is the first of comma, semicolon and tab that
/// the header has. Numbers are written with a point; True and False are 1 and 0. Missing values are
/// those of pandas.read_csv: an empty cell, NA, N/A, n/a, `<NA>`, #NA, #N/A, #N/A N/A, NULL, null,
/// None, NaN, and what old C libraries write for it (1.#IND, -1.#QNAN); NaN in any case. Others
/// that files have for it, such as "?", are texts. Lines of nothing or of blanks are passed over as
/// by pandas, also in a table of one column, where "" in quotes is a missing value. Throws
/// FileError that names `source` and the line for rows of another length than the header, a header
/// of numbers, names that are empty or there twice, quotes that do not end, and bytes that are no
/// text.
CsvTable parse_csv(std::string_view text, const std::string& source);
/// The same of a file. Throws FileError.
CsvTable read_csv(const std::filesystem::path& path);

/// A row of a table as it is written: its cells without their quotes, and the line it begins in.
struct CsvRow {
  int64_t line = 0;                ///< of the file, from 1
  std::vector<std::string> cells;  ///< at least one
};

/// The rows of a table by parse_csv's rules of separators, quotes and empty lines, the header among
/// them; rows may differ in length. Throws FileError for quotes that do not end and bytes that are
/// no text.
std::vector<CsvRow> csv_rows(std::string_view text, const std::string& source);

/// A text as a cell: in quotes, its own doubled, where it has a quote, a line end or one of the
/// characters of `separators`; else as it is.
std::string csv_cell(const std::string& text, std::string_view separators);

/// Writes a table of cells, which appears whole or not at all; cells are quoted where they must be,
/// as is the only cell of a row when it is empty. Throws ValueError when a row has not as many
/// cells as the header, FileError.
void write_csv(const std::filesystem::path& path, const std::vector<std::string>& header,
               const std::vector<std::vector<std::string>>& rows);

}  // namespace cornu::io
