// cornu replay: steps of a run of cornu train, taken again.
#include <catch.h>
#include <cornu/framework/io/npy_tensor.h>
#include <cornu/framework/model/sequential.h>
#include <cornu/framework/ops/numpy/reduction.h>
#include <cornu/framework/ops/operators.h>
#include <cornu/framework/ops/random/draws.h>
#include <cornu/layers/core/dense.h>
#include <cornu/layers/regularization/dropout.h>

#include <algorithm>

#include "program.h"

namespace replay_test {

using namespace cornu;
using namespace cornu::test;

namespace {

struct Trained : Folder {
  Trained() {
    Sequential model({Input({4}),
                      layers::Dense({.units = 8, .activation = "relu", .name = "first"}),
                      layers::Dropout({.rate = 0.2}), layers::Dense({.units = 1, .name = "last"})});
    model.compile({.optimizer = "adam", .loss = "mse"});
    model.save(*this / "m.keras");
    save_data(1);
    REQUIRE(run_in(path(),
                   "train m.keras d.npz -e 4 -b 8 -q --validation-split 0.2 --patience 3 "
                   "--journal -o run")
                .status == 0);
  }
  void save_data(double scale) {
    const Tensor x = random::normal({50, 4}, 0, scale, 3);
    io::write_npz(*this / "d.npz", {io::array_of("x", x), io::array_of("y", ops::sum(x, 1, true))});
  }
};

}  // namespace

TEST_CASE("cornu replay takes any step of a run again") {
  const Trained folder;
  const std::string table = slurp(folder / "run/history.csv");
  const Outcome one = run_in(folder.path(), "replay run --step 0");
  CHECK(one.status == 0);
  CHECK(has(one, "step 0 of epoch 1 (step 0 of the run)"));
  CHECK(has(one, "on this batch of 8"));
  CHECK(has(one, "the same bits"));
  CHECK(has(one, "first/kernel"));
  const Outcome last =
      run_in(folder.path(), "replay run --epoch 4 --step 4 -o step.npz --threads 1");
  CHECK(last.status == 0);
  CHECK(has(last, "step 4 of epoch 4 (step 19 of the run)"));
  CHECK(has(last, "wrote step.npz"));
  const auto arrays = io::read_npz(folder / "step.npz");
  const auto find = [&](const std::string& ending) {
    const auto found = std::find_if(arrays.begin(), arrays.end(), [&](const auto& array) {
      return array.name.ends_with(ending);
    });
    REQUIRE(found != arrays.end());
    return io::tensor_of(*found);
  };
  CHECK(find("x").shape() == Shape{8, 4});
  CHECK(find("last").shape() == Shape{8, 1});
  CHECK(find("first/kernel").shape() == Shape{4, 8});
  CHECK(slurp(folder / "run/history.csv") == table);
}

TEST_CASE("cornu replay says what is missing or has changed") {
  Trained folder;
  const auto text = [&](const std::string& arguments) {
    const Outcome outcome = run_in(folder.path(), "replay " + arguments);
    CHECK(outcome.status == 1);
    return outcome.text;
  };
  CHECK(has(text("run --step 20"), "has the steps 0 to 19"));
  CHECK(has(text("run --epoch 5 --step 0"), "no step 0 of epoch 5"));
  CHECK(has(text("elsewhere --step 0"), "holds no run"));
  CHECK(run_in(folder.path(), "replay run").status == 2);
  CHECK(run_in(folder.path(), "replay run --step -1").status == 2);
  REQUIRE(run_in(folder.path(), "train m.keras d.npz -e 1 -q -o plain").status == 0);
  CHECK(has(text("plain --step 0"), "has no journal"));
  // Of the same size, so that only the numbers tell.
  folder.save_data(2);
  CHECK(has(text("run --step 6"), "not the same bits"));
  spill(folder / "d.npz", slurp(folder / "d.npz") + " ");
  CHECK(has(text("run --step 6"), "has changed since the run"));
}

}  // namespace replay_test
