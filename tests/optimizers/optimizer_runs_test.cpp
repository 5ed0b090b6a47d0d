// Optimizers with each of their options against Keras over two hundred steps, eagerly, compiled,
// as functions of their state, and with their state moved to another one on the way.
#include <cornu/cornu.h>
#include <cornu/framework/config/json.h>

#include <cmath>

#include "../support/contract.h"
#include "../support/golden_json.h"
#include "../support/pattern.h"

namespace optimizer_runs_test {

using namespace cornu;
using test::entry;
using test::find_entry;

namespace {

struct Run {
  std::string kind;
  Value::Dict options;
  std::vector<Shape> shapes;
  std::vector<std::string> names;
  DType dtype = DType::float32;
  std::vector<int64_t> looks;
  const Value* recorded = nullptr;

  std::shared_ptr<Optimizer> make() const {
    const ClassInfo* const info = catalog().find("keras.optimizers", kind);
    REQUIRE(info);
    return std::dynamic_pointer_cast<Optimizer>(info->make(options));
  }

  std::vector<Variable> variables() const {
    std::vector<Variable> result;
    for (size_t i = 0; i < shapes.size(); ++i)
      result.push_back(Variable(wave(i, static_cast<double>(i)), {.name = names[i]}));
    return result;
  }

  std::vector<Tensor> gradients(int64_t step) const {
    std::vector<Tensor> result;
    for (size_t i = 0; i < shapes.size(); ++i)
      result.push_back(wave(i, 0.9 * static_cast<double>(step) + 0.4 * static_cast<double>(i)));
    return result;
  }

  Tensor wave(size_t index, double phase) const {
    std::vector<double> values(static_cast<size_t>(shapes[index].numel()));
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = 2 * std::sin(static_cast<double>(i) * 0.7 + phase);
    return ops::cast(Tensor::from(values, shapes[index]), dtype);
  }

