// Sugiyama's method: layers, helpers on long arrows, orders, places.
#include "layered_level.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace cornu::plot {
namespace {

constexpr double node_gap = 28;   // between neighbors in a layer
constexpr double layer_gap = 36;  // between layers, at least
constexpr double port_gap = 20;   // beside a layer without boxes
constexpr double tip = 9;         // straight end of an arrow, for its head
constexpr double turn_room =
    22;  // for arrows that turn back above the first or below the last layer

// A node, or a place that a long arrow passes, in a layer.
struct Slot {
  int layer = 0;
  int node = -1;  // -1: a passing arrow
  double width = 0;
  double x = 0;  // of the middle
};

// A piece of an arrow between two neighboring layers, by the slots above and below.
struct Piece {
  int above, below;
  double above_offset = 0, below_offset = 0;
  double weight = 1;  // of being upright
};

class Arrangement {
 public:
  explicit Arrangement(LayeredLevel& level) : level_(level) {}

  void run() {
    find_back_links();
    find_layers();
    make_slots();
    order();
    place_across();
    place_down();
    draw();
  }

 private:
  using Link = LayeredLevel::Link;
  using Kind = LayeredLevel::Kind;

  size_t link_count() const { return level_.links.size(); }
  const Link& link(size_t i) const { return level_.links[i]; }
  int layer_of(int node) const { return level_.nodes[static_cast<size_t>(node)].layer; }

  // Links that close a circle, as calls of a shared layer on its own result do. They go up.
  void find_back_links() {
    back_.assign(link_count(), false);
    std::vector<std::vector<size_t>> out(level_.nodes.size());
    for (size_t i = 0; i < link_count(); ++i) out[static_cast<size_t>(link(i).from)].push_back(i);
    enum class State : uint8_t { fresh, open, done };
    std::vector<State> state(level_.nodes.size(), State::fresh);
    std::vector<std::pair<size_t, size_t>> stack;  // node, its next link
    for (size_t root = 0; root < state.size(); ++root) {
      if (state[root] != State::fresh) continue;
      stack.emplace_back(root, 0);
      state[root] = State::open;
      while (!stack.empty()) {
        auto& [node, next] = stack.back();
        if (next == out[node].size()) {
          state[node] = State::done;
          stack.pop_back();
          continue;
        }
        const size_t i = out[node][next++];
        const auto to = static_cast<size_t>(link(i).to);
        if (state[to] == State::open) back_[i] = true;
        if (state[to] != State::fresh) continue;
        state[to] = State::open;
        stack.emplace_back(to, 0);
      }
    }
  }

  // The longest way from above. What nothing leads to stands right above what it leads to.
  void find_layers() {
    std::vector<int> missing(level_.nodes.size());
    for (size_t i = 0; i < link_count(); ++i)
      if (!back_[i]) ++missing[static_cast<size_t>(link(i).to)];
    std::vector<int> ready;
    for (size_t n = 0; n < missing.size(); ++n)
      if (missing[n] == 0) ready.push_back(static_cast<int>(n));
    const std::vector<int> sources = ready;
    const bool entries = has(Kind::entry);
    for (auto& node : level_.nodes) node.layer = entries && node.kind != Kind::entry;
    for (size_t next = 0; next < ready.size(); ++next)
      for (size_t i = 0; i < link_count(); ++i) {
        if (back_[i] || link(i).from != ready[next]) continue;
        int& layer = level_.nodes[static_cast<size_t>(link(i).to)].layer;
        layer = std::max(layer, layer_of(link(i).from) + 1);
        if (--missing[static_cast<size_t>(link(i).to)] == 0) ready.push_back(link(i).to);
      }
    for (const int source : sources) sink(source);
    layers_ = 0;
    for (const auto& node : level_.nodes)
      if (node.kind != Kind::exit) layers_ = std::max(layers_, node.layer + 1);
    for (auto& node : level_.nodes)
      if (node.kind == Kind::exit) node.layer = layers_;
    if (has(Kind::exit)) ++layers_;
  }

