// The examples of Keras's guide to layers and models of one's own.
#include <cornu/cornu.h>

#include "guide_goldens.h"
#include "support/temporary.h"

namespace making_new_layers_and_models_via_subclassing_test {

using namespace cornu;
using namespace cornu::test;

namespace {

Value golden(const char* example) {
  return recorded("making_new_layers_and_models_via_subclassing", example);
}

constexpr Verbose silent = Verbose::silent;

// Numbers of weights, kind by kind.
template <class... Lists>
std::vector<int64_t> sizes(const Lists&... lists) {
  return {static_cast<int64_t>(lists.size())...};
}

// [layer, weight] of each weight, without the numbers of names; see unnumbered.
using Names = std::vector<std::vector<std::string>>;
Names names_in(const Layer& layer) {
  Names names;
  for (const Variable& w : layer.weights()) {
    const std::string& path = w.path();
    const size_t slash = path.rfind('/');
    REQUIRE(slash != std::string::npos);
    const size_t before = path.rfind('/', slash - 1) + 1;
    names.push_back(
        {unnumbered(path.substr(before, slash - before)), unnumbered(path.substr(slash + 1))});
  }
  return names;
}
Names names_of_weights(const Value& golden) {
  Names names;
  for (const Value& parts : golden.get<Value::List>()) {
    names.push_back(list_of<std::string>(parts));
    for (std::string& name : names.back()) name = unnumbered(name);
  }
  return names;
}

struct LinearWithInputConfig {
  int64_t units = 32, input_dim = 32;
};
class LinearWithInputLayer : public LayerOf<LinearWithInputLayer, LinearWithInputConfig> {
 public:
  explicit LinearWithInputLayer(LinearWithInputConfig c) : LayerOf(c) {
    w = add_weight({.shape = {config.input_dim, config.units}, .initializer = "random_normal"});
    b = add_weight({.shape = {config.units}, .initializer = "zeros"});
  }
  Tensor call(const Tensor& inputs, const Call&) override { return ops::matmul(inputs, w) + b; }

  Variable w, b;
};
using LinearWithInput = Ref<LinearWithInputLayer>;

}  // namespace

TEST_CASE("subclassing: weights that the constructor makes") {
  const Value expected = golden("weights_in_the_constructor");
  random::set_seed(1);
  LinearWithInput linear_layer({.units = 4, .input_dim = 2});
  Tensor y = linear_layer(ops::ones({2, 2}));
  check_same(y, entry(expected, "y"));
  check_same(linear_layer->w, entry(expected, "w"));
  CHECK(linear_layer->weights() == std::vector<Variable>{linear_layer->w, linear_layer->b});
  CHECK(linear_layer->name() == entry(expected, "name").get<std::string>());
}

namespace {

class ComputeSum : public Layer {
 public:
  explicit ComputeSum(int64_t input_dim) {
    total_ = add_weight({.shape = {input_dim}, .initializer = "zeros", .trainable = false});
  }
  Tensor call(const Tensor& inputs, const Call&) override {
    total_.assign_add(ops::sum(inputs, 0));
    return total_;
  }

 private:
  Variable total_;
};

}  // namespace

TEST_CASE("subclassing: a weight that is not trained") {
  const Value expected = golden("weight_that_is_not_trained");
  auto my_sum = make<ComputeSum>(2);
  Tensor x = ops::ones({2, 2});
  Tensor first = my_sum(x);
  Tensor second = my_sum(x);
  check_same(first, entry(expected, "first"));
  check_same(second, entry(expected, "second"));
  CHECK(sizes(my_sum->weights(), my_sum->non_trainable_variables(),
              my_sum->trainable_variables()) == list_of<int64_t>(entry(expected, "counts")));
  CHECK(my_sum->name() == entry(expected, "name").get<std::string>());
}

namespace {

struct LinearConfig {
  int64_t units = 32;
  std::string name = "";
  bool trainable = true;
};
class LinearLayer : public LayerOf<LinearLayer, LinearConfig> {
 public:
  using LayerOf::LayerOf;
  void build(const Shape& input) override {
    w_ = add_weight({.shape = {input.back(), config.units}, .initializer = "random_normal"});
    b_ = add_weight({.shape = {config.units}, .initializer = "random_normal"});
  }
  Tensor call(const Tensor& inputs, const Call&) override { return ops::matmul(inputs, w_) + b_; }

