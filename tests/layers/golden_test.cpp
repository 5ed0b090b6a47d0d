// Every layer against what Keras computes: tests/data/layers.json, written by
// tools/goldens/layer_goldens.py.
#include <fstream>
#include <sstream>

#include <cornu/framework/graph/tape.h>
#include <cornu/framework/ops/core.h>
#include <cornu/framework/ops/operators.h>
#include <cornu/framework/ops/reduction.h>
#include <cornu/framework/saving/json.h>

#include "../catch.h"
#include "../paths.h"
#include "../support/layer_check.h"

using namespace cornu;

namespace {

const Value& entry(const Value& dict, const std::string& key) {
  const Value* v = detail::find(dict.get<Value::Dict>(), key);
  if (!v) throw ValueError("the recorded case has no '" + key + "'");
  return *v;
}

Tensor tensor(const Value& v) {
  const auto values = detail::from_value<std::vector<double>>(entry(v, "values"));
  const auto shape = detail::from_value<std::vector<int64_t>>(entry(v, "shape"));
  return ops::cast(Tensor::from(values, shape), detail::from_value<DType>(entry(v, "dtype")));
}

std::vector<Tensor> tensors(const Value& list) {
  std::vector<Tensor> result;
  for (const Value& v : list.get<Value::List>())
    result.push_back(v.is_null() ? Tensor() : tensor(v));
  return result;
}

void compare(const std::vector<Tensor>& found, const std::vector<Tensor>& expected,
             double tolerance) {
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    INFO("number " << i << ", expected " << expected[i].str());
    // No gradient at all is one of zeros.
    if (!found[i])
      CHECK(ops::all_close(expected[i], expected[i] * Tensor(0.0), 0, 0));
    else
      CHECK(test::difference(found[i], expected[i]) < tolerance);
  }
}

void check(const Value& recorded) {
  const auto& dict = recorded.get<Value::Dict>();
  const auto layer = std::dynamic_pointer_cast<Layer>(deserialize(entry(recorded, "layer")));
  REQUIRE(layer);
  std::vector<Tensor> inputs = tensors(entry(recorded, "inputs"));
  if (detail::find(dict, "masks")) {
    const std::vector<Tensor> masks = tensors(entry(recorded, "masks"));
    for (size_t i = 0; i < masks.size(); ++i)
      if (masks[i]) inputs[i].set_mask(masks[i]);
  }
  Call call;
  if (detail::find(dict, "training")) call.training = entry(recorded, "training").get<bool>();
  if (detail::find(dict, "mask")) call.mask = tensor(entry(recorded, "mask"));
  if (detail::find(dict, "initial_state"))
    call.extra = {{"initial_state", Value(Nest(tensors(entry(recorded, "initial_state"))))}};
  const Nest nest = entry(recorded, "many").get<bool>() ? Nest(inputs) : Nest(inputs[0]);

  layer->ensure_built(nest);
  const std::vector<Tensor> weights = tensors(entry(recorded, "weights"));
  layer->set_weights(weights);
  std::vector<Tensor> floats;
  GradientTape tape({.persistent = true});
  for (const Tensor& x : inputs)
    if (is_float(x.dtype())) {
      tape.watch(x);
      floats.push_back(x);
    }
  const std::vector<Tensor> outputs = (*layer)(nest, call).flatten();
  const std::vector<Tensor> cotangents = tensors(entry(recorded, "cotangents"));
  Tensor loss(0.0);
  for (size_t i = 0; i < outputs.size(); ++i) loss = loss + ops::sum(outputs[i] * cotangents.at(i));
  tape.stop();
  {
    INFO("outputs");
    compare(outputs, tensors(entry(recorded, "outputs")), 2e-5);
  }
  if (detail::find(dict, "state_after")) {
    INFO("state after the call");
    std::vector<Tensor> state;
    for (const Variable& v : layer->non_trainable_variables()) state.push_back(v.value());
    compare(state, tensors(entry(recorded, "state_after")), 2e-5);
  }
  INFO("gradients");
  compare(tape.gradient(loss, layer->trainable_variables()),
          tensors(entry(recorded, "weight_gradients")), 1e-4);
  compare(tape.gradient(loss, floats), tensors(entry(recorded, "input_gradients")), 1e-4);
}

}  // namespace

TEST_CASE("layers compute what Keras computes") {
  const std::string path = test::source_path("tests/data/layers.json");
  std::ifstream file(path);
  REQUIRE(file);
  std::stringstream text;
  text << file.rdbuf();
  const Value cases = saving::parse_json(text.str(), path);
  CHECK(cases.get<Value::List>().size() > 60);
  for (const Value& recorded : cases.get<Value::List>()) {
    const std::string name = entry(recorded, "name").get<std::string>();
    DYNAMIC_SECTION(name) { check(recorded); }
  }
}
