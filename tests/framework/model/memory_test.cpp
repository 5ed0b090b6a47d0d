// Tests that long runs and many models give their memory back.
#include <unistd.h>

#include <fstream>

#include <cornu/layers/normalization/batch_normalization.h>

#include "model_support.h"

namespace memory_test {

using namespace cornu;
using namespace cornu::test;
using layers::Dense;

namespace {

// Bytes of this process in memory.
int64_t resident() {
  std::ifstream file("/proc/self/statm");
  int64_t total = 0, pages = 0;
  file >> total >> pages;
  return pages * ::sysconf(_SC_PAGESIZE);
}

// The address sanitizer keeps freed memory back, so that the process grows; it finds leaks itself.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

}  // namespace

TEST_CASE("predict on one row does not grow the process") {
  Sequential model({Input({20}), Dense({.units = 10, .activation = "relu"}), Dense({.units = 1})});
  const Tensor row = wave({1, 20});
  for (int i = 0; i < 5000; ++i) model.predict(row);
  const int64_t before = resident();
  const auto live = memory::stats().live;
  for (int i = 0; i < 100'000; ++i) model.predict(row);
  if (!sanitized) CHECK(resident() - before < (1 << 20));
  CHECK(memory::stats().live == live);
}

TEST_CASE("Training does not grow the process") {
  Sequential model({Input({20}), Dense({.units = 10, .activation = "relu"}),
                    layers::BatchNormalization(), Dense({.units = 1})});
  model.compile({.optimizer = "adam", .loss = "mse", .metrics = {"mae"}});
  const Tensor x = wave({64, 20}), y = wave({64, 1});
  const FitOptions options{.batch_size = 8, .epochs = 50, .verbose = Verbose::silent};
  model.fit(x, y, options);
  const int64_t before = resident();
  const auto live = memory::stats().live;
  for (int i = 0; i < 10; ++i) model.fit(x, y, options);
  if (!sanitized) CHECK(resident() - before < (1 << 20));
  CHECK(memory::stats().live == live);
}

TEST_CASE("Models that are dropped leave no live memory") {
  auto round = [] {
    Sequential model(
        {Input({20}), Dense({.units = 10, .activation = "relu"}), Dense({.units = 1})});
    model.compile({.optimizer = "adam", .loss = "mse"});
    model.train_on_batch(wave({4, 20}), wave({4, 1}));
    Input x({4});
    const Tensor hidden = Dense({.units = 3})(x);
    Functional graph(x, {Dense({.units = 1})(hidden * 2.0), hidden});
    graph.predict(wave({2, 4}), {.verbose = Verbose::silent});
  };
  round();
  const auto live = memory::stats().live;
  for (int i = 0; i < 1000; ++i) round();
  CHECK(memory::stats().live == live);
}

TEST_CASE("A graph does not outlive its tensors") {
  const auto live = memory::stats().live;
  {
    Input x({64});
    auto inner = make<Functional>(x, Dense({.units = 64})(x));
    Functional outer(x, (*inner)(inner->outputs().tensor()));
    CHECK(memory::stats().live > live);
  }
  CHECK(memory::stats().live == live);
}

TEST_CASE("A failed step leaves no live memory") {
  if (!default_device().is_cpu()) return;  // a GPU is not waited for to look at labels
  Sequential model({Input({4}), Dense({.units = 3, .activation = "softmax"})});
  model.compile({.optimizer = "sgd", .loss = "sparse_categorical_crossentropy"});
  const Tensor x = wave({2, 4}), good = std::vector<int32_t>{0, 1},
               bad = std::vector<int32_t>{0, 7};
  model.train_on_batch(x, good);
  CHECK_THROWS_AS(model.train_on_batch(x, bad), ValueError);
  const auto live = memory::stats().live;
  for (int i = 0; i < 20; ++i) CHECK_THROWS_AS(model.train_on_batch(x, bad), ValueError);
  CHECK(memory::stats().live == live);
}

}  // namespace memory_test
