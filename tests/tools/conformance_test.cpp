// Runs the committed part of the recorded Keras cases: what has passed in full must go on to.
#include <catch.h>
#include <cornu/framework/config/configurable.h>
#include <cornu/framework/config/json.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "../paths.h"

namespace conformance_test {

using namespace cornu;
namespace fs = std::filesystem;

namespace {

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  REQUIRE(file);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The lines of tests/conformance/expected.txt: "layers/Dense".
std::set<std::string> expected_names() {
  std::istringstream lines(text_of(test::source_path("tests/conformance/expected.txt")));
  std::set<std::string> names;
  for (std::string line; std::getline(lines, line);)
    if (!line.empty() && line[0] != '#') names.insert(line);
  return names;
}

struct Outcome {
  int status = -1;
  Value results;  // by area: passed, total, failed
};

Outcome run(const std::string& arguments) {
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path() / "cornu-conformance";
  REQUIRE(fs::exists(program));
  std::string json = (fs::temp_directory_path() / "cornu-conformance-XXXXXX").string();
  const int file = ::mkstemp(json.data());
  REQUIRE(file >= 0);
  ::close(file);
  const std::string command = "'" + program.string() + "' '" +
                              test::source_path("tests/conformance") + "' --summary --json '" +
                              json + "' " + arguments + " > /dev/null";
  const int status = std::system(command.c_str());
  Outcome outcome{WIFEXITED(status) ? WEXITSTATUS(status) : -1, {}};
  const std::string text = text_of(json);
  fs::remove(json);
  if (!text.empty()) outcome.results = cornu::parse_json(text, "the results");
  return outcome;
}

}  // namespace

TEST_CASE("What is expected to behave as in Keras does, eagerly and compiled") {
  const std::set<std::string> expected = expected_names();
  REQUIRE(expected.size() > 100);
  const Outcome outcome = run("");
  REQUIRE((outcome.status == 0 || outcome.status == 1));
  for (const auto& [area, result] : outcome.results.get<Value::Dict>()) {
    const Value* failed = detail::find(result.get<Value::Dict>(), "failed");
    REQUIRE(failed);
    for (const auto& [name, reason] : failed->get<Value::Dict>()) {
      const std::string subject = area + "/" + name.substr(0, name.find('/'));
      if (expected.count(subject) == 0) continue;
      INFO(area << "/" << name << ": " << reason.get<std::string>());
      CHECK(expected.count(subject) == 0);
    }
  }
}

TEST_CASE("The runner counts a folder without cases as an error") {
  CHECK(run("--area nothing").status == 2);
}

}  // namespace conformance_test
