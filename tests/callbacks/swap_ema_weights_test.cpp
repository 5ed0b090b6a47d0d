// SwapEMAWeights beside the averages computed by hand.
#include <cornu/callbacks/backup_and_restore.h>
#include <cornu/callbacks/swap_ema_weights.h>
#include <cornu/cornu.h>

#include "support.h"

namespace swap_ema_weights_test {

using namespace cornu;
using callbacks::SwapEMAWeights;

namespace {

// Notes the weight when the hooks of callbacks behind SwapEMAWeights run.
class Watch : public Callback {
 public:
  explicit Watch(test::OneWeight& model) : model_(model) {}
  void on_train_batch_end(int64_t, Logs&) override { batches.push_back(model_.get()); }
  void on_test_batch_end(int64_t, Logs&) override { tests.push_back(model_.get()); }
  void on_epoch_end(int64_t, Logs&) override { epochs.push_back(model_.get()); }
  std::vector<float> batches, tests, epochs;

 private:
  test::OneWeight& model_;
};

struct Result {
  std::vector<float> batches, tests, epochs;
  float end = 0;
};

Result train(bool swap_on_epoch, const char* policy = "float32") {
  test::OneWeight model;
  model.set_dtype_policy(DTypePolicy(policy));
  model.set(1);
  model.compile(
      {.optimizer = optimizers::SGD({.learning_rate = 0.125, .use_ema = true, .ema_momentum = 0.5}),
       .loss = "mse"});
  const auto watch = std::make_shared<Watch>(model);
  const Tensor x = ops::ones({2, 1}), y = ops::zeros({2, 1});
  model.fit(x, y,
            {.batch_size = 1,
             .epochs = 2,
             .verbose = Verbose::silent,
             .callbacks = {SwapEMAWeights({.swap_on_epoch = swap_on_epoch}), watch},
             .validation_data = {x, y}});
  return {watch->batches, watch->tests, watch->epochs, model.get()};
}

}  // namespace

TEST_CASE("validation sees the averages, training the weights") {
  // Each step takes a quarter off: 0.75, 0.5625, ...; averages begin as the first of them.
  const float w1 = 0.75f, w2 = 0.5625f, w3 = 0.421875f, w4 = 0.31640625f;
  const float a2 = 0.5f * w1 + 0.5f * w2, a3 = 0.5f * a2 + 0.5f * w3, a4 = 0.5f * a3 + 0.5f * w4;
  for (const bool swap_on_epoch : {false, true}) {
    const Result result = train(swap_on_epoch);
    CHECK(result.batches == std::vector<float>{w1, w2, w3, w4});
    CHECK(result.tests.front() == Approx(a2));
    CHECK(result.tests.back() == Approx(a4));
    CHECK(result.epochs[0] == Approx(swap_on_epoch ? a2 : w2));
    CHECK(result.epochs[1] == Approx(swap_on_epoch ? a4 : w4));
    // fit ends with the averages in the model.
    CHECK(result.end == Approx(a4));
  }
}

TEST_CASE("it works behind a loss scaling, and needs an optimizer with averages") {
  CHECK(train(false, "mixed_float16").end == Approx(0.5f).margin(0.3));
  test::OneWeight model;
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const Tensor x = ops::ones({2, 1});
  CHECK_THROWS_WITH(
      model.evaluate(x, x, {.verbose = Verbose::silent, .callbacks = {SwapEMAWeights()}}),
      Catch::Contains("use_ema") && Catch::Contains("Callback SwapEMAWeights, on_test_begin"));
}

TEST_CASE("evaluate and predict give the weights back") {
  test::OneWeight model;
  model.set(1);
  model.compile(
      {.optimizer = optimizers::SGD({.learning_rate = 0.125, .use_ema = true}), .loss = "mse"});
  const Tensor x = ops::ones({2, 1}), y = ops::zeros({2, 1});
  model.train_on_batch(x, y);
  model.train_on_batch(x, y);
  const float weight = model.get();
  const Callbacks swap = {SwapEMAWeights()};
  model.evaluate(x, y, {.verbose = Verbose::silent, .callbacks = swap});
  CHECK(model.get() == weight);
  const Nest averaged = model.predict(x, {.verbose = Verbose::silent, .callbacks = swap});
  CHECK(averaged.tensor().to_vector<float>()[0] > weight);
  CHECK(model.get() == weight);
}

TEST_CASE("a layer that is frozen after the optimizer was built keeps its own average") {
  layers::Dense first({.units = 3});
  Sequential model({Input({2}), first, layers::Dense({.units = 1})});
  model.compile(
      {.optimizer = optimizers::SGD({.learning_rate = 0.125, .use_ema = true}), .loss = "mse"});
  const Tensor x = ops::ones({2, 2}), y = ops::zeros({2, 1});
  model.train_on_batch(x, y);
  model.train_on_batch(x, y);
  first->set_trainable(false);
  const std::vector<Tensor> weights = model.get_weights();
  model.evaluate(x, y, {.verbose = Verbose::silent, .callbacks = {SwapEMAWeights()}});
  const std::vector<Tensor> after = model.get_weights();
  for (size_t i = 0; i < weights.size(); ++i)
    CHECK(after[i].to_vector<float>() == weights[i].to_vector<float>());
}

}  // namespace swap_ema_weights_test
