// A variational autoencoder of handwritten digits: a layer that draws samples and adds a loss of
// its own (add_loss), between an encoder and a decoder that are trained together by fit.
// Usage: example_vae [--full]. Prints the losses and digits along a line through the latent space;
// exit status 1 if the digits that come back are no nearer than their mean.
#include <cornu/cornu.h>

#include <array>
#include <cstdio>
#include <string_view>

using namespace cornu;

constexpr int64_t latent = 4;

// {mean, log(variance)} to a draw from that distribution. How far it is from the standard normal
// distribution is a loss: the divergence of Kullback and Leibler, as a mean over the batch.
struct SamplingConfig {
  double weight = 1;
};

class SamplingLayer : public LayerOf<SamplingLayer, SamplingConfig> {
 public:
  using LayerOf::LayerOf;
  Nest call_many(const Nest& inputs, const Call& call) override {
    const Tensor mean = inputs[0], log_variance = inputs[1];
    const Tensor divergence =
        -0.5 * ops::sum(1 + log_variance - ops::square(mean) - ops::exp(log_variance), -1);
    add_loss(config.weight * ops::mean(divergence));
    if (!call.is_training()) return mean;
    return mean + ops::exp(0.5 * log_variance) * random::normal(mean.shape(), 0, 1, seeds);
  }

 private:
  SeedGenerator& seeds = add_seed_generator({});
};
using Sampling = Ref<SamplingLayer>;

// Images (n, 8, 8, 1) in [0, 1] side by side.
void print(const Tensor& images) {
  const auto pixels = images.values<float>();
  for (size_t y = 0; y < 8; ++y, std::putchar('\n'))
    for (size_t i = 0; i < pixels.size() / 64; ++i, std::fputs("  ", stdout))
      for (size_t x = 0; x < 8; ++x)
        std::fputs(std::array{"  ", "..", "oo",
                              "##"}[static_cast<size_t>(3.99f * pixels[64 * i + 8 * y + x])],
                   stdout);
}

int main(int argc, char** argv) {
  const bool full = argc > 1 && std::string_view(argv[1]) == "--full";
  random::set_seed(1);
  const auto [train, test] = datasets::digits();

  const Input image({8, 8, 1});
  Tensor x = layers::Conv2D(
      {.filters = 32, .kernel_size = 3, .padding = "same", .activation = "relu"})(image);
  x = layers::Flatten()(layers::MaxPooling2D()(x));
  x = layers::Dense({.units = 64, .activation = "relu"})(x);
  const Tensor mean = layers::Dense({.units = latent})(x);
  const Tensor log_variance = layers::Dense({.units = latent})(x);
  const Tensor code = Sampling()({mean, log_variance});
  const auto encoder = make<Functional>(image, code);

  const auto decoder = make<Sequential>(std::vector<AnyLayer>{
      Input({latent}),
      layers::Dense({.units = 64, .activation = "relu"}),
      layers::Dense({.units = 64, .activation = "sigmoid"}),
      layers::Reshape({.target_shape = {8, 8, 1}}),
  });

  Functional vae(image, (*decoder)(code));
  // A sum over the pixels weighs their error and the divergence as in the paper.
  vae.compile({.optimizer = optimizers::Adam({.learning_rate = 3e-3}),
               .loss = [](const Tensor& y_true, const Tensor& y_pred) {
                 return ops::sum(ops::binary_crossentropy(y_true, y_pred), {1, 2, 3});
               }});
  const History history =
      vae.fit(train.x, train.x, {.epochs = full ? 300 : 60, .validation_data = {test.x, test.x}});

  // From one digit to another, through what lies between their codes.
  const Tensor codes = encoder->predict(take_rows(test.x, 0, 2));
  const Tensor step = ops::reshape(ops::linspace(0.0, 1.0, 8), {8, 1});
  print(decoder->predict(codes[0] + step * (codes[1] - codes[0])));

  const double error = ops::mean(ops::square(vae.predict(test.x) - test.x)).item();
  const double of_mean = ops::mean(ops::square(ops::mean(train.x, 0) - test.x)).item();
  std::printf("squared error of test digits %.4f, of their mean %.4f\n", error, of_mean);
  return history["loss"].back() < history["loss"].front() && error < 0.6 * of_mean ? 0 : 1;
}
