// Drawing tables, with the frame and the line breaks of the library that Keras uses (rich).
#include "text_table.h"

#include <algorithm>
#include <cmath>

namespace cornu::detail {
namespace {

// Text by characters, of which each is one wide.
using Characters = std::vector<std::string>;

Characters characters(const std::string& text) {
  Characters result;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0) == 0x80 && !result.empty())
      result.back() += c;
    else
      result.emplace_back(1, c);
  }
  return result;
}

std::string joined(const Characters& text, size_t begin, size_t end) {
  std::string result;
  for (size_t i = begin; i < std::min(end, text.size()); ++i) result += text[i];
  return result;
}

bool is_space(const std::string& c) { return c == " " || c == "\n" || c == "\t"; }

// The places at which lines of at most `width` begin, but for the first.
std::vector<size_t> breaks(const Characters& text, size_t width) {
  std::vector<size_t> result;
  size_t used = 0;
  for (size_t i = 0; i < text.size();) {
    // A word, with the space around it.
    const size_t start = i;
    while (i < text.size() && is_space(text[i])) ++i;
    if (i == text.size()) break;
    while (i < text.size() && !is_space(text[i])) ++i;
    const size_t word = i - start;
    while (i < text.size() && is_space(text[i])) ++i;
    if (width - std::min(width, used) >= word) {
      used += i - start;
    } else if (word > width || (used && start)) {
      // One that fits in no line has one to itself.
      if (start) result.push_back(start);
      used = i - start;
    }
  }
  return result;
}

std::string justified(const std::string& line, Justify justify, size_t width) {
  Characters text = characters(line);
  // Space at the end goes where the line is too long, or where it would shift the text.
  while (!text.empty() && is_space(text.back()) &&
         (text.size() > width || justify != Justify::left))
    text.pop_back();
  if (text.size() > width) {
    text.resize(width > 0 ? width - 1 : 0);
    if (width > 0) text.emplace_back("…");
  }
  const size_t space = width - text.size();
  const size_t before = justify == Justify::right    ? space
                        : justify == Justify::center ? space / 2
                                                     : 0;
  return std::string(before, ' ') + joined(text, 0, text.size()) + std::string(space - before, ' ');
}

std::vector<std::string> wrapped(const std::string& cell, Justify justify, size_t width) {
  const Characters text = characters(cell);
  std::vector<size_t> places = breaks(text, width);
  places.push_back(text.size());
  std::vector<std::string> lines;
  size_t begin = 0;
  for (const size_t end : places) {
    lines.push_back(justified(joined(text, begin, end), justify, width));
    begin = end;
  }
  return lines;
}

// Takes what is too wide from the columns in turn, the same fraction of what is left from each.
void narrow(std::vector<TextColumn>& columns, int64_t excess) {
  int64_t left = static_cast<int64_t>(columns.size());
  for (TextColumn& column : columns) {
    // Halves go to the even number, as in Python.
    const auto share = static_cast<int64_t>(
        std::nearbyint(static_cast<double>(excess) / static_cast<double>(left--)));
    const int64_t taken = std::min(share, column.width);
    column.width -= taken;
    excess -= taken;
  }
}

// Gives the columns what is left, by their widths.
void widen(std::vector<TextColumn>& columns, int64_t rest) {
  int64_t sum = 0;
  for (const TextColumn& column : columns) sum += column.width;
  for (TextColumn& column : columns) {
    const int64_t ratio = column.width;
    const int64_t more =
        sum > 0 ? static_cast<int64_t>(
                      std::ceil(static_cast<double>(ratio * rest) / static_cast<double>(sum)))
                : rest;
    column.width += more;
    sum -= ratio;
    rest -= more;
  }
}

}  // namespace

std::string text_table(std::vector<TextColumn> columns,
                       const std::vector<std::vector<std::string>>& rows, int64_t width,
                       int64_t most) {
  // A space on both sides of each cell, and the frame.
  int64_t sum = static_cast<int64_t>(columns.size()) + 1;
  for (TextColumn& column : columns) sum += column.width += 2;
  if (sum > width) narrow(columns, sum - width);
  if (sum < width) widen(columns, width - sum);

  std::string result;
  const auto add = [&](const std::string& line) {
    result += joined(characters(line), 0, static_cast<size_t>(std::max<int64_t>(most, 0))) + "\n";
  };
  const auto rule = [&](const char* left, const char* middle, const char* right, const char* fill) {
    std::string line = left;
    for (size_t i = 0; i < columns.size(); ++i) {
      for (int64_t k = 0; k < columns[i].width; ++k) line += fill;
      line += i + 1 < columns.size() ? middle : right;
    }
    add(line);
  };
  const auto row = [&](const std::vector<std::string>& cells, const char* bar) {
    std::vector<std::vector<std::string>> lines;
    size_t height = 0;
    for (size_t i = 0; i < columns.size(); ++i) {
      const size_t room = static_cast<size_t>(std::max<int64_t>(columns[i].width - 2, 0));
      lines.push_back(wrapped(cells[i], columns[i].justify, room));
      height = std::max(height, lines.back().size());
    }
    for (size_t k = 0; k < height; ++k) {
      std::string line = bar;
      for (size_t i = 0; i < columns.size(); ++i) {
        const std::string text = k < lines[i].size()
                                     ? lines[i][k]
                                     : std::string(static_cast<size_t>(columns[i].width - 2), ' ');
        line += " " + text + " " + bar;
      }
      add(line);
    }
  };
  rule("┏", "┳", "┓", "━");
  std::vector<std::string> titles;
  for (const TextColumn& column : columns) titles.push_back(column.title);
  row(titles, "┃");
  if (rows.empty()) rule("┡", "╇", "┩", "━");
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i == 0)
      rule("┡", "╇", "┩", "━");
    else
      rule("├", "┼", "┤", "─");
    row(rows[i], "│");
  }
  rule("└", "┴", "┘", "─");
  return result;
}

}  // namespace cornu::detail
