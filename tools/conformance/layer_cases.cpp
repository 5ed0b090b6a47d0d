// Cases of layers: weights, calls, masks, losses, gradients and output shapes.
#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/base/layer.h>
#include <fmt/core.h>

#include "case.h"

namespace cornu::conformance {
namespace {

// The names that Keras gives to a layer's inputs, in their order.
constexpr const char* input_names[] = {"inputs", "input", "sequences", "sequence",    "x",
                                       "query",  "value", "key",       "inputs_batch"};

// A Keras call with its inputs by place, and without the arguments that say nothing.
Arguments by_place(Arguments arguments) {
  Arguments result{arguments.positional, {}};
  for (const char* name : input_names)
    for (const auto& [key, v] : arguments.named)
      if (key == name && !v.is_null()) result.positional.push_back(v);
  for (auto& [key, v] : arguments.named)
    if (!v.is_null() &&
        std::find(std::begin(input_names), std::end(input_names), key) == std::end(input_names))
      result.named.emplace_back(key, v);
  return result;
}

// Where the second argument by place is no further input.
Arguments name_second(const std::string& class_name, Arguments arguments) {
  if (arguments.positional.size() == 2 && class_name.starts_with("GlobalAveragePooling")) {
    arguments.named.emplace_back("mask", arguments.positional[1]);
    arguments.positional.pop_back();
  }
  return arguments;
}

// {"$tuple": [2, null]} and nests of such against what a layer infers.
void compare_shapes(Case& c, const Value& recorded, const Nest& found) {
  auto mismatch = [&](const std::string& text) {
    c.differences.fail("compute_output_shape", "found " + text);
  };
  const Value* tuple = find(recorded, "$tuple");
  const Value& value = tuple ? *tuple : recorded;
  if (value.is<Value::List>()) {
    const auto& list = value.get<Value::List>();
    const bool is_shape = std::all_of(
        list.begin(), list.end(), [](const Value& v) { return v.is_null() || v.is<int64_t>(); });
    if (is_shape) {
      // Where Keras's shapes are flat, its results are lists of one.
      if (found.is_list() && found.list().size() == 1)
        return compare_shapes(c, recorded, found.list()[0]);
      if (!found.is_tensor()) return mismatch(found.structure() + ", expected one shape");
      const Shape& shape = found.tensor().shape();
      const Shape expected = detail::from_value<Shape>(value);
      bool equal = shape.rank() == expected.rank();
      for (int i = 0; equal && i < shape.rank(); ++i)
        equal = expected[i] == Shape::unknown || shape[i] == expected[i];
      if (!equal) mismatch(shape.str() + ", expected " + expected.str());
      return;
    }
    if (!found.is_list() || found.list().size() != list.size())
      return mismatch(found.structure() + fmt::format(", expected {} shapes", list.size()));
    for (size_t i = 0; i < list.size(); ++i) compare_shapes(c, list[i], found.list()[i]);
    return;
  }
  if (!value.is<Value::Dict>()) return mismatch("what is no shape in the record");
  for (const auto& [key, v] : value.get<Value::Dict>()) {
    if (!found.is_dict()) return mismatch(found.structure() + ", expected a dictionary");
    compare_shapes(c, v, found[key]);
  }
}

// The inputs of a call as a layer is built on them.
Nest inputs_of(const Arguments& arguments) {
  if (arguments.positional.size() == 1) return arguments.positional[0].nest();
  return Value(arguments.positional).nest();
}

struct Recorded {
  std::vector<Tensor> before;
  std::vector<Tensor> after;  ///< empty where the call changed nothing
};

void compare_weights(Case& c, Layer& layer, const Recorded& weights) {
  const std::vector<Variable> found = layer.weights();
  const Compare how = c.stochastic() ? Compare::shape : Compare::values;
  for (size_t i = 0; i < found.size(); ++i) {
    const std::string dataset = fmt::format("weights_after/{}", i);
    if (weights.after[i])
      c.differences.compare(dataset, found[i].value(), weights.after[i], c.tolerance(), how);
    else
      c.differences.compare_bits(dataset, found[i].value(), weights.before[i],
                                 "the weight changed, and did not in Keras");
  }
}

void compare_losses(Case& c, const std::vector<Tensor>& losses) {
  const auto recorded = c.file.numbered(c.name, "losses");
  if (losses.size() != recorded.size())
    c.differences.fail("losses",
                       fmt::format("found {}, expected {}", losses.size(), recorded.size()));
  for (const auto& [number, value] : recorded)
    if (static_cast<size_t>(number) < losses.size())
      c.differences.compare(fmt::format("losses/{}", number), losses[static_cast<size_t>(number)],
                            value, c.tolerance(),
                            c.stochastic() ? Compare::shape : Compare::values);
}

}  // namespace

void check_layer(Case& c) {
  const Value& object = entry(c.spec, "object");
  const std::string class_name = entry(object, "class_name").get<std::string>();
  const auto layer = make_object<Layer>(c);
  const Inputs inputs = c.inputs();
  auto arguments = [&](const Inputs& current) {
    return name_second(class_name, by_place(decode_call(entry(c.spec, "call"), current)));
  };

  const Value* build = find(object, "build_config");
  if (build && build->is<Value::Dict>() && !build->get<Value::Dict>().empty() && !layer->built())
    layer->build_from_config(build->get<Value::Dict>());
  if (!layer->built()) layer->invoke(arguments(inputs));

  Recorded weights;
  const int count = c.file.count(c.name, "weights");
  for (int i = 0; i < count; ++i) {
    const std::string after = fmt::format("weights_after/{}", i);
    weights.before.push_back(c.tensor(fmt::format("weights/{}", i)));
    weights.after.push_back(c.has(after) ? c.tensor(after) : Tensor());
  }
  layer->set_weights(weights.before);
  const std::vector<Variable> variables = layer->weights();

  const size_t losses = static_cast<size_t>(c.file.count(c.name, "losses"));
  const Outcome outcome = c.run(
      inputs,
      [&](const Inputs& current) {
        layer->clear_losses();
        std::vector<std::pair<int, Tensor>> sources;
        for (size_t i = 0; i < variables.size(); ++i)
          sources.emplace_back(static_cast<int>(i), variables[i].value());
        Outcome result = c.differentiate(current, sources, [&](const Inputs& in) {
          return Value(layer->invoke(arguments(in)));
        });
        int number = 0;
        for (const Tensor& loss : layer->losses())
          result.more.emplace_back(fmt::format("losses/{}", number++), loss);
        return result;
      },
      [&] { layer->set_weights(weights.before); });

  c.compare(outcome);
  compare_weights(c, *layer, weights);
  std::vector<Tensor> found;
  for (const auto& [dataset, tensor] : outcome.more)
    if (dataset.starts_with("losses/")) found.push_back(tensor);
  if (!found.empty() || losses > 0) compare_losses(c, found);

  const Value* shape = find(c.spec, "compute_output_shape");
  if (shape && !shape->is_null())
    compare_shapes(c, *shape, layer->compute_output_spec(inputs_of(arguments(inputs))));
}

}  // namespace cornu::conformance
