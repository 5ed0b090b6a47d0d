// The command parity, which needs a Python with Keras (CORNU_PYTHON, or python3): without one, the
// test says so and checks the errors only.
#include <catch.h>
#include <cornu/cornu.h>

#include <filesystem>
#include <fstream>

#include "../framework/saving/python.h"
#include "program.h"
#include "support/skip.h"

namespace parity_test {

using namespace cornu;
using namespace cornu::test;
namespace fs = std::filesystem;

namespace {

Outcome parity(const std::string& model, const std::string& python) {
  return run("parity " + quote(model) + " --python " + quote(python));
}

// A program that stands for a Python.
std::string fake_python(const TemporaryFolder& folder, const std::string& name,
                        const std::string& text) {
  const fs::path path = folder / name;
  spill(path, "#!/bin/sh\n" + text + "\n");
  fs::permissions(path, fs::perms::owner_all);
  return path.string();
}

void save_nested(const fs::path& path) {
  const Input inner_input({4});
  const auto inner = std::make_shared<Functional>(
      inner_input, layers::Dense({.units = 3, .activation = "tanh", .name = "hidden"})(inner_input),
      Functional::Options{.name = "inner"});
  const Input input({4});
  const Tensor both =
      layers::Concatenate({.name = "both"})(Nest{(*inner)(input), (*inner)(input * 2.0)});
  Functional model(input, layers::Dense({.units = 2, .name = "head"})(both));
  model.save(path);
}

}  // namespace

TEST_CASE("parity says why Python cannot be asked") {
  const TemporaryFolder folder;
  save_nested(folder / "m.keras");
  const Outcome none = parity(folder / "m.keras", folder / "nothing");
  CHECK(none.status == 1);
  CHECK_THAT(none.text, contains("cannot be run") && contains("--python"));
  const Outcome other =
      parity(folder / "m.keras", fake_python(folder, "no_keras", "echo no keras here; exit 3"));
  CHECK(other.status == 1);
  CHECK_THAT(other.text, contains("is no Python with Keras 3: no keras here"));
  const Outcome failing =
      parity(folder / "m.keras", fake_python(folder, "failing", "echo it broke; exit 1"));
  CHECK(failing.status == 1);
  CHECK_THAT(failing.text, contains("it broke"));
}

TEST_CASE("parity compares all layers and names the first that diverges") {
  const std::string python = keras_python();
  if (python.empty()) {
    test::skip("there is no Python with Keras");
    return;
  }
  const TemporaryFolder folder;
  save_nested(folder / "m.keras");
  const Outcome same = parity(folder / "m.keras", python);
  INFO(same.text);
  CHECK(same.status == 0);
  CHECK_THAT(same.text, contains("inner/hidden") && contains("inner/hidden#2") &&
                            contains("inner#2") && contains("both") && contains("equal: 7 calls"));

  // The same, with other weights in one layer there.
  const std::string line = R"(model.get_layer("head").bias.assign([1.0, 0.0]))";
  const Outcome different = parity(
      folder / "m.keras",
      fake_python(folder, "changed",
                  "sed -i '/^model = /a " + line + "' \"$1\"\nexec " + quote(python) + " \"$@\""));
  INFO(different.text);
  CHECK(different.status == 1);
  CHECK_THAT(different.text, contains("2 of 7 diverge, the first is 'head': largest error 1") &&
                                 contains("layer Dense"));
}

}  // namespace parity_test
