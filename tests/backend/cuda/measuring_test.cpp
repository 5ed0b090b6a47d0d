// Which of several ways to run a kernel is taken, on a driver whose work takes as long as the test
// wants.
#include <cornu/backend/cuda/measuring.h>
#include <cornu/backend/error.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "catch.h"
#include "fake_bench.h"

namespace measuring_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {

// The choice among ways that take so many tenths of a millisecond on the device; those of none
// cannot be launched.
size_t chosen(Bench& bench, const std::vector<int>& times) {
  cuda::Device& device = bench.backend().device();
  const cuda::Session session(device);
  const cuda::TrialResult found = cuda::fastest(
      device, times.size(),
      [&](size_t i) {
        if (times[i] == 0) return false;
        bench.driver.enqueue(device.stream(), [time = times[i]] {
          std::this_thread::sleep_for(std::chrono::microseconds(100 * time));
        });
        return true;
      },
      bench.driver.table());
  CHECK(found.certain ==
        std::any_of(times.begin(), times.end(), [](int time) { return time > 0; }));
  return found.best;
}

}  // namespace

TEST_CASE("the way that takes the least time on the device is chosen") {
  Bench bench;
  CHECK(chosen(bench, {90, 10, 50}) == 1);
  CHECK(chosen(bench, {10, 50, 90}) == 0);
  CHECK(chosen(bench, {90, 50, 10}) == 2);
  // What cannot be launched is passed over.
  CHECK(chosen(bench, {0, 90, 10}) == 2);
  CHECK(chosen(bench, {90, 0, 10}) == 2);
  CHECK(chosen(bench, {0, 0}) == 0);
}

TEST_CASE("a way that lacks memory is passed over, and the choice is not certain") {
  Bench bench;
  cuda::Device& device = bench.backend().device();
  const cuda::Session session(device);
  const cuda::TrialResult found = cuda::fastest(
      device, 3,
      [&](size_t i) {
        if (i == 1) throw MemoryError("no room");
        return i == 2;
      },
      bench.driver.table());
  CHECK(found.best == 2);
  CHECK_FALSE(found.certain);
}

TEST_CASE("operands for trials are given back, and left out where there is no room") {
  Bench bench;
  cuda::Device& device = bench.backend().device();
  const cuda::Session session(device);
  const Shape small({100, 100}), none({0, 4});
  const auto in_use = [&] { return device.allocator().stats().live; };
  const size_t before = in_use();
  {
    const Operand inputs[] = {{&small, DType::float32, nullptr}, {&none, DType::float32, nullptr}};
    const Operand outputs[] = {{&small, DType::bfloat16, nullptr}};
    const cuda::TrialOperands operands(device, inputs, outputs);
    REQUIRE(operands.addresses().size() == 3);
    CHECK(operands.addresses()[0] != nullptr);
    CHECK(operands.addresses()[1] == nullptr);
    CHECK(operands.addresses()[0] != operands.addresses()[2]);
    CHECK(in_use() >= before + 60000);
  }
  CHECK(in_use() == before);
  // More than the device has, and more than is ever tried.
  for (const int64_t rows : {int64_t{20000}, int64_t{200000}}) {
    const Shape large({rows, 2000});
    const Operand all[] = {{&large, DType::float32, nullptr}, {&large, DType::float32, nullptr}};
    const cuda::TrialOperands operands(device, all, {});
    CHECK(operands.addresses().empty());
    CHECK(in_use() == before);
  }
}

}  // namespace measuring_test
