// keras.json: what it sets, what is wrong in it, and where it is looked for.
#include <cornu/framework/tensor/config.h>
#include <cornu/framework/tensor/keras_json.h>

#include <cstdlib>
#include <filesystem>

#include "catch.h"
#include "support/standard_error.h"
#include "support/temporary.h"

namespace keras_json_test {

using namespace cornu;
using test::contains;
using test::spill;

namespace {

// What is read from such a text, and what is said about it.
struct Read {
  config::KerasJson found;
  std::string said;
};

Read read(const test::TemporaryFolder& folder, const std::string& text) {
  // A warning is said once: each text has a file of its own.
  static int number = 0;
  const auto path = folder / ("keras" + std::to_string(++number) + ".json");
  spill(path, text);
  Read result;
  result.said = test::standard_error_of([&] { result.found = config::read_keras_json(path); });
  if (!result.said.empty()) CHECK_THAT(result.said, contains(path.string()));
  return result;
}

// Exit status of this program's hidden test of that tag with such an environment.
int child_status(const std::string& environment, const std::string& tag,
                 const std::string& output = "/dev/null") {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command =
      environment + " '" + self + "' '[" + tag + "]' > '" + output + "' 2>&1";
  return std::system(command.c_str());
}

int child_status(const std::filesystem::path& home) {
  return child_status("KERAS_HOME='" + home.string() + "' KERAS_MAX_EPOCHS=3", ".keras_home");
}

}  // namespace

TEST_CASE("keras.json sets floatx and image_data_format") {
  const test::TemporaryFolder folder;
  const Read both = read(folder, R"({"floatx": "float64", "epsilon": 1e-07, "backend": "jax",
                                     "image_data_format": "channels_first"})");
  CHECK(both.found.floatx == DType::float64);
  CHECK(both.found.channels_first == true);
  CHECK(both.said.empty());
  const Read none = read(folder, "{}");
  CHECK_FALSE(none.found.floatx);
  CHECK_FALSE(none.found.channels_first);
  CHECK(none.said.empty());
  CHECK_FALSE(config::read_keras_json(folder / "there is none").floatx);
}

TEST_CASE("what is wrong in keras.json is one warning, and the rest holds") {
  const test::TemporaryFolder folder;
  const Read damaged = read(folder, R"({"floatx": "float64", )");
  CHECK_FALSE(damaged.found.floatx);
  CHECK_THAT(damaged.said, contains("it is not a JSON text"));
  CHECK_THAT(read(folder, "[1]").said, contains("must hold one JSON object"));
  const Read wrong = read(folder, R"({"floatx": "int8", "image_data_format": 3, "epsilon": 0.1})");
  CHECK_FALSE(wrong.found.floatx);
  CHECK_FALSE(wrong.found.channels_first);
  CHECK_THAT(wrong.said, contains("'floatx' must be") && contains("found \"int8\"") &&
                             contains("'image_data_format' must be") &&
                             contains("'epsilon' must be 1e-07"));
  CHECK(read(folder, R"({"floatx": "int8", "image_data_format": "channels_first"})")
            .found.channels_first == true);
}

TEST_CASE("the settings begin as $KERAS_HOME/keras.json says, and the environment goes first") {
  const test::TemporaryFolder folder;
  spill(folder / "keras.json", R"({"floatx": "float16", "image_data_format": "channels_first"})");
  CHECK(child_status(folder.path()) == 0);
  const size_t files = folder.count();
  CHECK(files == 1);
  const test::TemporaryFolder empty;
  CHECK(child_status(empty.path()) != 0);  // the defaults hold
  CHECK(empty.count() == 0);               // nothing is written
}

TEST_CASE("keras_home is KERAS_HOME, else in the home folder") {
  const char* const before = std::getenv("KERAS_HOME");
  const std::string kept = before ? before : "";
  ::setenv("KERAS_HOME", "/somewhere", 1);
  CHECK(config::keras_home() == "/somewhere");
  ::setenv("KERAS_HOME", "~/elsewhere", 1);
  const char* const home = std::getenv("HOME");
  CHECK(config::keras_home() == (home ? home : "~") + std::string("/elsewhere"));
  ::unsetenv("KERAS_HOME");
  CHECK_THAT(config::keras_home(), contains("/.keras"));
  if (before) ::setenv("KERAS_HOME", kept.c_str(), 1);
}

TEST_CASE("limits from the environment that are no numbers are warned of, and hold nothing") {
  const test::TemporaryFolder folder;
  const std::string said = (folder / "said").string();
  CHECK(child_status("KERAS_MAX_EPOCHS=3x KERAS_MAX_STEPS_PER_EPOCH=-2", ".no_limits", said) == 0);
  CHECK_THAT(test::slurp(said), contains("KERAS_MAX_EPOCHS must be a whole number, found '3x'"));
}

// Run by the tests above in a process of its own, where nothing was asked for before.
TEST_CASE("settings of a home with a keras.json", "[.keras_home]") {
  const char* const epochs = std::getenv("KERAS_MAX_EPOCHS");
  if (!epochs || epochs != std::string("3")) return;  // run with the tests of this file
  CHECK(config::floatx() == "float16");
  CHECK(config::image_data_format() == "channels_first");
  CHECK(config::max_epochs() == 3);
}

TEST_CASE("settings without limits", "[.no_limits]") {
  const char* const epochs = std::getenv("KERAS_MAX_EPOCHS");
  if (!epochs || epochs != std::string("3x")) return;  // run with the tests of this file
  CHECK_FALSE(config::max_epochs());
  CHECK_FALSE(config::max_steps_per_epoch());
}

}  // namespace keras_json_test
