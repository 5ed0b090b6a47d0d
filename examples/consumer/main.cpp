// Trains a tiny model with an installed Cornu: succeeds when the package is complete.
#include <cornu/cornu.h>

#include <cstdio>

using namespace cornu;

int main() {
  const Tensor x = ops::ones({32, 3});
  const Tensor y = ops::ones({32, 1});

  Sequential model({
      Input({3}),
      layers::Dense({.units = 4, .activation = "relu"}),
      layers::Dense({.units = 1}),
  });
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 1e-2}), .loss = "mse"});
  model.fit(x, y, {.batch_size = 8, .epochs = 2});

  const auto parameters = static_cast<long long>(model.count_params());
  std::printf("trained %lld parameters\n", parameters);
  return parameters == 21 ? 0 : 1;
}
