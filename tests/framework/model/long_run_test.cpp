// Long runs on the device of the tests: numbers beside the CPU's, and memory that stays and goes.
#include <cornu/framework/ops/random/seed.h>
#include <cornu/layers/convolutional/conv.h>
#include <cornu/layers/normalization/batch_normalization.h>
#include <cornu/layers/pooling/max_pooling.h>
#include <cornu/layers/recurrent/lstm.h>
#include <cornu/layers/regularization/dropout.h>
#include <cornu/layers/reshaping/flatten.h>
#include <cornu/optimizers/adam.h>

#include "model_support.h"

namespace long_run_test {

using namespace cornu;
using namespace cornu::test;

namespace {

std::shared_ptr<Model> network() {
  auto model = make<Sequential>(std::vector<AnyLayer>{
      Input({8, 8, 3}),
      layers::Conv2D({.filters = 8, .kernel_size = 3, .padding = "same", .activation = "relu"}),
      layers::BatchNormalization(), layers::MaxPooling2D(), layers::Flatten(),
      layers::Dropout({.rate = 0.25}), layers::Dense({.units = 5, .activation = "softmax"})});
  model->compile({.optimizer = optimizers::Adam({.learning_rate = 1e-3}),
                  .loss = "sparse_categorical_crossentropy"});
  return model;
}

std::shared_ptr<Model> recurrent_network() {
  auto model =
      make<Sequential>(std::vector<AnyLayer>{Input({6, 4}), layers::LSTM({.units = 8}),
                                             layers::Dense({.units = 5, .activation = "softmax"})});
  model->compile({.optimizer = optimizers::Adam({.learning_rate = 1e-3}),
                  .loss = "sparse_categorical_crossentropy"});
  return model;
}

struct Task {
  std::shared_ptr<Model> (*make)();
  Shape rows;
};

struct Run {
  std::vector<double> losses;
  std::vector<std::vector<float>> weights;
};

constexpr int64_t rows = 80, batch = 16;

Run trained(const Task& task, const Device& device, int64_t steps) {
  const DeviceScope scope(device);
  random::set_seed(21);
  const std::shared_ptr<Model> model = task.make();
  const Tensor x = wave(concat({rows}, task.rows));
  std::vector<int32_t> labels;
  for (int64_t i = 0; i < rows; ++i) labels.push_back(static_cast<int32_t>(i * i % 5));
  const History history = model->fit(
      x, Tensor::from(labels, {rows}),
      {.batch_size = batch, .epochs = steps / (rows / batch), .verbose = Verbose::silent});
  Run run;
  run.losses = history["loss"];
  for (const Variable& weight : model->weights()) run.weights.push_back(floats(weight));
  return run;
}

const Task tasks[] = {{network, {8, 8, 3}}, {recurrent_network, {6, 4}}};

}  // namespace

TEST_CASE("A seed trains on every device as on the CPU, over 100 steps") {
  if (default_device().is_cpu()) return;  // the CPU beside itself: same_bits_test
  for (const Task& task : tasks) {
    const Run here = trained(task, default_device(), 100), cpu = trained(task, Device("cpu"), 100);
    REQUIRE(here.losses.size() == cpu.losses.size());
    for (size_t i = 0; i < cpu.losses.size(); ++i)
      CHECK(std::abs(here.losses[i] - cpu.losses[i]) < 1e-3 * std::abs(cpu.losses[i]));
    CHECK(cpu.losses.back() < cpu.losses.front());
    REQUIRE(here.weights.size() == cpu.weights.size());
    for (size_t i = 0; i < cpu.weights.size(); ++i) {
      REQUIRE(here.weights[i].size() == cpu.weights[i].size());
      double most = 0;
      for (size_t j = 0; j < cpu.weights[i].size(); ++j)
        most = std::max(most, std::abs(double{here.weights[i][j]} - cpu.weights[i][j]));
      INFO("weight " << i);
      CHECK(most < 5e-3);
    }
  }
}

TEST_CASE("1,000 steps take no memory, and what models had goes back") {
  // Kernels, and what libraries keep, are there after the first model.
  for (const Task& task : tasks) trained(task, default_device(), 10);
  memory::release();
  const memory::Stats before = memory::stats();
  {
    const std::shared_ptr<Model> model = network();
    const Tensor x = wave({batch, 8, 8, 3}),
                 y = Tensor::from(std::vector<int32_t>(batch, 2), {batch});
    for (int i = 0; i < 10; ++i) model->train_on_batch(x, y);
    memory::reset_peak();
    const memory::Stats warm = memory::stats();
    for (int i = 0; i < 1000; ++i) model->train_on_batch(x, y);
    const memory::Stats after = memory::stats();
    CHECK(after.live == warm.live);
    CHECK(after.live + after.cached == warm.live + warm.cached);
    CHECK(after.peak <= warm.live + warm.cached);
  }
  memory::release();
  const memory::Stats end = memory::stats();
  CHECK(end.live == before.live);
  CHECK(end.live + end.cached <= before.live + before.cached);
}

}  // namespace long_run_test
