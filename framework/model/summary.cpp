// The table of a model's layers, with shapes and costs found by running it on stand-ins.
#include <fmt/core.h>

#include <iostream>
#include <map>

#include "../base/call_scope.h"
#include "../dispatch/cost.h"
#include "input.h"
#include "model.h"
#include "sample.h"

namespace cornu {
namespace {

struct Seen {
  std::string shape;
  Cost cost;
};

// Notes the outputs of the layers directly inside a model, and what their calls cost.
class Watcher : public LayerObserver {
 public:
  explicit Watcher(const Model& model) : model_(model) {}
  void before(Layer& layer, const Nest&) override {
    if (direct(layer)) start_ = *graph_context().cost;
  }
  void after(Layer& layer, const Nest& outputs) override {
    if (!direct(layer)) return;
    Seen& seen = layers[&layer];
    std::string shapes;
    for (const Tensor& t : outputs.flatten()) {
      Shape shape = t.shape();
      if (shape.rank() > 0) shape[0] = Shape::unknown;
      shapes += (shapes.empty() ? "" : ", ") + shape.str();
    }
    seen.shape = shapes;
    const Cost now = *graph_context().cost;
    seen.cost.flops += now.flops - start_.flops;
    seen.cost.bytes += now.bytes - start_.bytes;
  }

  std::map<Layer*, Seen> layers;

 private:
  bool direct(const Layer& layer) const {
    const auto& stack = call_context().stack;
    return stack.size() >= 2 && stack[stack.size() - 2] == &model_ && stack.back() == &layer;
  }
  const Model& model_;
  Cost start_;
};

std::string grouped(int64_t n) {
  std::string digits = std::to_string(n), text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string scaled(double value, const char* unit) {
  const char* prefixes[] = {"", "K", "M", "G", "T"};
  int p = 0;
  while (value >= 1000 && p < 4) {
    value /= 1000;
    ++p;
  }
  return p ? fmt::format("{:.1f} {}{}", value, prefixes[p], unit)
           : fmt::format("{:.0f} {}", value, unit);
}

int64_t count(const std::vector<Variable>& variables) {
  int64_t n = 0;
  for (const Variable& v : variables) n += v.shape().numel();
  return n;
}

// "Conv2D", as files call the class; of one that nobody has registered what its layers are named
// by.
std::string class_of(const Layer& layer) {
  const ClassInfo* const info = catalog().find_class(layer);
  return info ? info->class_name : layer.base_name();
}

size_t width_of(const std::string& text) {
  size_t width = 0;
  for (char c : text) width += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return width;
}

std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths(rows[0].size());
  for (const auto& row : rows)
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  auto rule = [&](const char* left, const char* middle, const char* right, const char* fill) {
    std::string line = left;
    for (size_t i = 0; i < widths.size(); ++i) {
      for (size_t k = 0; k < widths[i] + 2; ++k) line += fill;
      line += i + 1 < widths.size() ? middle : right;
    }
    return line + "\n";
  };
  std::string text = rule("┏", "┳", "┓", "━");
  for (size_t r = 0; r < rows.size(); ++r) {
    text += r ? "│" : "┃";
    for (size_t i = 0; i < widths.size(); ++i) {
      const std::string space(widths[i] - width_of(rows[r][i]), ' ');
      text += (i < 2 ? " " + rows[r][i] + space : " " + space + rows[r][i]) + " " + (r ? "│" : "┃");
    }
    text += "\n";
    if (r == 0)
      text += rule("┡", "╇", "┩", "━");
    else if (r + 1 < rows.size())
      text += rule("├", "┼", "┤", "─");
  }
  return text + rule("└", "┴", "┘", "─");
}

}  // namespace

std::string Model::summary_text() {
  if (!built())
    throw StateError(fmt::format(
        "summary: model '{}' is not built yet. Call it on data, or give it an Input, first.",
        name()));
  Watcher watcher(*this);
  Cost total;
  const Nest sample = sample_spec(*this);
  bool traced = !sample.empty();
  if (traced) {
    GraphContext& graph = graph_context();
    CallContext& calls = call_context();
    Cost* const outer_cost = std::exchange(graph.cost, &total);
    LayerObserver* const outer = std::exchange(calls.observer, &watcher);
    const auto restore = [&] {
      graph.cost = outer_cost;
      calls.observer = outer;
    };
    try {
      InferenceScope scope;
      (*this)(sample);
    } catch (const NeedsValues&) {
      traced = false;  // call reads values: shapes are known only while it runs
    } catch (...) {
      restore();
      throw;
    }
    restore();
  }
  std::vector<Layer*> order;
  for (const auto& layer : sublayers()) order.push_back(layer.get());
  std::vector<std::vector<std::string>> rows = {
      {"Layer (type)", "Output shape", "Param #", "FLOPs", "Bytes"}};
  for (Layer* layer : order) {
    const auto seen = watcher.layers.find(layer);
    const bool known = seen != watcher.layers.end();
    if (const auto* input = dynamic_cast<InputLayer*>(layer)) {
      rows.push_back({fmt::format("{} (InputLayer)", layer->name()), input->batch_shape().str(),
                      "0", "0", "0 B"});
      continue;
    }
    rows.push_back({fmt::format("{} ({})", layer->name(), class_of(*layer)),
                    known ? seen->second.shape : "?", grouped(count(layer->weights())),
                    known ? scaled(seen->second.cost.flops, "") : "?",
                    known ? scaled(seen->second.cost.bytes, "B") : "?"});
  }
  std::string text = fmt::format("Model: \"{}\"\n", name()) + table(rows);
  const int64_t all = count(weights()), trainable = count(trainable_variables());
  int64_t bytes = 0;
  for (const Variable& v : weights()) bytes += static_cast<int64_t>(v.value().bytes());
  text += fmt::format(" Total params: {} ({})\n Trainable params: {}\n Non-trainable params: {}\n",
                      grouped(all), scaled(static_cast<double>(bytes), "B"), grouped(trainable),
                      grouped(all - trainable));
  if (optimizer_ && optimizer_->built()) {
    const std::vector<Variable> state = optimizer_->variables();
    text += fmt::format(" Optimizer params: {}\n", grouped(count(state)));
  }
  if (traced)
    text += fmt::format(" One sample: {}, {} moved\n", scaled(total.flops, "FLOPs"),
                        scaled(total.bytes, "B"));
  return text;
}

void Model::summary() { std::cout << summary_text() << std::flush; }

}  // namespace cornu
