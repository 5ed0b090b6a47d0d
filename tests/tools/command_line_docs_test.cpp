// The commands that docs/command-line.md shows are run.
#include <catch.h>
#include <cornu/framework/io/npy_tensor.h>
#include <cornu/framework/model/sequential.h>
#include <cornu/layers/core/dense.h>

#include <sstream>

#include "../paths.h"
#include "program.h"

using namespace cornu;
using namespace cornu::test;

namespace {

// What stands in the blocks of shell commands, in order.
std::vector<std::string> shell_blocks(const std::string& page) {
  std::istringstream lines(page);
  std::vector<std::string> blocks;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (!inside && line == "```sh") {
      blocks.emplace_back();
      inside = true;
    } else if (inside && line == "```") {
      inside = false;
    } else if (inside) {
      blocks.back() += line + "\n";
    }
  }
  return blocks;
}

// The files that the page takes for granted.
void make_flowers(const Folder& folder) {
  Sequential model({Input({4}), layers::Dense({.units = 8, .name = "hidden"}),
                    layers::Dense({.units = 3, .activation = "softmax"})});
  model.compile({.optimizer = "adam", .loss = "sparse_categorical_crossentropy"});
  model.save(folder / "flowers.keras");
  std::ofstream(folder / "flowers.json") << model.to_json();
  std::ofstream table(folder / "flowers.csv");
  table << "length,width,height,weight,species\n";
  std::vector<float> x;
  std::vector<int32_t> y;
  const char* const species[] = {"iris", "rose", "tulip"};
  for (int i = 0; i < 60; ++i) {
    for (int c = 0; c < 4; ++c) {
      x.push_back(static_cast<float>((i * 7 + c * 3) % 11) / 11);
      table << x.back() << ",";
    }
    y.push_back(i % 3);
    table << species[i % 3] << "\n";
  }
  saving::write_npz(folder / "flowers.npz", {saving::array_of("x", Tensor::from(x, {60, 4})),
                                             saving::array_of("y", Tensor::from(y, {60}))});
}

}  // namespace

TEST_CASE("the page's commands do what they are shown for") {
  const Folder folder;
  make_flowers(folder);
  const auto blocks = shell_blocks(slurp(source_path("docs/command-line.md")));
  REQUIRE(blocks.size() >= 5);
  for (const std::string& block : blocks) {
    const Outcome outcome =
        run_shell("cd '" + folder.path().string() + "' && PATH='" +
                  program().parent_path().string() + "':\"$PATH\" && set -e\n(" + block + ")");
    CHECK(outcome.status == 0);
  }
  for (const char* file :
       {"runs/first/model.keras", "runs/first/history.csv", "runs/first/run.json",
        "runs/fresh/model.keras", "outputs.npy", "species.csv", "old.h5"}) {
    INFO(file);
    CHECK(std::filesystem::exists(folder / file));
  }
}
