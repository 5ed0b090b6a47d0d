// ResNet-50 with a head and a loss of one's own, trained in three ways: by fit, by a step that
// function() compiles, and by the same step eagerly. All three begin with the same weights.
// Usage: example_resnet_speed [--full] [--size PIXELS] [--batch N] [--steps N]. Prints images per
// second side by side; exit status 1 unless the loss falls in each.
#include <cornu/cornu.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string_view>

using namespace cornu;

struct Flags {
  int64_t size = 32, batch = 8, steps = 3;
};

Flags parse(int argc, char** argv) {
  Flags flags;
  for (int i = 1; i < argc; ++i) {
    const std::string_view flag = argv[i];
    int64_t* number = flag == "--size"    ? &flags.size
                      : flag == "--batch" ? &flags.batch
                      : flag == "--steps" ? &flags.steps
                                          : nullptr;
    if (flag == "--full") {
      flags = {.size = 224, .batch = 16, .steps = 4};
    } else if (number && i + 1 < argc && std::atoll(argv[i + 1]) > 0) {
      *number = std::atoll(argv[++i]);
    } else {
      std::fprintf(stderr, "usage: %s [--full] [--size PIXELS] [--batch N] [--steps N]\n", argv[0]);
      std::exit(2);
    }
  }
  return flags;
}

// The cosine of the angle between features and a learned direction for each class, as logits.
struct CosineHeadConfig {
  Required<int64_t> classes;
  double scale = 10;
};

class CosineHeadLayer : public LayerOf<CosineHeadLayer, CosineHeadConfig> {
 public:
  using LayerOf::LayerOf;
  void build(const Shape& input) override {
    directions = add_weight({.name = "directions", .shape = {input.back(), *config.classes}});
  }
  Tensor call(const Tensor& x, const Call&) override {
    return config.scale * ops::matmul(ops::normalize(x, -1), ops::normalize(directions, 0));
  }

 private:
  Variable directions;
};
using CosineHead = Ref<CosineHeadLayer>;

// Crossentropy to which samples that are right already add little (Lin et al., 2017).
Tensor focal_loss(const Tensor& y_true, const Tensor& logits) {
  const Tensor loss = ops::sparse_categorical_crossentropy(y_true, logits, true);
  return ops::square(1 - ops::exp(-loss)) * loss;
}

int main(int argc, char** argv) {
  const Flags flags = parse(argc, argv);
  random::set_seed(1);
  const auto base = applications::ResNet50({.include_top = false,
                                            .weights = {},
                                            .input_shape = Shape{flags.size, flags.size, 3},
                                            .pooling = "avg"});
  Functional model(base->inputs(), CosineHead({.classes = 10})(base->outputs().tensor()));
  const std::vector<Tensor> initial = model.get_weights();
  const std::vector<Variable> weights = model.trainable_variables();

  const int64_t images = flags.batch * flags.steps;
  const Tensor x = random::uniform({images, flags.size, flags.size, 3}, 0, 1, 1);
  const Tensor y = random::randint({images}, 0, 10, 2);
  const auto make_optimizer = [] {
    return optimizers::SGD({.learning_rate = 0.01, .momentum = 0.9});
  };

  // Each mode trains an epoch before the clock runs: its first steps are recorded and compiled.
  bool fallen = true;
  const auto measure = [&](const char* mode, const std::function<double()>& epoch) {
    model.set_weights(initial);
    const double first = epoch();
    const auto start = std::chrono::steady_clock::now();
    const double last = epoch();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    const double speed = static_cast<double>(images) / seconds.count();
    std::printf("%-10s %7.2f images/s, loss %.4f, then %.4f\n", mode, speed, first, last);
    fallen = fallen && last < first;
    return speed;
  };

  model.compile({.optimizer = make_optimizer(), .loss = focal_loss});
  measure("fit", [&] {
    return model
        .fit(x, y,
             {.batch_size = flags.batch, .verbose = Verbose::silent, .shuffle = false})["loss"]
        .back();
  });

  const auto make_step = [&] {
    return [&model, &weights, optimizer = make_optimizer()](const Tensor& x, const Tensor& y) {
      GradientTape tape;
      const Tensor loss = ops::mean(focal_loss(y, model(x, {.training = true})));
      optimizer->apply(tape.gradient(loss, weights), weights);
      return loss;
    };
  };
  // The mean loss of an epoch of such steps.
  const auto epoch_of = [&](const auto& step) {
    return [&] {
      Tensor total = 0;
      for (int64_t i = 0; i < images; i += flags.batch)
        total = total + step(take_rows(x, i, i + flags.batch), take_rows(y, i, i + flags.batch));
      return total.item() / static_cast<double>(flags.steps);
    };
  };
  const auto eager = make_step();
  const auto compiled = function(make_step());
  const double fast = measure("function", epoch_of(compiled));
  const double slow = measure("eager", epoch_of(eager));
  std::printf("a compiled step is %.2f times as fast as an eager one\n", fast / slow);
  return fallen ? 0 : 1;
}
