// tools/cut_page.awk makes a program of a page, and names blocks of C++ that are in none.
#include <catch.h>

#include <fstream>

#include "../paths.h"
#include "program.h"

namespace cut_page_test {

using namespace cornu::test;

namespace {

Outcome cut(const Folder& folder, const std::string& page, const std::string& options = "") {
  std::ofstream(folder / "page.md") << page;
  return run_shell("cd '" + folder.path().string() + "' && awk " + options + " -f '" +
                   source_path("tools/cut_page.awk") + "' page.md");
}

const std::string hidden = "<!-- cpp\nint main() {}\n-->\n";

}  // namespace

TEST_CASE("a page's blocks are one program, with the page's lines") {
  const Folder folder;
  const std::string page =
      "# Title\n\n<!-- cpp\nint main() {\n-->\n```cpp\nint x = 1;\n\nint y = x;\n```\n"
      "Text.\n```sh\n<!-- cpp\n```\n<!-- not run: it never ends -->\n```cpp\nfor (;;) {}\n```\n"
      "<!-- cpp\n}\n-->\n";
  REQUIRE(cut(folder, page, "-v program=page.cpp").status == 0);
  CHECK(slurp(folder / "page.cpp") ==
        "// Cut from page.md by tools/cut_page.awk: edit the page.\n"
        "#line 4 \"page.md\"\nint main() {\n#line 7 \"page.md\"\nint x = 1;\n\nint y = x;\n"
        "#line 20 \"page.md\"\n}\n");
  const Outcome counted = cut(folder, page);
  CHECK(counted.status == 0);
  CHECK(counted.text ==
        "cut_page: 1 blocks of C++ are run, 0 are the library's own lines, 1 are not run\n");
}

TEST_CASE("a block of C++ is run, or says why not") {
  struct Wrong {
    std::string page;
    std::string message;
  };
  const Folder folder;
  for (const auto& [page, message] : {
           Wrong{"Text.\n```cpp\nint x;\n```\n", "page.md:2: this block of C++ is in no program"},
           Wrong{hidden, "page.md:1: hidden C++ on a page that shows none"},
           Wrong{hidden + "```cpp\nint x;\n", "page.md:4: this block has no end"},
           Wrong{"<!-- cpp\nint x;\n", "page.md:1: this block has no end"},
           Wrong{hidden + "```c++\nint x;\n```\n", "page.md:4: write ```cpp"},
           Wrong{hidden + "- item\n\n  ```cpp\n  int x;\n  ```\n", "page.md:6: write ```cpp"},
           Wrong{"<!-- not run: a reason -->\n\n```cpp\nint x;\n```\n", "page.md:1: a block that"},
           Wrong{"<!-- not run: a reason -->\n", "page.md:1: a block that"},
           Wrong{"<!-- not run -->\n```cpp\nint x;\n```\n", "page.md:1: write <!-- cpp"},
           Wrong{"<!-- cpp int main() {} -->\n", "page.md:1: write <!-- cpp"},
       }) {
    INFO(page);
    const Outcome outcome = cut(folder, page);
    CHECK(outcome.status == 1);
    CHECK(has(outcome, message));
  }
}

TEST_CASE("a block that is from a file has that file's lines") {
  const Folder folder;
  std::ofstream(folder / "code.h") << "int a;\nint b;\nint c;\n";
  const std::string head = "<!-- from code.h -->\n```cpp\n";
  CHECK(cut(folder, head + "int b;\nint c;\n```\n").status == 0);
  CHECK(has(cut(folder, head + "int b;\nint d;\n```\n"), "page.md:4: this line is not in code.h"));
  CHECK(has(cut(folder, head + "int a;\nint c;\n```\n"),
            "page.md:2: these lines do not stand together in code.h"));
  CHECK(has(cut(folder, "<!-- from gone.h -->\n```cpp\nint a;\n```\n"),
            "page.md:2: there is no file gone.h"));
}

}  // namespace cut_page_test
