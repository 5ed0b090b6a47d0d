// Query, value and key, and the masks that come with them.
#include "attention_layer.h"

#include <fmt/core.h>

#include <algorithm>

#include "../../framework/ops/convert.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/nn/attention.h"
#include "../../framework/ops/numpy/creation.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {
namespace {

// The inputs by their place, and the arguments that mask them.
const std::pair<const char*, const char*> input_names[] = {
    {"query", "query_mask"}, {"value", "value_mask"}, {"key", "key_mask"}};

Tensor find_tensor(const Call& call, const char* name) {
  const Value* v = call.find(name);
  return v && !v->is_null() ? v->nest().tensor() : Tensor();
}

}  // namespace

AttentionCall::operator Call() const {
  Call call{.training = training, .mask = mask, .masks = masks, .extra = extra};
  const std::pair<const char*, const Tensor&> tensors[] = {{"key", key},
                                                           {"query_mask", query_mask},
                                                           {"value_mask", value_mask},
                                                           {"key_mask", key_mask},
                                                           {"attention_mask", attention_mask}};
  for (const auto& [name, tensor] : tensors)
    if (tensor) call.extra.emplace_back(name, tensor);
  if (return_attention_scores) call.extra.emplace_back("return_attention_scores", true);
  if (use_causal_mask) call.extra.emplace_back("use_causal_mask", true);
  return call;
}

Choice<Initializer> copy_of(const Choice<Initializer>& initializer) {
  // A file may say null; a function has no seed that two copies would share.
  if (!initializer.shared() || initializer->is_function()) return initializer;
  return Choice<Initializer>(deserialize(serialize(*initializer)));
}

std::vector<Tensor> take_query_value_key(const Nest& inputs, Call& call) {
  std::vector<Tensor> given;
  if (!inputs.empty())
    given = inputs.is_tensor() ? std::vector<Tensor>{inputs.tensor()} : inputs.flatten();
  if (given.empty())
    if (const Tensor query = find_tensor(call, "query")) given.push_back(query);
  if (given.empty() || given.size() > 3)
    throw ShapeError(fmt::format(
        "expected the inputs {{query, value}} or {{query, value, key}}, found {} tensors.",
        given.size()));
  for (size_t i = 1; i < 3; ++i) {
    const Value* named = call.find(input_names[i].first);
    if (!named || named->is_null()) continue;
    if (given.size() > i)
      throw ValueError(fmt::format("the argument '{}' is given twice.", input_names[i].first));
    if (given.size() < i) throw ValueError("the argument 'key' is given without a 'value'.");
    given.push_back(named->nest().tensor());
  }
  std::erase_if(call.extra, [](const auto& entry) {
    return entry.first == "query" || entry.first == "value" || entry.first == "key";
  });
  return given;
}

Nest name_arguments(const std::vector<Tensor>& inputs, Call& call) {
  if (inputs.size() == 1) call.extra.emplace_back("value", inputs[0]);
  for (size_t i = 0; i < 3; ++i) {
    const auto [name, mask_name] = input_names[i];
    if (i < inputs.size() && i > 0) call.extra.emplace_back(name, inputs[i]);
    if (i < inputs.size() && inputs[i].mask() && !call.find(mask_name))
      call.extra.emplace_back(mask_name, inputs[i].mask());
  }
  return Nest(inputs[0]);
}

void refuse_masks(const Call& call) {
  if (call.masks.empty()) return;
  throw ValueError(
      "takes no list of masks, as in Keras. Give value_mask, key_mask or attention_mask by name; "
      "the query's mask is the one that it carries, by set_mask.");
}

bool find_flag(const Call& call, const char* name) {
  const Value* v = call.find(name);
  return v && !v->is_null() && detail::from_value<bool>(*v);
}

const std::vector<std::string>& attention_arguments() {
  static const std::vector<std::string> names = {
      "query",          "value",           "key",
      "attention_mask", "query_mask",      "value_mask",
      "key_mask",       "use_causal_mask", "return_attention_scores"};
  return names;
}

Value::Dict shapes_by_name(const Value::Dict& config) {
  const Value* found = detail::find(config, "input_shape");
  if (!found || !found->is<Value::List>() || found->get<Value::List>().empty()) return {};
  Value::List list = found->get<Value::List>();
  if (!list[0].is<Value::List>()) list = {*found};  // one shape serves as query and value
  Value::Dict shapes = {{"query_shape", list[0]}, {"value_shape", list[list.size() > 1 ? 1 : 0]}};
  if (list.size() > 2) shapes.emplace_back("key_shape", list[2]);
  return {{"shapes_dict", std::move(shapes)}};
}

Value::Dict shapes_as_list(const Value::Dict& config) {
  const Value* shapes = detail::find(config, "shapes_dict");
  if (!shapes || !shapes->is<Value::Dict>()) return {};
  Value::List list;
  for (const char* name : {"query_shape", "value_shape", "key_shape"}) {
    const Value* shape = detail::find(shapes->get<Value::Dict>(), name);
    if (shape && !shape->is_null()) list.push_back(*shape);
  }
  if (list.empty()) return {};
  return {{"input_shape", list}};
}

Tensor join_attention_masks(const std::vector<Tensor>& inputs, const Call& call, bool causal,
                            const std::optional<int64_t>& window) {
  Tensor result;
  auto add = [&](const Tensor& mask) {
    const Tensor seen = ops::cast(mask, DType::boolean);
    result = result ? ops::logical_and(result, seen) : seen;
  };
  for (size_t i = 0; i < 3; ++i) {
    Tensor mask = find_tensor(call, input_names[i].second);
    if (!mask && i < inputs.size()) mask = inputs[i].mask();
    if (mask) add(ops::expand_dims(mask, {i == 0 ? -1 : -2}));
  }
  const int64_t t = inputs[0].shape()[1], s = inputs.size() > 1 ? inputs[1].shape()[1] : t;
  if (causal) add(ops::expand_dims(ops::causal_mask(t, s), {0}));
  if (window) {
    auto steps = [](int64_t n, int64_t axis) {
      return ops::expand_dims(ops::arange(0, n), {0, axis});
    };
    add(ops::absolute(steps(t, 2) - steps(s, 1)) < Tensor(*window));
  }
  if (const Tensor given = find_tensor(call, "attention_mask")) add(given);
  return result;
}

Tensor mask_with_heads(Tensor mask, int rank, int attended) {
  while (mask && mask.rank() < rank) mask = ops::expand_dims(mask, {-2 * attended - 1});
  return mask;
}

}  // namespace cornu::layers
