// Options of networks: what they change, and what is wrong with them.
#include <cornu/cornu.h>

#include "../catch.h"
#include "../support/temporary.h"
#include "cases.h"

namespace options_test {

using namespace cornu;
using namespace cornu::applications;

namespace {

const PredictOptions quiet{.verbose = Verbose::silent};

}  // namespace

TEST_CASE("a network with channels first computes what it does with channels last") {
  const Tensor x = random::uniform({1, 32, 32, 3}, -1, 1, 5);
  const auto last = MobileNetV2({.input_shape = Shape{32, 32, 3}, .alpha = 0.35, .weights = {}});
  const auto first = MobileNetV2({.input_shape = Shape{3, 32, 32},
                                  .alpha = 0.35,
                                  .weights = {},
                                  .data_format = "channels_first"});
  CHECK(first->name() == "mobilenetv2_0.35_32");
  first->set_weights(last->get_weights());
  const Tensor y =
      first->predict(ops::transpose(x, std::vector<int64_t>{0, 3, 1, 2}), quiet).tensor();
  CHECK(ops::allclose(y, last->predict(x, quiet).tensor(), 1e-4, 1e-6).item() != 0);
}

TEST_CASE("weights come from files of each kind") {
  const test::TemporaryFolder folder;
  const NASNetOptions options{.input_shape = Shape{32, 32, 3}, .weights = {}, .classes = 2};
  const auto saved = NASNetMobile(options);
  const Tensor x = random::uniform({1, 32, 32, 3}, -1, 1, 5);
  const Tensor y = saved->predict(x, quiet).tensor();
  saved->save(folder / "model.keras");
  saved->save_weights(folder / "model.weights.h5");
  for (const char* name : {"model.keras", "model.weights.h5"}) {
    NASNetOptions other = options;
    other.weights = (folder / name).string();
    INFO(name);
    CHECK(ops::allclose(NASNetMobile(other)->predict(x, quiet).tensor(), y, 0, 0).item() != 0);
    other.classes = 3;
    CHECK_THROWS_AS(NASNetMobile(other), FileError);
  }
}

TEST_CASE("options take nullptr for none, and a shape in braces") {
  const auto network = MobileNetV2({.input_shape = {32, 32, 3},
                                    .alpha = 0.35,
                                    .include_top = false,
                                    .weights = nullptr,
                                    .pooling = nullptr});
  CHECK(network->output_shape() == Shape{Shape::unknown, 1, 1, 1280});
  const ApplicationOptions options{
      .weights = nullptr, .input_shape = {71, 71, 3}, .pooling = nullptr};
  CHECK_FALSE(options.weights);
  CHECK_FALSE(options.pooling);
  CHECK(options.input_shape == Shape{71, 71, 3});
  CHECK(ApplicationOptions{.weights = "some.h5"}.weights == "some.h5");
}

TEST_CASE("networks of other image sizes say what is wrong") {
  CHECK_THROWS_WITH(InceptionV3({.weights = {}, .input_shape = Shape{74, 80, 3}}),
                    test::contains("at least 75 x 75"));
  CHECK_THROWS_AS(Xception({.weights = {}, .input_shape = Shape{70, 80, 3}}), ShapeError);
  const Shape any{Shape::unknown, Shape::unknown, 3};
  CHECK_THROWS_AS(NASNetLarge({.input_shape = any, .include_top = false, .weights = {}}),
                  ShapeError);
  CHECK_THROWS_AS(DenseNet121({.weights = {}, .input_shape = any}), ShapeError);
  const Input image({40, 40, 3});
  CHECK_THROWS_AS(MobileNetV3Small({.input_shape = Shape{48, 40, 3},
                                    .include_top = false,
                                    .weights = {},
                                    .input_tensor = image}),
                  ShapeError);
}

TEST_CASE("a network is called as a layer of another model") {
  const auto base = MobileNetV3Small(
      {.input_shape = Shape{32, 32, 3}, .include_top = false, .weights = {}, .pooling = "avg"});
  const Input image({32, 32, 3});
  const Tensor y = layers::Dense({.units = 2})(base(image, {.training = false}));
  CHECK(Functional(image, y).predict(ops::ones({1, 32, 32, 3}), quiet).shape() == Shape{1, 2});
  const std::shared_ptr<Functional> shared = base;
  CHECK(shared->name() == "MobileNetV3Small");
}

TEST_CASE("networks say which of their options are wrong") {
  CHECK_THROWS_WITH(VGG16(), test::contains("VGG16.weights.h5"));
  for (const auto& network : test::network_functions()) {
    INFO(network.name);
    CHECK_THROWS_AS(network.make({.weights = "imagenet"}), UnsupportedError);
    CHECK_THROWS_AS(network.make({.weights = "no such file"}), ValueError);
    CHECK_THROWS_AS(network.make({.input_shape = Shape{16, 64, 3}}), ShapeError);
    CHECK_THROWS_AS(network.make({.classes = 0}), ValueError);
  }
  CHECK_THROWS_AS(DenseNet121({.weights = {}, .data_format = "channels_first"}), ValueError);
  CHECK_THROWS_AS(VGG16({.weights = {}, .data_format = "first"}), ValueError);
}

}  // namespace options_test
