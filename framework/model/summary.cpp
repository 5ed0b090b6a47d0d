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
  std::vector<Shape> shapes;  // of the outputs of the last call
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
    seen.shapes.clear();
    for (const Tensor& t : outputs.flatten()) seen.shapes.push_back(t.shape());
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

// Stand-ins for the inputs. Batches that the model leaves open are of `batch` samples, other axes
// of unknown size have `unknown` elements.
Nest stand_ins(const Model& model, int64_t batch, int64_t unknown) {
  const Nest sample = sample_spec(model, unknown);
  std::vector<Tensor> tensors = sample.flatten();
  const std::vector<Tensor> given = model.input_spec().flatten();
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (!tensors[i] || tensors[i].rank() == 0) continue;
    Shape shape = tensors[i].shape();
    const bool fixed = i < given.size() && given[i] && given[i].shape()[0] != Shape::unknown;
    shape[0] = fixed ? given[i].shape()[0] : batch;
    tensors[i] = Tensor::abstract(shape, tensors[i].dtype());
  }
  return sample.pack(tensors);
}

// Calls the model on stand-ins. Throws NeedsValues where the call reads values.
Watcher watch(Model& model, const Nest& inputs, Cost& total) {
  Watcher watcher(model);
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
    model(inputs);
  } catch (...) {
    restore();
    throw;
  }
  restore();
  return watcher;
}

// What the layers directly inside a model give, and what one sample costs.
struct Walk {
  std::map<Layer*, Seen> layers;
  Cost total;
  bool known = false;
};

// Shapes are those of two walks: axes that differ are of any size.
Walk walk(Model& model) {
  Walk result;
  if (sample_spec(model).empty()) return result;
  // Convolutions need more than one pixel where the size is not known.
  static constexpr int64_t sizes[] = {1, 32, 256};
  for (size_t i = 0; !result.known; ++i) {
    Cost unused;
    result.total = {};
    try {
      result.layers = watch(model, sample_spec(model, sizes[i]), result.total).layers;
      auto some = watch(model, stand_ins(model, 1, sizes[i]), unused).layers;
      auto more = watch(model, stand_ins(model, 2, 2 * sizes[i]), unused).layers;
      for (auto& [layer, seen] : result.layers) {
        seen.shapes = some[layer].shapes;
        const std::vector<Shape>& others = more[layer].shapes;
        for (size_t k = 0; k < seen.shapes.size() && k < others.size(); ++k)
          for (int axis = 0; axis < seen.shapes[k].rank(); ++axis)
            if (seen.shapes[k][axis] != others[k].at(axis)) seen.shapes[k][axis] = Shape::unknown;
      }
      result.known = true;
    } catch (const NeedsValues&) {
      return {};  // call reads values: shapes are known only while it runs
    } catch (const Error&) {
      if (i + 1 == std::size(sizes)) throw;
    }
  }
  return result;
}

std::string text_of(const std::vector<Shape>& shapes) {
  std::string text;
  for (const Shape& shape : shapes) text += (text.empty() ? "" : ", ") + shape.str();
  return text;
}

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
  Walk walked = walk(*this);
  std::vector<Layer*> order;
  for (const auto& layer : sublayers()) order.push_back(layer.get());
  std::vector<std::vector<std::string>> rows = {
      {"Layer (type)", "Output shape", "Param #", "FLOPs", "Bytes"}};
  for (Layer* layer : order) {
    const auto seen = walked.layers.find(layer);
    const bool known = seen != walked.layers.end();
    if (const auto* input = dynamic_cast<InputLayer*>(layer)) {
      rows.push_back({fmt::format("{} (InputLayer)", layer->name()), input->batch_shape().str(),
                      "0", "0", "0 B"});
      continue;
    }
    rows.push_back({fmt::format("{} ({})", layer->name(), class_of(*layer)),
                    known ? text_of(seen->second.shapes) : "?", grouped(count(layer->weights())),
                    known ? scaled(seen->second.cost.flops, "") : "?",
                    known ? scaled(seen->second.cost.bytes, "B") : "?"});
  }
  std::string text = fmt::format("Model: \"{}\"\n", name()) + table(rows);
  const int64_t all = count(weights()), trainable = count(trainable_variables());
  std::vector<Variable> state;
  if (optimizer_ && optimizer_->built()) state = optimizer_->variables();
  int64_t bytes = 0;
  for (const auto& list : {weights(), state})
    for (const Variable& v : list) bytes += static_cast<int64_t>(v.value().bytes());
  // The total has what the optimizer keeps, as Keras counts.
  text += fmt::format(" Total params: {} ({})\n Trainable params: {}\n Non-trainable params: {}\n",
                      grouped(all + count(state)), scaled(static_cast<double>(bytes), "B"),
                      grouped(trainable), grouped(all - trainable));
  if (!state.empty()) text += fmt::format(" Optimizer params: {}\n", grouped(count(state)));
  if (walked.known)
    text += fmt::format(" One sample: {}, {} moved\n", scaled(walked.total.flops, "FLOPs"),
                        scaled(walked.total.bytes, "B"));
  return text;
}

void Model::summary() { std::cout << summary_text() << std::flush; }

}  // namespace cornu