 private:
  Variable w_, b_;
};
using Linear = Ref<LinearLayer>;

}  // namespace

TEST_CASE("subclassing: weights that the first call makes") {
  const Value expected = golden("weights_in_build");
  random::set_seed(1);
  Linear linear_layer({.units = 32});
  CHECK(sizes(linear_layer->weights())[0] == entry(expected, "before").get<int64_t>());
  Tensor y = linear_layer(ops::ones({2, 2}));
  check_same(y, entry(expected, "y"));
  REQUIRE(linear_layer->weights().size() == 2);
  CHECK(linear_layer->weights()[0].shape() == Shape{2, 32});
  CHECK(linear_layer->weights()[1].shape() == Shape{32});
}

namespace {

class MLPBlock : public Layer {
 public:
  MLPBlock() {
    track("linear_1", linear_1_);
    track("linear_2", linear_2_);
    track("linear_3", linear_3_);
  }
  Tensor call(const Tensor& inputs, const Call&) override {
    Tensor x = linear_1_(inputs);
    x = activations::relu(x);
    x = linear_2_(x);
    x = activations::relu(x);
    return linear_3_(x);
  }

 private:
  Linear linear_1_{{.units = 32}}, linear_2_{{.units = 32}}, linear_3_{{.units = 1}};
};

}  // namespace

TEST_CASE("subclassing: layers inside of a layer") {
  const Value expected = golden("layers_in_layers");
  random::set_seed(1);
  auto mlp = make<MLPBlock>();
  Tensor y = mlp(ops::ones({3, 64}));
  check_same(y, entry(expected, "y"));
  CHECK(sizes(mlp->weights(), mlp->trainable_variables()) ==
        list_of<int64_t>(entry(expected, "counts")));
  CHECK(mlp->name() == "mlp_block");
  CHECK(names_in(*mlp) == names_of_weights(entry(expected, "names")));
}

namespace {

struct ActivityRegularizationConfig {
  double rate = 1e-2;
};
class ActivityRegularizationLayer
    : public LayerOf<ActivityRegularizationLayer, ActivityRegularizationConfig> {
 public:
  using LayerOf::LayerOf;
  Tensor call(const Tensor& inputs, const Call&) override {
    add_loss(config.rate * ops::mean(inputs));
    return inputs;
  }
};
using ActivityRegularization = Ref<ActivityRegularizationLayer>;

class OuterLayer : public Layer {
 public:
  OuterLayer() { track("activity_reg", activity_reg_); }
  Tensor call(const Tensor& inputs, const Call&) override { return activity_reg_(inputs); }

 private:
  ActivityRegularization activity_reg_{{.rate = 1e-2}};
};

}  // namespace

TEST_CASE("subclassing: losses that a call adds") {
  const Value expected = golden("losses_of_a_call");
  auto layer = make<OuterLayer>();
  std::vector<int64_t> counts = sizes(layer->losses());
  (void)layer(ops::zeros({1, 1}));
  counts.push_back(sizes(layer->losses())[0]);
  // Those of the call before are gone.
  (void)layer(ops::ones({1, 1}));
  counts.push_back(sizes(layer->losses())[0]);
  CHECK(counts == list_of<int64_t>(entry(expected, "counts")));
  REQUIRE(layer->losses().size() == 1);
  CHECK(layer->losses()[0].item() == Approx(entry(expected, "loss").get<double>()));
}

namespace {

class OuterLayerWithKernelRegularizer : public Layer {
 public:
  OuterLayerWithKernelRegularizer() { track("dense", dense); }
  Tensor call(const Tensor& inputs, const Call&) override { return dense(inputs); }

