// Random tables and arrays through files and back.
#include <cornu/backend/error.h>
#include <cornu/framework/io/atomic_file.h>
#include <cornu/framework/io/csv.h>
#include <cornu/framework/io/npy.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include "../../support/temporary.h"
#include "catch.h"

namespace random_tables_test {

using namespace cornu;
using namespace cornu::io;

namespace {

class Dice {
 public:
  explicit Dice(uint64_t seed) : engine_(seed) {}
  int64_t below(int64_t n) { return static_cast<int64_t>(engine_() % static_cast<uint64_t>(n)); }
  std::string of(const std::vector<std::string>& parts, int64_t most) {
    std::string made;
    for (int64_t length = below(most + 1); length > 0; --length)
      made += parts[static_cast<size_t>(below(static_cast<int64_t>(parts.size())))];
    return made;
  }

 private:
  std::mt19937_64 engine_;
};

const std::vector<std::string> parts = {"a", "b7", " ",    ",",    ";",        "\t", "\"", "\"\"",
                                        "'", "\n", "\r\n", "-1.5", "\xC3\xA9", "#",  "NA"};

}  // namespace

TEST_CASE("random cells come back from the file that was written") {
  const test::TemporaryFolder folder;
  Dice dice(1);
  for (int table = 0; table < 300; ++table) {
    const int64_t columns = 1 + dice.below(4), rows = 1 + dice.below(5);
    std::vector<std::string> header;
    for (int64_t c = 0; c < columns; ++c)
      header.push_back("c" + std::to_string(c) + dice.of({"x", ",", "\"", ";", "\n"}, 2));
    std::vector<std::vector<std::string>> cells(static_cast<size_t>(rows));
    for (auto& row : cells)
      for (int64_t c = 0; c < columns; ++c) row.push_back(dice.of(parts, 4));
    write_csv(folder / "t.csv", header, cells);
    const std::vector<std::byte> bytes = read_file(folder / "t.csv", 1 << 20);
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    INFO(text);
    const std::vector<CsvRow> back = csv_rows(text, "t.csv");
    REQUIRE(back.size() == cells.size() + 1);
    CHECK(back[0].cells == header);
    for (size_t r = 0; r < cells.size(); ++r) CHECK(back[r + 1].cells == cells[r]);
    // Whole tables have as many rows, and texts in columns of texts.
    const CsvTable read = read_csv(folder / "t.csv");
    CHECK(read.rows == rows);
    REQUIRE(static_cast<int64_t>(read.columns.size()) == columns);
    for (size_t c = 0; c < read.columns.size(); ++c)
      if (read.columns[c].is_text())
        for (size_t r = 0; r < cells.size(); ++r) CHECK(read.columns[c].texts[r] == cells[r][c]);
  }
}

TEST_CASE("numbers in a table keep every digit") {
  Dice dice(2);
  std::string text = "a,b\n";
  std::vector<double> numbers;
  for (int i = 0; i < 500; ++i) {
    const double v = std::ldexp(static_cast<double>(dice.below(1LL << 53)) - 0x1p52,
                                static_cast<int>(dice.below(200)) - 150);
    numbers.push_back(v);
    char digits[64];
    std::snprintf(digits, sizeof digits, "%.17g,%d\n", v, i);
    text += digits;
  }
  const CsvTable table = parse_csv(text, "t.csv");
  CHECK(table.find("a")->numbers == numbers);
  CHECK(table.rows == 500);
}

TEST_CASE("quotes, separators and line ends in odd places") {
  const auto cells = [](const std::string& text) {
    std::vector<std::vector<std::string>> all;
    for (const CsvRow& row : csv_rows(text, "t.csv")) all.push_back(row.cells);
    return all;
  };
  using Table = std::vector<std::vector<std::string>>;
  CHECK(cells("a,b\n\"\",\"\"\n") == Table{{"a", "b"}, {"", ""}});
  CHECK(cells("a,b\n\"\"\"\",\",\"\n") == Table{{"a", "b"}, {"\"", ","}});
  CHECK(cells("a,b\n,") == Table{{"a", "b"}, {"", ""}});
  CHECK(cells("a\n\"x\ny\"") == Table{{"a"}, {"x\ny"}});
  CHECK(cells("a;b,c\n1;2,3\n") == Table{{"a;b", "c"}, {"1;2", "3"}});
  CHECK(cells("\"a,b\";c\n1;2\n") == Table{{"a,b", "c"}, {"1", "2"}});
  CHECK(cells("a\tb\n\"1\t2\"\t3\n") == Table{{"a", "b"}, {"1\t2", "3"}});
  // The last line needs no end, and old Macs ended theirs with a carriage return alone.
  CHECK(cells("a,b\r\n1,2\r\n3,4") == Table{{"a", "b"}, {"1", "2"}, {"3", "4"}});
  const auto rows = csv_rows("a\n\n\"x\n\ny\"\n\nz\n", "t.csv");
  REQUIRE(rows.size() == 3);
  CHECK(rows[1].line == 3);
  CHECK(rows[2].line == 7);
}

TEST_CASE("random arrays come back from npz files, stored and compressed") {
  const test::TemporaryFolder folder;
  Dice dice(3);
  for (int file = 0; file < 40; ++file) {
    std::vector<NpyArray> arrays;
    for (int64_t i = dice.below(5); i >= 0; --i) {
      NpyArray array;
      array.name = "x" + std::to_string(i) + dice.of({"/y", " ", ".z", "\xC3\xA9"}, 2);
      array.dtype = static_cast<DType>(dice.below(13));
      for (int64_t axes = dice.below(4); axes > 0; --axes) array.shape.push_back(dice.below(5));
      array.data.resize(static_cast<size_t>(array.shape.numel()) * size_of(array.dtype));
      for (std::byte& b : array.data)
        b = std::byte(array.dtype == DType::boolean ? dice.below(2) : dice.below(256));
      arrays.push_back(std::move(array));
    }
    write_npz(folder / "a.npz", arrays,
              dice.below(2) == 0 ? Compression::stored : Compression::deflate);
    const std::vector<NpyArray> back = read_npz(folder / "a.npz");
    REQUIRE(back.size() == arrays.size());
    for (size_t i = 0; i < arrays.size(); ++i) {
      CHECK(back[i].name == arrays[i].name);
      CHECK(back[i].dtype == arrays[i].dtype);
      CHECK(back[i].shape == arrays[i].shape);
      CHECK(back[i].data == arrays[i].data);
    }
  }
}

TEST_CASE("an npy file that is cut short or changed is refused, or read as what it says") {
  NpyArray array{"", DType::float32, {3, 4}, {}};
  array.data.resize(48, std::byte(7));
  const std::vector<std::byte> whole = format_npy(array);
  for (size_t length = 0; length < whole.size(); ++length)
    CHECK_THROWS_AS(parse_npy(std::span(whole).first(length), "x.npy"), FileError);
  Dice dice(4);
  for (int i = 0; i < 2000; ++i) {
    std::vector<std::byte> changed = whole;
    changed[static_cast<size_t>(dice.below(static_cast<int64_t>(whole.size())))] =
        std::byte(dice.below(256));
    try {
      const NpyArray back = parse_npy(changed, "x.npy");
      const size_t bytes = back.dtype == DType::string
                               ? 0
                               : static_cast<size_t>(back.shape.numel()) * size_of(back.dtype);
      CHECK(back.data.size() == bytes);
      CHECK(bytes <= 48);
    } catch (const FileError&) {
    }
  }
}

}  // namespace random_tables_test
