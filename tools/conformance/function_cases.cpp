// Cases of functions, losses, regularizers, constraints and initializers.
#include <cornu/framework/base/initializer.h>
#include <cornu/framework/base/loss.h>
#include <cornu/framework/ops/convert.h>
#include <cornu/framework/ops/operators.h>
#include <fmt/core.h>

#include <cmath>

#include "case.h"
#include "functions.h"

namespace cornu::conformance {
namespace {

// An argument by place or by name, or null.
const Value* argument(const Arguments& arguments, size_t place, const char* name) {
  if (place < arguments.positional.size()) return &arguments.positional[place];
  return detail::find(arguments.named, name);
}

Tensor tensor_argument(const Arguments& arguments, size_t place, const char* name) {
  const Value* v = argument(arguments, place, name);
  return v ? detail::from_value<Tensor>(*v) : Tensor();
}

void check_call(Case& c, const std::function<Value(const Arguments&)>& call) {
  const Inputs inputs = c.inputs();
  c.compare(c.run(inputs, [&](const Inputs& current) {
    return c.differentiate(current, {}, [&](const Inputs& in) {
      return call(decode_call(entry(c.spec, "call"), in));
    });
  }));
}

// The object with another seed.
Value reseeded(const Value& object, int64_t seed) {
  Value::Dict changed = object.get<Value::Dict>();
  for (auto& [key, v] : changed) {
    if (key != "config") continue;
    Value::Dict config = v.get<Value::Dict>();
    for (auto& [option, value] : config)
      if (option == "seed") value = seed;
    v = std::move(config);
  }
  return changed;
}

// Mean and deviation of many draws against those of Keras's, within six standard errors.
void compare_statistics(Case& c, const Shape& shape, DType dtype) {
  const Value& recorded = entry(c.spec, "statistics");
  const auto draws = detail::from_value<int64_t>(entry(recorded, "draws"));
  double count = 0, sum = 0, squares = 0;
  for (int64_t seed = 1; seed <= draws; ++seed) {
    const auto object = std::dynamic_pointer_cast<Initializer>(
        deserialize(reseeded(entry(c.spec, "object"), seed)));
    for (const double v : (*object)(shape, dtype).to_vector<double>()) {
      ++count;
      sum += v;
      squares += v * v;
    }
  }
  if (count == 0) return;
  const double mean = sum / count;
  const double std = std::sqrt(std::max(squares / count - mean * mean, 0.0));
  const double expected_mean = entry(recorded, "mean").number();
  const double expected_std = entry(recorded, "std").number();
  const double error = expected_std * std::sqrt(2 / count);
  if (std::abs(mean - expected_mean) > 6 * error)
    c.differences.fail("statistics", fmt::format("mean {}, expected {}", mean, expected_mean));
  if (std::abs(std - expected_std) > 6 * error)
    c.differences.fail("statistics", fmt::format("std {}, expected {}", std, expected_std));
}

}  // namespace

void check_function(Case& c) {
  const std::string name = c.text("name");
  check_call(c, [&](const Arguments& arguments) { return call_function(name, arguments); });
}

void check_loss(Case& c) {
  const auto loss = make_object<Loss>(c);
  check_call(c, [&](const Arguments& arguments) {
    return Value((*loss)(tensor_argument(arguments, 0, "y_true"),
                         tensor_argument(arguments, 1, "y_pred"),
                         tensor_argument(arguments, 2, "sample_weight")));
  });
}

void check_weight_rule(Case& c) {
  const std::shared_ptr<Configurable> object = deserialize(entry(c.spec, "object"));
  check_call(c, [&](const Arguments& arguments) {
    const Tensor x = tensor_argument(arguments, 0, "x");
    if (const auto regularizer = std::dynamic_pointer_cast<Regularizer>(object))
      return Value((*regularizer)(x));
    if (const auto constraint = std::dynamic_pointer_cast<Constraint>(object))
      return Value((*constraint)(x));
    throw ValueError("the object is no regularizer and no constraint");
  });
}

void check_initializer(Case& c) {
  const auto initializer = make_object<Initializer>(c);
  const Arguments arguments = decode_call(entry(c.spec, "call"), {});
  const Value* shape_value = argument(arguments, 0, "shape");
  const Value* dtype_value = argument(arguments, 1, "dtype");
  if (!shape_value) throw ValueError("the case has no shape");
  const Shape shape = detail::from_value<Shape>(*shape_value);
  const DType dtype = dtype_value && !dtype_value->is_null()
                          ? detail::from_value<DType>(*dtype_value)
                          : DType::float32;
  const Outcome outcome = c.run({}, [&](const Inputs&) {
    return Outcome{Value((*initializer)(shape, dtype)), {}};
  });
  c.differences.compare("out/0", outcome.result, c.tensor("out/0"), c.tolerance(),
                        c.stochastic() ? Compare::shape : Compare::values);
  if (find(c.spec, "statistics") && c.mode == Mode::eager) compare_statistics(c, shape, dtype);
}

}  // namespace cornu::conformance
