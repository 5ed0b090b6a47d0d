// All networks of keras.applications have Keras's layers, connections, weights and parameters.
#include <cornu/framework/config/loading.h>

#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>

#include "../catch.h"
#include "../support/golden_json.h"
#include "../support/layer_check.h"
#include "cases.h"

namespace networks_test {

using namespace cornu;
using namespace cornu::test;

namespace {

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
}

// As tools/goldens/application_goldens.py computes it.
std::string fnv1a(const std::string& text) {
  uint64_t value = 0xCBF29CE484222325;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  char digits[17];
  std::snprintf(digits, sizeof(digits), "%016llx", static_cast<unsigned long long>(value));
  return digits;
}

// The arguments of each operation's call in the graph, without numbers.
using Calls = std::map<const Operation*, std::vector<Tensor>>;

Calls calls_of(const Functional& model) {
  Calls calls;
  std::vector<Tensor> open = model.outputs().flatten();
  while (!open.empty()) {
    const Tensor t = open.back();
    open.pop_back();
    const Node& node = *t.origin().node;
    const auto [place, fresh] = calls.try_emplace(node.operation.get());
    if (!fresh) continue;
    for (const Tensor& argument : node.arguments.tensors())
      if (argument.is_symbolic()) place->second.push_back(argument);
    open.insert(open.end(), place->second.begin(), place->second.end());
  }
  return calls;
}

std::vector<std::string> layer_lines(const Functional& model) {
  const Calls calls = calls_of(model);
  std::vector<std::string> lines;
  for (const auto& layer : model.layers()) {
    std::string line = layer->base_name() + " " + layer->name() + " <";
    for (const Tensor& t : calls.at(layer.get())) line += " " + t.origin().node->operation->name();
    lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> weight_lines(const Functional& model) {
  std::vector<std::string> lines;
  for (const Variable& v : model.weights()) {
    std::string shape;
    for (const int64_t size : v.shape())
      shape += (shape.empty() ? "" : ", ") + std::to_string(size);
    const std::string path = v.path();  // of the layer, whatever it is in
    const size_t slash = path.rfind('/', path.rfind('/') - 1);
    lines.push_back(path.substr(slash == path.npos ? 0 : slash + 1) + " (" + shape + ")");
  }
  return lines;
}

// Where hashes differ, the lists say why: CORNU_WRITE_NETWORKS is a folder for them.
void write_lists(const std::string& name, const std::vector<std::string>& layers,
                 const std::vector<std::string>& weights) {
  if (const char* folder = std::getenv("CORNU_WRITE_NETWORKS"))
    std::ofstream(std::string(folder) + "/" + name + ".txt") << joined(layers) << "\n\n"
                                                             << joined(weights) << "\n";
}

void compare(const Functional& model, const std::string& name, const Value& expected) {
  const auto number = [&](const char* key) { return entry(expected, key).get<int64_t>(); };
  const auto text = [&](const char* key) { return entry(expected, key).get<std::string>(); };
  const std::vector<std::string> layers = layer_lines(model), weights = weight_lines(model);
  write_lists(name, layers, weights);
  INFO(name);
  CHECK(model.name() == text("name"));
  CHECK(static_cast<int64_t>(layers.size()) == number("layers"));
  CHECK(static_cast<int64_t>(weights.size()) == number("weights"));
  CHECK(model.count_params() == number("parameters"));
  std::string difference;
  CHECK(same(Value(model.outputs().tensor().shape()), entry(expected, "output"), difference));
  CHECK(fnv1a(joined(layers)) == text("layer_hash"));
  CHECK(fnv1a(joined(weights)) == text("weight_hash"));
}

}  // namespace

TEST_CASE("all networks have Keras's layers, connections and weights") {
  const Value goldens = golden_file("applications.json");
  CHECK(network_functions().size() == 40);
  REQUIRE(goldens.get<Value::Dict>().size() == network_cases().size());
  for (const NetworkCase& network : network_cases()) {
    // No initial values: the memory of the weights is never touched.
    const LoadingScope shapes_only(std::numeric_limits<uint64_t>::max());
    compare(*network.make(), network.name, entry(goldens, network.name));
  }
}

}  // namespace networks_test
