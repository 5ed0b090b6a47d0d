// The commands that docs/command-line.md shows are run.
#include <catch.h>
#include <cornu/framework/data/sample_shards.h>
#include <cornu/framework/io/images/png.h>
#include <cornu/framework/io/npy_tensor.h>
#include <cornu/framework/model/sequential.h>
#include <cornu/layers/core/dense.h>
#include <cornu/layers/image/rescaling.h>
#include <cornu/layers/reshaping/flatten.h>
#include <cornu/optimizers/adam.h>

#include <sstream>

#include "../paths.h"
#include "program.h"

namespace command_line_docs_test {

using namespace cornu;
using namespace cornu::test;
namespace fs = std::filesystem;

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
  io::write_npz(folder / "flowers.npz", {io::array_of("x", Tensor::from(x, {60, 4})),
                                         io::array_of("y", Tensor::from(y, {60}))});
}

// A folder of small pictures of three colors.
void make_petals(const Folder& folder) {
  Sequential model({Input({6, 8, 3}), layers::Rescaling({.scale = 1.0 / 255}), layers::Flatten(),
                    layers::Dense({.units = 3, .activation = "softmax"})});
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.05}),
                 .loss = "sparse_categorical_crossentropy",
                 .metrics = {"accuracy"}});
  model.save(folder / "petals.keras");
  const char* const colors[] = {"blue", "red", "white"};
  for (int i = 0; i < 36; ++i) {
    const auto dark = static_cast<uint8_t>(i), light = static_cast<uint8_t>(255 - i);
    const uint8_t pixel[] = {i % 3 == 0 ? dark : light, i % 3 == 2 ? light : dark,
                             i % 3 == 1 ? dark : light};
    std::vector<uint8_t> pixels;
    for (int p = 0; p < 10 * 12; ++p) pixels.insert(pixels.end(), pixel, pixel + 3);
    const fs::path place = folder.path() / "petals" / colors[i % 3];
    fs::create_directories(place);
    spill(place / (std::to_string(i) + ".png"), io::encode_png(pixels, 10, 12, 3));
  }
}

}  // namespace

TEST_CASE("cornu learns from a folder of images, and packs it") {
  const Folder folder;
  make_petals(folder);
  const Outcome trained =
      run_in(folder.path(), "train petals.keras petals -e 30 -b 8 --validation-split 0.25 -o run");
  CHECK(trained.status == 0);
  const Outcome evaluated = run_in(folder.path(), "evaluate run/model.keras petals");
  CHECK(has(evaluated, "accuracy: 1\n"));
  // By parts.
  fs::create_directories(folder.path() / "parts");
  fs::copy(folder / "petals", folder / "parts/train", fs::copy_options::recursive);
  fs::copy(folder / "petals", folder / "parts/val", fs::copy_options::recursive);
  const Outcome parts = run_in(folder.path(), "train petals.keras parts -e 1 -o parted");
  CHECK(parts.status == 0);
  CHECK(has(parts, "val_loss"));
  const Outcome one_hot = run_in(
      folder.path(),
      "evaluate run/model.keras petals --labels categorical --loss categorical_crossentropy");
  CHECK(one_hot.status == 0);
  const Outcome predicted = run_in(folder.path(), "predict run/model.keras petals -o y.npy");
  CHECK(predicted.status == 0);
  CHECK(io::read_npy(folder / "y.npy").shape == Shape{36, 3});

  CHECK(has(run_in(folder.path(), "pack petals kept.shards"), "packed 36 images of 3 classes"));
  CHECK(run_in(folder.path(), "pack petals kept.shards").status == 1);
  CHECK(run_in(folder.path(), "pack petals pixels.shards --decode --size 5").status == 0);
  for (const char* shards : {"kept.shards", "pixels.shards"}) {
    CHECK(data::shard_classes(folder / shards) == std::vector<std::string>{"blue", "red", "white"});
    int64_t count = 0;
    for (const data::Sample& sample : data::from_shards(folder / shards)) {
      CHECK(sample.image.shape() ==
            (std::string(shards) == "kept.shards" ? Shape{10, 12, 3} : Shape{5, 6, 3}));
      CHECK(sample.label.item() == static_cast<double>(count++ / 12));
    }
    CHECK(count == 36);
  }
  spill(folder.path() / "petals" / "red" / "damaged.jpg", "no image");
  const Outcome damaged = run_in(folder.path(), "pack petals other.shards");
  CHECK(damaged.status == 1);
  CHECK(has(damaged, "damaged.jpg"));
  CHECK(has(run_in(folder.path(), "pack petals other.shards --skip-errors"), "left out 1"));
  CHECK(has(run_in(folder.path(), "train petals.keras petals -e 1 -o failed"), "damaged.jpg"));
}

TEST_CASE("the page's commands do what they are shown for") {
  const Folder folder;
  make_flowers(folder);
  make_petals(folder);
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

}  // namespace command_line_docs_test
