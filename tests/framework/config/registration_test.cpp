// Classes and functions of one's own under names, handles of objects, and options that are objects,
// names, functions or nothing.
#include <cornu/cornu.h>
#include <cornu/framework/config/json.h>
#include <cornu/framework/config/loading.h>

#include <thread>

#include "../../support/contract.h"

namespace registration_test {

using namespace cornu;
using test::error_of;
using test::has;

namespace {

using Dict = Value::Dict;

struct HalvedConfig {
  Required<double> by;
  Choice<Initializer> start = "zeros";
  Choice<Regularizer> penalty = {};
  std::vector<Choice<Constraint>> constraints = {};
  std::optional<std::string> note = {};
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

class HalvedLayer : public LayerOf<HalvedLayer, HalvedConfig> {
 public:
  using LayerOf::LayerOf;
  Tensor call(const Tensor& x, const Call&) override { return x / *config.by; }
};
CORNU_REGISTER("registration_test>Halved", HalvedLayer);
// As a header of several sources would.
CORNU_REGISTER("registration_test>Halved", HalvedLayer);

// Without options of its own.
class BareLayer : public Layer {
 public:
  Tensor call(const Tensor& x, const Call&) override { return x + 1.0; }
};
CORNU_REGISTER("registration_test>Bare", BareLayer);

class CubeConstraint : public Constraint {
 public:
  Tensor operator()(const Tensor& x) override { return x * x * x; }
  Dict get_config() const override { return {}; }
};
CORNU_REGISTER("registration_test>Cube", CubeConstraint);

class Unnamed : public Constraint {
 public:
  Tensor operator()(const Tensor& x) override { return x; }
  Dict get_config() const override { return {}; }
};

std::string json(const Configurable& object) { return cornu::to_json(serialize(object)); }

template <class T>
std::shared_ptr<T> again(const T& object) {
  return std::dynamic_pointer_cast<T>(deserialize(parse_json(json(object), "text")));
}

}  // namespace

TEST_CASE("classes of one's own are written under their package, and made again") {
  const auto layer = std::make_shared<HalvedLayer>(
      HalvedConfig{.by = 4,
                   .start = "ones",
                   .penalty = regularizers::L2({.l2 = 0.25}),
                   .constraints = {"non_neg", std::make_shared<CubeConstraint>()},
                   .note = "a \"note\"",
                   .name = "halved"});
  const auto copy = again<HalvedLayer>(*layer);
  REQUIRE(copy);
  CHECK(*copy->config.by == 4);
  CHECK(copy->config.constraints.size() == 2);
  CHECK((*copy->config.constraints[1])(Tensor(2.0f)).item() == 8);
  CHECK(copy->config.note == "a \"note\"");
  CHECK(copy->name() == "halved");
  CHECK(json(*copy) == json(*layer));
  const Value written = serialize(*layer);
  CHECK(detail::find(written.get<Dict>(), "module")->is_null());
  CHECK(detail::find(written.get<Dict>(), "class_name")->get<std::string>() == "Halved");

  BareLayer bare;
  bare.configure({{"name", "b"}, {"trainable", false}, {"dtype", "float64"}});
  const auto bare_copy = again<BareLayer>(bare);
  REQUIRE(bare_copy);
  CHECK(bare_copy->name() == "b");
  CHECK_FALSE(bare_copy->trainable());
  CHECK(bare_copy->compute_dtype() == DType::float64);
}

TEST_CASE("classes of one's own are found by their name in options") {
  const Choice<Constraint> cube("registration_test>Cube");
  CHECK((*cube)(Tensor(3.0f)).item() == 27);
  layers::Dense dense({.units = 1, .kernel_constraint = "registration_test>Cube"});
  const auto copy = again<layers::DenseLayer>(*dense);
  CHECK((*copy->config.kernel_constraint)(Tensor(3.0f)).item() == 27);
  CHECK(has(error_of([] { Choice<Constraint>("registration_test>Cub"); }), "is not known in"));
  // A class of another kind.
  CHECK(error_of([] { Choice<Constraint>("registration_test>Bare"); }) != "no error");
  CHECK(has(error_of([] { json(Unnamed()); }), "is not registered, so it cannot be saved"));
  CHECK(has(error_of([] {
              json(*layers::Dense({.units = 1, .kernel_constraint = std::make_shared<Unnamed>()}));
            }),
            "CORNU_REGISTER"));
}

TEST_CASE("names of classes are package>Name") {
  for (const char* wrong : {"", "Name", ">Name", "package>", ">", "package.Name"}) {
    INFO(wrong);
    CHECK(has(error_of([&] { catalog().add_custom<Unnamed>(wrong); }), "\"package>Name\""));
    const std::string name = wrong;
    const auto zero = [](const Shape& s, DType d) { return ops::zeros(s, d); };
    const auto same = [](const Tensor& x) { return x; };
    const auto difference = [](const Tensor& a, const Tensor& b) { return a - b; };
    CHECK(has(error_of([&] { initializers::register_function(name, zero); }), "package>name"));
    CHECK(has(error_of([&] { regularizers::register_function(name, same); }), "package>name"));
    CHECK(has(error_of([&] { constraints::register_function(name, same); }), "package>name"));
    CHECK(has(error_of([&] { losses::register_function(name, difference); }), "package>name"));
    CHECK(has(error_of([&] { metrics::register_function(name, difference); }), "package>name"));
    CHECK(has(error_of([&] { register_activation(name, same); }), "package>name"));
  }
  CHECK(has(error_of([] { catalog().add_custom<Unnamed>("registration_test>Cube"); }),
            "'registration_test>Cube' is registered for another class already"));
}

TEST_CASE("functions under names are options of each kind, and are kept in files") {
  initializers::register_function("registration_test>twos",
                                  [](const Shape& s, DType d) { return ops::full(s, 2.0, d); });
  regularizers::register_function("registration_test>sum",
                                  [](const Tensor& x) { return ops::sum(x) * 0.5; });
  constraints::register_function("registration_test>half", [](const Tensor& x) { return x * 0.5; });
  register_activation("registration_test>plus", [](const Tensor& x) { return x + 1.0; });
  layers::Dense dense({.units = 2,
                       .activation = "registration_test>plus",
                       .use_bias = false,
                       .kernel_initializer = "registration_test>twos",
                       .kernel_regularizer = "registration_test>sum",
                       .kernel_constraint = "registration_test>half"});
  const Tensor x = ops::ones({1, 3});
  for (const auto& layer : {dense.shared(), again<layers::DenseLayer>(*dense)}) {
    REQUIRE(layer);
    CHECK(test::equals((*layer)(x), {7, 7}));
    CHECK(layer->losses()[0].item() == 6);
    optimizers::SGD({.learning_rate = 0.0})->apply({ops::zeros({3, 2})}, layer->weights());
    CHECK(test::equals(layer->weights()[0].value(), {1, 1, 1, 1, 1, 1}));
  }
  // A later function of a name takes its place.
  initializers::register_function("registration_test>twos",
                                  [](const Shape& s, DType d) { return ops::full(s, 3.0, d); });
  CHECK((*Choice<Initializer>("registration_test>twos"))({1}, DType::float32).item() == 3);
  // A name of one kind is none of another.
  CHECK(has(error_of([] { Choice<Regularizer>("registration_test>twos"); }), "is not known in"));
}

TEST_CASE("functions without names serve, and say so when they are to be saved") {
  layers::Dense dense(
      {.units = 1,
       .kernel_initializer = [](const Shape& s, DType d) { return ops::full(s, 5.0, d); },
       .kernel_regularizer = [](const Tensor& x) { return ops::sum(x); },
       .kernel_constraint = [](const Tensor& x) { return x; }});
  CHECK(dense(ops::ones({1, 2})).item() == 10);
  CHECK(dense->losses()[0].item() == 10);
  CHECK(has(error_of([&] { json(*dense); }), "initializers::register_function"));
  CHECK(has(error_of([] { json(*Regularizer::of_function([](const Tensor& x) { return x; })); }),
            "regularizers::register_function"));
}

TEST_CASE("handles share their object, and may hold none") {
  const layers::Dense one({.units = 2});
  const layers::Dense two = one;
  CHECK(one.get() == two.get());
  CHECK(one.shared().use_count() >= 2);
  const layers::Dense none(nullptr);
  CHECK_FALSE(none);
  CHECK(none.get() == nullptr);
  CHECK_FALSE(none.shared());
  const std::shared_ptr<Layer> base = one;
  CHECK(base.get() == one.get());
  CHECK(has(error_of([] {
              class Net : public Layer {
               public:
                Net() { track("none", layers::Dense(nullptr)); }
              } net;
            }),
            "track: 'none' holds no layer."));
  const Choice<Initializer> nothing, null(nullptr), empty(std::nullopt);
  CHECK_FALSE(nothing);
  CHECK_FALSE(null);
  CHECK_FALSE(empty);
  CHECK(cornu::to_json(detail::OptionCodec<Choice<Initializer>>::encode(nothing)) == "null");
  CHECK_FALSE(detail::OptionCodec<Choice<Initializer>>::decode({}));
}

TEST_CASE("an option that holds an object of another kind names both") {
  const auto made = [](Value value) {
    return error_of([&] {
      static_cast<void>(layers::DenseLayer::from_config(
          {{"units", 1}, {"kernel_initializer", std::move(value)}}));
    });
  };
  CHECK(made(serialize(*regularizers::L2())) ==
        "option 'kernel_initializer': expected an object of keras.initializers, found L2.");
  CHECK(has(made(3), "option 'kernel_initializer': Expected an object with class_name"));
  CHECK(has(made(Value::List{}), "option 'kernel_initializer': Expected an object"));
  CHECK(has(made("zeroes"), "Did you mean 'zeros'?"));
  CHECK(has(made(Dict{{"class_name", "Zeros"}, {"config", 1}}), "Zeros: 'config' is not a"));
  CHECK(has(made(Dict{{"class_name", 1}, {"config", Dict{}}}), "'class_name': expected text"));
  CHECK(has(made(Dict{{"class_name", "Zeros"}, {"module", 7}, {"config", Dict{}}}),
            "'module': expected text"));
  // Deep inside, the way is named.
  const Value inner = Dict{{"module", "keras.layers"},
                           {"class_name", "Dense"},
                           {"config", Dict{{"units", 1}, {"bias_initializer", "oness"}}}};
  CHECK(error_of([&] {
          static_cast<void>(layers::TimeDistributedLayer::from_config({{"layer", inner}}));
        }) ==
        "option 'layer': Dense: option 'bias_initializer': 'oness' is not known in "
        "keras.initializers. Did you mean 'ones'?");
}

TEST_CASE("one object of several options is one object again, within one file") {
  const auto shared = initializers::RandomNormal({.seed = 3});
  const layers::Dense dense({.units = 1, .kernel_initializer = shared, .bias_initializer = shared});
  Value written;
  {
    const SharedObjectsScope scope(SharedObjectsScope::Mode::writing);
    written = serialize(*dense);
  }
  for (int file = 0; file < 2; ++file) {
    const SharedObjectsScope scope(SharedObjectsScope::Mode::reading);
    const auto copy = std::dynamic_pointer_cast<layers::DenseLayer>(deserialize(written));
    REQUIRE(copy);
    CHECK(copy->config.kernel_initializer.get() == copy->config.bias_initializer.get());
  }
  const auto apart = std::dynamic_pointer_cast<layers::DenseLayer>(deserialize(serialize(*dense)));
  CHECK(apart->config.kernel_initializer.get() != apart->config.bias_initializer.get());
}

TEST_CASE("threads read the catalog while classes are added to it") {
  std::atomic<int> failures = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        if (t == 0)
          initializers::register_function("registration_test>made" + std::to_string(i),
                                          [](const Shape& s, DType d) { return ops::zeros(s, d); });
        failures += !catalog().find_by_name("keras.initializers", "glorot_uniform");
        failures += !Choice<Initializer>("he_normal");
        failures += !deserialize(serialize(*regularizers::L1({.l1 = 0.1})));
        failures += catalog().names("keras.losses").empty();
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(failures == 0);
}

}  // namespace registration_test
