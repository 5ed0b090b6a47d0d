// Tables of image files.
#include "dataframe.h"

#include <fmt/core.h>

#include "../../../backend/error.h"

namespace cornu::preprocessing::image {
namespace {

std::vector<DataFrame::Named> columns_of(const io::CsvTable& table) {
  std::vector<DataFrame::Named> columns;
  for (const io::CsvColumn& column : table.columns)
    columns.emplace_back(column.name, DataColumn(column));
  return columns;
}

}  // namespace

DataColumn::DataColumn(const io::CsvColumn& column) : missing_line_(column.missing_line) {
  if (column.is_text())
    values_ = column.texts;
  else
    values_ = column.numbers;
}

int64_t DataColumn::rows() const {
  return std::visit([](const auto& values) { return static_cast<int64_t>(values.size()); },
                    values_);
}

DataFrame::DataFrame(const io::CsvTable& table) : DataFrame(columns_of(table)) {}

DataFrame::DataFrame(std::vector<Named> columns) : columns_(std::move(columns)) {
  if (columns_.empty()) throw ValueError("DataFrame: there are no columns.");
  for (size_t i = 1; i < columns_.size(); ++i) {
    const auto& [name, column] = columns_[i];
    if (column.rows() != rows())
      throw ShapeError(fmt::format("DataFrame: column '{}' has {} rows, column '{}' has {}.", name,
                                   column.rows(), columns_[0].first, rows()));
    for (size_t before = 0; before < i; ++before)
      if (columns_[before].first == name)
        throw ValueError(fmt::format("DataFrame: two columns are named '{}'.", name));
  }
}

const DataColumn& DataFrame::column(const std::string& name) const {
  std::vector<std::string> known;
  for (const auto& [one, column] : columns_) {
    if (one == name) return column;
    known.push_back(one);
  }
  throw ValueError(fmt::format("flow_from_dataframe: the table has no column '{}'.{}", name,
                               did_you_mean(name, known)));
}

}  // namespace cornu::preprocessing::image
