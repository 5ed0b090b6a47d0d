// Every layer against what Keras computes: tests/data/layers.json, written by
// tools/goldens/layer_goldens.py.

#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/config/json.h>
#include <cornu/framework/ops/numpy/logic.h>
#include <cornu/framework/ops/numpy/reduction.h>
#include <cornu/framework/ops/operators.h>

#include "../catch.h"
#include "../support/golden_json.h"
#include "../support/layer_check.h"
#include "support/all_close.h"

namespace golden_test {

using namespace cornu;
using test::entry;
using test::golden_file;
using test::golden_tensor;
using test::golden_tensors;

namespace {

void compare(const std::vector<Tensor>& found, const std::vector<Tensor>& expected,
             double tolerance) {
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    INFO("number " << i << ", expected " << expected[i].str());
    // No gradient at all is one of zeros.
    if (!found[i])
      CHECK(test::all_close(expected[i], expected[i] * Tensor(0.0), 0, 0));
    else
      CHECK(test::difference(found[i], expected[i]) < tolerance);
  }
}

void check(const Value& recorded) {
  const auto& dict = recorded.get<Value::Dict>();
  const auto layer = std::dynamic_pointer_cast<Layer>(deserialize(entry(recorded, "layer")));
  REQUIRE(layer);
  std::vector<Tensor> inputs = golden_tensors(entry(recorded, "inputs"));
  if (detail::find(dict, "masks")) {
    const std::vector<Tensor> masks = golden_tensors(entry(recorded, "masks"));
    for (size_t i = 0; i < masks.size(); ++i)
      if (masks[i]) inputs[i].set_mask(masks[i]);
  }
  Call call;
  if (detail::find(dict, "training")) call.training = entry(recorded, "training").get<bool>();
  if (detail::find(dict, "mask")) call.mask = golden_tensor(entry(recorded, "mask"));
  if (detail::find(dict, "initial_state"))
    call.extra = {{"initial_state", Value(Nest(golden_tensors(entry(recorded, "initial_state"))))}};
  const Nest nest = entry(recorded, "many").get<bool>() ? Nest(inputs) : Nest(inputs[0]);

  layer->ensure_built(nest);
  const std::vector<Tensor> weights = golden_tensors(entry(recorded, "weights"));
  layer->set_weights(weights);
  std::vector<Tensor> floats;
  GradientTape tape({.persistent = true});
  for (const Tensor& x : inputs)
    if (is_float(x.dtype())) {
      tape.watch(x);
      floats.push_back(x);
    }
  const std::vector<Tensor> outputs = (*layer)(nest, call).flatten();
  const std::vector<Tensor> cotangents = golden_tensors(entry(recorded, "cotangents"));
  Tensor loss(0.0);
  for (size_t i = 0; i < outputs.size(); ++i) loss = loss + ops::sum(outputs[i] * cotangents.at(i));
  tape.stop();
  {
    INFO("outputs");
    compare(outputs, golden_tensors(entry(recorded, "outputs")), 2e-5);
  }
  if (detail::find(dict, "state_after")) {
    INFO("state after the call");
    std::vector<Tensor> state;
    for (const Variable& v : layer->non_trainable_weights()) state.push_back(v.value());
    compare(state, golden_tensors(entry(recorded, "state_after")), 2e-5);
  }
  INFO("gradients");
  compare(tape.gradient(loss, layer->trainable_variables()),
          golden_tensors(entry(recorded, "weight_gradients")), 1e-4);
  compare(tape.gradient(loss, floats), golden_tensors(entry(recorded, "input_gradients")), 1e-4);
}

}  // namespace

TEST_CASE("layers compute what Keras computes") {
  const Value cases = golden_file("layers.json");
  CHECK(cases.get<Value::List>().size() > 60);
  for (const Value& recorded : cases.get<Value::List>()) {
    const std::string name = entry(recorded, "name").get<std::string>();
    DYNAMIC_SECTION(name) { check(recorded); }
  }
}

}  // namespace golden_test