  void sink(int source) {
    auto& node = level_.nodes[static_cast<size_t>(source)];
    if (node.kind != Kind::box) return;
    int nearest = std::numeric_limits<int>::max();
    for (size_t i = 0; i < link_count(); ++i)
      if (!back_[i] && link(i).from == source &&
          level_.nodes[static_cast<size_t>(link(i).to)].kind == Kind::box)
        nearest = std::min(nearest, layer_of(link(i).to));
    if (nearest != std::numeric_limits<int>::max()) node.layer = nearest - 1;
  }

  bool has(Kind kind) const {
    return std::any_of(level_.nodes.begin(), level_.nodes.end(),
                       [kind](const auto& node) { return node.kind == kind; });
  }

  int add_slot(int layer, int node, double width) {
    slots_.push_back({layer, node, width, 0});
    orders_[static_cast<size_t>(layer)].push_back(static_cast<int>(slots_.size()) - 1);
    return static_cast<int>(slots_.size()) - 1;
  }

  // Slots of nodes have the nodes' numbers.
  void make_slots() {
    orders_.resize(static_cast<size_t>(layers_));
    for (size_t n = 0; n < level_.nodes.size(); ++n)
      add_slot(level_.nodes[n].layer, static_cast<int>(n), level_.nodes[n].width);
    passes_.resize(link_count());
    for (size_t i = 0; i < link_count(); ++i) {
      const Link& l = link(i);
      // An arrow that goes up passes beside its own two nodes as well.
      const int first = back_[i] ? layer_of(l.to) : layer_of(l.from) + 1;
      const int last = back_[i] ? layer_of(l.from) : layer_of(l.to) - 1;
      for (int layer = first; layer <= last; ++layer)
        passes_[i].push_back(add_slot(layer, -1, back_[i] ? 16 : 2));
      for (size_t k = 1; k < passes_[i].size(); ++k)
        pieces_.push_back({passes_[i][k - 1], passes_[i][k], 0, 0, 8});
      if (back_[i]) continue;
      if (passes_[i].empty()) {
        pieces_.push_back({l.from, l.to, l.from_offset, l.to_offset, 1});
      } else {
        pieces_.push_back({l.from, passes_[i].front(), l.from_offset, 0, 2});
        pieces_.push_back({passes_[i].back(), l.to, 0, l.to_offset, 2});
      }
    }
    above_.resize(slots_.size());
    below_.resize(slots_.size());
    for (size_t p = 0; p < pieces_.size(); ++p) {
      above_[static_cast<size_t>(pieces_[p].below)].push_back(p);
      below_[static_cast<size_t>(pieces_[p].above)].push_back(p);
    }
    // A chain of boxes stands in one column rather than under its neighbors' middle.
    for (Piece& p : pieces_)
      if (below_[static_cast<size_t>(p.above)].size() == 1 &&
          above_[static_cast<size_t>(p.below)].size() == 1)
        p.weight = std::max(p.weight, 6.0);
  }

  Slot& slot(int number) { return slots_[static_cast<size_t>(number)]; }

  // --- orders within the layers

  std::vector<double> positions() const {
    std::vector<double> position(slots_.size());
    for (const auto& order : orders_)
      for (size_t i = 0; i < order.size(); ++i)
        position[static_cast<size_t>(order[i])] = static_cast<double>(i);
    return position;
  }

  int64_t crossings() const {
    const std::vector<double> position = positions();
    std::vector<std::vector<std::pair<double, double>>> ends(orders_.size());
    for (const Piece& p : pieces_)
      ends[static_cast<size_t>(slots_[static_cast<size_t>(p.above)].layer)].emplace_back(
          position[static_cast<size_t>(p.above)], position[static_cast<size_t>(p.below)]);
    int64_t count = 0;
    for (auto& list : ends) {
      std::sort(list.begin(), list.end());
      for (size_t i = 0; i < list.size(); ++i)
        for (size_t k = i + 1; k < list.size(); ++k)
          count += list[i].first < list[k].first && list[i].second > list[k].second;
    }
    return count;
  }

