// Generated kernels with real threads: no value passes from one to another without a barrier.
#include <cmath>
#include <cstring>
#include <set>

#include "catch.h"
#include "kernel_cases.h"
#include "thread_form.h"

namespace races_test {

using namespace cornu;
using namespace cornu::backend;
using namespace cornu::backend::testing;

namespace {

// Kernels without barriers share nothing; long ones take long on few cores.
constexpr uint64_t most_blocks = 8;
constexpr size_t most_bytes = 64 << 10, most_forms = 60;

bool has_barrier(const cuda::Stage& stage) {
  return stage.source->body.find("_BARRIER") != std::string::npos;
}

ThreadedLaunches::Bytes bytes_of(Array array) {
  ThreadedLaunches::Bytes bytes(static_cast<size_t>(array.numel()) * size_of(array.dtype()));
  if (!bytes.empty()) std::memcpy(bytes.data(), array.data(), bytes.size());
  return bytes;
}

// One small case of each text with barriers.
std::vector<CodegenCase> cases_with_barriers() {
  std::vector<CodegenCase> chosen;
  std::set<std::string> seen;
  for (const auto* list : {&kernel_cases(), &codegen_cases()})
    for (CodegenCase each : *list) {
      const cuda::KernelPlan plan = each.plan();
      uint64_t blocks = 0;
      bool fresh = false;
      for (const cuda::Stage& stage : plan.stages) {
        blocks += uint64_t{stage.grid_x} * stage.grid_y;
        fresh |= has_barrier(stage) && !seen.contains(stage.source->name);
      }
      size_t bytes = plan.workspace_bytes;
      for (const auto* arrays : {&each.inputs, &each.outputs})
        for (const Array& array : *arrays)
          bytes += static_cast<size_t>(array.numel()) * size_of(array.dtype());
      if (!fresh || blocks > most_blocks || bytes > most_bytes || !each.overwrites.empty())
        continue;
      for (const cuda::Stage& stage : plan.stages) seen.insert(stage.source->name);
      chosen.push_back(std::move(each));
    }
  // An even choice among them.
  std::vector<CodegenCase> some;
  for (size_t i = 0; i < std::min(most_forms, chosen.size()); ++i)
    some.push_back(chosen[i * chosen.size() / std::min(most_forms, chosen.size())]);
  return some;
}

std::vector<ThreadedLaunches::Bytes> operands_of(const CodegenCase& each) {
  std::vector<ThreadedLaunches::Bytes> operands;
  for (const Array& array : each.inputs) operands.push_back(bytes_of(array));
  for (const Array& array : each.outputs)
    operands.emplace_back(static_cast<size_t>(array.numel()) * size_of(array.dtype()), '\x55');
  return operands;
}

}  // namespace

TEST_CASE("threads of a block pass on values behind barriers only") {
  std::vector<CodegenCase> cases = cases_with_barriers();
  REQUIRE(cases.size() > 20);
  ThreadedLaunches launches;
  for (CodegenCase& each : cases) launches.add(each.plan(), operands_of(each));
  if (!launches.run()) {
    WARN("No thread sanitizer: generated kernels are not run with real threads. "
         << launches.log().substr(0, 500));
    return;
  }
  INFO(launches.log().substr(0, 4000));
  CHECK_FALSE(launches.raced());
  for (size_t number = 0; number < cases.size(); ++number) {
    CodegenCase& each = cases[number];
    std::vector<Array*> in, out;
    std::vector<Array> expected = each.outputs;
    for (Array& array : each.inputs) in.push_back(&array);
    for (Array& array : expected) out.push_back(&array);
    run(each.kernel, in, out);
    for (size_t k = 0; k < expected.size(); ++k) {
      const ThreadedLaunches::Bytes found = launches.result(number, in.size() + k);
      Array got(expected[k].dtype(), expected[k].shape());
      if (!found.empty()) std::memcpy(got.data(), found.data(), found.size());
      int64_t wrong = 0;
      for (int64_t i = 0; i < got.numel(); ++i) {
        const double a = got[i], b = expected[k][i];
        wrong += !(a == b || (std::isnan(a) && std::isnan(b)) ||
                   std::fabs(a - b) <= each.tolerance * std::fabs(b) + each.slack);
      }
      INFO(each.name << ", output " << k);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("a barrier that is missing is found") {
  for (CodegenCase each : cases_with_barriers()) {
    cuda::KernelPlan plan = each.plan();
    const std::string barrier = "CORNU_BLOCK_BARRIER";
    cuda::Stage& stage = plan.stages[0];
    if (stage.source->body.find(barrier) == std::string::npos) continue;
    auto broken = std::make_shared<cuda::Source>(*stage.source);
    for (size_t at; (at = broken->body.find(barrier)) != std::string::npos;)
      broken->body.erase(at, barrier.size());
    stage.source = broken;
    ThreadedLaunches launches;
    launches.add(plan, operands_of(each));
    if (launches.run()) {
      INFO(each.name << "\n" << launches.log().substr(0, 2000));
      CHECK(launches.raced());
    }
    return;
  }
  FAIL("No kernel with a barrier was found.");
}

}  // namespace races_test
