// Pipelines with threads of their own, as the thread sanitizer sees them.
#include <cornu/cornu.h>

#include <atomic>
#include <thread>

#include "../catch.h"

namespace pipelines_test {

using namespace cornu;

namespace {

Tensor numbers(int64_t rows) { return ops::reshape(ops::arange(rows, "float32"), {rows, 1}); }

double half(int64_t n) { return static_cast<double>(n) / 2; }

auto pipeline(int64_t workers) {
  return data::range(60)
      .shuffle()
      .map(half, {.workers = workers})
      .filter([](double x) { return x != 3; })
      .map([](double x) { return std::vector<float>{static_cast<float>(x)}; }, {.workers = workers})
      .cache()
      .batch(8)
      .prefetch(2);
}

double sum_of(const auto& batches) {
  double sum = 0;
  for (const Batch& batch : batches) sum += ops::sum(batch.x.tensor()).item();
  return sum;
}

}  // namespace

TEST_CASE("stages with workers hand their elements over") {
  const double expected = 60 * 59 / 4.0 - 3;
  for (const int64_t workers : {0, 1, 4}) {
    const auto batches = pipeline(workers);
    for (int epoch = 0; epoch < 3; ++epoch) CHECK(sum_of(batches) == expected);
    CHECK_FALSE(batches.explain().empty());
  }
}

TEST_CASE("several threads walk over one pipeline") {
  const auto batches = pipeline(2);
  const double expected = sum_of(batches);
  std::atomic<int> equal{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 3; ++k) equal += sum_of(batches) == expected;
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(equal == 12);
}

TEST_CASE("walks stop early, and stages throw, while threads work") {
  for (int i = 0; i < 20; ++i) {
    pipeline(3).open()->next();
    const auto failing = data::range(40)
                             .map(
                                 [](int64_t n) {
                                   if (n == 17) throw std::runtime_error("seventeen");
                                   return half(n);
                                 },
                                 {.workers = 3})
                             .prefetch(2);
    CHECK_THROWS_AS(
        [&] {
          for (double x : failing) static_cast<void>(x);
        }(),
        data::DataError);
    const auto none = data::range(10)
                          .repeat()
                          .filter([](int64_t) { return false; })
                          .prefetch(1)
                          .with({.timeout = 0.01});
    CHECK_THROWS_AS(none.open()->next(), data::DataError);
  }
}

TEST_CASE("fit takes batches that workers make") {
  const Tensor x = numbers(64);
  auto model =
      make<Sequential>({Input({1}), layers::Dense({.units = 4}), layers::Dense({.units = 1})});
  model->compile({.optimizer = "sgd", .loss = "mse"});
  const auto batches = data::from(x * Tensor(0.01f), x * Tensor(0.02f))
                           .shuffle()
                           .batch(8)
                           .prefetch(3, {.workers = 2});
  const History history = model->fit(batches, {.epochs = 3, .verbose = 0});
  CHECK(history.epoch.size() == 3);
}

}  // namespace pipelines_test
