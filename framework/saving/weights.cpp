// Walking a model's objects as Keras does.
#include "weights.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "../model/functional.h"
#include "../model/sequential.h"

namespace cornu::saving {
namespace {

class Walk {
 public:
  std::vector<WeightEntry> entries;
  std::vector<StateEntry> states;

  void visit(Layer& layer, const std::string& path) {
    entries.push_back({path, &layer});
    // Entered once, listed each time: files of Keras hold a shared layer at its first place, which
    // depends on the order of the walk.
    if (!visited_.insert(&layer).second) return;
    for (const auto& state : layer.tracked_states()) {
      const void* object = state.optimizer ? static_cast<const void*>(state.optimizer.get())
                                           : static_cast<const void*>(state.metric.get());
      if (seen_.insert(object).second)
        states.push_back({join(path, state.attribute), state.optimizer.get(), state.metric.get()});
    }
    const bool graph = dynamic_cast<Sequential*>(&layer) || dynamic_cast<Functional*>(&layer);
    if (graph) container(layer.sublayers(), join(path, "layers"));
    for (const auto& [attribute, members] : attributes(layer, graph)) {
      if (members.members)
        container(members.members->list(), join(path, attribute));
      else if (members.is_list)
        container(members.layers, join(path, attribute));
      else
        visit(*members.layers[0], join(path, attribute));
    }
  }

 private:
  using Attributes = std::vector<std::pair<std::string, Layer::Tracked>>;

  // Members in alphabetical order, those that begin with "_" last. A subclassed model has "layers"
  // among them.
  static Attributes attributes(const Layer& layer, bool graph) {
    Attributes result;
    for (const Layer::Tracked& t : layer.tracked()) result.emplace_back(t.attribute, t);
    if (!graph && dynamic_cast<const Model*>(&layer))
      result.emplace_back("layers", Layer::Tracked{"layers", layer.sublayers(), true});
    // Keras visits private members last.
    std::stable_sort(result.begin(), result.end(), [](const auto& a, const auto& b) {
      const bool pa = a.first.starts_with('_'), pb = b.first.starts_with('_');
      return pa != pb ? pb : a.first < b.first;
    });
    return result;
  }

  void container(const std::vector<std::shared_ptr<Layer>>& layers, const std::string& path) {
    std::map<std::string, int> used;
    for (const auto& layer : layers) {
      const std::string base = layer->base_name();
      // By class and count, not by name: names may be changed without making files unreadable.
      const int number = used[base]++;
      visit(*layer, join(path, number ? fmt::format("{}_{}", base, number) : base));
    }
  }

  // A list inside a list is a "container".
  void container(const std::vector<Members>& members, const std::string& path) {
    std::map<std::string, int> used;
    for (const Members& m : members) {
      const std::string base = m.layer() ? m.layer()->base_name() : "container";
      const int number = used[base]++;
      const std::string own = join(path, number ? fmt::format("{}_{}", base, number) : base);
      if (m.layer())
        visit(*m.layer(), own);
      else
        container(m.list(), own);
    }
  }

  std::set<Layer*> visited_;
  std::set<const void*> seen_;
};

}  // namespace

std::vector<WeightEntry> weight_entries(Layer& root) {
  Walk walk;
  walk.visit(root, "");
  return std::move(walk.entries);
}

std::vector<StateEntry> state_entries(Layer& root) {
  Walk walk;
  walk.visit(root, "");
  return std::move(walk.states);
}

}  // namespace cornu::saving
