// docs/coverage.md and the lines of this folder are what the lists of names say.
#include <catch.h>
#include <paths.h>

#include <cstdlib>
#include <iostream>
#include <string>

namespace coverage_test {

using namespace cornu;

TEST_CASE("the page of Keras's names and its lines of code are up to date") {
  if (std::system("python3 -c 0 >/dev/null 2>&1") != 0) {
    std::cout << "skipped, no python3.\n";
    return;
  }
  const std::string script = test::source_path("tools/coverage/generate.py");
  INFO("run python3 tools/coverage/generate.py");
  CHECK(std::system(("python3 '" + script + "' --check").c_str()) == 0);
}

}  // namespace coverage_test
