// Leaving out what nothing needs.
#include "passes.h"

namespace cornu::plan {

void drop_dead(Graph& graph) {
  std::vector<char> needed(graph.values.size(), 0);
  for (const Use& use : graph.outputs) needed[static_cast<size_t>(use.value)] = 1;
  for (const Assignment& a : graph.assignments) needed[static_cast<size_t>(a.value)] = 1;
  std::vector<Step> kept;
  for (size_t i = graph.steps.size(); i-- > 0;) {
    Step& step = graph.steps[i];
    bool wanted = static_cast<bool>(step.host);  // it may do anything
    for (const Use& use : step.outputs) wanted |= needed[static_cast<size_t>(use.value)] != 0;
    if (!wanted) continue;
    for (const Use& use : step.inputs) needed[static_cast<size_t>(use.value)] = 1;
    kept.push_back(std::move(step));
  }
  graph.steps.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));

  // Sources that are gone give up what they hold, and the others close ranks.
  std::vector<int> variable_number(graph.variables.size(), -1),
      constant_number(graph.constants.size(), -1);
  for (const Assignment& a : graph.assignments)
    variable_number[static_cast<size_t>(a.variable)] = 0;
  for (size_t i = 0; i < graph.values.size(); ++i) {
    const Value& value = graph.values[i];
    if (needed[i] == 0) continue;
    if (value.source == Source::variable) variable_number[static_cast<size_t>(value.index)] = 0;
    if (value.source == Source::constant) constant_number[static_cast<size_t>(value.index)] = 0;
  }
  const auto close = [](auto& list, std::vector<int>& number) {
    size_t count = 0;
    for (size_t i = 0; i < list.size(); ++i) {
      if (number[i] < 0) continue;
      if (count != i) list[count] = std::move(list[i]);
      number[i] = static_cast<int>(count++);
    }
    list.resize(count);
  };
  close(graph.variables, variable_number);
  close(graph.constants, constant_number);
  for (Value& value : graph.values) {
    if (value.index < 0) continue;  // left out before
    if (value.source == Source::variable)
      value.index = variable_number[static_cast<size_t>(value.index)];
    if (value.source == Source::constant)
      value.index = constant_number[static_cast<size_t>(value.index)];
  }
  for (Assignment& a : graph.assignments)
    a.variable = variable_number[static_cast<size_t>(a.variable)];
}

}  // namespace cornu::plan
