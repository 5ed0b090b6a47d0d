// Tables at their edges: separators, numbers of all spellings, quotes, lines, and what pipelines
// make of their columns.
#include <cornu/framework/data/file_sources.h>
#include <cornu/framework/io/csv.h>

#include <cmath>
#include <limits>

#include "catch.h"
#include "support/contract.h"
#include "support/temporary.h"

namespace csv_edges_test {

using namespace cornu;
using io::CsvTable;
using io::parse_csv;
using test::error_of;
using test::has;

namespace {

using Texts = std::vector<std::string>;

constexpr double infinity = std::numeric_limits<double>::infinity();

// The one column of a table with a header.
io::CsvColumn column(const std::string& cells) {
  return parse_csv("a\n" + cells, "t.csv").columns[0];
}

std::string refused(const std::string& text) {
  return error_of([&] { parse_csv(text, "t.csv"); });
}

}  // namespace

TEST_CASE("The separator is the first that the header has outside of quotes") {
  struct Case {
    const char* text;
    Texts names;
  };
  for (const Case& c : std::vector<Case>{{"a,b;c\n1,2\n", {"a", "b;c"}},
                                         {"a;b\tc\n1;2\n", {"a", "b\tc"}},
                                         {"a\tb\n1\t2\n", {"a", "b"}},
                                         {"\"a,b\";c\n1;2\n", {"a,b", "c"}},
                                         {"a b\n1\n", {"a b"}},
                                         {"\n\r\na;b\n1;2\n", {"a", "b"}},
                                         {"  \na;b\n1;2\n", {"a", "b"}},
                                         {" \t \n\n  a;b\n1;2\n", {"a", "b"}},
                                         {"\xEF\xBB\xBF;a\n1;2\n", {}}}) {
    INFO(c.text);
    if (c.names.empty()) {
      CHECK(has(refused(c.text), "column 1 has no name"));
      continue;
    }
    CHECK(parse_csv(c.text, "t.csv").names() == c.names);
  }
}

TEST_CASE("Numbers are those of pandas") {
  struct Case {
    const char* text;
    double number;
  };
  for (const Case& c : std::vector<Case>{{"0", 0},
                                         {"-0", -0.0},
                                         {"007", 7},
                                         {".5", 0.5},
                                         {"5.", 5},
                                         {"1e3", 1000},
                                         {"1E-3", 0.001},
                                         {"+1.5e+2", 150},
                                         {"  4  ", 4},
                                         {"\"4\"", 4},
                                         {"inf", infinity},
                                         {"-Infinity", -infinity},
                                         {"1e400", infinity},
                                         {"-1e400", -infinity},
                                         {"1e-400", 0},
                                         {"1.7976931348623157e308", 1.7976931348623157e308},
                                         {"4.9e-324", 4.9e-324},
                                         {"9007199254740993", 9007199254740992.0},
                                         {"True", 1},
                                         {"FALSE", 0}}) {
    INFO(c.text);
    const io::CsvColumn found = column(std::string(c.text) + "\n");
    REQUIRE_FALSE(found.is_text());
    CHECK(found.numbers[0] == c.number);
    CHECK(std::signbit(found.numbers[0]) == std::signbit(c.number));
  }
  for (const char* text : {"1 2", "1,2", "1_000", "0x10", "1e", "e5", ".", "-", "5%", "$5", "1.2.3",
                           "tRUE", "yes", "infinit"}) {
    INFO(text);
    const std::string quoted = std::string("\"") + text + "\"";
    CHECK(column(quoted + "\n").is_text());
  }
}

TEST_CASE("Texts keep their blanks, quotes, separators and ends of lines") {
  CHECK(column(" x \n").texts == Texts{" x "});
  CHECK(column("\" x \"\n").texts == Texts{" x "});
  CHECK(column("\"a\"\"b\"\n").texts == Texts{"a\"b"});
  CHECK(column("\"\"\"\"\n").texts == Texts{"\""});
  CHECK(column("\"a\r\nb\"\r\nc").texts == Texts{"a\r\nb", "c"});
  CHECK(column("a\"b\n").texts == Texts{"a\"b"});
  CHECK(column("ü\n\"\U0001f600\"\n").texts == Texts{"ü", "\U0001f600"});
  // A number among texts is a text, as it is written.
  CHECK(column("01\nx\n\n 2\n").texts == Texts{"01", "x", " 2"});
  CHECK(has(refused("a\n\"x\"\"\n"), "line 2: a quote begins here that does not end"));
  CHECK(has(refused("a\n\"x\" \n"), "closing quote"));
}

TEST_CASE("Lines end in every way that files have, and are counted") {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    const std::string text = "a,b" + end + "1,x" + end + end + "2,\"y" + end + "z\"" + end + "3,w";
    const CsvTable table = parse_csv(text, "t.csv");
    CHECK(table.rows == 3);
    CHECK(table.find("a")->numbers == std::vector<double>{1, 2, 3});
    CHECK(table.find("b")->texts == Texts{"x", "y" + end + "z", "w"});
    CHECK(table.find("b")->text_line == 2);
  }
  const auto rows = io::csv_rows("a,b\n\n\"x\ny\",\n  \nlast", "t.csv");
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].cells == Texts{"a", "b"});
  CHECK(rows[1].cells == Texts{"x\ny", ""});
  CHECK(rows[1].line == 3);
  CHECK(rows[2].cells == Texts{"last"});
  CHECK(rows[2].line == 6);
  CHECK(io::csv_rows("", "t.csv").empty());
  CHECK(has(refused("a,b\n1,2\n\"\n\n\",x,y\n"), "line 3: the row has 3 cells"));
}

