// A layer and a model of one's own: trained, saved, and trained on from the file with the same
// numbers, here or in a fresh process. Usage: example_custom_layer [--continue FILE]
#include <cornu/cornu.h>

#include <cstdio>
#include <cstring>
#include <filesystem>

using namespace cornu;

// x + Dense(x), with as many units as x has.
struct ResidualConfig {
  Required<int64_t> units;
  std::string activation = "relu";
};

class ResidualLayer : public LayerOf<ResidualLayer, ResidualConfig> {
 public:
  using LayerOf::LayerOf;
  void build(const Shape&) override {
    inner = track("inner", layers::Dense({.units = config.units, .activation = config.activation}));
  }
  Tensor call(const Tensor& x, const Call&) override { return x + inner(x); }

 private:
  layers::Dense inner = nullptr;
};
using Residual = Ref<ResidualLayer>;
CORNU_REGISTER("examples>Residual", ResidualLayer);

class Net : public Model {
 public:
  Tensor call(const Tensor& x, const Call&) override { return out(norm(residual(hidden(x)))); }

 private:
  layers::Dense hidden = track("hidden", layers::Dense({.units = 16, .activation = "relu"}));
  Residual residual = track("residual", Residual({.units = 16}));
  layers::BatchNormalization norm = track("norm", layers::BatchNormalization());
  layers::Dense out = track("out", layers::Dense({.units = 1}));
};
CORNU_REGISTER("examples>Net", Net);

namespace {

// Trains for some epochs and returns the loss of each. Without shuffling the numbers depend on the
// weights alone.
std::vector<double> train(Model& model, int64_t epochs) {
  const datasets::Data data = datasets::gaussians(512, 3);
  return model.fit(data.x, data.y,
                   {.epochs = epochs, .verbose = Verbose::silent, .shuffle = false})["loss"];
}

void print(const char* what, const std::vector<double>& losses) {
  std::printf("%-28s", what);
  for (double loss : losses) std::printf(" %.9g", loss);
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  const char* file = "out/custom_layer.keras";
  if (argc == 3 && !std::strcmp(argv[1], "--continue")) {
    print("continued from the file:", train(*load_model(argv[2]), 2));
    return 0;
  }
  if (argc > 1) {
    std::fprintf(stderr, "usage: %s [--continue FILE]\n", argv[0]);
    return 2;
  }

  random::set_seed(1);
  Net net;
  net.compile({.optimizer = optimizers::Adam({.learning_rate = 0.01}), .loss = "mse"});
  const std::vector<double> first = train(net, 3);
  print("trained:", first);
  std::filesystem::create_directories("out");
  net.save(file);

  const auto loaded = load_model(file);
  const std::vector<double> here = train(net, 2), there = train(*loaded, 2);
  print("trained on:", here);
  print("continued from the file:", there);
  std::printf("a fresh process does the same: %s --continue %s\n", argv[0], file);
  return here == there && first.back() < first.front() ? 0 : 1;
}
