// Reading recorded cases and comparing with them.
#include "recorded.h"

#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/config/json.h>
#include <cornu/framework/ops/numpy/einsum.h>
#include <cornu/framework/ops/numpy/reduction.h>
#include <cornu/framework/ops/operators.h>

#include "../catch.h"
#include "golden_json.h"
#include "layer_check.h"

namespace cornu::test {
namespace {

Value::List cases(const std::string& list) {
  return entry(golden_file("rnn_attention.json"), list).get<Value::List>();
}

void compare(const char* what, const std::vector<Tensor>& found, const Value& recorded,
             double tolerance) {
  const std::vector<Tensor> expected = golden_tensors(recorded);
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    INFO(what << " " << i << ", expected " << expected[i].str());
    // No gradient at all is one of zeros.
    CHECK(difference(found[i] ? found[i] : expected[i] * Tensor(0.0), expected[i]) < tolerance);
  }
}

void check(const Value& recorded) {
  const auto layer = std::dynamic_pointer_cast<Layer>(deserialize(entry(recorded, "layer")));
  REQUIRE(layer);
  std::vector<Tensor> inputs = golden_tensors(entry(recorded, "inputs"));
  if (const Value* list = detail::find(recorded.get<Value::Dict>(), "masks")) {
    const std::vector<Tensor> masks = golden_tensors(*list);
    for (size_t i = 0; i < masks.size(); ++i)
      if (masks[i]) inputs[i].set_mask(masks[i]);
  }
  Call call;
  if (const Value* training = detail::find(recorded.get<Value::Dict>(), "training"))
    call.training = training->get<bool>();
  for (const auto& [name, v] : entry(recorded, "arguments").get<Value::Dict>()) {
    if (name == "mask")
      call.mask = golden_tensor(v);
    else if (v.is<Value::List>())
      call.extra.emplace_back(name, Value(Nest(golden_tensors(v))));
    else
      call.extra.emplace_back(name, v.is<Value::Dict>() ? Value(golden_tensor(v)) : v);
  }
  const Nest nest = inputs.size() > 1 ? Nest(inputs) : Nest(inputs[0]);
  layer->ensure_built(nest);
  layer->set_weights(golden_tensors(entry(recorded, "weights")));

  GradientTape tape({.persistent = true});
  for (const Tensor& x : inputs) tape.watch(x);
  const std::vector<Tensor> outputs = (*layer)(nest, call).flatten();
  const std::vector<Tensor> cotangents = golden_tensors(entry(recorded, "cotangents"));
  REQUIRE(outputs.size() == cotangents.size());
  Tensor loss(0.0);
  for (size_t i = 0; i < outputs.size(); ++i) loss = loss + ops::sum(outputs[i] * cotangents[i]);
  tape.stop();
  compare("output", outputs, entry(recorded, "outputs"), 5e-5);
  compare("gradient of weight", tape.gradient(loss, layer->trainable_variables()),
          entry(recorded, "weight_gradients"), 1e-4);
  compare("gradient of input", tape.gradient(loss, inputs), entry(recorded, "input_gradients"),
          1e-4);
}

}  // namespace

void check_recorded(const std::string& prefix) {
  int found = 0;
  for (const Value& recorded : cases("layers")) {
    const std::string name = entry(recorded, "name").get<std::string>();
    if (!name.starts_with(prefix)) continue;
    ++found;
    DYNAMIC_SECTION(name) { check(recorded); }
  }
  CHECK(found >= 8);
}

void check_recorded_einsum() {
  for (const Value& recorded : cases("einsum")) {
    const std::string subscripts = entry(recorded, "subscripts").get<std::string>();
    INFO(subscripts);
    const Tensor y = ops::einsum(subscripts, golden_tensors(entry(recorded, "operands")));
    CHECK(difference(y, golden_tensor(entry(recorded, "output"))) < 5e-5);
  }
}

}  // namespace cornu::test
