// Equal programs on many arrays are one step instead of one for each, as they are faster done
// than begun: what an optimizer does to its variables, and what is made of variables and arguments
// at the beginning, such as casts.
#include <algorithm>
#include <unordered_map>

#include "passes.h"
#include "rewrite.h"

namespace cornu::plan {
namespace {

// Elements beyond which a step of its own costs nothing, and gains: it is done while its gradient
// is still in the cache. On other devices a step begins and ends with most of the device idle, for
// as long as some million elements take.
constexpr int64_t most_elements_on_host = 4096, most_elements_elsewhere = int64_t{1} << 23;
// Bounds a step's operands, and how long the values of the first set wait for the last.
constexpr size_t most_sets = 64;
// Of all sets, elements that may wait so.
constexpr int64_t most_elements_together = int64_t{1} << 25;

class SetMerger {
 public:
  explicit SetMerger(Graph& graph)
      : graph_(graph),
        producers_(graph.producers()),
        counts_(graph.use_counts()),
        assigned_(graph.values.size(), 0),
        most_elements_(graph.device->on_host() ? most_elements_on_host : most_elements_elsewhere) {
    for (const Assignment& a : graph.assignments) ++assigned_[static_cast<size_t>(a.value)];
  }

  void run() {
    // Nothing waits for updates: the last takes up the others. What is made at the beginning waits
    // for nothing: there the first does.
    merge_all([&](const Step& step) { return is_update(step); },
              [](const std::vector<size_t>& members) { return members.back(); });
    merge_all([&](const Step& step) { return is_beginning(step) && !is_update(step); },
              [](const std::vector<size_t>& members) { return members.front(); });
    std::erase_if(graph_.steps, [](const Step& step) { return !step.kernel && !step.host; });
  }

 private:
  struct Group {
    std::vector<size_t> steps;
    int64_t elements;
  };
  int64_t elements(size_t step) const { return graph_.steps[step].outputs[0].shape.numel(); }

  template <class Belongs, class Place>
  void merge_all(const Belongs& belongs, const Place& place) {
    // The steps of one kind so far.
    // By hash first: models have hundreds of updates, and comparing programs takes long.
    std::unordered_multimap<size_t, Group> groups;
    for (size_t i = 0; i < graph_.steps.size(); ++i) {
      if (!may_join(graph_.steps[i]) || !belongs(graph_.steps[i])) continue;
      const size_t hash = (*program_of(graph_.steps[i]))->hash();
      bool found = false;
      for (auto [it, end] = groups.equal_range(hash); it != end && !found; ++it)
        if (it->second.steps.size() < most_sets &&
            it->second.elements + elements(i) <= most_elements_together &&
            alike(graph_.steps[it->second.steps.front()], graph_.steps[i])) {
          it->second.steps.push_back(i);
          it->second.elements += elements(i);
          found = true;
        }
      if (!found) groups.emplace(hash, Group{{i}, elements(i)});
    }
    for (auto& [hash, group] : groups)
      if (group.steps.size() > 1) merge(group.steps, place(group.steps));
  }

  const Value& value(const Use& use) const { return graph_.values[static_cast<size_t>(use.value)]; }

  bool may_join(const Step& step) const {
    return step.kernel && !step.prologue && std::holds_alternative<backend::Fused>(*step.kernel) &&
           std::all_of(step.outputs.begin(), step.outputs.end(), [&](const Use& use) {
             return use.shape.numel() <= most_elements_ && use.shape.numel() > 0;
           });
  }

  // Whether its results go into variables and nowhere else.
  bool is_update(const Step& step) const {
    return std::all_of(step.outputs.begin(), step.outputs.end(), [&](const Use& use) {
      const auto v = static_cast<size_t>(use.value);
      // Counts include assignments, so equality means that no step and no output reads it.
      return assigned_[v] > 0 && assigned_[v] == counts_[v];
    });
  }

  // Whether it reads nothing that another step makes.
  bool is_beginning(const Step& step) const {
    return std::all_of(step.inputs.begin(), step.inputs.end(), [&](const Use& use) {
      return producers_[static_cast<size_t>(use.value)] < 0;
    });
  }

  bool alike(const Step& a, const Step& b) const {
    const auto dtypes_equal = [&](const std::vector<Use>& x, const std::vector<Use>& y) {
      return std::equal(x.begin(), x.end(), y.begin(), y.end(), [&](const Use& p, const Use& q) {
        return value(p).dtype == value(q).dtype;
      });
    };
    return *a.kernel == *b.kernel && dtypes_equal(a.inputs, b.inputs) &&
           dtypes_equal(a.outputs, b.outputs);
  }

  // Puts all members into one step at the place of that one.
  void merge(const std::vector<size_t>& members, size_t place) {
    Step merged = graph_.steps[place];
    merged.kernel = backend::MultiTensorFused{std::get<backend::Fused>(*merged.kernel),
                                              static_cast<int>(members.size())};
    merged.inputs.clear();
    merged.outputs.clear();
    for (const size_t member : members) {
      Step& step = graph_.steps[member];
      merged.inputs.insert(merged.inputs.end(), step.inputs.begin(), step.inputs.end());
      merged.outputs.insert(merged.outputs.end(), step.outputs.begin(), step.outputs.end());
      // Several layers share the step; a report must not blame one of them.
      if (step.where != merged.where) merged.where.clear();
      step = Step{};
    }
    graph_.steps[place] = std::move(merged);
  }

  Graph& graph_;
  std::vector<int> producers_, counts_, assigned_;
  int64_t most_elements_;
};

}  // namespace

void fuse_horizontally(Graph& graph) { SetMerger(graph).run(); }

}  // namespace cornu::plan
