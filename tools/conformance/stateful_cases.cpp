// Cases of metrics, optimizers and learning-rate schedules: several steps with state in between.
#include <cornu/framework/base/metric.h>
#include <cornu/framework/base/optimizer.h>
#include <cornu/framework/compile/function.h>
#include <cornu/framework/ops/convert.h>
#include <cornu/framework/ops/numpy/joining.h>
#include <cornu/framework/ops/operators.h>
#include <fmt/core.h>

#include "case.h"

namespace cornu::conformance {
namespace {

// Calls update_state with its arguments by place or by name.
void update(Metric& metric, const Arguments& arguments) {
  Tensor values[3];
  static constexpr const char* names[] = {"y_true", "y_pred", "sample_weight"};
  for (size_t i = 0; i < arguments.positional.size() && i < 3; ++i)
    values[i] = detail::from_value<Tensor>(arguments.positional[i]);
  for (const auto& [key, v] : arguments.named) {
    const auto at = std::find(std::begin(names), std::end(names), key == "values" ? "y_true" : key);
    if (at == std::end(names)) throw ValueError("update_state has no parameter '" + key + "'");
    values[at - std::begin(names)] = detail::from_value<Tensor>(v);
  }
  metric.update_state(values[0], values[1], values[2]);
}

// Row `step` of each tensor.
std::vector<Tensor> rows(const std::vector<Tensor>& tensors, int64_t step) {
  std::vector<Tensor> result;
  for (const Tensor& t : tensors)
    result.push_back(Tensor::copy_of(
        static_cast<const std::byte*>(t.host_data()) +
            static_cast<size_t>(step) * (t.bytes() / static_cast<size_t>(t.shape()[0])),
        t.shape().slice(1), t.dtype()));
  return result;
}

std::vector<Tensor> tensors_of(const Case& c, const char* group) {
  std::vector<Tensor> tensors;
  for (const auto& [number, v] : c.file.numbered(c.name, group)) tensors.push_back(v.get<Tensor>());
  return tensors;
}

// Variables after a step against the row of that step in each dataset of a group.
void compare_step(Case& c, const char* group, const std::vector<Variable>& variables,
                  const std::vector<Tensor>& recorded, int64_t step) {
  if (variables.size() != recorded.size()) {
    c.differences.fail(
        group, fmt::format("found {} variables, expected {}", variables.size(), recorded.size()));
    return;
  }
  const std::vector<Tensor> expected = rows(recorded, step);
  for (size_t i = 0; i < variables.size(); ++i)
    c.differences.compare(fmt::format("{}/{} after step {}", group, i, step + 1),
                          variables[i].value(), expected[i], c.tolerance());
}

}  // namespace

void check_metric(Case& c) {
  const auto metric = make_object<Metric>(c);
  const Value::List& steps = entry(c.spec, "steps").get<Value::List>();
  const Inputs inputs = c.inputs();
  c.compare(c.run(inputs, [&](const Inputs& current) {
    metric->reset_state();
    Value::List results;
    for (const Value& step : steps) {
      if (entry(step, "method").get<std::string>() == "reset_state")
        metric->reset_state();
      else
        update(*metric, decode_call(step, current));
      results.emplace_back(metric->result());
    }
    return Outcome{results, {}};
  }));
}

void check_optimizer(Case& c) {
  const auto optimizer = make_object<Optimizer>(c);
  const std::vector<Tensor> initial = tensors_of(c, "vars"), gradients = tensors_of(c, "grads");
  const std::vector<Tensor> vars_after = tensors_of(c, "vars_after");
  const std::vector<Tensor> opt_after = tensors_of(c, "opt_after");
  const auto names = detail::from_value<std::vector<std::string>>(entry(c.spec, "variable_names"));
  std::vector<Variable> variables;
  for (size_t i = 0; i < initial.size(); ++i)
    variables.emplace_back(initial[i], Variable::Options{.name = names.at(i)});
  if (const Value* excluded = find(c.spec, "exclude_from_weight_decay"))
    optimizer->exclude_from_weight_decay(detail::from_value<std::vector<std::string>>(*excluded));
  optimizer->build(variables);

  Function apply(
      [&](const Nest& given) {
        optimizer->apply(given.flatten(), variables);
        return Nest();
      },
      {.name = "apply"});
  apply.set_enabled(c.mode == Mode::compiled);
  const auto steps = detail::from_value<int64_t>(entry(c.spec, "steps"));
  for (int64_t step = 0; step < steps; ++step) {
    apply(Nest(rows(gradients, step)));
    compare_step(c, "vars_after", variables, vars_after, step);
    compare_step(c, "opt_after", optimizer->variables(), opt_after, step);
  }
  const Value* finalize = find(c.spec, "finalize");
  if (!finalize || finalize->is_null()) return;
  optimizer->finalize_variable_values();
  for (const auto& [number, v] : c.file.numbered(c.name, "final"))
    c.differences.compare(fmt::format("final/{}", number),
                          variables.at(static_cast<size_t>(number)).value(), v, c.tolerance());
}

void check_schedule(Case& c) {
  const auto schedule = make_object<LearningRateSchedule>(c);
  Function rate([&](const Nest& step) { return Nest((*schedule)(step[0].tensor())); },
                {.name = "schedule"});
  rate.set_enabled(c.mode == Mode::compiled);
  const Tensor steps = c.tensor("in/0");
  std::vector<Tensor> rates;
  for (int64_t k = 0; k < steps.size(); ++k) rates.push_back(rate(Nest(rows({steps}, k))).tensor());
  c.differences.compare("out/0", ops::stack(rates), c.tensor("out/0"), c.tolerance());
}

}  // namespace cornu::conformance
