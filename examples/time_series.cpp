// Forecasts a long series in short windows with a stateful LSTM: its state is kept from one batch
// to the next, and forgotten at the start of each epoch. The value to forecast depends on what
// came before the window, which the same network without the state cannot know.
// Usage: example_time_series [--full]. Prints the errors of both; exit status 1 unless the stateful
// one is clearly smaller.
#include <cornu/cornu.h>

#include <cstdio>
#include <random>
#include <string_view>

using namespace cornu;

constexpr int64_t streams = 16, window = 8;

// Orders come at random; the stock is what is left of all that came, three days late:
// y[t] = 0.8 y[t - 1] + x[t - 3]. Each of `streams` series is cut into windows, and batch k holds
// window k of every series, so row i of a batch goes on where row i of the batch before stopped.
datasets::Data series(int64_t windows, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  const int64_t length = windows * window;
  std::vector<float> x, y;
  for (int64_t i = 0; i < streams * length; ++i) {
    const int64_t day = i % length;
    x.push_back(normal(random));
    y.push_back((day < 1 ? 0 : 0.8f * y.back()) + (day < 3 ? 0 : x[x.size() - 4]));
  }
  const auto in_batches = [&](const std::vector<float>& values) {
    const Tensor by_stream = Tensor::from(values, {streams, windows, window, 1});
    return ops::reshape(ops::transpose(by_stream, {{1, 0, 2, 3}}), {windows * streams, window, 1});
  };
  return {in_batches(x), in_batches(y)};
}

// The error on new series after training.
double train(bool stateful, int64_t windows, int64_t epochs) {
  random::set_seed(1);
  const layers::LSTM lstm({.units = 16, .return_sequences = true, .stateful = stateful});
  Sequential model({
      Input(InputConfig{.shape = {window, 1}, .batch_size = streams}),
      lstm,
      layers::Dense({.units = 1}),
  });
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 1e-2}), .loss = "mse"});

  const datasets::Data data = series(windows, 1), fresh = series(windows, 2);
  const auto forget = [&](int64_t, Logs&) { lstm->reset_state(); };
  model.fit(data.x, data.y,
            {.batch_size = streams,
             .epochs = epochs,
             .verbose = Verbose::silent,
             .callbacks = {callbacks::LambdaCallback({.on_epoch_begin = forget})},
             .shuffle = false});
  lstm->reset_state();
  return model.evaluate(fresh.x, fresh.y, {.batch_size = streams, .verbose = Verbose::silent})
      .at("loss");
}

int main(int argc, char** argv) {
  const bool full = argc > 1 && std::string_view(argv[1]) == "--full";
  const int64_t windows = full ? 400 : 80, epochs = full ? 40 : 20;
  const double without = train(false, windows, epochs);
  const double with = train(true, windows, epochs);
  std::printf("squared error on new series: %.4f without state, %.4f with it\n", without, with);
  return with < 0.5 * without ? 0 : 1;
}