  layers::Dense dense{{.units = 32, .kernel_regularizer = regularizers::l2(1e-3)}};
};

}  // namespace

TEST_CASE("subclassing: losses of weights inside") {
  const Value expected = golden("losses_of_weights");
  random::set_seed(1);
  auto layer = make<OuterLayerWithKernelRegularizer>();
  (void)layer(ops::zeros({1, 1}));
  std::vector<double> losses;
  for (const Tensor& loss : layer->losses()) losses.push_back(loss.item());
  check_same(losses, entry(expected, "losses"));
  CHECK(losses.at(0) ==
        Approx(1e-3 * ops::sum(ops::square(layer->dense->kernel)).item()).epsilon(1e-5));
}

TEST_CASE("subclassing: fit adds the losses of layers to its own") {
  const Value expected = golden("added_losses_in_fit");
  Input inputs({3});
  Tensor outputs = ActivityRegularization()(inputs);
  Functional model(inputs, outputs);
  Tensor x = random::uniform({2, 3}, 0, 1, 1), y = random::uniform({2, 3}, 0, 1, 2);
  model.compile({.optimizer = "adam", .loss = "mse"});
  check_same(model.fit(x, y, {.verbose = silent})["loss"], entry(expected, "with_mse"));
}

TEST_CASE("subclassing: a model may have no losses but those of its layers") {
  const Value expected = golden("added_losses_alone");
  random::set_seed(1);
  Input inputs({3});
  Tensor outputs = ActivityRegularization()(layers::Dense({.units = 2})(inputs));
  Functional model(inputs, outputs);
  Tensor x = random::uniform({2, 3}, 0, 1, 1), y = random::uniform({2, 2}, 0, 1, 2);
  model.compile({.optimizer = "adam"});
  History history = model.fit(x, y, {.epochs = 2, .verbose = silent});
  check_same(history["loss"], entry(expected, "loss"));
  check_same(model.get_weights()[0], entry(expected, "kernel"));
}

TEST_CASE("subclassing: the losses of layers move the weights") {
  const Value expected = golden("added_losses_move_weights");
  random::set_seed(1);
  Input inputs({3});
  Tensor hidden =
      layers::Dense({.units = 4, .activation = "relu", .kernel_regularizer = "l2"})(inputs);
  Tensor outputs = layers::Dense({.units = 3})(ActivityRegularization({.rate = 0.5})(hidden));
  Functional model(inputs, outputs);
  Tensor x = random::uniform({2, 3}, 0, 1, 1), y = random::uniform({2, 3}, 0, 1, 2);
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse"});
  History history = model.fit(x, y, {.epochs = 3, .verbose = silent});
  check_same(history["loss"], entry(expected, "loss"));
  const auto& weights = entry(expected, "weights").get<Value::List>();
  REQUIRE(model.get_weights().size() == weights.size());
  for (size_t i = 0; i < weights.size(); ++i) check_same(model.get_weights()[i], weights[i]);
}

TEST_CASE("subclassing: a layer comes back from its config") {
  const Value expected = golden("configs");
  Linear layer({.units = 64});
  Value::Dict config = layer->get_config();
  CHECK(entry(config, "units").get<int64_t>() == entry(expected, "units").get<int64_t>());
  CHECK(entry(config, "name").get<std::string>() == entry(expected, "name").get<std::string>());
  std::vector<std::string> keys;
  for (const auto& [key, value] : config) keys.push_back(key);
  CHECK(keys == list_of<std::string>(entry(expected, "keys")));

  Linear named({.units = 8, .name = "projection", .trainable = false});
  auto new_layer = LinearLayer::from_config(named->get_config());
  CHECK(new_layer->config.units == 8);
  CHECK(new_layer->name() == "projection");
  CHECK_FALSE(new_layer->trainable());
}

namespace {

struct CustomDropoutConfig {
  Required<double> rate;
};
class CustomDropoutLayer : public LayerOf<CustomDropoutLayer, CustomDropoutConfig> {
 public:
  using LayerOf::LayerOf;
  Tensor call(const Tensor& inputs, const Call& call) override {
    if (call.is_training()) return random::dropout(inputs, config.rate, seed_generator_);
    return inputs;
  }

 private:
  SeedGenerator& seed_generator_ = add_seed_generator(1337);
};
using CustomDropout = Ref<CustomDropoutLayer>;

}  // namespace

TEST_CASE("subclassing: a layer knows whether it trains") {
  const Value expected = golden("training_argument");
  CustomDropout layer({.rate = 0.5});
  Tensor x = random::uniform({3, 4}, 0, 1, 1);
  check_same(layer(x), entry(expected, "default"));
  check_same(layer(x, {.training = true}), entry(expected, "first"));
  check_same(layer(x, {.training = true}), entry(expected, "second"));
  check_same(layer(x, {.training = false}), entry(expected, "inference"));
  Input inputs({4});
  Functional model(inputs, CustomDropout({.rate = 0.5})(inputs));
  check_same(model(x, {.training = true}), entry(expected, "model"));
  check_same(model.predict(x, {.verbose = silent}), entry(expected, "predicted"));
}

namespace {

class ResNetBlock : public Layer {
 public:
  explicit ResNetBlock(int64_t filters)
      : conv_1_({.filters = filters, .kernel_size = 3, .padding = "same", .activation = "relu"}),
        conv_2_({.filters = filters, .kernel_size = 3, .padding = "same"}) {
    track("conv_1", conv_1_);
    track("conv_2", conv_2_);
    track("norm", norm_);
  }
  Tensor call(const Tensor& inputs, const Call&) override {
    Tensor x = norm_(conv_2_(conv_1_(inputs)));
    return ops::relu(x + inputs);
  }

