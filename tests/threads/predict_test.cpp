// One model and several threads: what may be done at a time, and what says that it may not.
#include <cornu/cornu.h>

#include <unistd.h>

#include <atomic>
#include <barrier>
#include <filesystem>
#include <thread>

#include "../catch.h"
#include "../support/layer_check.h"

namespace predict_test {

using namespace cornu;

namespace {

constexpr int callers = 4;

// f(caller) on several threads that begin at once. Rethrows the first error.
void together(const std::function<void(int)>& f) {
  std::barrier start(callers);
  std::vector<std::exception_ptr> errors(callers);
  std::vector<std::thread> threads;
  for (int i = 0; i < callers; ++i)
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      try {
        f(i);
      } catch (...) {
        errors[static_cast<size_t>(i)] = std::current_exception();
      }
    });
  for (std::thread& t : threads) t.join();
  for (const std::exception_ptr& e : errors)
    if (e) std::rethrow_exception(e);
}

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && a.to_vector<float>() == b.to_vector<float>();
}

std::vector<AnyLayer> sequence_layers() {
  return {layers::Embedding({.input_dim = 11, .output_dim = 6, .mask_zero = true}),
          layers::Bidirectional({.layer = AnyLayer(layers::LSTM({.units = 5}))}),
          layers::Dense({.units = 3, .activation = "softmax", .activity_regularizer = "l2"})};
}

Tensor tokens(int64_t seed, int64_t rows = 2) {
  return ops::cast(random::uniform({rows, 7}, 0, 11, Seed(seed)), DType::int32);
}

}  // namespace

TEST_CASE("several threads predict with one model, by plans and with the same bits") {
  Sequential model(sequence_layers());
  std::vector<Tensor> inputs, expected;
  for (int i = 0; i < callers; ++i) inputs.push_back(tokens(i));
  for (const Tensor& x : inputs) expected.push_back(model.predict(x).tensor());
  constexpr int rounds = 200;
  std::atomic<int> wrong = 0;
  together([&](int caller) {
    for (int i = 0; i < rounds; ++i) {
      const size_t which = static_cast<size_t>(caller + i) % inputs.size();
      if (!same_bits(model.predict(inputs[which]).tensor(), expected[which])) ++wrong;
    }
  });
  CHECK(wrong == 0);
  const std::string report = model.explain();
  INFO(report);
  const int calls = callers * (rounds + 1);
  CHECK(report.find("predict_step: " + std::to_string(calls) + " calls, " +
                    std::to_string(calls - 2) + " replayed, 2 recorded, 1 plans\n") !=
        std::string::npos);
}

TEST_CASE("the first calls of a model may come from several threads") {
  for (int round = 0; round < 5; ++round) {
    Sequential model(sequence_layers());
    const Tensor x = tokens(3);
    std::vector<Tensor> results(callers);
    together([&](int caller) { results[static_cast<size_t>(caller)] = model.predict(x).tensor(); });
    CHECK(model.weights().size() == 9);
    for (const Tensor& y : results) CHECK(same_bits(y, results[0]));
  }
}

TEST_CASE("the first calls of functions may come from several threads") {
  for (int round = 0; round < 40; ++round) {
    Variable counter(ops::zeros({}));
    auto plain = function([](const Tensor& x) { return ops::sum(x * 2.0); });
    auto counts = function([&](const Tensor& x) {
      counter.assign_add(1.0);
      return ops::sum(x);
    });
    const Tensor x = ops::ones({8});
    std::atomic<int> wrong = 0;
    together([&](int) {
      for (int i = 0; i < 20; ++i) {
        if (plain(x).item() != 16) ++wrong;
        if (counts(x).item() != 8) ++wrong;
      }
    });
    CHECK(wrong == 0);
    CHECK(counter.value().item() == 20 * callers);
  }
}

TEST_CASE("a layer whose build predicts with a model is built beside that model's first call") {
  class Features : public Layer {
   public:
    explicit Features(Sequential& base) : base_(base) {}
    void build(const Shape&) override { width = base_.predict(tokens(1)).tensor().shape().back(); }
    Tensor call(const Tensor& x, const Call&) override { return x * static_cast<double>(width); }
    int64_t width = 0;

   private:
    Sequential& base_;
  };
  for (int round = 0; round < 5; ++round) {
    Sequential base(sequence_layers());
    together([&](int caller) {
      if (caller % 2) {
        base.predict(tokens(2));
      } else {
        Features features(base);
        features(ops::ones({2}));
        if (features.width != 3) throw StateError("built wrongly");
      }
    });
  }
}

