// The residual networks: Keras's layers, numbers and weights, and the errors of their options.
#include <cornu/cornu.h>

#include <cmath>

#include "../catch.h"
#include "../support/matchers.h"

namespace resnet_test {

using namespace cornu;

namespace {

const PredictOptions quiet{.verbose = Verbose::silent};

// Numbers in [0, 1) that the script which computed the expected values makes in the same way.
std::vector<double> noise(int64_t count, uint32_t seed) {
  std::vector<double> values(static_cast<size_t>(count));
  for (uint32_t j = 0; j < values.size(); ++j) {
    uint32_t v = j * 2654435761u + seed * 40503u;
    v ^= v >> 15;
    v *= 2246822519u;
    v ^= v >> 13;
    values[j] = v / 4294967296.0;
  }
  return values;
}

Tensor noise_tensor(const Shape& shape, uint32_t seed) {
  const std::vector<double> values = noise(shape.numel(), seed);
  return Tensor::from(std::vector<float>(values.begin(), values.end()), shape);
}

// Weights with which activations neither die nor grow through the network.
void fill(Model& model) {
  uint32_t seed = 0;
  for (Variable v : model.weights()) {
    const Shape& shape = v.shape();
    std::vector<double> values = noise(shape.numel(), seed++);
    const int64_t fan_in = shape.numel() / shape.back();
    for (double& u : values) {
      if (v.name() == "kernel")
        u = (2 * u - 1) * std::sqrt(6.0 / static_cast<double>(fan_in)) * 0.8;
      else if (v.name() == "gamma" || v.name() == "moving_variance")
        u = 0.5 + u;
      else
        u = 0.2 * (u - 0.5);
    }
    v.assign(Tensor::from(std::vector<float>(values.begin(), values.end()), shape));
  }
}

void check_start(const Tensor& found, std::initializer_list<float> expected) {
  const std::vector<float> values = found.to_vector<float>();
  size_t i = 0;
  for (const float value : expected) CHECK(values[i++] == Approx(value).epsilon(1e-4).margin(1e-6));
}

}  // namespace

TEST_CASE("ResNet50 predicts what Keras's does") {
  const Tensor x = noise_tensor({1, 32, 40, 3}, 7);
  const auto model =
      applications::ResNet50({.weights = {}, .input_shape = Shape{32, 40, 3}, .classes = 10});
  fill(*model);
  const Tensor y = model->predict(x, quiet).tensor();
  REQUIRE(y.shape() == Shape{1, 10});
  check_start(y, {0.03044601f, 0.0044201789f, 0.0058393846f, 0.058879364f, 0.28792512f,
                  0.00054237351f, 0.15156367f, 0.43399632f, 0.026051713f, 0.00033575753f});

  const auto features = applications::ResNet50(
      {.include_top = false, .weights = {}, .input_shape = Shape{32, 40, 3}, .pooling = "max"});
  fill(*features);
  const Tensor z = features->predict(x, quiet).tensor();
  REQUIRE(z.shape() == Shape{1, 2048});
  check_start(z, {0.7558133f, 0.0f, 3.2978272f, 1.2038162f, 1.0252223f, 1.6933789f, 2.9052272f,
                  4.0529127f});
  CHECK(ops::sum(z).item() == Approx(5498.403).epsilon(1e-4));
}

TEST_CASE("residual networks have Keras's layers and parameters") {
  const auto model = applications::ResNet50({.weights = {}});
  CHECK(model->name() == "resnet50");
  CHECK(model->count_params() == 25636712);
  REQUIRE(model->layers().size() == 177);
  const char* first[] = {"conv1_pad",  "conv1_conv", "conv1_bn",
                         "conv1_relu", "pool1_pad",  "pool1_pool"};
  for (size_t i = 0; i < std::size(first); ++i) CHECK(model->layers()[i + 1]->name() == first[i]);
  CHECK(model->layers().back()->name() == "predictions");
  for (const char* name : {"conv2_block1_0_conv", "conv3_block4_out", "conv4_block6_2_bn",
                           "conv5_block3_add", "avg_pool"})
    CHECK_NOTHROW(model->get_layer(name));

  const auto deep = applications::ResNet101(
      {.include_top = false, .weights = {}, .pooling = "avg", .name = "features"});
  CHECK(deep->name() == "features");
  CHECK(deep->layers().size() == 346);
  CHECK(deep->count_params() == 44707176 - 2049 * 1000);
  CHECK(deep->get_layer("conv4_block23_out"));
}

TEST_CASE("a residual network starts from a tensor of the user's") {
  const Input image({40, 40, 3});
  const Tensor scaled = layers::Rescaling({.scale = 1.0 / 255})(image);
  const auto model =
      applications::ResNet50({.include_top = false, .weights = {}, .input_tensor = scaled});
  CHECK(model->layers()[1]->base_name() == "rescaling");
  CHECK(model->predict(Tensor(ops::ones({1, 40, 40, 3})), quiet).tensor().shape() ==
        Shape{1, 2, 2, 2048});
}

TEST_CASE("residual networks say which of their options are wrong") {
  using applications::ResNet50;
  CHECK_THROWS_AS(ResNet50(), UnsupportedError);
  CHECK_THROWS_WITH(ResNet50({.include_top = false}),
                    test::contains("include_top=False") && test::contains("ResNet50.weights.h5"));
  CHECK_THROWS_AS(ResNet50({.weights = "no_such_file.weights.h5"}), ValueError);
  CHECK_THROWS_AS(ResNet50({.weights = {}, .input_shape = Shape{31, 64, 3}}), ShapeError);
  CHECK_THROWS_AS(ResNet50({.weights = {}, .input_shape = Shape{64, 64}}), ShapeError);
  CHECK_THROWS_AS(ResNet50({.weights = {}, .input_shape = Shape{Shape::unknown, 64, 3}}),
                  ShapeError);
  CHECK_THROWS_AS(ResNet50({.weights = {}, .pooling = "mean"}), ValueError);
  CHECK_THROWS_AS(ResNet50({.weights = {}, .input_tensor = noise_tensor({1, 32, 32, 3}, 1)}),
                  ValueError);
}

}  // namespace resnet_test
