// The networks, with the shapes and options that the same workloads have in the peers' scripts.
#include <cornu/applications/resnet.h>

#include <cornu/framework/ops/core/cast.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/framework/ops/numpy/indexing.h>
#include <cornu/framework/ops/operators.h>
#include <cornu/framework/ops/random/draws.h>
#include "workloads.h"

namespace cornu::bench {

// Adds a learned embedding of each place.
struct PositionsConfig {
  Required<int64_t> length;
  Required<int64_t> width;
};

class PositionsLayer : public LayerOf<PositionsLayer, PositionsConfig> {
 public:
  using LayerOf::LayerOf;
  void build(const Shape&) override {
    table_ = track("table",
                   layers::Embedding({.input_dim = *config.length, .output_dim = *config.width}));
  }
  Tensor call(const Tensor& x, const Call&) override {
    return x + table_(ops::arange(0, *config.length));
  }

 private:
  layers::Embedding table_ = nullptr;
};
using Positions = Ref<PositionsLayer>;

namespace {

struct Sizes {
  int64_t vocabulary, width, heads, blocks, tokens, batch;
};

// A small transformer, and one of GPT-2's size.
Sizes gpt_sizes(const std::string& name) {
  return name == "gpt_768" ? Sizes{50304, 768, 12, 12, 1024, 8} : Sizes{5000, 256, 4, 4, 128, 16};
}

std::shared_ptr<Model> sums() {
  return make<Sequential>(std::vector<AnyLayer>{
      Input({20}), layers::Dense({.units = 20, .activation = "relu"}),
      layers::Dense({.units = 10, .activation = "relu"}), layers::Dense({.units = 1})});
}

std::shared_ptr<Model> mlp() {
  return make<Sequential>(
      std::vector<AnyLayer>{Input({784}), layers::Dense({.units = 512, .activation = "relu"}),
                            layers::Dense({.units = 512, .activation = "relu"}),
                            layers::Dense({.units = 10, .activation = "softmax"})});
}

std::shared_ptr<Model> mnist_cnn() {
  return make<Sequential>(std::vector<AnyLayer>{
      Input({28, 28, 1}), layers::Conv2D({.filters = 32, .kernel_size = 3, .activation = "relu"}),
      layers::MaxPooling2D(),
      layers::Conv2D({.filters = 64, .kernel_size = 3, .activation = "relu"}),
      layers::MaxPooling2D(), layers::Flatten(), layers::Dropout({.rate = 0.5}),
      layers::Dense({.units = 10, .activation = "softmax"})});
}

std::shared_ptr<Model> recurrent(AnyLayer layer) {
  return make<Sequential>(std::vector<AnyLayer>{
      Input(InputConfig{.shape = {80}, .dtype = DType::int32}),
      layers::Embedding({.input_dim = 20000, .output_dim = 128}), std::move(layer),
      layers::Dense({.units = 1, .activation = "sigmoid"})});
}

Tensor normalized(const Tensor& x) { return layers::LayerNormalization({.epsilon = 1e-5})(x); }

std::shared_ptr<Model> gpt(const Sizes& sizes) {
  const int64_t width = sizes.width;
  const Input ids(InputConfig{.shape = {sizes.tokens}, .dtype = DType::int32});
  Tensor x = layers::Embedding({.input_dim = sizes.vocabulary, .output_dim = width})(ids);
  x = Positions({.length = sizes.tokens, .width = width})(x);
  for (int64_t i = 0; i < sizes.blocks; ++i) {
    Tensor h = normalized(x);
    h = layers::MultiHeadAttention({.num_heads = sizes.heads, .key_dim = width / sizes.heads})(
        h, {.extra = {{"use_causal_mask", true}}});
    x = x + h;
    h = layers::Dense({.units = 4 * width, .activation = "gelu"})(normalized(x));
    x = x + layers::Dense({.units = width})(h);
  }
  return make<Functional>(Nest(ids), layers::Dense({.units = sizes.vocabulary})(normalized(x)));
}

// A convolution or, for one filter a channel, a depthwise one, normalized.
Tensor mobile_conv(const Tensor& x, std::optional<int64_t> filters, int64_t kernel, int64_t strides,
                   bool relu) {
  Tensor y = filters ? layers::Conv2D({.filters = *filters,
                                       .kernel_size = kernel,
                                       .strides = strides,
                                       .padding = "same",
                                       .use_bias = false})(x)
                     : layers::DepthwiseConv2D({.kernel_size = kernel,
                                                .strides = strides,
                                                .padding = "same",
                                                .use_bias = false})(x);
  y = layers::BatchNormalization()(y);
  return relu ? layers::ReLU({.max_value = 6.0})(y) : y;
}

// Sandler et al., MobileNetV2 (2018), table 2.
std::shared_ptr<Model> mobilenet_v2() {
  struct Stage {
    int64_t expansion, filters, blocks, strides;
  };
  const Input image({224, 224, 3});
  Tensor x = mobile_conv(image, 32, 3, 2, true);
  for (const Stage& stage :
       {Stage{1, 16, 1, 1}, Stage{6, 24, 2, 2}, Stage{6, 32, 3, 2}, Stage{6, 64, 4, 2},
        Stage{6, 96, 3, 1}, Stage{6, 160, 3, 2}, Stage{6, 320, 1, 1}})
    for (int64_t block = 0; block < stage.blocks; ++block) {
      const int64_t channels = x.shape().back();
      Tensor y = stage.expansion == 1 ? x : mobile_conv(x, channels * stage.expansion, 1, 1, true);
      y = mobile_conv(y, {}, 3, block == 0 ? stage.strides : 1, true);
      y = mobile_conv(y, stage.filters, 1, 1, false);
      x = block > 0 ? x + y : y;
    }
  x = layers::GlobalAveragePooling2D()(mobile_conv(x, 1280, 1, 1, true));
  return make<Functional>(Nest(image), layers::Dense({.units = 1000, .activation = "softmax"})(x));
}

// Each row's tokens moved one to the left: the next token of each.
Tensor next_tokens(const Tensor& ids) {
  const auto tokens = static_cast<int32_t>(ids.shape()[1]);
  std::vector<int32_t> places;
  for (int32_t i = 0; i < tokens; ++i) places.push_back((i + 1) % tokens);
  return ops::take(ids, Tensor(places), 1);
}

}  // namespace

std::shared_ptr<Model> make_network(const std::string& name) {
  if (name.starts_with("seed")) return sums();
  if (name == "mlp") return mlp();
  if (name == "mnist_cnn") return mnist_cnn();
  if (name == "lstm") return recurrent(layers::LSTM({.units = 128}));
  if (name == "gru") return recurrent(layers::GRU({.units = 128}));
  if (name.starts_with("gpt")) return gpt(gpt_sizes(name));
  if (name == "mobilenet_v2") return mobilenet_v2();
  if (name.starts_with("resnet50")) return applications::ResNet50({.weights = {}});
  throw ValueError("benchmarks: there is no network '" + name + "'.");
}

Task make_task(const std::string& name, int64_t steps) {
  Task task;
  task.model = make_network(name);
  task.optimizer = optimizers::Adam().shared();
  task.loss = losses::SparseCategoricalCrossentropy().shared();
  const auto classes = [](int64_t samples, int64_t count) {
    return random::randint({samples}, 0, count, 2);
  };
  if (name.starts_with("seed")) {
    task.batch = name == "seed_b1" ? 1 : 32;
    task.loss = losses::MeanSquaredError().shared();
    const datasets::Data data = datasets::gaussians(steps * task.batch, 1);
    task.x = data.x;
    task.y = data.y;
  } else if (name == "mlp") {
    task.batch = 128;
    task.x = random::uniform({128 * steps, 784}, 0, 1, 1);
    task.y = classes(128 * steps, 10);
  } else if (name == "mnist_cnn") {
    task.batch = 128;
    task.x = random::uniform({128 * steps, 28, 28, 1}, 0, 1, 1);
    task.y = classes(128 * steps, 10);
  } else if (name == "lstm" || name == "gru") {
    task.batch = 32;
    task.loss = losses::BinaryCrossentropy().shared();
    task.x = random::randint({32 * steps, 80}, 0, 20000, 1);
    task.y = ops::cast(random::randint({32 * steps, 1}, 0, 2, 2), DType::float32);
  } else if (name.starts_with("gpt")) {
    const Sizes sizes = gpt_sizes(name);
    task.batch = sizes.batch;
    task.loss = losses::SparseCategoricalCrossentropy({.from_logits = true}).shared();
    task.x = random::randint({sizes.batch * steps, sizes.tokens}, 0, sizes.vocabulary, 1);
    task.y = next_tokens(task.x);
    task.unit = "tokens/s";
  } else if (name.starts_with("resnet50") || name == "mobilenet_v2") {
    task.batch = name == "resnet50_b128" ? 128 : 16;
    // Memory is what runs out first on a CPU's machine; the other modes do without.
    task.remat = default_device().is_cpu() && name != "mobilenet_v2";
    task.optimizer = optimizers::SGD({.learning_rate = 0.01, .momentum = 0.9}).shared();
    task.x = random::uniform({task.batch * steps, 224, 224, 3}, 0, 1, 1);
    task.y = classes(task.batch * steps, 1000);
  }
  task.amount = static_cast<double>(task.batch * (name.starts_with("gpt") ? task.x.shape()[1] : 1));
  return task;
}

}  // namespace cornu::bench