TEST_CASE("several threads call one layer on one tensor with a mask") {
  Sequential model(sequence_layers());
  const Tensor x = tokens(5);
  const Tensor expected = model(x);
  const layers::MultiHeadAttention attention({.num_heads = 2, .key_dim = 3});
  Tensor query = random::uniform({2, 4, 6}, -1, 1, Seed(1));
  query.set_mask(ops::cast(Tensor::from({1, 1, 0, 0, 1, 1, 1, 0}, {2, 4}), DType::boolean));
  const Tensor attended = attention({query, query}).tensor();
  std::atomic<int> wrong = 0;
  together([&](int) {
    for (int i = 0; i < 50; ++i) {
      if (!same_bits(model(x), expected)) ++wrong;
      if (!same_bits(attention({query, query}).tensor(), attended)) ++wrong;
    }
  });
  CHECK(wrong == 0);
  CHECK(query.mask());
}

TEST_CASE("a functional model with several inputs is called by several threads") {
  const Input a({4}), b({4});
  const layers::Dense shared({.units = 3, .activation = "tanh"});
  const Tensor both = layers::Concatenate()(Nest{shared(a), shared(b)});
  const auto model = make<Functional>(Nest{a, b}, layers::Dense({.units = 2})(ops::gelu(both)));
  const Nest x{random::uniform({3, 4}, -1, 1, Seed(1)), random::uniform({3, 4}, -1, 1, Seed(2))};
  const Tensor expected = model->predict(x).tensor();
  std::atomic<int> wrong = 0;
  together([&](int) {
    for (int i = 0; i < 100; ++i)
      if (!same_bits(model->predict(x).tensor(), expected)) ++wrong;
  });
  CHECK(wrong == 0);
}

TEST_CASE("a model is saved and loaded while others predict with it") {
  const auto folder =
      std::filesystem::temp_directory_path() / ("cornu_threads_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  Sequential model(sequence_layers());
  const Tensor x = tokens(1), expected = model.predict(x).tensor();
  std::atomic<int> wrong = 0;
  together([&](int caller) {
    const std::string path = (folder / (std::to_string(caller) + ".keras")).string();
    for (int i = 0; i < 3; ++i) {
      model.save(path);
      if (!same_bits(load_model(path)->predict(x).tensor(), expected)) ++wrong;
      for (int k = 0; k < 20; ++k)
        if (!same_bits(model.predict(x).tensor(), expected)) ++wrong;
    }
  });
  CHECK(wrong == 0);
  std::filesystem::remove_all(folder);
}

TEST_CASE("predictions that change a model's state wait for each other") {
  // A stateful layer ends each call where the next one begins: all calls count, in some order.
  const Input input(InputConfig{.batch_shape = Shape{1, 1, 1}});
  Functional model(input, layers::SimpleRNN({.units = 1,
                                             .activation = "linear",
                                             .use_bias = false,
                                             .kernel_initializer = "ones",
                                             .recurrent_initializer = "ones",
                                             .stateful = true})(input));
  const Tensor one = ops::ones({1, 1, 1});
  model.predict(one);
  model.predict(one);
  together([&](int) {
    for (int i = 0; i < 50; ++i) model.predict(one);
  });
  CHECK(model.predict(one).tensor().item() == 2 + 50 * callers + 1);
}

TEST_CASE("two threads do not train one model") {
  Sequential model({Input({4}), layers::Dense({.units = 1})});
  model.compile({.optimizer = optimizers::SGD(), .loss = "mse"});
  const Tensor x = random::uniform({8, 4}, -1, 1, Seed(1)), y = ops::zeros({8, 1});
  std::string training, evaluating, predicting;
  const auto message = [](const std::function<void()>& f) -> std::string {
    try {
      f();
    } catch (const StateError& e) {
      return e.what();
    }
    return "";
  };
  const callbacks::LambdaCallback callback({.on_epoch_end = [&](int64_t, Logs&) {
    std::thread other([&] {
      training = message([&] { model.train_on_batch(x, y); });
      evaluating = message([&] { model.evaluate(x, y, {.verbose = Verbose::silent}); });
      predicting = message([&] { model.predict(x); });
    });
    other.join();
    CHECK(message([&] { model.predict(x); }).empty());
  }});
  model.fit(x, y, {.epochs = 1, .verbose = Verbose::silent, .callbacks = {callback}});
  CHECK(training.find("train_on_batch: another thread trains or evaluates model 'sequential'") ==
        0);
  CHECK(evaluating.find("evaluate: another thread") == 0);
  CHECK(predicting.find("predict: another thread trains") == 0);
  // Whoever comes after is served.
  std::thread([&] { training = message([&] { model.train_on_batch(x, y); }); }).join();
  CHECK(training.empty());
}

}  // namespace predict_test
