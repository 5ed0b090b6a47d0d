// Models some of whose inputs may be missing: predict, evaluate and fit. The numbers are Keras's.
#include <cornu/cornu.h>

#include "model_support.h"
#include "support/temporary.h"

namespace optional_inputs_test {

namespace optional_inputs_test {

using namespace cornu;
using namespace cornu::test;

namespace {

// The first input, and the second where there is one.
class SumOfTwo : public Layer {
 public:
  Nest call_many(const Nest& inputs, const Call&) override {
    const Tensor x = inputs[0].tensor(), y = inputs[1].tensor();
    return y ? x + y : x;
  }
};

Handle<Functional> model_of_two(bool run_eagerly = false) {
  Input a({3}, {.name = "a"}), b({.shape = {3}, .name = "b", .optional = true});
  const auto model = make<Functional>(
      {a, b},
      layers::Dense({.units = 1, .kernel_initializer = "ones"})(make<SumOfTwo>()(Nest{a, b})));
  model->compile({.optimizer = optimizers::SGD({.learning_rate = 0.001}),
                  .loss = "mse",
                  .run_eagerly = run_eagerly});
  return model;
}

struct Data {
  Tensor x = ops::reshape(ops::arange(0, 12, 1, "float32"), {4, 3});
  Tensor ones = ops::ones({4, 3}), target = ops::ones({4, 1});
  Nest without = {x, Tensor()}, with = {x, ones};
};

FitOptions silent(int64_t epochs = 1) {
  return {.batch_size = 2, .epochs = epochs, .verbose = Verbose::silent, .shuffle = false};
}

PredictOptions quiet(int64_t batch_size = 32) {
  return {.batch_size = batch_size, .verbose = Verbose::silent};
}

void check_near(const Tensor& found, const std::vector<float>& expected) {
  const std::vector<float> values = floats(found);
  REQUIRE(values.size() == expected.size());
  for (size_t i = 0; i < values.size(); ++i) CHECK(values[i] == Approx(expected[i]).epsilon(1e-5));
}

}  // namespace

TEST_CASE("predict and evaluate take an empty tensor for an optional input") {
  const auto [x, ones, target, without, with] = Data();
  for (const bool eagerly : {false, true}) {
    auto model = model_of_two(eagerly);
    check_near(model->predict(without, quiet(3)), {3, 12, 21, 30});
    check_near(model->predict(with, quiet(3)), {6, 15, 24, 33});
    check_near(model->predict(without, quiet()), {3, 12, 21, 30});
    check_near(model->predict_on_batch(without), {3, 12, 21, 30});
    check_near(model->predict(Nest::dict({{"a", x}, {"b", Tensor()}}), quiet()), {3, 12, 21, 30});
    check_near(model->predict(Nest::dict({{"a", x}}), quiet()), {3, 12, 21, 30});
    CHECK(model->evaluate(without, target, {.batch_size = 3, .verbose = Verbose::silent})["loss"] ==
          Approx(341.5));
    CHECK_THROWS_WITH(model->predict(Nest{Tensor(), ones}, quiet()),
                      has("input 'a' is an empty tensor"));
  }
}

TEST_CASE("fit takes an empty tensor for an optional input") {
  const auto [x, ones, target, without, with] = Data();
  for (const bool eagerly : {false, true}) {
    auto model = model_of_two(eagerly);
    const History history = model->fit(without, target, silent(2));
    CHECK(history["loss"][0] == Approx(311.63037));
    CHECK(history["loss"][1] == Approx(83.80824));
    check_near(model->predict(without, quiet()), {0.66010034f, 3.447642f, 6.235184f, 9.022726f});
    check_near(model->predict(with, quiet()), {1.589281f, 4.3768225f, 7.1643643f, 9.951906f});

    // One model, with the input and without it.
    model = model_of_two(eagerly);
    CHECK(model->fit(Nest::dict({{"a", x}, {"b", Tensor()}}), target, silent())["loss"][0] ==
          Approx(311.63037));
    CHECK(model->fit(with, target, silent())["loss"][0] == Approx(103.27));
    CHECK(model->fit(without, target, silent())["loss"][0] == Approx(13.283882));
  }
}

TEST_CASE("validation data and single batches may leave an optional input out") {
  const auto [x, ones, target, without, with] = Data();
  auto model = model_of_two();
  FitOptions split = silent();
  split.validation_split = 0.5;
  History history = model->fit(without, target, split);
  CHECK(history["loss"][0] == Approx(62.5));
  CHECK(history["val_loss"][0] == Approx(560.76074));

  model = model_of_two();
  FitOptions data = silent();
  data.validation_data = {with, target};
  history = model->fit(without, target, data);
  CHECK(history["loss"][0] == Approx(311.63037));
  CHECK(history["val_loss"][0] == Approx(119.46083));

  model = model_of_two();
  CHECK(model->train_on_batch(without, target)["loss"] == Approx(341.5));
  CHECK(model->test_on_batch(without, target)["loss"] == Approx(190.58061));
  CHECK(model->train_on_batch(with, target)["loss"] == Approx(248.29295));
}

TEST_CASE("the batches of one pass may differ in which inputs there are") {
  struct Mixed : Dataset {
    int64_t size() const override { return 2; }
    Batch batch(int64_t i) override { return {i == 0 ? data.without : data.with, data.target}; }
    Data data;
  };
  for (const bool eagerly : {false, true}) {
    auto model = model_of_two(eagerly);
    CHECK(model->fit(std::make_shared<Mixed>(), silent())["loss"][0] == Approx(294.89648));
  }
}

TEST_CASE("the first input may be the one that is missing") {
  const auto [x, ones, target, without, with] = Data();
  Input a({.shape = {3}, .optional = true}), b({3});
  struct Either : Layer {
    Nest call_many(const Nest& inputs, const Call&) override {
      return inputs[0].tensor() ? inputs[0].tensor() + inputs[1].tensor() : inputs[1].tensor();
    }
  };
  Functional model({a, b}, make<Either>()(Nest{a, b}));
  model.compile({.optimizer = "sgd", .loss = "mse"});
  check_near(model.predict(Nest{Tensor(), x}, quiet()), floats(x));
  CHECK(model.fit(Nest{Tensor(), x}, x, silent())["loss"][0] == 0);
  CHECK(model.evaluate(Nest{Tensor(), x}, x, {.verbose = Verbose::silent})["loss"] == 0);
}

TEST_CASE("a model with an optional input comes back from its file") {
  Input q({4, 8}, {.name = "q"}),
      mask({.shape = {4, 4}, .dtype = "bool", .name = "mask", .optional = true});
  const layers::MultiHeadAttention attention({.num_heads = 2, .key_dim = 4});
  Functional model({q, mask}, attention(q, q, {.attention_mask = mask}));
  const Tensor data = wave({2, 4, 8}), open = ops::ones({2, 4, 4}, DType::boolean);
  const Nest missing = {data, Tensor()};
  const std::vector<float> expected = floats(attention(data, data));
  check_near(model.predict(missing, quiet()), expected);
  check_near(model.predict(Nest{data, open}, quiet()), expected);
  const TemporaryFolder folder;
  model.save(folder / "optional.keras");
  check_near(load_model(folder / "optional.keras")->predict(missing, quiet()), expected);
}

}  // namespace optional_inputs_test

}  // namespace optional_inputs_test
