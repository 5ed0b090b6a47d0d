// A table in characters, in columns of given widths whose cells are wrapped.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace cornu::detail {

/// Where the text of a column's cells stands.
enum class Justify : uint8_t { left, center, right };

/// A column of a table.
struct TextColumn {
  std::string title;
  Justify justify = Justify::left;
  int64_t width = 0;  ///< of its text; columns that are too wide together are made narrower alike
};

/// The table in a frame of `width` characters, with a line between rows. Words go to the next line
/// of a cell where they do not fit, and end in an ellipsis where they fit in none. What stands
/// behind `most` characters of a line is cut off.
std::string text_table(std::vector<TextColumn> columns,
                       const std::vector<std::vector<std::string>>& rows, int64_t width,
                       int64_t most);

}  // namespace cornu::detail
