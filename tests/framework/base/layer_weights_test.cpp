// Weights of layers: where they may be made, what their initializers may give, their order, sharing
// and removal, the names that renaming leaves, and what layers that hold others may hold.
#include <cornu/cornu.h>

#include "catch.h"
#include "support/all_close.h"
#include "support/contract.h"
#include "support/matchers.h"

namespace layer_weights_test {

using namespace cornu;
using cornu::test::contains;
using test::equals;

namespace {

class Plain : public Layer {
 public:
  Tensor call(const Tensor& x, const Call&) override { return x; }
};

// Makes what it is told to in build.
class Builds : public Layer {
 public:
  explicit Builds(std::vector<WeightOptions> options) : options_(std::move(options)) {}
  void build(const Shape&) override {
    for (const WeightOptions& o : options_) add_weight(o);
  }
  Tensor call(const Tensor& x, const Call&) override { return x; }

 private:
  std::vector<WeightOptions> options_;
};

class Holds : public Layer {
 public:
  Tensor call(const Tensor& x, const Call& call) override {
    Tensor y = x;
    for (const auto& layer : sublayers()) y = (*layer)(y, call);
    return y;
  }
};

const Tensor x = ops::ones({2, 3});

std::vector<std::string> paths(const Layer& layer) {
  std::vector<std::string> all;
  for (const Variable& v : layer.weights()) all.push_back(v.path());
  return all;
}

std::vector<std::string> names(const std::vector<Variable>& variables) {
  std::vector<std::string> all;
  for (const Variable& v : variables) all.push_back(v.name());
  return all;
}

}  // namespace

TEST_CASE("a weight that each call would make again is an error of the second") {
  class Careless : public Layer {
   public:
    Tensor call(const Tensor& x, const Call&) override {
      return x * add_weight({.name = "w", .shape = {x.shape(-1)}, .initializer = "ones"});
    }
  } careless;
  careless(x);
  CHECK_THROWS_WITH(careless(x),
                    "Layer 'careless' (Careless): add_weight: this layer has a weight 'w' already, "
                    "and 'call' runs many times. Make weights in 'build' or in the constructor.");
  CHECK(careless.weights().size() == 1);

  // A weight that the first call makes and keeps is another matter.
  class Late : public Layer {
   public:
    Tensor call(const Tensor& x, const Call&) override {
      if (!w) w = add_weight({.name = "w", .shape = {x.shape(-1)}, .initializer = "ones"});
      return x * w;
    }
    Variable w;
  } late;
  for (int i = 0; i < 3; ++i) CHECK(test::all_close(late(x), x));
  CHECK(late.weights().size() == 1);

  // As are weights of one name that build makes.
  Builds twins({{.name = "w", .shape = {2}}, {.name = "w", .shape = {2}}});
  twins(x);
  twins(x);
  CHECK(twins.weights().size() == 2);
}

TEST_CASE("what an initializer gives must have the weight's shape, and gets its dtype") {
  const auto of = [](std::function<Tensor(const Shape&, DType)> f) {
    return Choice<Initializer>(f);
  };
  Builds wrong({{.name = "w", .shape = {3, 2}, .initializer = of([](const Shape&, DType) {
                                                 return ops::zeros({7});
                                               })}});
  CHECK_THROWS_WITH(wrong(x),
                    "Layer 'builds' (Builds): weight 'w' has the shape (3, 2), but its initializer "
                    "gave a value of shape (7,).");
  CHECK(wrong.weights().empty());
  CHECK_FALSE(wrong.built());
  Builds transposed({{.name = "w", .shape = {3, 2}, .initializer = of([](const Shape&, DType) {
                                                      return ops::zeros({2, 3});
                                                    })}});
  CHECK_THROWS_AS(transposed(x), ShapeError);
  Builds nothing({{.name = "w", .shape = {2}, .initializer = of([](const Shape&, DType) {
                                                return Tensor();
                                              })}});
  CHECK_THROWS_WITH(nothing(x), contains("expected a first value, found no tensor"));
  Builds symbolic({{.name = "w", .shape = {2}, .initializer = of([](const Shape& s, DType d) {
                                                 return Tensor::abstract(s, d);
                                               })}});
  CHECK_THROWS_WITH(symbolic(x), contains("a tensor without values"));
  Builds whole({{.name = "w", .shape = {2}, .initializer = of([](const Shape& s, DType) {
                                              return ops::ones(s, DType::int32);
                                            })},
                {.name = "weak", .shape = {}, .initializer = of([](const Shape&, DType) {
                                                return Tensor(2.5);
                                              })}});
  whole(x);
  for (const Variable& v : whole.weights()) CHECK(v.dtype() == DType::float32);
  CHECK(whole.weights()[1].value().item() == 2.5);
  CHECK_FALSE(whole.weights()[1].value().is_weak());
}

TEST_CASE("weights are ordered: trainable ones first, each group as it was made") {
  Builds layer({{.name = "a", .shape = {1}, .trainable = false},
                {.name = "b", .shape = {1}},
                {.name = "c", .shape = {1}, .trainable = false},
                {.name = "d", .shape = {1}},
                {.name = "e", .shape = {1}}});
  layer(x);
  CHECK(names(layer.weights()) == std::vector<std::string>{"b", "d", "e", "a", "c"});
  layer.remove_weight(layer.weights()[1]);
  CHECK(names(layer.weights()) == std::vector<std::string>{"b", "e", "a", "c"});
  CHECK(names(layer.trainable_weights()) == std::vector<std::string>{"b", "e"});
  layer.remove_weight(layer.weights()[2]);
  CHECK(names(layer.weights()) == std::vector<std::string>{"b", "e", "c"});
  const Variable other(ops::ones({1}), {.name = "other"});
  layer.remove_weight(other);
  CHECK(layer.weights().size() == 3);
  const Variable still(ops::ones({1}), {.name = "still", .trainable = false});
  layer.share_weight(other);
  layer.share_weight(still);
  CHECK(names(layer.weights()) == std::vector<std::string>{"b", "e", "other", "c", "still"});
  CHECK(layer.weights()[2] == other);
  CHECK(layer.count_params() == 5);
  layer.set_trainable(false);
  CHECK(layer.trainable_weights().empty());
  CHECK(names(layer.non_trainable_weights()) ==
        std::vector<std::string>{"b", "e", "other", "c", "still"});
  CHECK_FALSE(other.trainable());
  layer.set_trainable(true);
  CHECK(names(layer.trainable_weights()) == std::vector<std::string>{"b", "e", "other"});
}

TEST_CASE("a frozen layer makes frozen weights, which it trains when it is freed") {
  Builds layer({{.name = "a", .shape = {1}}, {.name = "b", .shape = {1}, .trainable = false}});
  layer.set_trainable(false);
  layer(x);
  CHECK(layer.trainable_weights().empty());
  layer.set_trainable(true);
  CHECK(names(layer.trainable_weights()) == std::vector<std::string>{"a"});
}

TEST_CASE("set_weights refuses empty values, and converts dtypes") {
  const layers::Dense dense({.units = 2, .name = "d"});
  dense(x);
  const std::vector<Tensor> before = dense->get_weights();
  CHECK_THROWS_WITH(
      dense->set_weights({ops::zeros({3, 2}), Tensor()}),
      "set_weights: the value of weight 1 of layer 'd' ('d/bias') is an empty Tensor.");
  CHECK(test::identical(dense->get_weights()[0], before[0]));
  CHECK_THROWS_AS(dense->set_weights({}), ShapeError);
  dense->set_weights({Tensor::from({1, 2, 3, 4, 5, 6}, {3, 2}), ops::ones({2}, DType::float64)});
  CHECK(dense->weights()[0].dtype() == DType::float32);
  CHECK(equals(dense(x), {10, 13, 10, 13}));
  // What was read earlier does not change.
  CHECK(test::identical(before[1], ops::zeros({2})));
}

TEST_CASE("renaming a layer renames it alone, whatever those around it are called") {
  const auto net = [](const std::string& outer, const std::string& inner, const std::string& leaf) {
    auto layer = make<layers::DenseLayer>({.units = 2, .name = leaf});
    auto middle = make<Sequential>({layer}, {.name = inner});
    auto top = make<Sequential>({middle}, {.name = outer});
    top(x);
    return std::tuple(top, middle, layer);
  };
  {
    auto [top, middle, layer] = net("a", "a", "a");
    CHECK(paths(*top) == std::vector<std::string>{"a/a/a/kernel", "a/a/a/bias"});
    layer->rename("c");
    CHECK(paths(*top) == std::vector<std::string>{"a/a/c/kernel", "a/a/c/bias"});
    middle->rename("b");
    CHECK(paths(*top) == std::vector<std::string>{"a/b/c/kernel", "a/b/c/bias"});
    top->rename("t");
    CHECK(paths(*top) == std::vector<std::string>{"t/b/c/kernel", "t/b/c/bias"});
  }
  {
    auto [top, middle, layer] = net("a", "a", "a");
    top->rename("t");
    CHECK(paths(*top)[0] == "t/a/a/kernel");
    middle->rename("m");
    CHECK(paths(*top)[0] == "t/m/a/kernel");
    layer->rename("kernel");
    CHECK(paths(*top)[0] == "t/m/kernel/kernel");
    layer->rename("kernel");
    layer->rename("d");
    CHECK(paths(*top)[0] == "t/m/d/kernel");
  }
  auto [top, middle, layer] = net("net", "part", "dense");
  CHECK_THROWS_WITH(layer->rename("a/b"), "A layer's name may not contain '/', found 'a/b'.");
  CHECK(paths(*top)[0] == "net/part/dense/kernel");
}

TEST_CASE("a layer holds no layer that it is inside of") {
  const auto a = make<Holds>(), b = make<Holds>(), c = make<Holds>();
  CHECK_THROWS_WITH(a->track("me", std::shared_ptr<Holds>(a)),
                    "track: 'me' holds this layer itself, or a layer that it is inside of.");
  CHECK(a->tracked().empty());
  a->track("b", std::shared_ptr<Holds>(b));
  b->track("c", std::shared_ptr<Holds>(c));
  CHECK_THROWS_WITH(c->track("a", std::shared_ptr<Holds>(a)), contains("'a' holds this layer"));
  CHECK_THROWS_WITH(c->track("all", Members{std::shared_ptr<Holds>(make<Holds>()),
                                            Members{std::shared_ptr<Holds>(b)}}),
                    contains("'all' holds this layer"));
  CHECK(c->sublayers().empty());
  // One layer in two places of another is no circle.
  const auto shared = make<layers::DenseLayer>({.units = 3});
  a->track("shared", std::shared_ptr<layers::DenseLayer>(shared));
  c->track("shared", std::shared_ptr<layers::DenseLayer>(shared));
  (*a)(x);
  CHECK(a->weights().size() == 2);
  CHECK(a->count_params() == 12);
}

TEST_CASE("members in nested lists are told apart, in order") {
  Holds layer;
  const auto dense = [] { return layers::Dense({.units = 3}); };
  const auto one = dense(), two = dense(), three = dense(),
             named = layers::Dense({.units = 3, .name = "dense"});
  layer.track("parts", Members{one, Members{two, Members{three}}, Members(std::vector<Members>{})});
  layer.track("last", named);
  CHECK(one->name() == "dense");
  CHECK(two->name() == "dense_1");
  CHECK(three->name() == "dense_2");
  CHECK(named->name() == "dense");
  CHECK(layer.sublayers().size() == 4);
  CHECK(layer.tracked().size() == 2);
  CHECK(layer.tracked()[0].is_list);
  CHECK_FALSE(layer.tracked()[1].is_list);
  layer(x);
  CHECK(layer.weights().size() == 8);
  CHECK_THROWS_WITH(layer.track("parts", dense()), "track: this layer has a 'parts' already.");
  CHECK_THROWS_WITH(layer.track("none", std::shared_ptr<Layer>()), "track: 'none' holds no layer.");
  CHECK_THROWS_WITH(layer.track("none", std::shared_ptr<Optimizer>()),
                    "track: 'none' holds no optimizer.");
  CHECK_THROWS_WITH(layer.track("none", std::shared_ptr<Metric>()),
                    "track: 'none' holds no metric.");
  CHECK_THROWS_WITH(layer.add_metric(nullptr), "add_metric: there is no metric.");
  CHECK(layer.metrics().empty());
}

TEST_CASE("an optimizer that a layer holds may be replaced, a metric may not") {
  Plain layer;
  const auto sgd = optimizers::SGD();
  layer.track("optimizer", sgd);
  layer.track("optimizer", optimizers::Adam());
  CHECK(layer.tracked_states().size() == 1);
  CHECK(layer.tracked_states()[0].optimizer->name() == "adam");
  const auto mean = metrics::Mean();
  layer.track("mean", mean);
  CHECK_THROWS_AS(layer.track("mean", metrics::Mean()), ValueError);
  CHECK_THROWS_AS(layer.track("mean", optimizers::SGD()), ValueError);
  CHECK_THROWS_AS(layer.track("optimizer", metrics::Mean()), ValueError);
  CHECK_THROWS_AS(layer.track("optimizer", layers::Dense({.units = 1})), ValueError);
  CHECK(layer.metrics().size() == 1);
  CHECK(layer.metrics_variables().size() == 2);
}

TEST_CASE("penalties are of trainable weights, and losses need a tensor") {
  const layers::Dense dense({.units = 1,
                             .kernel_initializer = "ones",
                             .kernel_regularizer = regularizers::L1({.l1 = 0.5})});
  CHECK(dense->losses().empty());
  dense(x);
  CHECK(dense->losses().size() == 1);
  CHECK(dense->losses()[0].item() == Approx(1.5));
  dense->set_trainable(false);
  CHECK(dense->losses().empty());
  dense->set_trainable(true);
  CHECK(dense->losses().size() == 1);
  Plain plain;
  CHECK_THROWS_WITH(plain.add_loss(Tensor()),
                    "add_loss: expected a scalar, found an empty Tensor.");
  CHECK(plain.losses().empty());
}

}  // namespace layer_weights_test
