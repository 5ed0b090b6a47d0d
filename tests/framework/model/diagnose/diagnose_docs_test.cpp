// The page docs/diagnose.md: a section for each id, whose pieces of code are those that tests run.
#include <map>
#include <sstream>

#include "../../../paths.h"
#include "../../../support/temporary.h"
#include "support.h"

namespace diagnose_docs_test {

using namespace cornu;
using namespace cornu::test;

namespace {

using Pieces = std::map<std::string, std::vector<std::string>>;

// Without spaces: how deep code is indented depends on what stands around it.
std::string packed(const std::string& code) {
  std::string text;
  for (char c : code)
    if (!std::isspace(static_cast<unsigned char>(c))) text += c;
  return text;
}

// The blocks of code by the headings of the third level.
Pieces pieces_of_page(const std::string& page) {
  std::istringstream lines(page);
  Pieces pieces;
  std::string id;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("### ", 0) == 0) {
      id = line.substr(4);
      pieces[id];
    } else if (line.rfind("```", 0) == 0) {
      inside = !inside && !id.empty();
      if (inside) pieces[id].emplace_back();
    } else if (inside) {
      pieces[id].back() += packed(line);
    }
  }
  return pieces;
}

// What stands between "// begin ID KIND" and "// end" in a source.
void add_pieces_of_source(const std::string& source, Pieces& pieces) {
  std::istringstream lines(source);
  std::string* open = nullptr;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string slashes, what, id;
    words >> slashes >> what >> id;
    if (slashes == "//" && what == "begin")
      open = &pieces[id].emplace_back();
    else if (slashes == "//" && what == "end" && id.empty())
      open = nullptr;
    else if (open)
      *open += packed(line);
  }
}

}  // namespace

TEST_CASE("docs/diagnose.md has a wrong and a right piece of code for each id, which are run") {
  const Pieces page = pieces_of_page(slurp(source_path("docs/diagnose.md")));
  Pieces run;
  for (const char* theme : {"data", "models"})
    add_pieces_of_source(
        slurp(source_path(std::string("tests/framework/model/diagnose/documented_") + theme +
                          "_test.cpp")),
        run);
  CHECK(page.size() == diagnosis_ids().size());
  for (const std::string& id : diagnosis_ids()) {
    INFO(id);
    REQUIRE(page.count(id) == 1);
    CHECK(page.at(id).size() == 2);
    CHECK(page.at(id) == run[id]);
  }
}

}  // namespace diagnose_docs_test
