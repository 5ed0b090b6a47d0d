// The table of a model's layers. What no graph tells is found by running it on stand-ins.
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <regex>
#include <set>

#include "../base/call_scope.h"
#include "../base/class_of.h"
#include "../dispatch/cost.h"
#include "../ops/catalog.h"
#include "functional.h"
#include "model.h"
#include "sample.h"
#include "text_table.h"

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

// "(None, 4)"; several as a list.
std::string text_of(const std::vector<Shape>& shapes) {
  if (shapes.size() == 1) return shapes[0].str();
  std::vector<std::string> texts;
  for (const Shape& shape : shapes) texts.push_back(shape.str());
  return fmt::format("[{}]", fmt::join(texts, ", "));
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

std::string memory_text(double bytes) {
  const char* units[] = {"B", "KB", "MB", "GB", "TB", "PB"};
  size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(units); ++unit) bytes /= 1024;
  return fmt::format("{:.2f} {}", bytes, units[unit]);
}

int64_t count(const std::vector<Variable>& variables) {
  int64_t n = 0;
  for (const Variable& v : variables) n += v.shape().numel();
  return n;
}

int64_t bytes_of(const std::vector<Variable>& variables) {
  int64_t n = 0;
  for (const Variable& v : variables) n += static_cast<int64_t>(v.value().bytes());
  return n;
}

// Columns of the terminal, or of what stands for it.
int64_t terminal_width() {
  if (const char* columns = std::getenv("COLUMNS"))
    if (const long given = std::strtol(columns, nullptr, 10); given > 0) return given;
  winsize size{};
  const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

std::vector<Tensor> symbolic_inputs(const Node& node) {
  std::vector<Tensor> inputs = node.arguments.tensors();
  std::erase_if(inputs, [](const Tensor& t) { return !t.is_symbolic(); });
  return inputs;
}

// Whether the graph is a chain of operations, each called once.
bool is_chain(const Functional& model) {
  std::set<const Operation*> called;
  std::map<const Node*, std::set<const Node*>> readers;
  size_t beginnings = 0;
  const std::vector<Tensor> inputs = model.inputs().flatten();
  for (const auto& node : model.nodes()) {
    if (!called.insert(node->operation.get()).second) return false;
    const bool given = std::any_of(inputs.begin(), inputs.end(),
                                   [&](const Tensor& t) { return t.origin().node == node; });
    const std::vector<Tensor> before = given ? std::vector<Tensor>() : symbolic_inputs(*node);
    if (before.size() > 1) return false;
    if (before.empty() && ++beginnings > 1) return false;
    for (const Tensor& t : before) readers[t.origin().node.get()].insert(node.get());
  }
  return std::all_of(readers.begin(), readers.end(),
                     [](const auto& entry) { return entry.second.size() == 1; });
}

// "dense[0][0]": the operation, which of its calls, which of that call's outputs.
std::string connection(const Tensor& input) {
  const Origin& origin = input.origin();
  const std::vector<std::shared_ptr<Node>> calls = origin.node->operation->inbound_nodes();
  size_t number = 0;
  while (number < calls.size() && calls[number] != origin.node) ++number;
  return fmt::format("{}[{}][{}]", origin.node->operation->name(), number, origin.index);
}

// What is told of each line.
class Rows {
 public:
  Rows(Model& model, const SummaryOptions& options, bool connected, const Walk& walk)
      : options_(options), walk_(walk) {
    if (auto* graph = dynamic_cast<Functional*>(&model); graph && connected)
      nodes_ = graph->nodes();
    connected_ = connected;
  }

  void add(Operation& operation, int64_t level) {
    auto* layer = dynamic_cast<Layer*>(&operation);
    std::string prefix;
    for (int64_t i = 0; i < level; ++i) prefix += "   ";
    if (level) prefix += "└ ";
    std::vector<std::string> row = {
        fmt::format("{}{} ({})", prefix, operation.name(), class_of(operation)),
        shape_of(operation), params_of(layer)};
    if (connected_) row.push_back(connections_of(operation));
    if (options_.show_trainable) {
      const bool any = layer && !layer->weights().empty();
      row.emplace_back(!any ? "-" : layer->trainable() ? "Y" : "N");
    }
    if (options_.show_costs) {
      const auto seen = walk_.layers.find(layer);
      const bool known = seen != walk_.layers.end();
      row.push_back(known ? scaled(seen->second.cost.flops, "") : level || !layer ? "" : "?");
      row.push_back(known ? scaled(seen->second.cost.bytes, "B") : level || !layer ? "" : "?");
    }
    rows.push_back(std::move(row));
    if (const auto* inside = dynamic_cast<Model*>(layer); inside && options_.expand_nested)
      for (const auto& l : inside->layers()) add(*l, level + 1);
  }

  std::vector<std::vector<std::string>> rows;

 private:
  std::string shape_of(const Operation& operation) const {
    const std::vector<std::shared_ptr<Node>> calls = operation.inbound_nodes();
    std::vector<Shape> shapes;
    if (!calls.empty())
      for (const Tensor& t : calls.back()->outputs.flatten()) shapes.push_back(t.shape());
    if (!shapes.empty()) return text_of(shapes);
    const auto seen = walk_.layers.find(const_cast<Layer*>(dynamic_cast<const Layer*>(&operation)));
    return seen == walk_.layers.end() ? "?" : text_of(seen->second.shapes);
  }

  static std::string params_of(const Layer* layer) {
    if (!layer || dynamic_cast<const InputLayer*>(layer)) return "0";
    return layer->built() ? grouped(count(layer->weights())) : "0 (unbuilt)";
  }

  std::string connections_of(const Operation& operation) const {
    std::string text;
    for (const auto& node : nodes_)
      if (node->operation.get() == &operation)
        for (const Tensor& t : symbolic_inputs(*node))
          text += (text.empty() ? "" : ", ") + connection(t);
    return text.empty() ? "-" : text;
  }

  const SummaryOptions& options_;
  const Walk& walk_;
  bool connected_ = false;
  std::vector<std::shared_ptr<Node>> nodes_;
};

// The lines that layer_range asks for: those from the first to the last whose names begin so.
void cut(std::vector<std::shared_ptr<Operation>>& all,
         const std::optional<std::pair<std::string, std::string>>& range) {
  if (!range) return;
  const auto matches = [&](const std::string& expression) {
    std::vector<size_t> places;
    const std::regex regex(expression);
    for (size_t i = 0; i < all.size(); ++i)
      if (std::regex_search(all[i]->name(), regex, std::regex_constants::match_continuous))
        places.push_back(i);
    return places;
  };
  const std::vector<size_t> lower = matches(range->first), upper = matches(range->second);
  if (lower.empty() || upper.empty())
    throw ValueError(fmt::format("summary: layer_range {{'{}', '{}'}}: no layer's name begins so.",
                                 range->first, range->second));
  const bool turned = lower.front() > upper.back();
  const size_t begin = turned ? upper.front() : lower.front();
  const size_t end = (turned ? lower.back() : upper.back()) + 1;
  all = {all.begin() + static_cast<ptrdiff_t>(begin), all.begin() + static_cast<ptrdiff_t>(end)};
}

// The columns, and how long a line is.
std::vector<detail::TextColumn> columns_for(const SummaryOptions& options, bool connected,
                                            int64_t& line_length) {
  using detail::Justify;
  std::vector<detail::TextColumn> columns = {
      {"Layer (type)"}, {"Output Shape"}, {"Param #", Justify::right}};
  if (connected) columns.push_back({"Connected to"});
  std::vector<double> positions = options.positions;
  if (positions.empty())
    positions =
        connected ? std::vector<double>{0.3, 0.56, 0.74, 1} : std::vector<double>{0.45, 0.8, 1};
  if (positions.size() != columns.size())
    throw ValueError(fmt::format("summary: {} positions were given for {} columns.",
                                 positions.size(), columns.size()));
  line_length = connected ? 108 : 88;
  const auto append = [&](const char* title, Justify justify, double rest) {
    for (double& p : positions) p *= rest;
    positions.push_back(1);
    columns.push_back({title, justify});
    line_length += 12;
  };
  if (options.show_trainable) append("Trainable", Justify::center, 0.9);
  if (options.show_costs) {
    append("FLOPs", Justify::right, 0.84);
    append("Bytes", Justify::right, 0.84);
  }
  line_length = options.line_length.value_or(std::min(line_length, terminal_width() - 4));
  int64_t current = 0;
  for (size_t i = 0; i < columns.size(); ++i) {
    columns[i].width =
        static_cast<int64_t>(positions[i] * static_cast<double>(line_length)) - current;
    if (columns[i].width < 4)
      throw ValueError(fmt::format(
          "summary: column '{}' would have {} characters, at least 4 are needed. Give a larger "
          "line_length than {}, or other positions.",
          columns[i].title, columns[i].width, line_length));
    current += columns[i].width;
  }
  return columns;
}

}  // namespace

