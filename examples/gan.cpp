// A generative adversarial network for handwritten digits: a model with a train_step of its own, in
// which two networks are trained by two optimizers, saved and loaded again.
// Usage: example_gan [--full]. Prints losses and digits that it made up; exit status 1 if what they
// look like on average is far from the digits, or the file makes others.
#include <cornu/cornu.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <string_view>

using namespace cornu;

struct GanConfig {
  int64_t latent = 16;
  Choice<Optimizer> d_optimizer = optimizers::Adam({.learning_rate = 1e-3, .beta_1 = 0.5});
};

// Noise (batch, latent) to images; trained by images alone. compile's optimizer is the generator's.
class Gan : public ModelOf<Gan, GanConfig> {
 public:
  using ModelOf::ModelOf;
  Tensor call(const Tensor& noise, const Call&) override { return (*generator)(noise); }
  Tensor noise(int64_t count) { return random::normal({count, config.latent}, 0, 1, seeds); }

  StepLogs train_step(const Batch& batch) override {
    const Tensor real = batch.x;
    const int64_t count = real.shape(0);
    const auto loss_of = [&](double truth, const Tensor& logits) {
      return ops::mean(ops::binary_crossentropy(truth * ops::ones_like(logits), logits, true));
    };

    const Tensor fake = (*generator)(noise(count), {.training = true});
    GradientTape d_tape;
    const Tensor d_loss = loss_of(0.9, (*discriminator)(real, {.training = true})) +
                          loss_of(0, (*discriminator)(fake, {.training = true}));
    const auto d_weights = discriminator->trainable_variables();
    config.d_optimizer->apply(d_tape.gradient(d_loss, d_weights), d_weights);

    GradientTape g_tape;
    const Tensor made = (*generator)(noise(count), {.training = true});
    const Tensor g_loss = loss_of(1, (*discriminator)(made, {.training = true}));
    const auto g_weights = generator->trainable_variables();
    optimizer()->apply(g_tape.gradient(g_loss, g_weights), g_weights);

    d_mean->update_state(d_loss);
    g_mean->update_state(g_loss);
    return {{"d_loss", d_mean->result()}, {"g_loss", g_mean->result()}};
  }

 private:
  std::shared_ptr<Sequential> generator =
      track("generator", make<Sequential>(std::vector<AnyLayer>{
                             Input({config.latent}),
                             layers::Dense({.units = 128, .activation = "relu"}),
                             layers::Dense({.units = 128, .activation = "relu"}),
                             layers::Dense({.units = 64, .activation = "sigmoid"}),
                             layers::Reshape({.target_shape = {8, 8, 1}}),
                         }));
  std::shared_ptr<Sequential> discriminator =
      track("discriminator", make<Sequential>(std::vector<AnyLayer>{
                                 Input({8, 8, 1}),
                                 layers::Flatten(),
                                 layers::Dense({.units = 128, .activation = "leaky_relu"}),
                                 layers::Dropout({.rate = 0.3}),
                                 layers::Dense({.units = 1}),
                             }));
  std::shared_ptr<Metric> d_mean = add_metric(metrics::Mean({.name = "d_loss"}));
  std::shared_ptr<Metric> g_mean = add_metric(metrics::Mean({.name = "g_loss"}));
  SeedGenerator& seeds = add_seed_generator({});
};
CORNU_REGISTER("gan>Gan", Gan);

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
  const Tensor digits = datasets::digits().train.x;

  Gan gan{GanConfig()};
  gan.compile({.optimizer = optimizers::Adam({.learning_rate = 2e-3, .beta_1 = 0.5})});
  // Made for all weights, as that of a loaded model is, so that the file's state fits it.
  gan.optimizer()->build(gan.trainable_variables());
  gan.fit(digits, {}, {.batch_size = 64, .epochs = full ? 600 : 150});

  const Tensor noise = gan.noise(200);
  const Tensor made = gan.predict(noise);
  print(take_rows(made, 0, 8));
  const double difference = ops::mean(ops::abs(ops::mean(made, 0) - ops::mean(digits, 0))).item();
  std::printf("the mean image is %.3f from that of the digits\n", difference);

  std::filesystem::create_directories("out");
  gan.save("out/gan.keras");
  const auto loaded = load_model("out/gan.keras");
  const bool same = ops::all(ops::equal(loaded->predict(noise), made)).item();
  std::printf("the model from out/gan.keras makes %s images\n", same ? "the same" : "OTHER");
  loaded->fit(digits, {}, {.batch_size = 64});
  return same && difference < 0.2 ? 0 : 1;
}
