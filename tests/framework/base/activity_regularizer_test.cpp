// Penalties on the outputs of layers that have no option for them.
#include <cornu/cornu.h>

#include "catch.h"
#include "support/temporary.h"

namespace activity_regularizer_test {

using namespace cornu;

TEST_CASE("any layer may have a penalty on its outputs") {
  layers::Dropout dropout({.rate = 0.5});
  CHECK_FALSE(dropout->activity_regularizer());
  dropout->set_activity_regularizer("l2");
  dropout(ops::ones({2, 3}));
  REQUIRE(dropout->losses().size() == 1);
  CHECK(dropout->losses()[0].item() == Approx(0.03));  // Keras: 0.01 * 6 / 2
  dropout->set_activity_regularizer({});
  dropout(ops::ones({2, 3}));
  CHECK(dropout->losses().empty());
}

TEST_CASE("configs keep the penalty on the outputs where Keras has it") {
  layers::MaxPooling1D pooling({.pool_size = 2});
  CHECK_FALSE(detail::find(pooling->get_config(), "activity_regularizer"));
  pooling->set_activity_regularizer(regularizers::L1({.l1 = 0.25}));
  Value::Dict config = pooling->get_config();
  const Value* kept = detail::find(config, "activity_regularizer");
  REQUIRE(kept);
  CHECK(detail::find(kept->get<Value::Dict>(), "class_name")->get<std::string>() == "L1");
  const auto again = layers::MaxPooling1D::from_config(config);
  again(ops::ones({2, 4, 3}));
  REQUIRE(again->losses().size() == 1);
  CHECK(again->losses()[0].item() == Approx(0.25 * 12 / 2));

  Sequential model({Input({4, 3}), again});
  const auto clone = Sequential::from_config(model.get_config());
  CHECK(clone->layers()[0]->activity_regularizer());
}

TEST_CASE("layers with the option keep a penalty that was set later") {
  layers::Dense dense({.units = 2});
  dense->set_activity_regularizer("l2");
  CHECK(layers::Dense::from_config(dense->get_config())->activity_regularizer());
  CHECK_FALSE(detail::find(layers::Dense({.units = 2})->get_config(), "activity_regularizer"));
}

namespace {
struct NetConfig {
  int64_t units = 2;
};
class Net : public ModelOf<Net, NetConfig> {
 public:
  explicit Net(NetConfig c) : ModelOf(c) { set_activity_regularizer("l1"); }
  Tensor call(const Tensor& x, const Call&) override { return x; }
};

struct OptionalConfig {
  Choice<Regularizer> activity_regularizer = {};
  CORNU_LAYER_OPTIONS;
};
class OptionalNet : public ModelOf<OptionalNet, OptionalConfig> {
 public:
  using ModelOf::ModelOf;
  Tensor call(const Tensor& x, const Call&) override { return x; }
};

// Penalizes its outputs, whatever its options say.
class Penalizing : public Layer {
 public:
  Penalizing() { set_activity_regularizer("l2"); }
  Tensor call(const Tensor& x, const Call&) override { return x; }
};
CORNU_REGISTER("activity_regularizer>Penalizing", Penalizing);

// Whether each layer of the stack is penalized in the model that its file gives.
std::vector<bool> penalized_after_saving(std::vector<AnyLayer> layers) {
  layers.insert(layers.begin(), Input({4, 4, 4}));
  Sequential model(layers);
  const test::TemporaryFolder folder;
  model.save(folder / "model.keras");
  const auto loaded = load_model(folder / "model.keras");
  std::vector<bool> result;
  for (const auto& layer : std::dynamic_pointer_cast<Sequential>(loaded)->layers())
    result.push_back(static_cast<bool>(layer->activity_regularizer()));
  return result;
}
}  // namespace

TEST_CASE("a penalty that was taken away stays away") {
  const layers::Conv2D conv({.filters = 2, .kernel_size = 1, .activity_regularizer = "l2"});
  const layers::Dense dense({.units = 2, .activity_regularizer = "l1"});
  const layers::MaxPooling2D pooling({.pool_size = 1});
  const layers::ActivityRegularization penalty({.l1 = 0.5, .l2 = 0.25});
  const auto own = make<Penalizing>();
  const std::vector<AnyLayer> all = {conv, dense, pooling, penalty, own};
  pooling->set_activity_regularizer("l2");
  CHECK(penalized_after_saving(all) == std::vector<bool>{true, true, true, true, true});
  for (const AnyLayer& layer : all) layer->set_activity_regularizer({});
  CHECK(detail::find(conv->get_config(), "activity_regularizer")->is_null());
  CHECK_FALSE(layers::Conv2D::from_config(conv->get_config())->activity_regularizer());
  CHECK(detail::find(penalty->get_config(), "l1")->number() == 0);
  const auto again = layers::ActivityRegularization::from_config(penalty->get_config());
  again(ops::ones({2, 3}));
  CHECK(again->losses().at(0).item() == 0);
  CHECK(penalized_after_saving({conv, dense, pooling, own}) ==
        std::vector<bool>{false, false, false, false});
  // And may come again.
  conv->set_activity_regularizer("l1");
  CHECK(layers::Conv2D::from_config(conv->get_config())->activity_regularizer());
}

TEST_CASE("an attention's penalty is that of its projections") {
  const layers::MultiHeadAttention attention(
      {.num_heads = 1, .key_dim = 2, .activity_regularizer = "l2"});
  CHECK_FALSE(attention->activity_regularizer());
  const auto again = layers::MultiHeadAttention::from_config(attention->get_config());
  CHECK(again->config.activity_regularizer);
  const Tensor x = ops::ones({2, 3, 4});
  again(x, x);
  CHECK(again->losses().size() == 4);
}

TEST_CASE("models take what every layer has from their options") {
  const auto model = make<OptionalNet>(
      {.activity_regularizer = "l2", .name = "net", .trainable = false, .dtype = "mixed_bfloat16"});
  for (const auto& net :
       {model, Handle<OptionalNet>(OptionalNet::from_config(model->get_config()))}) {
    CHECK(net->activity_regularizer());
    CHECK(net->name() == "net");
    CHECK_FALSE(net->trainable());
    CHECK(net->compute_dtype() == DType::bfloat16);
  }
  model->set_activity_regularizer({});
  CHECK_FALSE(OptionalNet::from_config(model->get_config())->activity_regularizer());
}

TEST_CASE("models with options keep the penalty on their outputs") {
  const auto model = make<Net>(NetConfig{.units = 3});
  const auto again = Net::from_config(model->get_config());
  CHECK(again->activity_regularizer());
  CHECK(again->config.units == 3);
}

}  // namespace activity_regularizer_test
