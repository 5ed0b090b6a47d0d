// Penalties on the outputs of layers that have no option for them.
#include <cornu/framework/model/sequential.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/framework/regularizers/regularizers.h>
#include <cornu/layers/core/dense.h>
#include <cornu/layers/pooling/max_pooling.h>
#include <cornu/layers/regularization/dropout.h>

#include "catch.h"

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
}  // namespace

TEST_CASE("models with options keep the penalty on their outputs") {
  const auto model = make<Net>(NetConfig{.units = 3});
  const auto again = Net::from_config(model->get_config());
  CHECK(again->activity_regularizer());
  CHECK(again->config.units == 3);
}

}  // namespace activity_regularizer_test
