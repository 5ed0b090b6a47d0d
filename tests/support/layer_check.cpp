// The contract of a layer.
#include "layer_check.h"

#include <cmath>
#include <limits>

#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/compile/function.h>
#include <cornu/framework/model/input.h>
#include <cornu/framework/ops/core/cast.h>
#include <cornu/framework/ops/elementwise.h>
#include <cornu/framework/ops/numpy/reduction.h>
#include <cornu/framework/ops/operators.h>

#include "../catch.h"

namespace cornu::test {

double difference(const Tensor& a, const Tensor& b) {
  if (!a || !b || a.shape() != b.shape()) return std::numeric_limits<double>::infinity();
  const std::vector<double> x = a.to_vector<double>(), y = b.to_vector<double>();
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double d = std::abs(x[i] - y[i]) / (1 + std::abs(y[i]));
    if (!(d <= worst)) worst = std::isnan(d) ? std::numeric_limits<double>::infinity() : d;
  }
  return worst;
}

bool same(const Value& a, const Value& b, std::string& where) {
  const auto differ = [&](const std::string& place) {
    if (where.empty()) where = place;
    return false;
  };
  if (a.is_number() && b.is_number()) return a.number() == b.number() || differ("a number");
  if (a.kind() != b.kind()) return differ(a.kind() + " against " + b.kind());
  if (a.is<std::string>())
    return a.get<std::string>() == b.get<std::string>() || differ(a.get<std::string>());
  if (a.is<bool>()) return a.get<bool>() == b.get<bool>() || differ("true against false");
  if (a.is<Value::List>()) {
    const auto &x = a.get<Value::List>(), &y = b.get<Value::List>();
    if (x.size() != y.size()) return differ("the length of a list");
    for (size_t i = 0; i < x.size(); ++i)
      if (!same(x[i], y[i], where)) return false;
  }
  if (a.is<Value::Dict>()) {
    const auto &x = a.get<Value::Dict>(), &y = b.get<Value::Dict>();
    if (x.size() != y.size()) return differ("the number of entries");
    for (size_t i = 0; i < x.size(); ++i)
      if (x[i].first != y[i].first || !same(x[i].second, y[i].second, where))
        return differ(x[i].first);
  }
  return true;
}

namespace {

// Values that neither tie nor stand where a function has a corner.
Tensor sample(const Shape& shape, DType dtype, int64_t below, int salt) {
  std::vector<double> values(static_cast<size_t>(shape.numel()));
  uint64_t state = 0x9E3779B97F4A7C15ULL + static_cast<uint64_t>(salt);
  for (double& v : values) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const double u = static_cast<double>(state >> 11) / 9007199254740992.0;
    v = is_float(dtype) ? 2 * u - 1 : std::floor(u * static_cast<double>(below));
    if (is_float(dtype) && std::abs(v) < 0.02) v += 0.05;
  }
  return ops::cast(Tensor::from(values, shape), dtype);
}

struct Setting {
  const LayerExpectation& expected;
  bool many = false;

  Nest inputs(DType floats) const {
    const DType dtype = is_float(expected.input_dtype) ? floats : expected.input_dtype;
    if (!many) return sample(expected.input, dtype, expected.indices_below, 1);
    Nest::List list;
    for (size_t i = 0; i < expected.inputs.size(); ++i)
      list.push_back(
          sample(expected.inputs[i], dtype, expected.indices_below, static_cast<int>(i) + 1));
    return list;
  }
  Tensor run(Layer& layer, const Nest& inputs) const {
    const Call call{.training = expected.training, .mask = expected.mask};
    if (inputs.is_tensor()) return layer(Nest(inputs.tensor()), call).flatten().at(0);
    return layer(inputs, call).flatten().at(0);
  }
};

// A scalar of all outputs, each with a weight of its own.
Tensor scalar(const Tensor& y) { return ops::sum(y * sample(y.shape(), y.dtype(), 2, 99)); }

