// Activations by name, as functions, and in files.
#include <cornu/framework/base/activation.h>
#include <cornu/framework/base/activations.h>
#include <cornu/framework/ops/ops.h>

#include "catch.h"
#include "support/all_close.h"
#include "support/matchers.h"

namespace activation_test {

using namespace cornu;
using cornu::test::contains;
using Codec = detail::OptionCodec<Activation>;

TEST_CASE("activations are Keras's by name") {
  const Tensor x = Tensor::from({-2.0f, 0.5f, 7.0f}, {3});
  CHECK(Activation().is_linear());
  CHECK(Activation("linear").is_linear());
  CHECK(Activation()(x).impl() == x.impl());
  CHECK(Activation("relu")(x).to_vector<float>() == std::vector<float>{0, 0.5, 7});
  CHECK(Activation("relu6")(x).to_vector<float>() == std::vector<float>{0, 0.5, 6});
  CHECK(ops::sum(Activation("softmax")(x)).item() == Approx(1));
  for (const char* name : {"sigmoid", "tanh", "softplus", "softsign", "leaky_relu", "elu", "selu",
                           "gelu", "silu", "swish", "mish", "exponential", "hard_sigmoid",
                           "hard_silu", "hard_swish", "log_sigmoid", "log_softmax"}) {
    INFO(name);
    CHECK(Activation(name).name() == name);
    CHECK(Activation(name)(x).shape() == x.shape());
  }
  // Keras's activation is exact where its op is approximate by default.
  CHECK(test::all_close(Activation("gelu")(x), ops::gelu(x, false), 1e-7));
}

TEST_CASE("a function is an activation, with a name it can be saved") {
  const Activation twice([](const Tensor& x) { return x * 2.0; });
  CHECK(twice(ops::ones({1})).item() == 2);
  CHECK(twice.name().empty());
  CHECK_THROWS_WITH(Codec::encode(twice), contains("register_activation"));
  register_activation("activation_test>twice", [](const Tensor& x) { return x * 2.0; });
  const Activation named("activation_test>twice");
  const Activation again = Codec::decode(Codec::encode(named));
  CHECK(again.name() == named.name());
  CHECK(again(ops::ones({1})).item() == 2);
}

TEST_CASE("activations are read from files and written to them") {
  CHECK(Codec::encode(Activation("relu")).get<std::string>() == "relu");
  CHECK(Codec::decode(Value()).is_linear());
  CHECK(Codec::decode("tanh").name() == "tanh");
}

TEST_CASE("activations say which name or value they do not know") {
  CHECK_THROWS_WITH(Activation("sigmoit"),
                    contains("activation 'sigmoit' is not known. Did you mean 'sigmoid'?"));
  CHECK_THROWS_WITH(register_activation("mine", [](const Tensor& x) { return x; }),
                    "register_activation: 'mine' is not of the form \"package>name\".");
  CHECK_THROWS_WITH(Codec::decode(3),
                    "expected the name of an activation, found " + Value(3).kind());
  CHECK_THROWS_WITH(Codec::decode(Value::Dict{{"class_name", "Reluu"}, {"config", Value::Dict{}}}),
                    contains("no class 'Reluu'"));
}

TEST_CASE("keras.activations are functions with Keras's defaults") {
  const Tensor x = Tensor::from<float>({-2, -0.5, 0, 1, 8}, {5});
  const auto equal = [](const Tensor& a, const Tensor& b) {
    return a.to_vector<float>() == b.to_vector<float>();
  };
  CHECK(activations::relu(x, 0, 6).to_vector<float>() == std::vector<float>{0, 0, 0, 1, 6});
  CHECK(activations::relu(x, 0.5).to_vector<float>() == std::vector<float>{-1, -0.25, 0, 1, 8});
  CHECK(equal(activations::gelu(x), ops::gelu(x, false)));
  CHECK(equal(activations::exponential(x), ops::exp(x)));
  CHECK(equal(activations::linear(x), x));
  CHECK(equal(activations::get("swish")(x), activations::silu(x)));
  CHECK(equal(activations::get()(x), x));
  CHECK(activations::serialize("relu").get<std::string>() == "relu");
  CHECK(activations::deserialize("relu").name() == "relu");
  CHECK_THROWS_AS(activations::get("rellu"), ValueError);
}

TEST_CASE("functions of keras.activations are options with their names") {
  const Tensor x = Tensor::from<float>({-2, -0.5, 0, 1, 8}, {1, 5});
  const auto check = [&](const Activation& activation, const std::string& name) {
    INFO(name);
    CHECK(activation.name() == name);
    CHECK(activation(x).to_vector<float>() == activations::get(name)(x).to_vector<float>());
    CHECK(activations::serialize(activation).get<std::string>() == name);
  };
  check(activations::relu, "relu");
  check(ops::relu, "relu");
  check(&activations::softmax, "softmax");
  check(activations::gelu, "gelu");
  check(activations::leaky_relu, "leaky_relu");
  check(activations::elu, "elu");
  check(activations::tanh, "tanh");
  check(activations::swish, "silu");
  check(activations::linear, "linear");
  CHECK(Activation(activations::linear).is_linear());
  CHECK(Activation(ops::sin).name().empty());
  CHECK_THROWS_WITH(Activation(ops::gelu), contains("lambda"));
}

}  // namespace activation_test