  double tolerance() const {
    return dtype == DType::float16 ? 2e-2 : dtype == DType::bfloat16 ? 1e-1 : 2e-4;
  }
};

std::vector<Shape> shapes_of(const Value& list) {
  std::vector<Shape> shapes;
  for (const Value& v : list.get<Value::List>())
    shapes.emplace_back(detail::from_value<std::vector<int64_t>>(v));
  return shapes;
}

Run read_run(const Value& file, const Value& recorded) {
  Run run;
  run.kind = entry(recorded, "class").get<std::string>();
  run.options = entry(recorded, "options").get<Value::Dict>();
  if (const Value* const schedule = find_entry(recorded, "schedule"))
    run.options.emplace_back("learning_rate", *schedule);
  const Value* const shapes = find_entry(recorded, "shapes");
  run.shapes = shapes_of(shapes ? *shapes : entry(file, "shapes"));
  run.names =
      detail::from_value<std::vector<std::string>>(entry(shapes ? recorded : file, "names"));
  if (const Value* const dtype = find_entry(recorded, "dtype"))
    run.dtype = dtype_of(dtype->get<std::string>());
  run.looks = detail::from_value<std::vector<int64_t>>(entry(file, "looks"));
  run.recorded = &recorded;
  return run;
}

void check_weights(const Run& run, const std::vector<Tensor>& weights, const Value& wanted) {
  const auto& list = wanted.get<Value::List>();
  REQUIRE(weights.size() == list.size());
  for (size_t i = 0; i < weights.size(); ++i) {
    INFO("variable " << run.names[i]);
    CHECK(weights[i].dtype() == run.dtype);
    CHECK(test::matches(weights[i], test::golden_numbers(list[i]), run.tolerance()));
  }
}

// Takes all steps by `step`, and looks at what `now` returns where Keras's weights are known.
void check_steps(const Run& run, const std::function<void(int64_t)>& step,
                 const std::function<std::vector<Tensor>()>& now) {
  const auto& wanted = entry(*run.recorded, "weights").get<Value::List>();
  int64_t done = 0;
  for (size_t look = 0; look < run.looks.size(); ++look) {
    while (done < run.looks[look]) step(++done);
    INFO("after step " << done);
    check_weights(run, now(), wanted[look]);
  }
}

std::vector<Tensor> values_of(const std::vector<Variable>& variables) {
  std::vector<Tensor> values;
  for (const Variable& v : variables) values.push_back(v.value());
  return values;
}

void check_final(const Run& run, Optimizer& optimizer, const std::vector<Variable>& variables) {
  const Value* const wanted = find_entry(*run.recorded, "final");
  if (!wanted) return;
  optimizer.finalize_variable_values();
  INFO("after finalize_variable_values");
  check_weights(run, values_of(variables), *wanted);
}

void check_eager(const Run& run) {
  INFO("eager");
  const auto optimizer = run.make();
  std::vector<Variable> variables = run.variables();
  check_steps(
      run, [&](int64_t step) { optimizer->apply(run.gradients(step), variables); },
      [&] { return values_of(variables); });
  check_final(run, *optimizer, variables);
}

void check_compiled(const Run& run) {
  INFO("compiled");
  const auto optimizer = run.make();
  std::vector<Variable> variables = run.variables();
  optimizer->build(variables);
  Function apply([&](const Nest& gradients) {
    std::vector<Tensor> list;
    for (const Nest& g : gradients.list()) list.push_back(g.tensor());
    optimizer->apply(list, variables);
    return Nest();
  });
  check_steps(
      run,
      [&](int64_t step) {
        Nest::List list;
        for (const Tensor& g : run.gradients(step)) list.push_back(g);
        apply(Nest(list));
      },
      [&] { return values_of(variables); });
  CHECK(apply.report().replays > 100);
  check_final(run, *optimizer, variables);
}

void check_stateless(const Run& run) {
  INFO("stateless");
  const auto optimizer = run.make();
  const std::vector<Variable> variables = run.variables();
  optimizer->build(variables);
  std::vector<Tensor> state = values_of(optimizer->variables()), weights = values_of(variables);
  check_steps(
      run,
      [&](int64_t step) {
        std::tie(weights, state) = optimizer->stateless_apply(state, run.gradients(step), weights);
      },
      [&] { return weights; });
  CHECK(optimizer->iterations().item() == 0);
}

// Every few steps another optimizer, made from the config, takes over.
void check_moved(const Run& run) {
  INFO("moved");
  auto optimizer = run.make();
  std::vector<Variable> variables = run.variables();
  check_steps(
      run,
      [&](int64_t step) {
        optimizer->apply(run.gradients(step), variables);
        if (step % 37 != 5) return;
        const auto next = test::remade<Optimizer>(*optimizer);
        std::vector<Variable> moved = run.variables();
        next->build(moved);
        for (size_t i = 0; i < moved.size(); ++i) moved[i].assign(variables[i].value());
        const std::vector<Variable> from = optimizer->variables();
        std::vector<Variable> to = next->variables();
        REQUIRE(from.size() == to.size());
        for (size_t i = 0; i < from.size(); ++i) {
          CHECK(to[i].name() == from[i].name());
          to[i].assign(from[i].value());
        }
        optimizer = next;
        variables = moved;
      },
      [&] { return values_of(variables); });
  check_final(run, *optimizer, variables);
}

void for_each_run(const std::function<void(const Run&)>& check) {
  const Value file = test::golden_file("optimizer_runs.json");
  for (const Value& recorded : entry(file, "cases").get<Value::List>()) {
    INFO(entry(recorded, "class").get<std::string>()
         << " " << cornu::to_json(entry(recorded, "options")) << " "
         << (find_entry(recorded, "dtype") ? entry(recorded, "dtype").get<std::string>() : ""));
    try {
      check(read_run(file, recorded));
    } catch (const Error& e) {
      FAIL_CHECK(e.what());
    }
  }
}

}  // namespace

TEST_CASE("optimizers have Keras's weights after two hundred steps") { for_each_run(check_eager); }

TEST_CASE("compiled optimizers have Keras's weights after two hundred steps") {
  for_each_run(check_compiled);
}

TEST_CASE("optimizers as functions of their state have Keras's weights after two hundred steps") {
  for_each_run(check_stateless);
}

TEST_CASE(
    "optimizers that take over from each other have Keras's weights after two hundred steps") {
  for_each_run(check_moved);
}

TEST_CASE("schedules have Keras's rates at and beside their bounds") {
  const Value file = test::golden_file("optimizer_runs.json");
  const Value& schedules = entry(file, "schedules");
  const auto steps = detail::from_value<std::vector<int64_t>>(entry(schedules, "steps"));
  for (const Value& c : entry(schedules, "cases").get<Value::List>()) {
    const Value& object = entry(c, "object");
    INFO(cornu::to_json(object));
    const auto schedule = std::dynamic_pointer_cast<LearningRateSchedule>(deserialize(object));
    REQUIRE(schedule);
    CHECK(cornu::to_json(serialize(*schedule)) == cornu::to_json(object));
    const std::vector<double> rates = test::golden_numbers(entry(c, "rates"));
    CHECK(test::matches((*schedule)(Tensor(steps)), rates, 2e-6));
    for (size_t i = 0; i < steps.size(); ++i) {
      INFO("step " << steps[i]);
      CHECK(schedule->at(steps[i]) == Approx(rates[i]).epsilon(1e-5).margin(1e-7));
    }
  }
}

}  // namespace optimizer_runs_test
