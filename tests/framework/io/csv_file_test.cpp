// Tables in files by rows: the values and errors of whole tables, in any order, by many threads.
#include <cornu/backend/error.h>
#include <cornu/framework/io/csv_file.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <random>
#include <thread>

#include "../../support/error_of.h"
#include "../../support/temporary.h"
#include "catch.h"

namespace csv_file_test {

using namespace cornu;
using test::contains;
using test::error_of;
using test::spill;

namespace {

std::vector<int64_t> upto(int64_t count) {
  std::vector<int64_t> rows(static_cast<size_t>(count));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

// All columns of a table: those of numbers as numbers, and all as texts.
io::CsvChoice all_of(const io::CsvTable& table) {
  io::CsvChoice choice;
  for (size_t c = 0; c < table.columns.size(); ++c)
    (table.columns[c].is_text() ? choice.texts : choice.numbers).push_back(c);
  return choice;
}

// Whether these rows are those of the whole table, bit by bit.
bool same(const io::CsvTable& whole, const io::CsvFile& file, const std::vector<int64_t>& rows) {
  const io::CsvChoice choice = all_of(whole);
  const io::CsvValues values = file.read(rows, choice);
  bool equal = values.numbers.size() == rows.size() * choice.numbers.size() &&
               values.texts.size() == rows.size() * choice.texts.size();
  for (size_t i = 0; equal && i < rows.size(); ++i) {
    const auto row = static_cast<size_t>(rows[i]);
    for (size_t k = 0; k < choice.numbers.size(); ++k)
      equal &= std::memcmp(&values.numbers[i * choice.numbers.size() + k],
                           &whole.columns[choice.numbers[k]].numbers[row], sizeof(double)) == 0;
    for (size_t k = 0; k < choice.texts.size(); ++k)
      equal &=
          values.texts[i * choice.texts.size() + k] == whole.columns[choice.texts[k]].texts[row];
  }
  return equal;
}

void check_like_whole(const std::filesystem::path& path, uint64_t seed) {
  const io::CsvTable whole = io::read_csv(path);
  const io::CsvFile file(path);
  REQUIRE(file.table().rows == whole.rows);
  REQUIRE(file.table().names() == whole.names());
  for (size_t c = 0; c < whole.columns.size(); ++c) {
    const io::CsvColumn &a = whole.columns[c], &b = file.table().columns[c];
    CHECK(a.text_line == b.text_line);
    CHECK(a.text == b.text);
    CHECK(a.missing == b.missing);
    CHECK(a.missing_line == b.missing_line);
    CHECK((b.numbers.empty() && b.texts.empty()));
  }
  std::vector<int64_t> rows = upto(whole.rows);
  CHECK(same(whole, file, rows));
  for (const int64_t row : rows)
    if (row < 100) CHECK(same(whole, file, {row}));
  std::mt19937_64 engine(seed);
  std::shuffle(rows.begin(), rows.end(), engine);
  rows.push_back(rows[0]);
  CHECK(same(whole, file, rows));
}

// A table of cells that are quoted, empty, long and over several lines.
std::string odd_table(int64_t rows, uint64_t seed, const std::string& end) {
  std::mt19937_64 engine(seed);
  std::string text = "a, b ,\"c,\"\"d\"\"\"" + end;
  for (int64_t row = 0; row < rows; ++row) {
    if (engine() % 11 == 0) text += engine() % 2 == 0 ? "  " + end : end;
    text += std::to_string(static_cast<double>(engine() % 100000) / 7) + ",";
    text += engine() % 5 == 0 ? " NA ," : std::to_string(row) + ",";
    switch (engine() % 4) {
      case 0:
        text += "\"x" + end + "\"\"y\"\",\"" + end;
        break;
      case 1:
        text += "plain \"text\" " + end;
        break;
      case 2:
        text += "\"" + std::string(engine() % 90, 'q') + "\"" + end;
        break;
      default:
        text += end;
    }
  }
  return text;
}

}  // namespace

TEST_CASE("rows of tables in files are those of the whole table") {
  const test::TemporaryFolder folder;
  const auto path = folder / "t.csv";
  for (const std::string& text : std::vector<std::string>{
           "\xEF\xBB\xBF"
           "age, name ,rich\r\n31.5,Ada,True\r\n\r\n+2e1,\"Bo, \"\"B\"\"\nC\",false\r\n-3,,0",
           "a;b\n1;\n2;NA\n3;4\n", "\r\n\na\n1\n\n  \n\t\n2\n\"\"\n3\n \n  ",
           "\na;b\n1;2\n  \n 3; 4\n", "a\tb\n1\t2\n\t\n", "a\tb\n1\t2\n1.2.3\t5\n", "a\n1",
           "a\r1\r2",
           "\t\na b"
           "\n1"}) {
    INFO(text);
    spill(path, text);
    check_like_whole(path, 1);
  }
  // Many times what is read at once, so that all things lie across its ends.
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    spill(path, odd_table(40'000, 7, end));
    check_like_whole(path, 2);
  }
  // Cells that are larger than that.
  std::string text = "a,b\n";
  for (int row = 0; row < 40; ++row)
    text += std::to_string(row) + ",\"" + std::string(30'000 * static_cast<size_t>(row), 'x') +
            "\n\"\"\"\n";
  spill(path, text);
  check_like_whole(path, 3);
}

TEST_CASE("what is wrong with a table is said in the words of the whole table") {
  const test::TemporaryFolder folder;
  const auto path = folder / "t.csv";
  const std::string many = [] {
    std::string text = "a,b\n";
    for (int i = 0; i < 100'000; ++i) text += "1,\"x\ny\"\n";
    return text;
  }();
  for (const std::string& text : std::vector<std::string>{
           "", "  \n", "a,b\n", "a,b\n1,2\n\n1,2,3\n", "a,b\n1\n", "1,2\n3,4\n", "a,a\n3,4\n",
           "a,\n3,4\n", "a,b\n1,\"x\n2,3\n", "a,b\n1,\"x\"y\n", std::string("a,b\n1,\0\n", 8),
           "\"a,b\n", many + "1\n", many + "1,\"x\"y\n", many + "1,\"" + std::string(1 << 20, '\n'),
           many + "1,2,3\n" + many + std::string(1, '\0'), many + std::string(1, '\0'),
           "a,a\n" + many + std::string(1, '\0')}) {
    spill(path, text);
    const std::string whole = error_of([&] { io::read_csv(path); });
    REQUIRE_FALSE(whole.empty());
    CHECK(error_of([&] { io::CsvFile file(path); }) == whole);
  }
  for (const auto& missing : {folder / "none.csv", folder.path()})
    CHECK(error_of([&] { io::CsvFile file(missing); }) == error_of([&] { io::read_csv(missing); }));
  // A quote that does not end is not followed through a file without an end.
  spill(path, "a,b\n1,\"x\n");
  std::filesystem::resize_file(path, uint64_t{1} << 30);
  CHECK_THROWS_WITH(io::CsvFile{path}, contains("no text"));
}

TEST_CASE("rows and columns of a table that are not there are refused") {
  const test::TemporaryFolder folder;
  spill(folder / "t.csv", "a,b\n1,x\n2,y\n");
  const io::CsvFile file(folder / "t.csv");
  const std::vector<int64_t> both = {1, 0}, beyond = {0, 2}, before = {-1};
  CHECK(file.read(both, {.numbers = {0, 0}, .texts = {1, 0}}).numbers ==
        std::vector<double>{2, 2, 1, 1});
  CHECK(file.read(both, {.texts = {1, 0}}).texts == std::vector<std::string>{"y", "2", "x", "1"});
  CHECK(file.read({}, {.numbers = {0}}).numbers.empty());
  CHECK_THROWS_WITH(file.read(beyond, {.numbers = {0}}), contains("no number 2"));
  CHECK_THROWS_WITH(file.read(before, {.numbers = {0}}), contains("no number -1"));
  CHECK_THROWS_WITH(file.read(both, {.numbers = {2}}), contains("2 columns"));
  CHECK_THROWS_WITH(file.read(both, {.numbers = {1}}), contains("'x' in line 2"));
}

TEST_CASE("a table that is changed while it is read is an error") {
  const test::TemporaryFolder folder;
  const auto path = folder / "t.csv";
  const std::string text = odd_table(20'000, 3, "\n");
  const std::vector<int64_t> last = {19'999};
  spill(path, text);
  {
    const io::CsvFile file(path);
    std::filesystem::resize_file(path, text.size() / 2);
    CHECK_THROWS_WITH(file.read(last, {.numbers = {0}}), contains("when it was opened"));
  }
  spill(path, text);
  {
    const io::CsvFile file(path);
    spill(path, text);
    std::filesystem::last_write_time(
        path, std::filesystem::file_time_type::clock::now() + std::chrono::seconds(5));
    CHECK_THROWS_WITH(file.read(last, {.numbers = {0}}), contains("was written to"));
  }
  // One that takes its name leaves it as it was.
  const io::CsvFile file(path);
  spill(folder / "other.csv", "a\n1\n");
  std::filesystem::rename(folder / "other.csv", path);
  CHECK(file.read(last, {.numbers = {0}}).numbers.size() == 1);
}

TEST_CASE("several threads read a table at a time") {
  const test::TemporaryFolder folder;
  spill(folder / "t.csv", odd_table(3'000, 5, "\n"));
  const io::CsvTable whole = io::read_csv(folder / "t.csv");
  const io::CsvFile file(folder / "t.csv");
  std::vector<std::thread> threads;
  std::array<bool, 4> right{};
  for (size_t t = 0; t < right.size(); ++t)
    threads.emplace_back([&, t] {
      std::mt19937_64 engine(t);
      bool equal = true;
      int64_t row = 0;
      for (int i = 0; i < 4'000; ++i) {
        row = i % 7 == 0 ? static_cast<int64_t>(engine() % 3'000) : (row + 1) % 3'000;
        equal &= same(whole, file, {row});
      }
      right[t] = equal;
    });
  for (std::thread& thread : threads) thread.join();
  for (const bool equal : right) CHECK(equal);
}

}  // namespace csv_file_test