void fill_weights(Layer& layer, DType dtype) {
  int salt = 200;
  for (const Variable& v : layer.weights()) {
    Tensor value = sample(v.shape(), dtype, 2, ++salt);
    if (v.name().find("variance") != std::string::npos) value = ops::absolute(value) + Tensor(0.5);
    v.assign(value);
  }
}

void check_config(const Setting& s, Layer& layer, const Nest& inputs, const Tensor& output) {
  const Value config = serialize(layer);
  const auto copy = std::dynamic_pointer_cast<Layer>(deserialize(config));
  REQUIRE(copy);
  std::string where;
  INFO("config");
  const bool equal = same(config, serialize(*copy), where);
  CHECK(where.empty());
  CHECK(equal);
  s.run(*copy, inputs);
  std::vector<Tensor> weights = layer.get_weights();
  copy->set_weights(weights);
  if (!s.expected.random && s.expected.non_trainable == 0)
    CHECK(difference(s.run(*copy, inputs), output) < 1e-6);
}

void check_inference(const Setting& s, Layer& layer, const Nest& inputs, const Tensor& output) {
  const auto abstract = [](const Tensor& t) { return Tensor::abstract(t.shape(), t.dtype()); };
  CHECK(layer.compute_output_spec(inputs.map(abstract)).flatten().at(0).shape() == output.shape());
  const Nest any_batch = inputs.map([](const Tensor& t) {
    Shape shape = t.shape();
    shape[0] = Shape::unknown;
    return Tensor::abstract(shape, t.dtype());
  });
  const Tensor spec = layer.compute_output_spec(any_batch).flatten().at(0);
  Shape expected = output.shape();
  expected[0] = Shape::unknown;
  CHECK(spec.shape() == expected);
  CHECK(spec.dtype() == output.dtype());
  if (s.expected.mask) return;
  const Nest symbolic = inputs.map([](const Tensor& t) -> Tensor {
    return Input({.shape = t.shape().slice(1), .dtype = t.dtype()});
  });
  CHECK(layer(symbolic).flatten().at(0).shape() == expected);
}

void check_gradients(const Setting& s, const std::function<std::shared_ptr<Layer>()>& make) {
  const PolicyScope policy("float64");
  const std::shared_ptr<Layer> layer = make();
  const Nest inputs = s.inputs(DType::float64);
  s.run(*layer, inputs);
  fill_weights(*layer, DType::float64);
  const std::vector<Tensor> state = layer->get_weights();
  const auto loss = [&](const Nest& x) {
    layer->set_weights(state);  // what the call changes, such as moving averages, starts anew
    return scalar(s.run(*layer, x));
  };

  std::vector<Tensor> sources;
  for (const Tensor& t : inputs.flatten())
    if (is_float(t.dtype())) sources.push_back(t);
  GradientTape tape({.persistent = true});
  for (const Tensor& t : sources) tape.watch(t);
  const Tensor value = loss(inputs);
  tape.stop();
  const std::vector<Variable> variables = layer->trainable_variables();
  const std::vector<Tensor> by_input = tape.gradient(value, sources),
                            by_weight = tape.gradient(value, variables);

  constexpr double h = 1e-5, tolerance = 1e-6;
  const auto numeric = [&](const Tensor& at, const std::function<Tensor(const Tensor&)>& f) {
    std::vector<double> x = at.to_vector<double>(), slope(x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      const double kept = x[i];
      x[i] = kept + h;
      const double above = f(Tensor::from(x, at.shape())).item();
      x[i] = kept - h;
      const double below = f(Tensor::from(x, at.shape())).item();
      x[i] = kept;
      slope[i] = (above - below) / (2 * h);
    }
    return Tensor::from(slope, at.shape());
  };
  std::vector<Tensor> flat = inputs.flatten();
  size_t place = 0;
  for (size_t i = 0; i < flat.size(); ++i) {
    if (!is_float(flat[i].dtype())) continue;
    INFO("gradient of input " << i);
    const Tensor kept = flat[i];
    const Tensor slope = numeric(kept, [&](const Tensor& t) {
      flat[i] = t;
      return loss(inputs.pack(flat));
    });
    flat[i] = kept;
    const Tensor& found = by_input[place++];
    CHECK(difference(found ? found : slope * Tensor(0.0), slope) < tolerance);
  }
  const std::vector<Variable> all = layer->weights();
  for (size_t i = 0; i < variables.size(); ++i) {
    INFO("gradient of " << variables[i].path());
    Variable v = variables[i];
    const size_t index = static_cast<size_t>(std::find(all.begin(), all.end(), v) - all.begin());
    const Tensor slope = numeric(state[index], [&](const Tensor& t) {
      layer->set_weights(state);
      v.assign(t);
      return scalar(s.run(*layer, inputs));
    });
    CHECK(difference(by_weight[i], slope) < tolerance);
  }
}

