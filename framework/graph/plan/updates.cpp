// What an optimizer does to many small variables is one step instead of one for each: they are
// faster done than begun.
#include <algorithm>
#include <unordered_map>

#include "passes.h"
#include "rewrite.h"

namespace cornu::plan {
namespace {

// Elements beyond which a step of its own costs nothing, and gains: it is done while its gradient
// is still in the cache.
constexpr int64_t most_elements = 4096;
constexpr size_t most_sets = 64;

class UpdateMerger {
 public:
  explicit UpdateMerger(Graph& graph)
      : graph_(graph), counts_(graph.use_counts()), assigned_(graph.values.size(), 0) {
    for (const Assignment& a : graph.assignments) ++assigned_[static_cast<size_t>(a.value)];
  }

  void run() {
    // The steps of one kind so far, and the last of them, which takes up the others.
    std::unordered_multimap<size_t, std::vector<size_t>> groups;
    for (size_t i = 0; i < graph_.steps.size(); ++i) {
      if (!is_update(graph_.steps[i])) continue;
      const size_t hash = (*program_of(graph_.steps[i]))->hash();
      bool found = false;
      for (auto [it, end] = groups.equal_range(hash); it != end && !found; ++it)
        if (it->second.size() < most_sets &&
            alike(graph_.steps[it->second.front()], graph_.steps[i])) {
          it->second.push_back(i);
          found = true;
        }
      if (!found) groups.emplace(hash, std::vector<size_t>{i});
    }
    for (auto& [hash, members] : groups)
      if (members.size() > 1) merge(members);
    std::erase_if(graph_.steps, [](const Step& step) { return !step.kernel && !step.host; });
  }

 private:
  const Value& value(const Use& use) const { return graph_.values[static_cast<size_t>(use.value)]; }

  // Whether its results go into variables and nowhere else: then nothing waits for it.
  bool is_update(const Step& step) const {
    if (!step.kernel || step.once || !std::holds_alternative<backend::Fused>(*step.kernel))
      return false;
    return std::all_of(step.outputs.begin(), step.outputs.end(), [&](const Use& use) {
      const auto v = static_cast<size_t>(use.value);
      return assigned_[v] > 0 && assigned_[v] == counts_[v] && use.shape.numel() <= most_elements &&
             use.shape.numel() > 0;
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

  void merge(const std::vector<size_t>& members) {
    Step merged = graph_.steps[members.back()];
    merged.kernel = backend::FusedSets{std::get<backend::Fused>(*merged.kernel),
                                       static_cast<int>(members.size())};
    merged.inputs.clear();
    merged.outputs.clear();
    for (const size_t member : members) {
      Step& step = graph_.steps[member];
      merged.inputs.insert(merged.inputs.end(), step.inputs.begin(), step.inputs.end());
      merged.outputs.insert(merged.outputs.end(), step.outputs.begin(), step.outputs.end());
      if (step.where != merged.where) merged.where.clear();
      step = Step{};
    }
    graph_.steps[members.back()] = std::move(merged);
  }

  Graph& graph_;
  std::vector<int> counts_, assigned_;
};

}  // namespace

void merge_updates(Graph& graph) { UpdateMerger(graph).run(); }

}  // namespace cornu::plan
