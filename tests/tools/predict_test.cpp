// What cornu predict and evaluate take a model and data from, and what predict writes.
#include <catch.h>
#include <cornu/framework/io/csv.h>
#include <cornu/framework/io/images/png.h>
#include <cornu/framework/io/npy_tensor.h>
#include <cornu/framework/model/sequential.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/layers/core/dense.h>
#include <cornu/layers/reshaping/flatten.h>

#include <cmath>

#include "program.h"

using namespace cornu;
using namespace cornu::test;
namespace fs = std::filesystem;

namespace {

// Pictures of one pixel; the model's output is how red it is.
void make_pictures(const Folder& folder) {
  Sequential model(
      {Input({1, 1, 3}), layers::Flatten(), layers::Dense({.units = 1, .name = "red"})});
  model.set_weights({Tensor::from({1.0f, 0.0f, 0.0f}, {3, 1}), Tensor::from({0.0f}, {1})});
  model.save(folder / "m.keras");
  int red = 0;
  for (const char* name : {"p/dark/10.png", "p/dark/2.png", "p/dark/b.png", "p/light/1.png",
                           "p/light/c.png", "p/light/d.png"}) {
    fs::create_directories(fs::path(folder / name).parent_path());
    const std::vector<uint8_t> pixel = {static_cast<uint8_t>(++red), 0, 0};
    spill(folder / name, io::encode_png(pixel, 1, 1, 3));
  }
}

Sequential numbers_model() {
  return Sequential({Input({2}), layers::Dense({.units = 1, .name = "sum"})});
}

}  // namespace

TEST_CASE("NaN has no sign in what is printed and written") {
  const Folder folder;
  numbers_model().save(folder / "m.keras");
  const Tensor bad = Tensor::from({-NAN, 1.0f}, {1, 2});
  io::write_npz(folder / "d.npz", {io::array_of("x", bad), io::array_of("y", ops::zeros({1, 1}))});
  const Outcome trained =
      run_in(folder.path(), "train m.keras d.npz --loss mse --metrics mae -e 2 -o r");
  CHECK(has(trained, "- loss: nan"));
  CHECK_FALSE(has(trained, "-nan"));
  CHECK(has(slurp(folder / "r/history.csv"), "0,nan,nan"));
  CHECK(has(run_in(folder.path(), "evaluate m.keras d.npz --loss mse"), "\nloss: nan\n"));
  REQUIRE(run_in(folder.path(), "predict m.keras d.npz -o p.csv").status == 0);
  CHECK(slurp(folder / "p.csv") == "sum\r\nnan\r\n");
}
