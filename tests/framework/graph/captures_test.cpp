// What a device captured is done again for the addresses that it was captured with, and no others.
#include <cornu/framework/graph/plan/captures.h>

#include "catch.h"

namespace cornu::plan {
namespace {

// Counts what is asked of it.
class CountingDevice final : public backend::Backend {
 public:
  explicit CountingDevice(bool captures) : captures_(captures) {}
  std::unique_ptr<backend::Executable> capture(const std::function<void()>& /*work*/) override {
    if (!captures_) return nullptr;
    struct Piece final : backend::Executable {
      explicit Piece(int& r) : replays(r) {}
      void run(void* const* /*data*/) override { ++replays; }
      int& replays;
    };
    ++captured;
    return std::make_unique<Piece>(replays);
  }
  int captured = 0;
  int replays = 0;

  const std::string& name() const override { return name_; }
  backend::Allocator& allocator() override { return backend::cpu_backend().allocator(); }
  void run(const backend::Kernel&, std::span<const backend::Operand>,
           std::span<const backend::Operand>) override {}
  void copy_from_host(void*, const void*, size_t) override {}
  void copy_to_host(void*, const void*, size_t) override {}
  void copy(void*, const void*, size_t) override {}

 private:
  bool captures_;
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

TEST_CASE("A device that captures nothing does its work step by step") {
  CountingDevice device(false);
  Captures captures;
  int steps = 0;
  int place;
  CHECK(captures.run(device, {&place}, [&] { ++steps; }));
  CHECK_FALSE(captures.run(device, {&place}, [&] { ++steps; }));
  CHECK(steps == 2);
}

}  // namespace
}  // namespace cornu::plan
