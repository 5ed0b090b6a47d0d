// Calling layers: one way in, whoever calls; errors that stay what they are; direct builds.
#include <cornu/cornu.h>

#include <stdexcept>

#include "../../catch.h"
#include "../../support/layer_check.h"
#include "../../support/standard_error.h"
#include "support/matchers.h"

namespace call_test {

using namespace cornu;
using test::contains;

namespace {

struct UsersError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct UsersCornuError : ValueError {
  UsersCornuError(const std::string& text, int code) : ValueError(text), code(code) {}
  int code;
};

// Throws what it is told to.
class Failing : public Layer {
 public:
  explicit Failing(std::function<void()> fail) : fail_(std::move(fail)) {}
  Tensor call(const Tensor& x, const Call&) override {
    fail_();
    return x;
  }

 private:
  std::function<void()> fail_;
};

class Nothing : public Layer {};

class Sum : public Layer {
 public:
  Nest call_many(const Nest& inputs, const Call&) override {
    const std::vector<Tensor> all = inputs.flatten();
    return all.at(0) + all.at(1);
  }
};

// As a container of a user's, which knows no more than Layer.
Nest through_base(Layer& layer, const Nest& inputs, const Call& call = {}) {
  return layer(inputs, call);
}

std::string json_of(const Nest& inputs, const Nest& outputs) {
  return Functional(inputs, outputs, {.name = "net"}).to_json();
}

size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("a user's error leaves a layer as it is") {
  const auto models = [](const std::function<void()>& fail) {
    std::vector<std::function<void()>> ways;
    ways.push_back([=] {
      Sequential({Input({4}), make<Failing>(fail), layers::Dense({.units = 2})});
    });
    ways.push_back([=] {
      const Input x({4});
      (*make<Failing>(fail))(x);
    });
    ways.push_back([=] { Sequential({make<Failing>(fail)}).build({Shape::unknown, 4}); });
    ways.push_back([=] { (*make<Failing>(fail))(ops::ones({2, 4})); });
    ways.push_back([=] {
      class Net : public Model {
       public:
        explicit Net(std::function<void()> fail) : inner(track("inner", make<Failing>(fail))) {}
        Tensor call(const Tensor& x, const Call&) override { return (*inner)(x); }
        std::shared_ptr<Failing> inner;
      };
      Net(fail).predict(ops::ones({2, 4}));
    });
    return ways;
  };
  for (const auto& way : models([] { throw UsersError("mine"); })) {
    CHECK_THROWS_AS(way(), UsersError);
    CHECK_THROWS_WITH(way(), "mine");
  }
  for (const auto& way : models([] { throw 17; })) CHECK_THROWS_AS(way(), int);
  for (const auto& way : models([] { throw StateError("my own programming error"); })) {
    CHECK_THROWS_AS(way(), StateError);
    CHECK_THROWS_WITH(way(), contains("my own programming error"));
    CHECK_THROWS_WITH(way(), contains("failing"));
  }
  for (const auto& way : models([] { throw UsersCornuError("told", 3); })) {
    try {
      way();
      FAIL("nothing was thrown");
    } catch (const UsersCornuError& e) {
      CHECK(e.code == 3);
      CHECK(count(e.what(), "Layer '") == 1);
    }
  }
}

TEST_CASE("a warning names the layer that an exception of another library came from") {
  const auto failing = make<Failing>([] { throw UsersError("told by a warning"); });
  const auto inner = make<Sequential>(std::vector<AnyLayer>{failing}, Sequential::Options{"inner"});
  Sequential outer({inner}, {.name = "outer"});
  const std::string said = test::standard_error_of([&] {
    CHECK_THROWS_AS(outer(ops::ones({2, 3})), UsersError);
  });
  CHECK_THAT(said, contains("Layer 'outer/inner/failing' (Failing) threw an exception: "
                            "told by a warning"));
  CHECK(count(said, "Layer '") == 1);
  const auto other = make<Failing>([] { throw 17; });
  other->rename("seventeen");
  CHECK_THAT(test::standard_error_of([&] {
               CHECK_THROWS_AS((*other)(ops::ones({2, 3})), int);
             }),
             contains("Layer 'seventeen' (Failing) threw an exception"));
}

TEST_CASE("an error is placed once, however deep it is") {
  const auto failing = make<Failing>([] { throw ShapeError("does not fit."); });
  const auto inner = make<Sequential>(std::vector<AnyLayer>{failing}, Sequential::Options{"inner"});
  const auto middle = make<Sequential>(std::vector<AnyLayer>{inner}, Sequential::Options{"middle"});
  Sequential outer({middle}, {.name = "outer"});
  CHECK_THROWS_WITH(outer(ops::ones({2, 3})),
                    "Layer 'outer/middle/inner/failing' (Failing): does not fit.");
  // While building, too.
  const auto lstm = make<Sequential>(std::vector<AnyLayer>{layers::LSTM({.units = 2})},
                                     Sequential::Options{"inner"});
  try {
    Sequential({Input({3}), lstm}, {.name = "net"});
    FAIL("nothing was thrown");
  } catch (const ShapeError& e) {
    CHECK(count(e.what(), "Layer '") == 1);
    CHECK_THAT(e.what(), contains("inner/lstm"));
  }
}

TEST_CASE("TimeDistributed names the layer inside") {
  const auto failing = make<Failing>([] { throw ShapeError("does not fit."); });
  const layers::TimeDistributed steps({.layer = AnyLayer(failing)});
  CHECK_THROWS_WITH(steps(ops::ones({2, 3, 4})),
                    "Layer 'time_distributed/failing' (Failing): does not fit.");
}

TEST_CASE("a layer without a call says so, and is not taken for one that looks at values") {
  CHECK_THROWS_WITH(Sequential({Input({4}), make<Nothing>()}),
                    contains("neither call nor call_many is overridden"));
  Sum sum;
  const Tensor one = ops::ones({2});
  CHECK(sum(Nest{one, one}).tensor().to_vector<float>() == std::vector<float>{2, 2});
  CHECK_THROWS_WITH(sum.call(one, {}), contains("neither call nor call_many is overridden"));
}

TEST_CASE("a layer that looks at values is built by the first real call") {
  int seen = 0;
  class Looks : public Layer {
   public:
    explicit Looks(int& seen) : seen_(seen) {}
    Tensor call(const Tensor& x, const Call&) override {
      if (ops::sum(x).item() > 0) ++seen_;
      return x * 2.0;
    }

   private:
    int& seen_;
  };
  Sequential model({Input({3}), make<Looks>(seen), layers::Dense({.units = 2})});
  CHECK(seen == 0);
  CHECK(model.weights().empty());
  CHECK(model.predict(ops::ones({2, 3})).tensor().shape() == Shape{2, 2});
  CHECK(seen > 0);
  CHECK(model.weights().size() == 2);
}

TEST_CASE("a layer makes the same node through its handle and through Layer&") {
  const Input q({3, 4}), v({5, 4}), k({5, 4});
  const auto attention = [&](auto call) {
    return json_of(Nest{q, v, k},
                   call(layers::MultiHeadAttention({.num_heads = 2, .key_dim = 2, .name = "mha"})));
  };
  const std::string expected = attention([&](const auto& layer) { return layer({q, v, k}); });
  CHECK(attention([&](const auto& layer) {
          return through_base(*layer, Nest{q, v, k});
        }) == expected);
  CHECK(attention([&](const auto& layer) {
          return through_base(*layer, Nest(q), Call{.extra = {{"value", v}, {"key", k}}});
        }) == expected);
  CHECK(attention([&](const auto& layer) {
          return layer(q, Call{.extra = {{"value", v}, {"key", k}}});
        }) == expected);

  const Input x({3, 4}), h({2}), c({2});
  for (const bool bidirectional : {false, true}) {
    const auto recurrent = [&](auto call) {
      const layers::LSTM lstm({.units = 2, .name = "lstm"});
      if (!bidirectional) return json_of(Nest{x, h, c}, call(*lstm, Nest{x, h, c}));
      const layers::Bidirectional both({.layer = AnyLayer(lstm), .name = "both"});
      return json_of(Nest{x, h, c}, call(*both, Nest{x, h, c, h, c}));
    };
    const std::string named = recurrent([&](Layer& layer, const Nest& given) {
      Nest::List states(given.list().begin() + 1, given.list().end());
      return layer(given[0], Call{.extra = {{"initial_state", Value(Nest(states))}}});
    });
    CHECK(recurrent([&](auto& layer, const Nest& given) { return layer(given); }) == named);
    CHECK(recurrent([&](Layer& layer, const Nest& given) { return layer(given); }) == named);
    CHECK(named.find("initial_state") != std::string::npos);
  }
}

TEST_CASE("errors of a graph show no number for sizes that are not known") {
  const Input x({6});
  CHECK_THROWS_WITH(layers::Add()(Nest{x, Input({7})}), contains("shapes (None, 6), (None, 7)") &&
                                                            !contains("83") &&
                                                            !contains("stands for"));
  // What is told by a number of elements needs the remark.
  CHECK_THROWS_WITH(layers::Reshape({.target_shape = {4, 2}})(Input({Shape::unknown, 3})),
                    contains("input (None, None, 3) has 249 elements") &&
                        contains("(83 stands for a size that is not known yet.)"));
  // Of a size that is known by that number, nobody can tell which of the two it is.
  CHECK_THROWS_WITH(layers::Add()(Nest{Input({83}), Input({7})}),
                    contains("shapes (83, 83), (83, 7)") && contains("(83 stands for a size"));
  CHECK_THROWS_WITH(layers::Add()(Nest{Tensor(ops::ones({2, 6})), Tensor(ops::ones({2, 7}))}),
                    !contains("stands for"));
}

TEST_CASE("misspelt arguments of a call are errors") {
  const Tensor x = ops::ones({2, 3, 4});
  const Tensor state = ops::zeros({2, 2});
  CHECK_THROWS_WITH(
      layers::LSTM({.units = 2})(Nest(x),
                                 Call{.extra = {{"initial_states", Value(Nest{state, state})}}}),
      contains("the argument 'initial_states' is not known. Did you mean 'initial_state'?"));
  CHECK_THROWS_WITH(layers::Dense({.units = 2})(x, Call{.extra = {{"nonsense", 1}}}),
                    contains("Layer 'dense' (Dense): the argument 'nonsense' is not known. This "
                             "layer takes no arguments"));
  CHECK_THROWS_AS(layers::MultiHeadAttention({.num_heads = 1, .key_dim = 2})(
                      x, Call{.extra = {{"use_causal_masks", true}}}),
                  ValueError);
  const Input in({3, 4});
  CHECK_THROWS_AS(layers::Dense({.units = 2})(in, Call{.extra = {{"nonsense", 1}}}), ValueError);
}

TEST_CASE("masks belong to handles, and a call leaves those of its inputs alone") {
  Tensor x = ops::ones({2, 3, 4});
  const Tensor mask = ops::cast(Tensor::from({1, 1, 0, 1, 0, 0}, {2, 3}), DType::boolean);
  const Tensor bare = x, masked = x.with_mask(mask);
  CHECK(masked.mask().impl() == mask.impl());
  CHECK_FALSE(bare.mask());
  x.set_mask(mask);
  CHECK(x.mask());
  CHECK_FALSE(bare.mask());
  // A graph that gives a list of masks sets them for the call alone.
  const layers::Concatenate join({.axis = 1});
  join->invoke({{Value(Nest{bare, bare})}, {{"mask", Value::List{Value(mask), Value(mask)}}}});
  CHECK_FALSE(bare.mask());
  // The gradient finds a tensor under its mask.
  GradientTape tape;
  Tensor watched = Tensor::from({1.0f, 2.0f}, {2});
  tape.watch(watched);
  const Tensor y =
      ops::sum(ops::square(watched.with_mask(ops::cast(ops::ones({2}), DType::boolean))));
  CHECK(tape.gradient(y, watched).to_vector<float>() == std::vector<float>{2, 4});
}

TEST_CASE("build builds, as Keras's does") {
  const layers::Dense dense({.units = 2});
  dense->build({4, 3});
  CHECK(dense->built());
  dense(ops::ones({5, 3}));
  CHECK(dense->weights().size() == 2);
  std::string where;
  CHECK(test::same(Value(dense->get_build_config()),
                   Value::Dict{{"input_shape", Value::List{5, 3}}}, where));

  dense->build({5, 3});  // finds the weights
  CHECK(dense->weights().size() == 2);
  const layers::LSTM lstm({.units = 2});
  lstm->build({Shape::unknown, 5, 3});
  CHECK(lstm->built());
  CHECK(lstm->weights().size() == 3);
  const layers::Bidirectional both({.layer = AnyLayer(layers::GRU({.units = 2}))});
  both->build({Shape::unknown, 5, 3});
  CHECK(both->weights().size() == 6);

  Sequential stack({layers::Dense({.units = 4}), layers::Dense({.units = 2})});
  stack.build({Shape::unknown, 3});
  CHECK(stack.built());
  CHECK(stack.count_params() == 3 * 4 + 4 + 4 * 2 + 2);
  CHECK(stack.predict(ops::ones({2, 3})).tensor().shape() == Shape{2, 2});
  CHECK(stack.weights().size() == 4);

  class Net : public Model {
   public:
    Tensor call(const Tensor& x, const Call&) override { return out(hidden(x)); }

   private:
    layers::Dense hidden = track("hidden", layers::Dense({.units = 4}));
    layers::Dense out = track("out", layers::Dense({.units = 1}));
  };
  Net net;
  net.build({Shape::unknown, 3});
  CHECK(net.count_params() == 3 * 4 + 4 + 4 + 1);
}

TEST_CASE("layers and models take vectors of numbers and strings") {
  layers::Dense dense({.units = 2, .kernel_initializer = "ones"});
  const Sequential doubled({layers::Rescaling({.scale = 2.0})});
  layers::StringLookup lookup({.vocabulary = std::vector<std::string>{"b", "a"}});
  CHECK(lookup(std::vector<std::string>{"a", "b", "c"}).to_vector<int64_t>() ==
        std::vector<int64_t>{2, 1, 0});
  CHECK((*lookup)(std::vector<std::string>{"b"}).to_vector<int64_t>() == std::vector<int64_t>{1});
  const std::vector<float> numbers = {1, 2};
  const layers::Rescaling scaled({.scale = 3.0});
  CHECK(scaled(numbers).to_vector<float>() == std::vector<float>{3, 6});
  CHECK(scaled(std::span(numbers)).to_vector<float>() == std::vector<float>{3, 6});
}

TEST_CASE("compute_mask needs no mask where the inputs tell it") {
  const layers::Masking masking;
  const Tensor x = ops::array({{{0.0, 0.0}, {1.0, 0.0}}});
  CHECK(masking->compute_mask(x).to_vector<bool>() == std::vector<bool>{false, true});
  const layers::Embedding embedding({.input_dim = 3, .output_dim = 2, .mask_zero = true});
  CHECK(embedding->compute_mask(ops::array({{0, 2}})).to_vector<bool>() ==
        std::vector<bool>{false, true});
}

TEST_CASE("a call that gives a list may be taken apart") {
  const layers::LSTM lstm({.units = 2, .return_sequences = true, .return_state = true});
  const Tensor x = ops::ones({3, 4, 5});
  const auto [y, h, c] = lstm.unpack<3>(x);
  CHECK(y.shape() == Shape{3, 4, 2});
  const Nest all = lstm(Nest(x));
  CHECK(ops::allclose(h, all[1]).item() != 0);
  CHECK(ops::allclose(c, all[2]).item() != 0);
  const layers::MultiHeadAttention attention({.num_heads = 1, .key_dim = 2});
  const auto [mixed, scores] = attention.unpack<2>({x, x}, {.return_attention_scores = true});
  CHECK(mixed.shape() == Shape{3, 4, 5});
  CHECK(scores.shape() == Shape{3, 1, 4, 4});
  const auto [first, last] = layers::GRU({.units = 2, .return_state = true}).unpack<2>(x);
  CHECK(ops::allclose(first, last).item() != 0);

  // In a graph, with several inputs, and of a model on the stack.
  Input steps({4, 5}), state({2}), cell({2});
  auto [out, hidden, kept] = lstm.unpack<3>(steps, {.initial_state = {state, cell}});
  Functional model({steps, state, cell}, {out, hidden, kept});
  const Tensor zeros = ops::zeros({3, 2});
  const auto [again, h_again, c_again] = model.unpack<3>({x, zeros, zeros}, {.training = false});
  CHECK(ops::allclose(again, y).item() != 0);
  CHECK(h_again.shape() == c_again.shape());

  CHECK_THROWS_WITH(lstm.unpack<2>(x), contains("unpack<2> needs a list of 2 tensors") &&
                                           contains("gives [*, *, *]. Write unpack<3>."));
  CHECK_THROWS_WITH(layers::Dense({.units = 1}).unpack<1>(x), contains("the layer gives *."));
  const Nest states = lstm(Nest(steps));
  const auto nested = make<Functional>(steps, Nest{states[0], Nest{states[1], states[2]}});
  CHECK_THROWS_WITH(nested.unpack<3>(x), contains("Call it with Nest(x)"));
}

}  // namespace call_test