 private:
  layers::Conv2D conv_1_, conv_2_;
  layers::BatchNormalization norm_;
};

struct ResNetConfig {
  int64_t num_classes = 1000;
};
class ResNet : public ModelOf<ResNet, ResNetConfig> {
 public:
  explicit ResNet(ResNetConfig c) : ModelOf(c) {
    track("block_1", block_1_);
    track("block_2", block_2_);
    track("global_pool", global_pool_);
    track("classifier", classifier_);
  }
  Tensor call(const Tensor& inputs, const Call&) override {
    Tensor x = block_1_(inputs);
    x = block_2_(x);
    x = global_pool_(x);
    return classifier_(x);
  }

 private:
  Handle<ResNetBlock> block_1_ = make<ResNetBlock>(4), block_2_ = make<ResNetBlock>(4);
  layers::GlobalAveragePooling2D global_pool_;
  layers::Dense classifier_{{.units = config.num_classes}};
};
CORNU_REGISTER("subclassing>ResNet", ResNet);

}  // namespace

TEST_CASE("subclassing: a model of blocks trains, and is saved") {
  const Value expected = golden("model_of_blocks");
  random::set_seed(1);
  ResNet resnet({.num_classes = 3});
  Tensor x = random::uniform({8, 6, 6, 4}, 0, 1, 1), y = random::randint({8}, 0, 3, 2);
  resnet.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}),
                  .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
                  .metrics = {"accuracy"}});
  const FitOptions options{.batch_size = 4, .epochs = 2, .verbose = silent, .shuffle = false};
  History history = resnet.fit(x, y, options);
  check_history(history, entry(expected, "history"));
  Tensor predictions = resnet.predict(x[Slice({}, 2)], {.verbose = silent});
  check_same(predictions, entry(expected, "y"), 1e-5, 1e-6);

  CHECK(resnet.name() == entry(expected, "name").get<std::string>());
  CHECK(names_of(resnet.layers()) == list_of<std::string>(entry(expected, "layers")));
  int64_t trainable = 0;
  for (const Variable& w : resnet.trainable_variables()) trainable += w.shape().numel();
  CHECK(std::vector{resnet.count_params(), trainable} ==
        list_of<int64_t>(entry(expected, "params")));
  CHECK(names_in(resnet) == names_of_weights(entry(expected, "names")));

  const TemporaryFolder folder;
  resnet.save(folder / "resnet.keras");
  auto again = load_model(folder / "resnet.keras");
  CHECK(all_close(again->predict(x[Slice({}, 2)], {.verbose = silent}), predictions, 0, 0));
  resnet.save_weights(folder / "resnet.weights.h5");
  ResNet fresh({.num_classes = 3});
  (void)fresh(x);
  fresh.load_weights(folder / "resnet.weights.h5");
  CHECK(all_close(fresh.predict(x[Slice({}, 2)], {.verbose = silent}), predictions, 0, 0));
}

namespace {

// {mean, log(variance)} to a draw from that distribution.
class Sampling : public Layer {
 public:
  Nest call_many(const Nest& inputs, const Call&) override {
    Tensor z_mean = inputs[0], z_log_var = inputs[1];
    Tensor epsilon = random::normal({z_mean.shape(0), z_mean.shape(1)}, 0, 1, seed_generator_);
    return z_mean + ops::exp(0.5 * z_log_var) * epsilon;
  }

