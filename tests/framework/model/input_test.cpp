// Input: its options, those that tensors cannot have, and inputs that may be missing.
#include <cornu/framework/data/pipeline.h>

#include "model_support.h"

namespace input_test {

using namespace cornu;
using namespace cornu::test;
using layers::Dense;

namespace {

// The first input, and the second where there is one.
class SumOfTwo : public Layer {
 public:
  Nest call_many(const Nest& inputs, const Call&) override {
    const Tensor x = inputs[0].tensor(), y = inputs[1].tensor();
    return y ? x + y : x;
  }
};

}  // namespace

TEST_CASE("an Input has Keras's options, and says no to sparse and ragged data") {
  const Input x({.shape = {2},
                 .batch_size = 3,
                 .dtype = "int32",
                 .sparse = false,
                 .ragged = false,
                 .name = "x"});
  CHECK(x.shape() == Shape{3, 2});
  CHECK(x.dtype() == DType::int32);
  CHECK_THROWS_AS(Input({.shape = {2}, .sparse = true}), UnsupportedError);
  CHECK_THROWS_WITH(Input({2}, {.ragged = true}), has("option 'ragged': tensors are dense"));
  CHECK_THROWS_WITH(Input({.shape = {2}, .batch_shape = Shape{3, 2}}),
                    has("'shape' or 'batch_shape', not both"));
  CHECK_THROWS_WITH(Input({.batch_size = 2, .batch_shape = Shape{3, 2}}), has("not both"));
}

TEST_CASE("an Input may be a tensor that there is") {
  Input x({4}, {.name = "x"});
  const Tensor hidden = Dense({.units = 3, .name = "a"})(x);
  Functional whole(x, Dense({.units = 2, .name = "b"})(hidden));
  const Input middle({.tensor = hidden});
  CHECK(middle.shape() == Shape{Shape::unknown, 3});
  Functional rest(middle, whole.outputs());
  const Tensor data = wave({2, 4});
  const Tensor between = Functional(x, hidden)(data);
  CHECK(floats(rest(between)) == floats(whole(data)));
  // A Sequential begins with data like it.
  Sequential stack({middle, Dense({.units = 2})});
  CHECK(stack(wave({2, 3})).shape() == Shape{2, 2});

  CHECK_THROWS_WITH(Input({.shape = {5}, .tensor = hidden}), has("option 'shape' is (5,)"));
  CHECK_THROWS_WITH(Input({.batch_size = 3, .tensor = hidden}), has("option 'batch_size' is 3"));
  CHECK_THROWS_WITH(Input({.dtype = "int32", .tensor = hidden}), has("has dtype float32"));
  CHECK_THROWS_WITH(Input({.tensor = data}), has("must be symbolic"));
  CHECK_THROWS_AS(Input({.name = "features", .tensor = hidden}), UnsupportedError);
  CHECK_NOTHROW(Input({.shape = {3}, .dtype = "float32", .tensor = hidden}));
}

TEST_CASE("an optional input may be an empty tensor, or missing among names") {
  Input a({2}, {.name = "a"}), b({.shape = {2}, .name = "b", .optional = true});
  const Tensor sum = make<SumOfTwo>()(Nest{a, b});
  Functional model(Nest{a, b}, sum);
  const Tensor ones = ops::ones({1, 2});
  CHECK(floats(model(Nest{ones, ones})) == std::vector<float>{2, 2});
  CHECK(floats(model(Nest{ones, Tensor()})) == std::vector<float>{1, 1});
  CHECK_THROWS_WITH(model(Nest{Tensor(), ones}), has("input 'a' is an empty tensor"));

  Functional named(Nest::dict({{"b", b}, {"a", a}}), sum);
  CHECK(floats(named(Nest::dict({{"a", ones}}))) == std::vector<float>{1, 1});
  CHECK(floats(named(Nest::dict({{"b", ones}, {"a", ones}}))) == std::vector<float>{2, 2});
  CHECK_THROWS_AS(named(Nest::dict({{"b", ones}})), ValueError);
  CHECK_THROWS_WITH(named(Nest::dict({{"a", ones}, {"bb", ones}})),
                    has("there is no input 'bb'. Did you mean 'b'?"));
  CHECK_THROWS_WITH(data::from(Nest{ones, Tensor()}, ones), has("found an empty tensor"));

  const auto layer = std::dynamic_pointer_cast<InputLayer>(b.origin().node->operation);
  CHECK(InputLayer::from_config(layer->get_config())->optional());
}

}  // namespace input_test
