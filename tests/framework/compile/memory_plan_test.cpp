// Where a plan's values lie in its memory.
#include <cornu/framework/compile/plan/memory.h>

#include "../../support/remote_backend.h"
#include "catch.h"

namespace memory_plan_test {

using namespace cornu;
using namespace cornu::plan;

namespace {

// Temporaries of one float each, all of which are read at the end, so that none shares a place.
Graph chain(backend::Backend& device, int count) {
  Graph graph;
  graph.device = &device;
  plan::Step last;
  last.kernel = backend::Copy{};
  for (int i = 0; i < count; ++i) {
    plan::Step step;
    step.kernel = backend::Copy{};
    step.outputs = {{graph.add_value(DType::float32, 1), Shape{1}}};
    last.inputs.push_back(step.outputs[0]);
    graph.steps.push_back(step);
  }
  last.outputs = {{graph.add_value(DType::float32, 1), Shape{1}}};
  graph.outputs = last.outputs;
  graph.steps.push_back(last);
  return graph;
}

}  // namespace

TEST_CASE("values are as aligned in a plan's memory as blocks of their own are") {
  for (const bool host : {true, false}) {
    const Graph graph = chain(host ? backend::cpu_backend() : testing::remote_backend(), 5);
    const MemoryPlan plan = plan_memory(graph, std::vector<uint32_t>(graph.steps.size()));
    const size_t alignment = host ? 64 : 256;
    int found = 0;
    for (const Placement& place : plan.places)
      if (place.home == Home::arena) {
        ++found;
        CHECK(place.offset % alignment == 0);
      }
    CHECK(found == 5);
    CHECK(plan.arena_bytes == 5 * alignment);
  }
}

}  // namespace memory_plan_test
