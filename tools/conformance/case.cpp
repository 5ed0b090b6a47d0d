// Running cases eagerly and compiled, with gradients.
#include "case.h"

#include <cornu/framework/autodiff/tape.h>
#include <cornu/framework/compile/function.h>
#include <cornu/framework/ops/core/cast.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/framework/ops/operators.h>
#include <cornu/framework/tensor/recorder.h>
#include <fmt/core.h>

#include <algorithm>
#include <map>

namespace cornu::conformance {
namespace {

constexpr int most_calls = 6;

std::string numbered(const char* group, int number) { return fmt::format("{}/{}", group, number); }

bool floating(const Value& v) {
  return v.is<Tensor>() && v.get<Tensor>() && is_float(v.get<Tensor>().dtype());
}

// Puts back, at its end, the variables that are assigned during its life, among them those that are
// no weights: the states of recurrent layers, seeds.
class Undo {
 public:
  Undo() { graph_context().assignments = &changed_; }
  ~Undo() {
    graph_context().assignments = nullptr;
    if (kept_) return;
    for (const auto& [variable, value] : changed_) variable.stored() = value;
  }
  Undo(const Undo&) = delete;
  /// Lets everything be as it is.
  void keep() { kept_ = true; }

 private:
  bool kept_ = false;
  AssignmentList changed_;
};

// The tensors of an outcome, in one order.
std::vector<Tensor> tensors_of(const Outcome& outcome) {
  std::vector<Tensor> tensors;
  outcome.result.collect(tensors);
  for (const auto& [dataset, tensor] : outcome.more) tensors.push_back(tensor);
  return tensors;
}

Outcome with_tensors(const Outcome& outcome, const std::vector<Tensor>& tensors) {
  size_t next = 0;
  Outcome filled;
  filled.result = outcome.result.map([&](const Tensor&) { return tensors.at(next++); });
  for (const auto& [dataset, tensor] : outcome.more)
    filled.more.emplace_back(dataset, tensors.at(next++));
  return filled;
}

}  // namespace

Tolerance Case::tolerance() const {
  return {entry(spec, "rtol").number(), entry(spec, "atol").number()};
}

Tolerance Case::gradient_tolerance() const {
  return {entry(spec, "grad_rtol").number(), entry(spec, "grad_atol").number()};
}

bool Case::stochastic() const {
  const Value* v = find(spec, "stochastic");
  return v && v->is<bool>() && v->get<bool>();
}

std::string Case::text(const char* key) const { return entry(spec, key).get<std::string>(); }

Outcome Case::run(const Inputs& inputs, const std::function<Outcome(const Inputs&)>& body,
                  const std::function<void()>& before) const {
  if (mode == Mode::eager) {
    if (before) before();
    return body(inputs);
  }
  std::vector<Tensor> arguments;
  for (const auto& [number, v] : inputs)
    if (v.is<Tensor>()) arguments.push_back(v.get<Tensor>());
  Outcome recorded;
  Function function(
      [&](const Nest& given) {
        const std::vector<Tensor> tensors = given.flatten();
        size_t next = 0;
        Inputs current = inputs;
        for (auto& [number, v] : current)
          if (v.is<Tensor>()) v = tensors.at(next++);
        recorded = body(current);
        return Nest(tensors_of(recorded));
      },
      {.name = "case"});
  Nest results;
  for (int i = 0; i < most_calls; ++i) {
    if (before) before();
    Undo undo;
    results = function(Nest(arguments));
    if (function.report().replays > 0 || i + 1 == most_calls) {
      undo.keep();
      break;
    }
  }
  return with_tensors(recorded, results.flatten());
}

Outcome Case::differentiate(const Inputs& inputs,
                            const std::vector<std::pair<int, Tensor>>& weights,
                            const std::function<Value(const Inputs&)>& call) const {
  const bool wanted = has("cotangent");
  std::vector<std::string> names;
  std::vector<Tensor> sources;
  std::optional<GradientTape> tape;
  if (wanted) {
    tape.emplace();
    for (const auto& [number, v] : inputs) {
      if (!has(numbered("grad_in", number))) continue;
      tape->watch(v.get<Tensor>());
      names.push_back(numbered("grad_in", number));
      sources.push_back(v.get<Tensor>());
    }
  }
  Outcome outcome{call(inputs), {}};
  const std::map<int, Value> outputs = match_outputs(entry(spec, "structure"), outcome.result);
  for (const auto& [number, v] : outputs)
    if (v.is<Tensor>() && v.get<Tensor>() && v.get<Tensor>().mask())
      outcome.more.emplace_back(numbered("out_mask", number), v.get<Tensor>().mask());
  if (!wanted) return outcome;

  for (const auto& [number, weight] : weights) {
    if (!has(numbered("grad_weights", number))) continue;
    names.push_back(numbered("grad_weights", number));
    sources.push_back(weight);
  }
  std::vector<Tensor> targets, cotangents;
  for (const auto& [number, v] : outputs) {
    const std::string dataset = numbered("cotangent", number);
    if (!floating(v) || !has(dataset)) continue;
    const Tensor cotangent = tensor(dataset);
    targets.push_back(v.get<Tensor>());
    if (cotangent.shape() != targets.back().shape())
      throw ShapeError(fmt::format("out/{}: shape {}, expected {}", number,
                                   targets.back().shape().str(), cotangent.shape().str()));
    cotangents.push_back(ops::cast(cotangent, targets.back().dtype()));
  }
  if (targets.empty() || sources.empty()) return outcome;
  const std::vector<Tensor> gradients = tape->gradient(targets, sources, cotangents);
  for (size_t i = 0; i < names.size(); ++i) {
    // No gradient at all is one of zeros.
    if (gradients[i])
      outcome.more.emplace_back(names[i], gradients[i]);
    else
      outcome.more.emplace_back(names[i], ops::zeros(sources[i].shape(), sources[i].dtype()));
  }
  return outcome;
}

void Case::compare(const Outcome& outcome) {
  const Value* words = find(spec, "compare");
  auto how = [&](int number) {
    if (stochastic()) return Compare::shape;
    if (!words || words->get<Value::List>().empty()) return Compare::values;
    const auto& list = words->get<Value::List>();
    const std::string& word =
        list[std::min(static_cast<size_t>(number), list.size() - 1)].get<std::string>();
    return word == "shape" ? Compare::shape : word == "abs" ? Compare::absolute : Compare::values;
  };
  const Compare by_value = stochastic() ? Compare::shape : Compare::values;
  const auto outputs = match_outputs(entry(spec, "structure"), outcome.result);
  for (const auto& [number, recorded] : file.numbered(name, "out"))
    if (const auto found = outputs.find(number); found != outputs.end())
      differences.compare(numbered("out", number), found->second, recorded, tolerance(),
                          how(number));
  std::map<std::string, Tensor> more(outcome.more.begin(), outcome.more.end());
  for (const char* group : {"out_mask", "grad_in", "grad_weights"}) {
    const std::string prefix = std::string(group) + "/";
    const Tolerance t = prefix == "out_mask/" ? tolerance() : gradient_tolerance();
    for (const auto& [number, recorded] : file.numbered(name, group)) {
      const auto found = more.find(numbered(group, number));
      if (found == more.end())
        differences.fail(numbered(group, number), "there is none");
      else
        differences.compare(found->first, found->second, recorded, t, by_value);
    }
  }
  // Records hold what compute_mask gives, which only layers have; masks that functions attach for
  // their losses are in none.
  const bool is_layer = text("kind") == "layer";
  for (const auto& [dataset, tensor] : more)
    if (is_layer && dataset.starts_with("out_mask/") && !has(dataset))
      differences.fail(dataset, "a mask where Keras gives none");
}

std::string check_case(const CaseFile& file, const std::string& name, Mode mode) {
  static const std::map<std::string, void (*)(Case&)> checks = {{"layer", &check_layer},
                                                                {"adapt", &check_adapt},
                                                                {"function", &check_function},
                                                                {"loss", &check_loss},
                                                                {"metric", &check_metric},
                                                                {"optimizer", &check_optimizer},
                                                                {"schedule", &check_schedule},
                                                                {"initializer", &check_initializer},
                                                                {"regularizer", &check_weight_rule},
                                                                {"constraint", &check_weight_rule}};
  Case c{file, name, file.spec(name), mode};
  const auto check = checks.find(c.text("kind"));
  if (check == checks.end()) return "cases of kind '" + c.text("kind") + "' are not known";
  check->second(c);
  return c.differences.worst();
}

}  // namespace cornu::conformance
