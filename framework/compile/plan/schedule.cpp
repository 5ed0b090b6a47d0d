// The order of steps: what frees memory is done as soon as it can be. So an optimizer's update
// follows the gradient that it uses up, or the last of those of a few, while that is still in the
// cache, instead of waiting for all other gradients.
#include <algorithm>

#include "passes.h"

namespace cornu::plan {
namespace {

class Scheduler {
 public:
  explicit Scheduler(Graph& graph)
      : graph_(graph),
        producers_(graph.producers()),
        uses_left_(graph.use_counts()),
        readers_(graph.steps.size()),
        waits_for_(graph.steps.size(), 0),
        done_(graph.steps.size(), 0) {}

  void run() {
    find_dependencies();
    std::vector<Step> steps;
    // What the function gives back or assigns stays to the end; the rest follows in the recorded
    // order, except that each step draws behind it those that it makes possible and that free
    // memory.
    for (int i = 0; i < static_cast<int>(graph_.steps.size()); ++i) take(i);
    for (const int i : order_) steps.push_back(std::move(graph_.steps[static_cast<size_t>(i)]));
    graph_.steps = std::move(steps);
  }

 private:
  Step& step(int i) { return graph_.steps[static_cast<size_t>(i)]; }
  size_t bytes(int value) const { return graph_.values[static_cast<size_t>(value)].bytes(); }

  void depend(int later, int earlier) {
    if (earlier < 0 || earlier == later) return;
    auto& list = readers_[static_cast<size_t>(earlier)];
    // Counted once, since it is also taken off once.
    if (std::find(list.begin(), list.end(), later) != list.end()) return;
    list.push_back(later);
    ++waits_for_[static_cast<size_t>(later)];
  }

  void find_dependencies() {
    assigned_.assign(graph_.values.size(), 0);
    for (const Assignment& a : graph_.assignments) assigned_[static_cast<size_t>(a.value)] = 1;
    std::vector<std::vector<int>> reads_variable(graph_.variables.size());
    int last_host = -1;
    for (int i = 0; i < static_cast<int>(graph_.steps.size()); ++i) {
      for (const Use& use : step(i).inputs) {
        const Value& value = graph_.values[static_cast<size_t>(use.value)];
        depend(i, producers_[static_cast<size_t>(use.value)]);
        if (value.source == Source::variable)
          reads_variable[static_cast<size_t>(value.index)].push_back(i);
      }
      // The host sees the order of its own work.
      if (step(i).host) {
        // Printing, drawing from a simulator and the like have effects that no value shows.
        depend(i, last_host);
        last_host = i;
      }
    }
    // A variable's new value goes over the old one once everybody has read that.
    for (const Assignment& a : graph_.assignments)
      if (const int writer = producers_[static_cast<size_t>(a.value)]; writer >= 0)
        for (const int reader : reads_variable[static_cast<size_t>(a.variable)])
          // Readers behind the writer read its result as a value of its own, not the variable.
          if (reader < writer) depend(writer, reader);
  }

  // Bytes that the step takes, less those that are free after it.
  int64_t growth(int i) {
    int64_t result = 0;
    for (const Use& use : step(i).outputs)
      // A variable's memory is there in any case.
      if (assigned_[static_cast<size_t>(use.value)] == 0)
        result += static_cast<int64_t>(bytes(use.value));
    std::vector<int> seen;
    for (const Use& use : step(i).inputs) {
      const auto v = static_cast<size_t>(use.value);
      if (producers_[v] < 0 || std::find(seen.begin(), seen.end(), use.value) != seen.end())
        continue;
      seen.push_back(use.value);
      const auto here = std::count_if(step(i).inputs.begin(), step(i).inputs.end(),
                                      [&](const Use& other) { return other.value == use.value; });
      // This step is its last reader.
      if (uses_left_[v] == here) result -= static_cast<int64_t>(bytes(use.value));
    }
    return result;
  }

  void take(int i) {
    if (done_[static_cast<size_t>(i)] != 0) return;
    // A stack, so that a chain of such steps is followed to its end while its values are in the
    // cache.
    std::vector<int> open = {i};
    while (!open.empty()) {
      const int next = open.back();
      open.pop_back();
      if (done_[static_cast<size_t>(next)] != 0) continue;
      done_[static_cast<size_t>(next)] = 1;
      order_.push_back(next);
      for (const Use& use : step(next).inputs) --uses_left_[static_cast<size_t>(use.value)];
      for (const int reader : readers_[static_cast<size_t>(next)])
        if (--waits_for_[static_cast<size_t>(reader)] == 0 && !step(reader).prologue &&
            // A plan counts on the steps of the prologue being the first: none comes in between.
            !step(next).prologue &&
            // Taken early only if it shrinks what is held; anything else might raise the peak.
            growth(reader) < 0)
          open.push_back(reader);
    }
  }

  Graph& graph_;
  std::vector<int> producers_, uses_left_;
  std::vector<std::vector<int>> readers_;  // by step: those that must come after it
  std::vector<int> waits_for_;             // by step: how many must still come before it
  std::vector<char> done_, assigned_;
  std::vector<int> order_;
};

}  // namespace

void schedule(Graph& graph) { Scheduler(graph).run(); }

}  // namespace cornu::plan
