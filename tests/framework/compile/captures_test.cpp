// What a device captured is done again for the addresses that it was captured with, and no others.
#include <cornu/framework/compile/function.h>
#include <cornu/framework/compile/plan/captures.h>
#include <cornu/framework/ops/linalg/decompositions.h>
#include <cornu/framework/ops/ops.h>

#include "catch.h"

namespace cornu::plan {
namespace captures_test {
namespace {

// The CPU as a device that counts what is captured on it.
class CountingDevice final : public backend::Backend {
 public:
  explicit CountingDevice(bool captures, bool replays_work = false)
      : captures_(captures), replays_work_(replays_work) {}
  std::unique_ptr<backend::Executable> capture(const std::function<void()>& work) override {
    if (fails) throw StateError("this device captures nothing today");
    if (!captures_) return nullptr;
    struct Piece final : backend::Executable {
      Piece(int& r, std::function<void()> w) : replays(r), work(std::move(w)) {}
      void run(void* const* /*data*/) override {
        ++replays;
        if (work) work();
      }
      int& replays;
      std::function<void()> work;
    };
    ++captured;
    return std::make_unique<Piece>(replays, replays_work_ ? work : nullptr);
  }
  bool fails = false;
  int captured = 0;
  int replays = 0;

  const std::string& name() const override { return name_; }
  backend::Allocator& allocator() override { return backend::cpu_backend().allocator(); }
  void run(const backend::Kernel& kernel, std::span<const backend::Operand> inputs,
           std::span<const backend::Operand> outputs) override {
    backend::cpu_backend().run(kernel, inputs, outputs);
  }
  void copy_from_host(void* to, const void* from, size_t bytes) override { copy(to, from, bytes); }
  void copy_to_host(void* to, const void* from, size_t bytes) override { copy(to, from, bytes); }
  void copy(void* to, const void* from, size_t bytes) override {
    backend::cpu_backend().copy(to, from, bytes);
  }

 private:
  bool captures_, replays_work_;
  std::string name_ = "counting:0";
};

TEST_CASE("Work is captured when its addresses come again") {
  CountingDevice device(true);
  Captures captures;
  int steps = 0;
  int places[8];
  const auto run = [&](int batch) {
    return captures.run(device, {&places[batch], &places[7]}, [&] { ++steps; });
  };
  CHECK(run(0));
  CHECK(device.captured == 0);
  CHECK(run(0));
  CHECK(steps == 2);
  CHECK(device.captured == 1);
  CHECK(run(0));
  CHECK(run(0));
  CHECK(steps == 2);
  CHECK(device.replays == 2);

  // Batches that take turns in two places.
  for (int i = 0; i < 10; ++i) run(i % 2);
  CHECK(steps == 4);
  CHECK(device.captured == 2);
  CHECK(device.replays == 10);

  // Those not used for long are forgotten.
  for (int batch = 2; batch < 6; ++batch) run(batch);
  run(0);
  CHECK(steps == 9);

  captures.clear();
  run(0);
  CHECK(steps == 10);
}

TEST_CASE("A device that captures nothing, or fails to, does its work step by step") {
  for (const bool fails : {false, true}) {
    CountingDevice device(fails);
    device.fails = fails;
    Captures captures;
    int steps = 0;
    int place;
    CHECK(captures.run(device, {&place}, [&] { ++steps; }));
    CHECK_FALSE(captures.run(device, {&place}, [&] { ++steps; }));
    CHECK(steps == 2);
  }
}

TEST_CASE(
    "Plans whose arguments and results come at ever new addresses are captured in memory of their "
    "own") {
  CountingDevice device(true, true);
  const Tensor rows =
      ops::reshape(ops::cast(ops::arange(120), DType::float32), {40, 3}).to(Device(device));
  Variable total(ops::zeros({3}).to(Device(device)), {.name = "total"});
  Function step([&](const Nest& x) -> Nest {
    total.assign(total.value() + x.tensor());
    return std::vector<Tensor>{x.tensor() * 2.0, x.tensor()};
  });
  std::vector<Tensor> results;
  for (int i = 0; i < 40; ++i) {
    const Tensor row =
        Tensor::part_of(rows, static_cast<float*>(rows.data()) + 3 * i, {3}, DType::float32);
    for (const Tensor& result : step(row).flatten()) results.push_back(result);
  }
  CHECK(device.captured == 1);
  CHECK(device.replays > 20);
  for (int i = 0; i < 40; ++i) {
    const float first = 3 * static_cast<float>(i);
    CHECK(results[static_cast<size_t>(2 * i)].to_vector<float>() ==
          std::vector<float>{2 * first, 2 * first + 2, 2 * first + 4});
    CHECK(results[static_cast<size_t>(2 * i + 1)].to_vector<float>() ==
          std::vector<float>{first, first + 1, first + 2});
  }
  CHECK(total.value().to_vector<float>() == std::vector<float>{2340, 2380, 2420});
}

TEST_CASE("Plans that decompose matrices are not captured") {
  CountingDevice device(true);
  const Tensor x = (ops::eye(3) * 2.0).to(Device(device));
  Function product([](const Nest& x) -> Nest { return ops::matmul(x.tensor(), x.tensor()); });
  Function inverse([](const Nest& x) -> Nest { return ops::inv(x.tensor()) + 1.0; });
  for (int i = 0; i < 5; ++i) product(x);
  CHECK(device.captured == 1);
  for (int i = 0; i < 5; ++i) CHECK(inverse(x).tensor().to_vector<float>()[0] == 1.5f);
  CHECK(device.captured == 1);
}

}  // namespace
}  // namespace captures_test
}  // namespace cornu::plan
