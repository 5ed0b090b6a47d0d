// Layers and models as users hold them: by value, in braces, by handle.
#include <catch.h>
#include <cornu/cornu.h>

#include "../../support/standard_error.h"

namespace held_layers_test {

using namespace cornu;

namespace {

class Block : public Layer {
 public:
  Block() { track("inner", inner); }
  Tensor call(const Tensor& x, const Call&) override { return x + inner(x); }
  Sequential inner{layers::Dense({.units = 8}), layers::Dense({.units = 4})};
};

}  // namespace

TEST_CASE("a tracked Sequential that is a member by value is not warned of") {
  const auto block = make<Block>();
  const std::string said = test::standard_error_of([&] { (void)block(ops::ones({2, 4})); });
  CHECK(said.find("does not track") == said.npos);
  CHECK(block->weights().size() == 4);
}

TEST_CASE("an InputLayer begins a Sequential") {
  Sequential model(
      {layers::InputLayer({.shape = {4}, .name = "features"}), layers::Dense({.units = 2})});
  CHECK(model(ops::ones({3, 4})).shape() == Shape{3, 2});
  CHECK(model.weights().size() == 2);
}

TEST_CASE("layers that a model gives, and clones of models in handles") {
  const auto model = make<Sequential>({Input({4}), layers::Dense({.units = 2, .name = "head"})});
  const Tensor x = ops::ones({3, 4});
  const Tensor direct = model->get_layer("head")(x), by_model = model(x);
  CHECK(direct.to_vector<float>() == by_model.to_vector<float>());
  CHECK(model->get_layer(0)(x).shape() == Shape{3, 2});
  CHECK(clone_model(model)->weights().size() == 2);
  const std::shared_ptr<Sequential>& shared = model;
  CHECK(clone_model(shared)->weights().size() == 2);
}

TEST_CASE("attention takes its key behind the value") {
  layers::Attention attention;
  const Tensor query = random::normal({2, 3, 4}, 0, 1, 1),
               value = random::normal({2, 5, 4}, 0, 1, 2), key = random::normal({2, 5, 4}, 0, 1, 3);
  const Tensor named = attention(query, value, {.key = key}).tensor(),
               behind = attention(query, value, key).tensor();
  CHECK(named.to_vector<float>() == behind.to_vector<float>());
  const Tensor causal = attention(query, value, key, {.use_causal_mask = true}).tensor();
  CHECK(causal.to_vector<float>() != behind.to_vector<float>());
}

TEST_CASE("strings are read by to_vector, and no rule is written as a null") {
  const Tensor words = Tensor::strings({"a", "b"}, {2});
  CHECK(words.to_vector<std::string>() == std::vector<std::string>{"a", "b"});
  layers::TextVectorization texts({.standardize = nullptr, .vocabulary = {"A", "b"}});
  CHECK(texts(words).size() > 0);
}

TEST_CASE("a tape gives a list of gradients for sources in braces") {
  const Tensor x = Tensor::from({1.0f, 2.0f}, {2});
  const Variable v(Tensor(3.0f));
  GradientTape tape({.persistent = true});
  tape.watch(x);
  const Tensor y = ops::sum(x * x) * v;
  const std::vector<Tensor> one = tape.gradient(y, {x}), variable = tape.gradient(y, {v}),
                            two = tape.gradient(y, {v, v});
  REQUIRE(one.size() == 1);
  CHECK(one[0].to_vector<float>() == std::vector<float>{6, 12});
  CHECK(tape.gradient(y, {x})[0].shape() == Shape{2});
  CHECK(variable.at(0).item() == 5);
  CHECK(two.size() == 2);
  CHECK(tape.gradient(y, x).shape() == Shape{2});
}

}  // namespace held_layers_test
