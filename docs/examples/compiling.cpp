// The program of docs/compiling.md.
#include <cornu/cornu.h>

#include <cstdio>

using namespace cornu;

int main() {
  const auto data = datasets::gaussians(512);
  layers::Dense dense_1({.units = 8, .activation = "relu"}),
      dense_2({.units = 8, .activation = "tanh"});
  const auto block = remat([&](const Nest& x) { return Nest(dense_2(dense_1(x.tensor()))); });
  layers::Dense last({.units = 1});
  const optimizers::Adam optimizer({.learning_rate = 1e-2});

  const auto net = [&](const Tensor& x) { return last(block(x).tensor()); };
  net(data.x);  // builds the layers
  std::vector<Variable> variables;
  for (const layers::Dense& layer : {dense_1, dense_2, last})
    for (const Variable& v : layer->trainable_variables()) variables.push_back(v);

  auto step = function([&](const Tensor& x, const Tensor& y) {
    GradientTape tape;
    const Tensor loss = ops::mean(ops::square(net(x) - y));
    optimizer->apply(tape.gradient(loss, variables), variables);
    return loss;
  });
  const double first = step(data.x, data.y).item();
  double loss = first;
  for (int i = 0; i < 200; ++i) loss = step(data.x, data.y).item();
  std::printf("loss %.4f, then %.4f\n%s", first, loss, step->explain().c_str());

  auto clipped = function([](const Tensor& g) {
    const Tensor norm = ops::sqrt(ops::sum(ops::square(g)));
    return ops::cond(
               norm > 1.0, [&] { return Nest(g / norm); }, [&] { return Nest(g); })
        .tensor();
  });
  double norm = 0;
  for (const float size : {0.1f, 5.0f, 0.2f, 30.0f})
    norm = ops::sum(ops::square(clipped(Tensor::from({size}, {1})))).item();
  std::printf("clipped to %.2f\n", norm);

  Sequential model({Input({20}), layers::Dense({.units = 8, .activation = "relu"}),
                    layers::Dense({.units = 1})});
  model.compile({.optimizer = "adam", .loss = "mse", .remat = true});
  model.fit(data.x, data.y, {.epochs = 2, .verbose = Verbose::silent});
  std::printf("%s\n%s", model.explain().c_str(), model.profile(data.x, data.y).c_str());
  return loss < first && norm < 1.001 && step->report().replays > 190 ? 0 : 1;
}