 private:
  SeedGenerator& seed_generator_ = add_seed_generator(1337);
};

struct EncoderConfig {
  int64_t latent_dim = 32, intermediate_dim = 64;
  std::string name = "encoder";
};
class EncoderLayer : public LayerOf<EncoderLayer, EncoderConfig> {
 public:
  explicit EncoderLayer(EncoderConfig c) : LayerOf(std::move(c)) {
    track("dense_proj", dense_proj_);
    track("dense_mean", dense_mean_);
    track("dense_log_var", dense_log_var_);
    track("sampling", sampling_);
  }
  Nest call_many(const Nest& inputs, const Call&) override {
    Tensor x = dense_proj_(inputs.tensor());
    Tensor z_mean = dense_mean_(x);
    Tensor z_log_var = dense_log_var_(x);
    Tensor z = sampling_({z_mean, z_log_var});
    return {z_mean, z_log_var, z};
  }

 private:
  layers::Dense dense_proj_{{.units = config.intermediate_dim, .activation = "relu"}};
  layers::Dense dense_mean_{{.units = config.latent_dim}};
  layers::Dense dense_log_var_{{.units = config.latent_dim}};
  Handle<Sampling> sampling_ = make<Sampling>();
};
using Encoder = Ref<EncoderLayer>;

struct DecoderConfig {
  Required<int64_t> original_dim;
  int64_t intermediate_dim = 64;
  std::string name = "decoder";
};
class DecoderLayer : public LayerOf<DecoderLayer, DecoderConfig> {
 public:
  explicit DecoderLayer(DecoderConfig c) : LayerOf(std::move(c)) {
    track("dense_proj", dense_proj_);
    track("dense_output", dense_output_);
  }
  Tensor call(const Tensor& inputs, const Call&) override {
    Tensor x = dense_proj_(inputs);
    return dense_output_(x);
  }

 private:
  layers::Dense dense_proj_{{.units = config.intermediate_dim, .activation = "relu"}};
  layers::Dense dense_output_{{.units = config.original_dim, .activation = "sigmoid"}};
};
using Decoder = Ref<DecoderLayer>;

struct VariationalAutoEncoderConfig {
  Required<int64_t> original_dim;
  int64_t intermediate_dim = 64, latent_dim = 32;
  std::string name = "autoencoder";
};
class VariationalAutoEncoder
    : public ModelOf<VariationalAutoEncoder, VariationalAutoEncoderConfig> {
 public:
  explicit VariationalAutoEncoder(VariationalAutoEncoderConfig c) : ModelOf(std::move(c)) {
    track("encoder", encoder_);
    track("decoder", decoder_);
  }
  Tensor call(const Tensor& inputs, const Call&) override {
    Nest codes = encoder_(Nest(inputs));
    Tensor z_mean = codes[0], z_log_var = codes[1], z = codes[2];
    Tensor reconstructed = decoder_(z);
    Tensor kl_loss = -0.5 * ops::mean(z_log_var - ops::square(z_mean) - ops::exp(z_log_var) + 1);
    add_loss(kl_loss);
    return reconstructed;
  }

 private:
  Encoder encoder_{{.latent_dim = config.latent_dim, .intermediate_dim = config.intermediate_dim}};
  Decoder decoder_{
      {.original_dim = config.original_dim, .intermediate_dim = config.intermediate_dim}};
};

}  // namespace

TEST_CASE("subclassing: a variational autoencoder of layers in layers") {
  const Value expected = golden("variational_autoencoder");
  random::set_seed(1);
  const int64_t original_dim = 784;
  VariationalAutoEncoder vae(
      {.original_dim = original_dim, .intermediate_dim = 64, .latent_dim = 32});
  Tensor x_train = random::uniform({128, original_dim}, 0, 1, 1);
  optimizers::Adam optimizer({.learning_rate = 1e-3});
  vae.compile({.optimizer = optimizer, .loss = losses::MeanSquaredError()});
  History history = vae.fit(x_train, x_train,
                            {.batch_size = 64, .epochs = 2, .verbose = silent, .shuffle = false});
  check_same(history["loss"], entry(expected, "loss"));
  check_same(vae(x_train[Slice({}, 2)])[{Slice(), Slice({}, 5)}], entry(expected, "y"), 1e-4);
  CHECK(vae.name() == entry(expected, "name").get<std::string>());
  CHECK(names_of(vae.layers()) == list_of<std::string>(entry(expected, "layers")));
  CHECK(vae.count_params() == entry(expected, "params").get<int64_t>());
  CHECK(names_in(vae) == names_of_weights(entry(expected, "names")));
}

}  // namespace making_new_layers_and_models_via_subclassing_test