  void sort_layer(std::vector<int>& order, bool by_above) {
    const std::vector<double> position = positions();
    std::vector<double> middle(slots_.size());
    for (const int s : order) {
      const auto& pieces =
          by_above ? above_[static_cast<size_t>(s)] : below_[static_cast<size_t>(s)];
      double sum = 0;
      for (const size_t p : pieces)
        sum += position[static_cast<size_t>(by_above ? pieces_[p].above : pieces_[p].below)];
      middle[static_cast<size_t>(s)] = pieces.empty() ? position[static_cast<size_t>(s)]
                                                      : sum / static_cast<double>(pieces.size());
    }
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return middle[static_cast<size_t>(a)] < middle[static_cast<size_t>(b)];
    });
  }

  void order() {
    auto best = orders_;
    int64_t fewest = crossings();
    for (int round = 0; round < 12 && fewest > 0; ++round) {
      if (round % 2 == 0)
        for (auto& layer : orders_) sort_layer(layer, true);
      else
        for (auto layer = orders_.rbegin(); layer != orders_.rend(); ++layer)
          sort_layer(*layer, false);
      const int64_t count = crossings();
      if (count >= fewest) continue;
      fewest = count;
      best = orders_;
    }
    orders_ = best;
  }

  // --- places

  // The places nearest to the wanted ones that keep the order and the gaps: least squares under
  // monotony, by pooling neighbors that would meet.
  void fit(const std::vector<int>& order, const std::vector<double>& wanted,
           const std::vector<double>& weight) {
    struct Pool {
      double sum, weight;
      size_t count;
      double mean() const { return sum / weight; }
    };
    std::vector<double> start(order.size());
    std::vector<Pool> pools;
    for (size_t i = 0; i < order.size(); ++i) {
      if (i > 0)
        start[i] = start[i - 1] + (slot(order[i - 1]).width + slot(order[i]).width) / 2 + node_gap;
      pools.push_back({(wanted[i] - start[i]) * weight[i], weight[i], 1});
      while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
        const Pool last = pools.back();
        pools.pop_back();
        pools.back() = {pools.back().sum + last.sum, pools.back().weight + last.weight,
                        pools.back().count + last.count};
      }
    }
    size_t i = 0;
    for (const Pool& pool : pools)
      for (size_t k = 0; k < pool.count; ++k, ++i) slot(order[i]).x = pool.mean() + start[i];
  }

  // Moves a layer toward its neighbors. With `sharp`, far ones pull less: a long way then has one
  // bend and is straight elsewhere, rather than leaning all along.
  void fit_to(const std::vector<int>& order, bool above, bool below, bool sharp = false) {
    std::vector<double> wanted, weight;
    for (const int s : order) {
      const double x = slot(s).x;
      double sum = 1e-3 * x, total = 1e-3;
      const auto pull = [&](double to, double strength) {
        if (sharp) strength /= 1 + (to - x) * (to - x) / 36;
        sum += strength * to;
        total += strength;
      };
      if (above)
        for (const size_t p : above_[static_cast<size_t>(s)])
          pull(slot(pieces_[p].above).x + pieces_[p].above_offset - pieces_[p].below_offset,
               pieces_[p].weight);
      if (below)
        for (const size_t p : below_[static_cast<size_t>(s)])
          pull(slot(pieces_[p].below).x + pieces_[p].below_offset - pieces_[p].above_offset,
               pieces_[p].weight);
      wanted.push_back(sum / total);
      weight.push_back(total);
    }
    fit(order, wanted, weight);
  }

  void place_across() {
    for (const auto& order : orders_)
      fit(order, std::vector<double>(order.size()), std::vector<double>(order.size(), 1));
    for (int round = 0; round < 10; ++round) {
      for (const auto& order : orders_) fit_to(order, true, false);
      for (auto order = orders_.rbegin(); order != orders_.rend(); ++order)
        fit_to(*order, false, true);
    }
    // Places move along a chain by one layer a round.
    for (int round = 0; round < 80; ++round) {
      const bool sharp = round >= 20;
      for (const auto& order : orders_) fit_to(order, true, true, sharp);
      for (auto order = orders_.rbegin(); order != orders_.rend(); ++order)
        fit_to(*order, true, true, sharp);
    }
    double left = std::numeric_limits<double>::max(), right = -left;
    for (const Slot& s : slots_) {
      left = std::min(left, s.x - s.width / 2);
      right = std::max(right, s.x + s.width / 2);
    }
    for (Slot& s : slots_) s.x -= left;
    level_.width = right - left;
  }

  void place_down() {
    const size_t count = orders_.size();
    tops_.assign(count, 0);
    bottoms_.assign(count, 0);
    const bool turns = std::find(back_.begin(), back_.end(), true) != back_.end();
    double y = turns ? turn_room : 0;
    for (size_t layer = 0; layer < count; ++layer) {
      double height = 0;
      for (const int s : orders_[layer])
        if (slot(s).node >= 0)
          height = std::max(height, level_.nodes[static_cast<size_t>(slot(s).node)].height);
      tops_[layer] = y;
      bottoms_[layer] = y + height;
      y += height + (layer + 1 < count ? gap_below(static_cast<int>(layer)) : 0);
    }
    level_.height = y + (turns ? turn_room : 0);
    for (size_t n = 0; n < level_.nodes.size(); ++n) {
      auto& node = level_.nodes[n];
      const auto layer = static_cast<size_t>(node.layer);
      node.x = slots_[n].x - node.width / 2;
      node.y = (tops_[layer] + bottoms_[layer] - node.height) / 2;
    }
  }

  // Wide where arrows go far aside.
  double gap_below(int layer) const {
    double far = 0;
    for (const Piece& p : pieces_)
      if (slots_[static_cast<size_t>(p.above)].layer == layer)
        far = std::max(far, std::abs(slots_[static_cast<size_t>(p.above)].x + p.above_offset -
                                     slots_[static_cast<size_t>(p.below)].x - p.below_offset));
    const bool ports = !has_box(layer) || !has_box(layer + 1);
    return std::min((ports ? port_gap : layer_gap) + 0.1 * far, 90.0);
  }

  bool has_box(int layer) const {
    return std::any_of(level_.nodes.begin(), level_.nodes.end(), [&](const auto& node) {
      return node.layer == layer && node.kind == Kind::box;
    });
  }

  // --- the arrows' ways

  void draw() {
    for (size_t i = 0; i < link_count(); ++i) {
      Link& l = level_.links[i];
      const auto& from = level_.nodes[static_cast<size_t>(l.from)];
      const auto& to = level_.nodes[static_cast<size_t>(l.to)];
      const double begin = slot(l.from).x + l.from_offset, end = slot(l.to).x + l.to_offset;
      l.way = {{begin, from.y + from.height}, {begin, bottoms_[static_cast<size_t>(from.layer)]}};
      if (back_[i])
        for (auto pass = passes_[i].rbegin(); pass != passes_[i].rend(); ++pass)
          go_through(l, *pass, true);
      else
        for (const int pass : passes_[i]) go_through(l, pass, false);
      const double straight = to.kind == Kind::exit ? 0 : tip;  // a way that goes on has no head
      l.way.push_back({end, tops_[static_cast<size_t>(to.layer)] - straight});
      l.way.push_back({end, to.y});
    }
  }

  void go_through(Link& l, int pass, bool up) {
    const auto layer = static_cast<size_t>(slot(pass).layer);
    const bool last = up && slot(pass).layer == layer_of(l.to);
    const double top = tops_[layer] - (last ? tip : 0), bottom = bottoms_[layer];
    l.way.push_back({slot(pass).x, up ? bottom : top});
    l.way.push_back({slot(pass).x, up ? top : bottom});
  }

  LayeredLevel& level_;
  std::vector<bool> back_;  // of each link: whether it goes up
  int layers_ = 0;
  std::vector<Slot> slots_;
  std::vector<std::vector<int>> orders_;  // the slots of each layer from left to right
  std::vector<std::vector<int>> passes_;  // the slots of each link between its nodes, downward
  std::vector<Piece> pieces_;
  std::vector<std::vector<size_t>> above_, below_;  // the pieces at each slot
  std::vector<double> tops_, bottoms_;              // of the layers
};

}  // namespace

void LayeredLevel::arrange() {
  if (nodes.empty()) return;
  Arrangement(*this).run();
}

}  // namespace cornu::plot