// A training step by function() against the same step operation by operation: outputs, gradients,
// and what the calls leave in the weights.
void check_compiled(const Setting& s, const std::function<std::shared_ptr<Layer>()>& make) {
  const auto steps = [&](bool compiled) {
    const std::shared_ptr<Layer> layer = make();
    const Nest inputs = s.inputs(DType::float32);
    s.run(*layer, inputs);
    fill_weights(*layer, DType::float32);
    Function step([&](const Nest& x) {
      GradientTape tape;
      std::vector<Tensor> sources;
      for (const Tensor& t : x.flatten())
        if (is_float(t.dtype())) {
          tape.watch(t);
          sources.push_back(t);
        }
      for (const Variable& v : layer->trainable_variables()) sources.push_back(v.value());
      const Tensor y = s.run(*layer, x);
      std::vector<Tensor> results = tape.gradient(scalar(y), sources);
      std::erase_if(results, [](const Tensor& t) { return !t; });
      results.push_back(y);
      return Nest(results);
    });
    step.set_enabled(compiled);
    std::vector<Tensor> all;
    for (int i = 0; i < 4; ++i)
      for (const Tensor& t : step(inputs).flatten()) all.push_back(t);
    if (compiled) CHECK(step.report().replays == 2);
    for (const Tensor& t : layer->get_weights()) all.push_back(t);
    return all;
  };
  const std::vector<Tensor> eager = steps(false), compiled = steps(true);
  REQUIRE(compiled.size() == eager.size());
  for (size_t i = 0; i < eager.size(); ++i) CHECK(difference(compiled[i], eager[i]) < 2e-5);
}

void check_training(const Setting& s, Layer& layer, const Nest& inputs) {
  const std::vector<Variable> variables = layer.trainable_variables();
  if (variables.empty()) return;
  const auto loss = [&] { return ops::mean(ops::square(s.run(layer, inputs) - Tensor(0.3))); };
  GradientTape tape;
  const Tensor before = loss();
  const std::vector<Tensor> gradients = tape.gradient(before, variables);
  for (size_t i = 0; i < variables.size(); ++i) {
    REQUIRE(gradients[i]);
    Variable(variables[i]).assign_sub(gradients[i] * Tensor(1e-3));
  }
  CHECK(loss().item() < before.item());
}

}  // namespace

void check_layer(const std::function<std::shared_ptr<Layer>()>& make,
                 const LayerExpectation& expected) {
  const Setting s{expected, !expected.inputs.empty()};
  const std::shared_ptr<Layer> layer = make();
  const Nest inputs = s.inputs(DType::float32);
  const Tensor output = s.run(*layer, inputs);
  CHECK(layer->built());
  CHECK(output.shape() == expected.output);
  CHECK(static_cast<int>(layer->weights().size()) == expected.weights);
  CHECK(static_cast<int>(layer->non_trainable_weights().size()) == expected.non_trainable);
  check_config(s, *layer, inputs, output);
  check_inference(s, *layer, inputs, output);
  if (expected.random) return;
  check_gradients(s, make);
  check_compiled(s, make);
  fill_weights(*layer, DType::float32);
  check_training(s, *layer, inputs);
}

}  // namespace cornu::test
