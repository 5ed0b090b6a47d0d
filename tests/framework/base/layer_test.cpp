// Layer: weights, names, calls, masks, losses, policies, and its errors.
#include <cornu/framework/base/call_scope.h>
#include <cornu/framework/base/layer.h>
#include <cornu/framework/initializers/initializers.h>
#include <cornu/framework/ops/ops.h>
#include <cornu/framework/regularizers/regularizers.h>
#include <cornu/layers/core/dense.h>
#include <cornu/metrics/mean.h>

#include "catch.h"
#include "support/matchers.h"
#include "support/standard_error.h"

namespace layer_test {

using namespace cornu;
using cornu::test::contains;
using cornu::test::standard_error_of;
using layers::Dense;

namespace {

// x times a vector; counts its builds and remembers the training flag of its last call.
class Scale : public Layer {
 public:
  void build(const Shape& input) override {
    ++builds;
    offset = add_weight(
        {.name = "offset", .shape = {input.back()}, .initializer = "zeros", .trainable = false});
    factor = add_weight({.name = "factor", .shape = {input.back()}, .initializer = "ones"});
  }
  Tensor call(const Tensor& x, const Call& call) override {
    training = call.training;
    return x * factor + offset;
  }
  Variable factor, offset;
  int builds = 0;
  std::optional<bool> training;
};

class Pair : public Layer {
 public:
  Tensor call(const Tensor& x, const Call&) override { return (*second)((*first)(x)); }
  std::shared_ptr<Scale> first = track("first", make<Scale>());
  std::shared_ptr<Scale> second = track("second", make<Scale>());
};

// Fails to build on odd sizes, after it made a weight and tracked a layer.
class Even : public Layer {
 public:
  void build(const Shape& input) override {
    add_weight({.name = "w", .shape = {2}});
    track("inner", make<Scale>());
    if (input.back() % 2)
      throw ShapeError("expected an even last axis, found " + input.str() + ".");
  }
  Tensor call(const Tensor& x, const Call&) override { return x; }
};

class Holder : public Layer {
 public:
  Tensor call(const Tensor& x, const Call&) override { return (*inner)(x); }
  std::shared_ptr<Even> inner = track("inner", make<Even>());
};

class Masked : public Layer {
 public:
  explicit Masked(bool supports) { supports_masking_ = supports; }
  Tensor call(const Tensor& x, const Call& call) override {
    saw = call.mask;
    return x + 1.0;
  }
  Tensor saw;
};

class Penalized : public Layer {
 public:
  Penalized() { set_activity_regularizer(regularizers::L2({.l2 = 0.5})); }
  Tensor call(const Tensor& x, const Call&) override {
    add_loss(ops::sum(x));
    return x * 2.0;
  }
};

const Tensor x = Tensor::from({1.0f, 2.0f, 3.0f, 4.0f}, {2, 2});

}  // namespace

TEST_CASE("a layer builds once, on its first call, and lists trainable weights first") {
  Scale layer;
  CHECK_FALSE(layer.built());
  CHECK(layer(x).to_vector<float>() == std::vector<float>{1, 2, 3, 4});
  layer(x);
  CHECK(layer.built());
  CHECK(layer.builds == 1);
  REQUIRE(layer.weights().size() == 2);
  CHECK(layer.weights()[0].path() == "scale/factor");
  CHECK(layer.weights()[1].path() == "scale/offset");
  CHECK(layer.trainable_variables().size() == 1);
  CHECK(layer.non_trainable_variables().size() == 1);
  CHECK(layer.count_params() == 4);
}

TEST_CASE("shapes are inferred without a value or a change of state") {
  Pair layer;
  CHECK(layer.compute_output_shape({std::nullopt, 3}) == Shape{std::nullopt, 3});
  CHECK(layer.compute_output_spec(Tensor::abstract({5, 3}, DType::float32)).tensor().shape() ==
        Shape{5, 3});
}

TEST_CASE("layers inside are told apart by name and bring their weights") {
  Pair layer;
  CHECK(layer.name() == "pair");
  CHECK(layer.first->name() == "scale");
  CHECK(layer.second->name() == "scale_1");
  layer(x);
  CHECK(layer.weights().size() == 4);
  CHECK(layer.sublayers().size() == 2);
  CHECK(layer.tracked()[1].attribute == "second");
  layer.set_trainable(false);
  CHECK(layer.trainable_variables().empty());
  CHECK_FALSE(layer.first->trainable());
  layer.set_trainable(true);
  CHECK(layer.trainable_variables().size() == 2);
  CHECK_THROWS_WITH(layer.track("first", make<Scale>()),
                    "track: this layer has a 'first' already.");
  CHECK_THROWS_WITH(layer.track("third", std::shared_ptr<Scale>()),
                    "track: 'third' holds no layer.");
  CHECK_THROWS_AS(layer.rename("a/b"), ValueError);
  layer.first->rename("left");
  CHECK(layer.first->factor.path() == "pair/left/factor");
}

TEST_CASE("the training flag is inherited unless a layer is given its own") {
  Pair layer;
  layer(x);
  CHECK_FALSE(layer.first->training);
  layer(x, {.training = true});
  CHECK(layer.second->training == true);
  layer(x, {.training = false});
  CHECK(layer.second->training == false);
  (*layer.first)(x);
  CHECK_FALSE(layer.first->training);
}

TEST_CASE("losses are those of the last call, with all calls inside of it") {
  const auto inner = make<Penalized>();
  class Twice : public Layer {
   public:
    explicit Twice(std::shared_ptr<Layer> layer) : layer_(track("layer", std::move(layer))) {}
    Tensor call(const Tensor& x, const Call&) override { return (*layer_)((*layer_)(x)); }

   private:
    std::shared_ptr<Layer> layer_;
  } outer(inner);
  outer(x);
  CHECK(outer.losses().size() == 4);
  outer(x);
  CHECK(outer.losses().size() == 4);
  (*inner)(x);
  CHECK(outer.losses().size() == 2);
  // In a step they are the step's, by the same rule.
  const LossScope scope;
  CHECK(outer.losses().empty());
  outer(x);
  (*inner)(x);
  CHECK(scope.losses().size() == 2);
}

TEST_CASE("masks go on through layers that support them, others warn once") {
  Tensor sequence = ops::ones({2, 3});
  const Tensor mask = ops::cast(ops::ones({2}), DType::boolean);
  sequence.set_mask(mask);
  Masked passes(true), drops(false);
  CHECK(passes(sequence).mask().impl() == mask.impl());
  CHECK(passes.saw.impl() == mask.impl());
  const std::string text = standard_error_of([&] {
    CHECK_FALSE(drops(sequence).mask());
    CHECK_FALSE(drops(sequence).mask());
    CHECK_FALSE(drops(ops::ones({2, 3})).mask());
    CHECK_FALSE(Masked(false)(sequence).mask());
  });
  const size_t first = text.find("Layer 'masked' does not support masking");
  REQUIRE(first != std::string::npos);
  CHECK(text.find("does not support masking", first + 50) == std::string::npos);
}

TEST_CASE("losses of calls and penalties of weights are collected") {
  Penalized layer;
  layer(x);
  const auto losses = layer.losses();
  REQUIRE(losses.size() == 2);
  CHECK(losses[0].item() == 10);
  // 0.5 * sum((2 x)^2) divided by the batch of 2.
  CHECK(losses[1].item() == Approx(0.5 * 4 * 30 / 2));
  // Those of the last call alone.
  layer(x);
  CHECK(layer.losses().size() == 2);
  layer.clear_losses();
  CHECK(layer.losses().empty());
  const Dense dense({.units = 1,
                     .kernel_initializer = "ones",
                     .kernel_regularizer = regularizers::L2({.l2 = 0.1})});
  dense(x);
  REQUIRE(dense->losses().size() == 1);
  CHECK(dense->losses()[0].item() == Approx(0.2));
}

TEST_CASE("mixed precision keeps float32 weights and computes in 16 bits") {
  const Dense layer({.units = 3, .dtype = "mixed_bfloat16"});
  const Tensor y = layer(x);
  CHECK(y.dtype() == DType::bfloat16);
  CHECK(layer->kernel.dtype() == DType::float32);
  const Dense narrow({.units = 3, .dtype = "float16"});
  CHECK(narrow(x).dtype() == DType::float16);
  CHECK(narrow->kernel.dtype() == DType::float16);
  Scale whole;
  CHECK(whole(Tensor::from({1, 2}, {1, 2})).dtype() == DType::float32);
}

TEST_CASE("a failed build leaves nothing behind") {
  Even layer;
  CHECK_THROWS_AS(layer(ops::ones({1, 3})), ShapeError);
  CHECK_FALSE(layer.built());
  CHECK(layer.weights().empty());
  CHECK(layer.tracked().empty());
  CHECK(layer.sublayers().empty());
  CHECK(layer(ops::ones({1, 4})).shape() == Shape{1, 4});
  CHECK(layer.own_weights().size() == 1);
}

TEST_CASE("a failed build keeps what was there before") {
  struct Moody : Layer {
    Moody() {
      before = add_weight({.name = "before", .shape = {1}, .trainable = false});
      track("first", metrics::Mean());
    }
    void build(const Shape& input) override {
      add_weight({.name = "after", .shape = {1}});
      add_seed_generator(1);
      track("second", metrics::Mean());
      add_metric(metrics::Mean().shared());
      if (input.back() % 2 != 0) throw ShapeError("an odd number of features.");
    }
    Tensor call(const Tensor& x, const Call&) override { return x; }
    Variable before;
  };
  const auto layer = make<Moody>();
  for (int i = 0; i < 2; ++i) {
    CHECK_THROWS_AS((*layer)(ops::ones({1, 3})), ShapeError);
    CHECK(layer->own_weights() == std::vector<Variable>{layer->before});
    CHECK(layer->trainable_weights().empty());
    CHECK(layer->seed_generators().empty());
    CHECK(layer->layer_metrics().size() == 1);
    CHECK(layer->tracked_states().size() == 1);
  }
  (*layer)(ops::ones({1, 4}));
  REQUIRE(layer->own_weights().size() == 2);
  CHECK(layer->own_weights()[1] == layer->before);
  CHECK(layer->seed_generators().size() == 1);
  CHECK(layer->layer_metrics().size() == 3);
}

TEST_CASE("errors name the path of the layer that fails") {
  Holder layer;
  layer.rename("net");
  CHECK_THROWS_WITH(layer(ops::ones({1, 3})),
                    "Layer 'net/even' (Even): expected an even last axis, found (1, 3).");
  CHECK_THROWS_AS(layer(ops::ones({1, 3})), ShapeError);
  CHECK_THROWS_WITH(layer(Tensor()), "Layer 'net': called on an empty tensor.");
  CHECK_THROWS_WITH(layer(Nest{x, x}),
                    contains("Layer 'net' (Holder): takes a single tensor, found the structure "
                             "[*, *]."));
  Layer silent;
  CHECK_THROWS_WITH(silent(x), contains("neither call nor call_many is overridden"));
  const Dense dense({.units = 2, .name = "logits"});
  dense(x);
  CHECK_THROWS_WITH(dense(ops::ones({1, 5})), contains("Layer 'logits' (Dense): "));
}

TEST_CASE("set_weights sets all or nothing") {
  Scale layer;
  layer(x);
  layer.set_weights({Tensor::from({2.0f, 3.0f}, {2}), Tensor::from({0.5, 0.5}, {2})});
  CHECK(layer(x).to_vector<float>() == std::vector<float>{2.5, 6.5, 6.5, 12.5});
  CHECK_THROWS_WITH(layer.set_weights({ops::zeros({2})}),
                    "set_weights: layer 'scale' has 2 weights, 1 values were "
                    "given.");
  CHECK_THROWS_WITH(layer.set_weights({ops::zeros({2}), ops::zeros({3})}),
                    "set_weights: weight 1 of layer 'scale' ('scale/offset') has shape (2,), the "
                    "value has (3,).");
  CHECK(layer.get_weights()[0].to_vector<float>() == std::vector<float>{2, 3});
  Scale fresh;
  CHECK_THROWS_WITH(fresh.set_weights({x}), contains("It is not built yet."));
}

TEST_CASE("weights need a known shape") {
  Layer layer;
  CHECK_THROWS_WITH(layer.add_weight({.name = "w", .shape = {std::nullopt, 2}}),
                    contains("weight 'w' cannot have the shape (None, 2)"));
  const Variable w = layer.add_weight({.name = "w", .shape = {2}, .dtype = DType::int32});
  CHECK(ops::sum(w.value()).item() == 0);
}

TEST_CASE("classes without options of their own are configured with every layer's") {
  Scale layer;
  layer.configure({{"name", "s"}, {"trainable", false}, {"dtype", "float64"}});
  CHECK(layer.name() == "s");
  CHECK_FALSE(layer.trainable());
  CHECK(layer.compute_dtype() == DType::float64);
  layer(x);
  CHECK(layer.trainable_variables().empty());
  CHECK_THROWS_WITH(layer.configure({{"nam", "t"}}), "unknown option 'nam'. Did you mean 'name'?");
}

TEST_CASE("A layer tells its dtypes, and whether it is quantized") {
  Dense dense({.units = 2, .dtype = DTypePolicy("mixed_bfloat16")});
  CHECK(dense->dtype() == DType::float32);
  CHECK(dense->variable_dtype() == DType::float32);
  CHECK(dense->input_dtype() == DType::bfloat16);
  CHECK(dense->quantization_mode().empty());
  Dense small({.units = 2});
  small(ops::ones({1, 3}));
  small->quantize("int8");
  CHECK(small->quantization_mode() == "int8");
}

TEST_CASE("A weight may be one that optimizers overwrite") {
  class Scaled : public Layer {
   public:
    void build(const Shape&) override {
      scale = add_weight({.name = "scale", .initializer = "ones", .overwrite_with_gradient = true});
    }
    Tensor call(const Tensor& x, const Call&) override { return x * scale; }
    Variable scale;
  };
  Scaled layer;
  layer.build({1, 2});
  CHECK(layer.scale.overwrite_with_gradient());
}

namespace {

// Forgets to track the layer that it calls.
class Forgetful : public Layer {
 public:
  explicit Forgetful(std::string name) : dense({.units = 2, .name = std::move(name)}) {}
  Tensor call(const Tensor& x, const Call&) override { return dense(x); }
  Dense dense;
};

// Holds a layer for another that calls it.
class Owner : public Layer {
 public:
  explicit Owner(std::string name) : inner(std::make_shared<Forgetful>(std::move(name))) {
    track("inner", inner);
    track("dense", inner->dense);
  }
  Tensor call(const Tensor& x, const Call&) override { return (*inner)(x); }
  std::shared_ptr<Forgetful> inner;
};

}  // namespace

TEST_CASE("a layer with weights that nobody around it tracks is warned of, once") {
  const Tensor x = ops::ones({1, 3});
  const std::string text = standard_error_of([&] {
    Forgetful layer("unheld");
    layer(x);
    layer(x);
  });
  CHECK_THAT(text, contains("Layer 'unheld' has weights, but 'forgetful', which calls it, does not "
                            "track it: they are neither trained nor saved with it."));
  CHECK(text.find("Layer 'unheld'") == text.rfind("Layer 'unheld'"));
  CHECK(standard_error_of([&] {
          Owner owner("held");
          owner(x);
          Dense alone({.units = 2});
          alone(x);
        }).empty());
}

}  // namespace layer_test
