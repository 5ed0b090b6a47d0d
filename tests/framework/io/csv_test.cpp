// Tables as text.
#include <catch.h>
#include <cornu/backend/error.h>
#include <cornu/framework/io/atomic_file.h>
#include <cornu/framework/io/csv.h>

#include <cmath>

#include "../../support/error_of.h"
#include "../../support/temporary.h"

namespace csv_test {

using namespace cornu;
using io::CsvTable;
using io::parse_csv;
using test::error_of;
using test::has;

namespace {

std::string error_in(const std::string& text) {
  return error_of([&] { parse_csv(text, "t.csv"); });
}

}  // namespace

TEST_CASE("columns of numbers and of texts") {
  const CsvTable table = parse_csv(
      "\xEF\xBB\xBF"
      "age, name ,rich\r\n31.5,Ada,True\r\n\r\n+2e1,\"Bo, \"\"B\"\"\nC\",false\r\n-3,,0",
      "t.csv");
  REQUIRE(table.names() == std::vector<std::string>{"age", "name", "rich"});
  CHECK(table.rows == 3);
  CHECK(table.find("age")->numbers == std::vector<double>{31.5, 20, -3});
  CHECK(table.find("rich")->numbers == std::vector<double>{1, 0, 0});
  const io::CsvColumn& name = *table.find("name");
  CHECK(name.texts == std::vector<std::string>{"Ada", "Bo, \"B\"\nC", ""});
  CHECK(name.text_line == 2);
  CHECK(name.text == "Ada");
  CHECK(table.find("nothing") == nullptr);
}

TEST_CASE("missing values are NaN and counted") {
  const CsvTable table = parse_csv("a;b\n1;\n2;NA\n3;4\n", "t.csv");
  const io::CsvColumn& b = *table.find("b");
  REQUIRE_FALSE(b.is_text());
  CHECK(b.missing == 2);
  CHECK(b.missing_line == 2);
  CHECK(std::isnan(b.numbers[0]));
  CHECK(b.numbers[2] == 4);
  CHECK(table.find("a")->missing == 0);
}

TEST_CASE("missing values are those of pandas") {
  std::string text = "a,b\n1,x\n";
  const std::vector<std::string> words = {
      "",         "NA",     "N/A",     "n/a",     "<NA>", "#NA", "#N/A",
      "#N/A N/A", "NULL",   "null",    "None",    "-NaN", "NaN", "nan",
      "-nan",     "1.#IND", "-1.#IND", "1.#QNAN", "NAN",  "Nan", "-1.#QNAN"};
  for (const std::string& word : words) text += word + ",x\n";
  const CsvTable table = parse_csv(text, "t.csv");
  const io::CsvColumn& a = *table.find("a");
  REQUIRE_FALSE(a.is_text());
  CHECK(a.missing == static_cast<int64_t>(words.size()));
  CHECK(a.missing_line == 3);
  for (size_t row = 1; row < a.numbers.size(); ++row) CHECK(std::isnan(a.numbers[row]));
  CHECK(parse_csv("a\n1\n?\n", "t.csv").find("a")->text == "?");
}

TEST_CASE("numbers have one sign") {
  CHECK(parse_csv("a\n+5\n-5\n", "t.csv").find("a")->numbers == std::vector<double>{5, -5});
  for (const char* text : {"+-5", "++5", "-+5", "--5", "+"})
    CHECK(parse_csv(std::string("a\n") + text + "\n", "t.csv").find("a")->text == text);
}

TEST_CASE("blank lines are no rows, as in pandas") {
  const CsvTable one = parse_csv("\r\n\na\n1\n\n  \n\t\n2\n\"\"\n3\n \n  ", "t.csv");
  CHECK(one.rows == 4);
  CHECK(one.find("a")->missing == 1);
  CHECK(one.find("a")->missing_line == 9);
  CHECK(parse_csv("\na;b\n1;2\n  \n 3; 4\n", "t.csv").find("b")->numbers ==
        std::vector<double>{2, 4});
  // Tabs separate cells here.
  CHECK(parse_csv("a\tb\n1\t2\n\t\n", "t.csv").find("b")->missing == 1);
}

TEST_CASE("a column with one text is a column of texts, and says where") {
  const CsvTable table = parse_csv("a\tb\n1\t2\n1.2.3\t5\n", "t.csv");
  CHECK(table.find("a")->texts == std::vector<std::string>{"1", "1.2.3"});
  CHECK(table.find("a")->text_line == 3);
  CHECK(table.find("b")->numbers == std::vector<double>{2, 5});
}

TEST_CASE("tables that cannot be read name the line") {
  CHECK(has(error_in(""), "'t.csv' line 1: the file is empty"));
  CHECK(has(error_in("a,b\n"), "no rows"));
  CHECK(has(error_in("a,b\n1,2\n\n1,2,3\n"), "'t.csv' line 4: the row has 3 cells, the header 2"));
  CHECK(has(error_in("a,b\n1\n"), "line 2: the row has 1 cells"));
  CHECK(has(error_in("1,2\n3,4\n"), "Put a header first"));
  CHECK(has(error_in("a,a\n3,4\n"), "two columns are named 'a'"));
  CHECK(has(error_in("a,\n3,4\n"), "column 2 has no name"));
  CHECK(has(error_in("a,b\n1,\"x\n2,3\n"), "line 2: a quote begins"));
  CHECK(has(error_in("a,b\n1,\"x\"y\n"), "closing quote"));
  CHECK(has(error_in(std::string("a,b\n1,\0\n", 8)), "no text"));
  CHECK_THROWS_AS(io::read_csv("/nowhere/t.csv"), FileError);
}

TEST_CASE("cells are in quotes where they must be") {
  CHECK(io::csv_cell("plain text", ",;") == "plain text");
  CHECK(io::csv_cell("", ",") == "");
  CHECK(io::csv_cell("a;b", ",;") == "\"a;b\"");
  CHECK(io::csv_cell("a;b", ",") == "a;b");
  CHECK(io::csv_cell("a \"b\"", ",") == "\"a \"\"b\"\"\"");
  CHECK(io::csv_cell("a\nb", ",") == "\"a\nb\"");
}

TEST_CASE("what is written is read again") {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "t.csv";
  io::write_csv(path, {"a", "b,c"}, {{"1.5", "x\"y"}, {"2", "line\nend"}});
  const CsvTable table = io::read_csv(path);
  CHECK(table.find("a")->numbers == std::vector<double>{1.5, 2});
  CHECK(table.find("b,c")->texts == std::vector<std::string>{"x\"y", "line\nend"});
  CHECK_THROWS_AS(io::write_csv(path, {"a", "b"}, {{"1"}}), ValueError);
  // No row gets lost.
  io::write_csv(path, {"a"}, {{"1"}, {""}, {"3"}});
  CHECK(io::read_csv(path).rows == 3);
  CHECK(io::read_csv(path).find("a")->missing == 1);
}

}  // namespace csv_test
