// DataFrame: the table of image files that ImageDataGenerator::flow_from_dataframe takes.
#pragma once
#include <initializer_list>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../../io/csv.h"

namespace cornu::preprocessing::image {

/// A column of a DataFrame: an entry for each row, all of one kind.
class DataColumn {
 public:
  using Texts = std::vector<std::string>;               ///< such as names of files or classes
  using Numbers = std::vector<double>;                  ///< such as targets or weights
  using Lists = std::vector<std::vector<std::string>>;  ///< of the classes of a row

  DataColumn(Texts texts) : values_(std::move(texts)) {}                            ///< of texts
  DataColumn(Numbers numbers) : values_(std::move(numbers)) {}                      ///< of numbers
  DataColumn(Lists lists) : values_(std::move(lists)) {}                            ///< of lists
  DataColumn(std::initializer_list<std::string> texts) : values_(Texts(texts)) {}   ///< of texts
  DataColumn(std::initializer_list<double> numbers) : values_(Numbers(numbers)) {}  ///< of numbers
  /// One of a file, whose line of the first missing value errors name.
  explicit DataColumn(const io::CsvColumn& column);

  const Texts* texts() const { return std::get_if<Texts>(&values_); }        ///< null for others
  const Numbers* numbers() const { return std::get_if<Numbers>(&values_); }  ///< null for others
  const Lists* lists() const { return std::get_if<Lists>(&values_); }        ///< null for others
  int64_t rows() const;                                                      ///< entries
  int64_t missing_line() const { return missing_line_; }  ///< of the file; 0: none is missing

 private:
  std::variant<Texts, Numbers, Lists> values_;
  int64_t missing_line_ = 0;
};

/// Named columns of equal length, of a file or of a program:
/// `DataFrame({{"filename", {"a.png", "b.png"}}, {"class", {"cat", "dog"}}})`.
class DataFrame {
 public:
  using Named = std::pair<std::string, DataColumn>;  ///< a column and its name
  DataFrame(const io::CsvTable& table);              ///< the columns of a file
  /// Throws ValueError when there are no columns or two of one name, ShapeError when they have
  /// other numbers of rows.
  DataFrame(std::vector<Named> columns);
  DataFrame(std::initializer_list<Named> columns)
      : DataFrame(std::vector(columns)) {}  ///< the same

  int64_t rows() const { return columns_[0].second.rows(); }  ///< of each column
  /// A column. Throws ValueError with a did-you-mean when there is none of that name.
  const DataColumn& column(const std::string& name) const;

 private:
  std::vector<Named> columns_;
};

/// One or several columns of a DataFrame: `"class"` or `{"left", "right"}`.
class ColumnNames {
 public:
  ColumnNames(const char* name) : names_{name} {}             ///< one
  ColumnNames(std::string name) : names_{std::move(name)} {}  ///< one
  ColumnNames(std::vector<std::string> names)
      : names_(std::move(names)), list_(true) {}                                         ///< a list
  ColumnNames(std::initializer_list<std::string> names) : names_(names), list_(true) {}  ///< a list

  const std::vector<std::string>& names() const { return names_; }  ///< in order
  bool is_list() const { return list_; }  ///< whether it is a list, perhaps of one

 private:
  std::vector<std::string> names_;
  bool list_ = false;
};

}  // namespace cornu::preprocessing::image