std::string Model::summary_text(const SummaryOptions& options) {
  const auto* graph = dynamic_cast<Functional*>(this);
  const bool connected = graph && !is_chain(*graph);
  int64_t line_length = 0;
  const std::vector<detail::TextColumn> columns = columns_for(options, connected, line_length);
  std::vector<std::shared_ptr<Operation>> all;
  if (graph)
    all = graph->operations();
  else
    for (const auto& layer : layers()) all.push_back(layer);
  cut(all, options.layer_range);
  // Graphs tell their shapes, and a model that is not built has none.
  const bool told = std::all_of(all.begin(), all.end(), [](const auto& operation) {
    return !operation->inbound_nodes().empty();
  });
  const Walk walked = built() && (options.show_costs || !told) ? walk(*this) : Walk();
  Rows rows(*this, options, connected, walked);
  for (const auto& operation : all) rows.add(*operation, 0);

  std::string text = fmt::format("Model: \"{}\"\n", name()) +
                     detail::text_table(columns, rows.rows, line_length, terminal_width());
  const std::vector<Variable> trained = trainable_weights(), others = non_trainable_weights();
  std::vector<Variable> state;
  if (compiled() && optimizer_ && optimizer_->built()) state = optimizer_->variables();
  const auto line = [&](const char* what, int64_t number, int64_t bytes) {
    text += fmt::format(" {}: {} ({})\n", what, grouped(number),
                        memory_text(static_cast<double>(bytes)));
  };
  // The total has what the optimizer keeps, as Keras counts.
  line("Total params", count(trained) + count(others) + count(state),
       bytes_of(trained) + bytes_of(others) + bytes_of(state));
  line("Trainable params", count(trained), bytes_of(trained));
  line("Non-trainable params", count(others), bytes_of(others));
  if (!state.empty()) line("Optimizer params", count(state), bytes_of(state));
  if (options.show_costs && walked.known)
    text += fmt::format(" One sample: {}, {} moved\n", scaled(walked.total.flops, "FLOPs"),
                        scaled(walked.total.bytes, "B"));
  return text;
}

void Model::summary(const SummaryOptions& options) {
  const std::string text = summary_text(options);
  if (options.print_fn)
    options.print_fn(text);
  else
    std::cout << text << std::flush;
}

}  // namespace cornu