TEST_CASE("A column of nothing but missing values is one of numbers") {
  const io::CsvColumn none = parse_csv("a,b\n,1\nNA,2\nnan,3\n", "t.csv").columns[0];
  REQUIRE_FALSE(none.is_text());
  CHECK(none.missing == 3);
  for (const double x : none.numbers) CHECK(std::isnan(x));
  // Missing values among texts stay as they are written.
  const io::CsvColumn some = parse_csv("a,b\n,1\nNA,2\nx,3\n", "t.csv").columns[0];
  CHECK(some.texts == Texts{"", "NA", "x"});
  CHECK(some.text_line == 4);
}

TEST_CASE("Tables that are written come back, whatever is in their cells") {
  const test::TemporaryFolder folder;
  const Texts odd = {"",     " ",    "a,b", "a;b", "a\tb", "\"",       "\"\"",
                     "a\nb", "\r\n", "x ",  "'",   "\\",   "#comment", "=1+1"};
  std::vector<Texts> rows;
  for (const std::string& text : odd) rows.push_back({text, "x" + text});
  io::write_csv(folder / "t.csv", {"first", "second,"}, rows);
  const CsvTable table = io::read_csv(folder / "t.csv");
  CHECK(table.names() == Texts{"first", "second,"});
  CHECK(table.columns[0].texts == odd);
  for (size_t i = 0; i < odd.size(); ++i) CHECK(table.columns[1].texts[i] == "x" + odd[i]);
  // One column, whose empty cells are rows all the same.
  io::write_csv(folder / "one.csv", {"a"}, {{""}, {" "}, {"x"}});
  CHECK(io::read_csv(folder / "one.csv").rows == 3);
  CHECK(has(error_of([&] {
              io::write_csv(folder / "t.csv", {"a"}, {{"1", "2"}});
            }),
            "a row has 2 cells, the header 1"));
  // What could not be written has left the file as it was.
  CHECK(io::read_csv(folder / "t.csv").rows == table.rows);
}

TEST_CASE("Pipelines take columns by name, in the order that is asked for") {
  const test::TemporaryFolder folder;
  test::spill(folder / "t.csv", "a,b,name,c\n1,2,x,3\n4,5,y,6\n7,8,z,9\n");
  const auto rows = [&](const data::CsvColumns& columns) {
    return *data::from_csv(folder / "t.csv", columns).batch(3).begin();
  };
  const Batch batch = rows({.label = "name", .features = {"c", "a"}});
  CHECK(batch.x.tensor().dtype() == DType::float32);
  CHECK(batch.x.tensor().to_vector<float>() == std::vector<float>{3, 1, 6, 4, 9, 7});
  CHECK(batch.y.tensor().to_strings() == Texts{"x", "y", "z"});
  CHECK(rows({.features = {"b"}}).y.empty());
  CHECK(rows({.label = "b", .features = {"b"}}).x.tensor().shape() == Shape{3, 1});
  CHECK(has(error_of([&] { rows({.features = {"name"}}); }), "name"));
  CHECK(has(error_of([&] { rows({.label = "a", .features = {"d"}}); }), "'d'"));
  // Shuffled and by several workers, each row stays whole.
  for (const Batch& one : data::from_csv(folder / "t.csv", {.label = "name", .features = {"a"}})
                              .shuffle()
                              .map([](Batch b) { return b; }, {.workers = 2})
                              .batch(1)) {
    const float a = one.x.tensor().to_vector<float>()[0];
    CHECK(one.y.tensor().to_strings()[0] == (a == 1 ? "x" : a == 4 ? "y" : "z"));
  }
}

}  // namespace csv_edges_test
