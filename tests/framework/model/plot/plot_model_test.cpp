// model_to_dot against Keras, and plot_model's drawings of all kinds of models.
#include <cornu/framework/config/registration.h>
#include <cornu/framework/model/plot/model_graph.h>
#include <cornu/framework/model/plot/plot_model.h>
#include <cornu/layers/regularization/dropout.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "../model_support.h"
#include "paths.h"
#include "support/standard_error.h"
#include "support/temporary.h"

namespace plot_model_test {

using namespace cornu;
using namespace cornu::test;
namespace fs = std::filesystem;

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

// What a text of model_to_dot says.
struct Dot {
  std::map<std::string, std::string> labels;  // by node
  Pairs edges;                                // by label
  std::map<std::string, std::vector<std::string>> clusters;
};

std::string between(const std::string& line, const std::string& from, const std::string& to) {
  const size_t begin = line.find(from) + from.size();
  return line.substr(begin, line.rfind(to) - begin);
}

Dot read_dot(const std::string& text) {
  Dot dot;
  std::vector<std::string> open;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t arrow = line.find(" -> ");
    if (line.starts_with("subgraph")) {
      open.emplace_back();
    } else if (line.starts_with("label=")) {
      open.back() = between(line, "\"", "\"");
    } else if (line == "}") {
      if (!open.empty()) open.pop_back();
    } else if (line.starts_with("n") && arrow != std::string::npos) {
      dot.edges.emplace_back(
          dot.labels.at(line.substr(0, arrow)),
          dot.labels.at(line.substr(arrow + 4, line.find(' ', arrow + 4) - arrow - 4)));
    } else if (line.starts_with("n") && !line.starts_with("node")) {
      const std::string label = between(line, "label=<", ">, margin");
      dot.labels[line.substr(0, line.find(' '))] = label;
      if (!open.empty()) dot.clusters[open.back()].push_back(label);
    }
  }
  std::sort(dot.edges.begin(), dot.edges.end());
  return dot;
}

std::vector<std::string> sorted_labels(const Dot& dot) {
  std::vector<std::string> labels;
  for (const auto& [node, label] : dot.labels) labels.push_back(label);
  std::sort(labels.begin(), labels.end());
  return labels;
}

PlotOptions options_of(const nlohmann::json& json) {
  PlotOptions options;
  options.show_shapes = json.value("show_shapes", false);
  options.show_dtype = json.value("show_dtype", false);
  options.show_layer_names = json.value("show_layer_names", true);
  options.expand_nested = json.value("expand_nested", false);
  options.show_layer_activations = json.value("show_layer_activations", false);
  options.show_trainable = json.value("show_trainable", false);
  return options;
}

std::string drawing(Model& model, const PlotOptions& options = {.show_layer_names = true}) {
  return plot::model_drawing(model, options).file();
}

size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

class Residual : public Model {
 public:
  Tensor call(const Tensor& x, const Call&) override {
    const Tensor h = hidden(x);
    return out(h + x);
  }

 private:
  layers::Dense hidden = track("hidden", layers::Dense({.units = 4}));
  layers::Dense out = track("out", layers::Dense({.units = 1}));
};

class ReadsValues : public Model {
 public:
  Tensor call(const Tensor& x, const Call&) override {
    return x.to_vector<float>()[0] > 0 ? a(x) : b(x);
  }

 private:
  layers::Dense a = track("a", layers::Dense({.units = 4}));
  layers::Dense b = track("b", layers::Dense({.units = 4}));
};

}  // namespace

TEST_CASE("model_to_dot has Keras's nodes, labels, edges and clusters") {
  std::ifstream stream(source_path("tests/data/plot_model.json"));
  const auto cases = nlohmann::json::parse(stream);
  REQUIRE(cases.size() == 7);
  for (const auto& expected : cases) {
    INFO(expected["name"].get<std::string>());
    const auto model = model_from_json(expected["model"].get<std::string>());
    const Dot dot = read_dot(model_to_dot(*model, options_of(expected["options"])));
    CHECK(sorted_labels(dot) == expected["labels"].get<std::vector<std::string>>());
    Pairs edges;
    for (const auto& edge : expected["edges"])
      edges.emplace_back(edge[0].get<std::string>(), edge[1].get<std::string>());
    std::sort(edges.begin(), edges.end());
    CHECK(dot.edges == edges);
    REQUIRE(dot.clusters.size() == expected["clusters"].size());
    for (const auto& cluster : expected["clusters"]) {
      auto labels = dot.clusters.at(cluster["name"].get<std::string>());
      auto wanted = cluster["labels"].get<std::vector<std::string>>();
      std::sort(labels.begin(), labels.end());
      std::sort(wanted.begin(), wanted.end());
      CHECK(labels == wanted);
    }
  }
}

TEST_CASE("A subclassed model's graph is that of its call") {
  Residual model;
  model(wave({2, 4}));
  const plot::ModelGraph graph = plot::model_graph(model, false);
  std::vector<std::string> classes;
  for (const auto& box : graph.boxes) classes.push_back(box.class_name);
  CHECK(classes == std::vector<std::string>{"InputLayer", "Dense", "Add", "Dense"});
  CHECK(graph.edges == std::vector<std::pair<int, int>>{{0, 1}, {1, 2}, {0, 2}, {2, 3}});
  CHECK(graph.boxes[1].input_shape == "(None, 4)");
  CHECK(graph.boxes[3].output_shape == "(None, 1)");
  // Looking changes nothing.
  CHECK(model.weights().size() == 4);
  CHECK(model.losses().empty());
}

TEST_CASE("The layers of a model whose call reads values stand without arrows") {
  ReadsValues model;
  model(wave({2, 4}));
  plot::ModelGraph graph;
  const std::string warning = standard_error_of([&] { graph = plot::model_graph(model, false); });
  CHECK_THAT(warning, has("model '" + model.name() + "' has no arrows"));
  CHECK_THAT(warning, has("has no values"));
  CHECK(graph.boxes.size() == 2);
  CHECK(graph.edges.empty());
  CHECK(drawing(model).find(">a") == std::string::npos);  // names are the layers', not the members'
}

TEST_CASE("The types of a subclassed model's inputs are not made up") {
  Residual model;
  model(wave({2, 4}));
  const plot::ModelGraph graph = plot::model_graph(model, false);
  CHECK(graph.boxes[0].is_input);
  CHECK(graph.boxes[0].output_dtype.empty());
  CHECK(graph.boxes[0].output_shape == "(None, 4)");
  CHECK(graph.boxes[1].output_dtype == "float32");
  Input ids({.shape = {3}, .dtype = DType::int64});
  Functional functional(ids, layers::Dense({.units = 2})(ids));
  CHECK(plot::model_graph(functional, false).boxes[0].output_dtype == "int64");
}

TEST_CASE("Drawings have a box for each layer and an arrow for each edge") {
  Input x({3});
  const Tensor h = layers::Dense({.units = 3, .name = "<one> & \"two\""})(x);
  Functional model(x, layers::Dense({.units = 2, .name = "end"})(h + x));
  const std::string svg = drawing(model, {.show_shapes = true, .show_layer_names = true});
  CHECK(count(svg, "class=\"box\"") == 4);
  CHECK(count(svg, "class=\"edge\"") == 4);
  CHECK(count(svg, "class=\"tip\"") == 4);
  CHECK_THAT(svg, has("&lt;one&gt; &amp; &quot;two&quot;"));
  CHECK(count(svg, "<one>") == 0);
  CHECK_THAT(svg, has("out (None, 2)"));
  CHECK(count(svg, "<g ") == count(svg, "</g>"));
  CHECK(count(svg, "<text") == count(svg, "</text>"));
}

TEST_CASE("What a drawing shows is what the options say") {
  Sequential model({Input({3}), layers::Dense({.units = 2, .activation = "relu", .name = "first"}),
                    layers::Dropout({.rate = 0.5})});
  const std::string plain = drawing(model, {});
  CHECK(plain.find("first") == std::string::npos);
  CHECK_THAT(plain, has("Dropout"));
  CHECK(plain.find("(None") == std::string::npos);
  model.layers()[0]->set_trainable(false);
  const std::string all = drawing(model, {.show_dtype = true,
                                          .show_layer_names = true,
                                          .show_layer_activations = true,
                                          .show_trainable = true});
  for (const char* part : {"first", "activation relu", "float32", "frozen"})
    CHECK_THAT(all, has(part));
}

TEST_CASE("plot_model writes what the name ends in, and says what it cannot write") {
  const fs::path folder = fs::temp_directory_path();
  Sequential model({Input({3}), layers::Dense({.units = 2})});
  const auto written = [&](const char* name) {
    const std::string path = (folder / name).string();
    plot_model(model, path);
    std::ifstream stream(path);
    std::string text(std::istreambuf_iterator<char>(stream), {});
    fs::remove(path);
    return text;
  };
  CHECK(written("cornu_plot_test.svg").starts_with("<svg"));
  CHECK(written("cornu_plot_test.dot").starts_with("digraph"));
  const fs::path before = fs::current_path();
  const test::TemporaryFolder own;
  fs::current_path(own.path());
  plot_model(model);
  CHECK(fs::exists("model.svg"));
  fs::remove("model.svg");
  plot_model(model, {.show_shapes = true});
  CHECK(fs::exists("model.svg"));
  fs::current_path(before);
  CHECK_THROWS_WITH(plot_model(model, "model.png"), has(".svg"));
  CHECK_THROWS_AS(plot_model(model, "model"), ValueError);
  CHECK_THROWS_AS(plot_model(model, "/no/such/folder/m.svg"), FileError);
  CHECK_THROWS_WITH(model_to_dot(model, {.rankdir = "XY"}), has("'LR'"));
  Sequential unbuilt({layers::Dense({.units = 2})});
  CHECK_THROWS_AS(model_to_dot(unbuilt), StateError);
}

}  // namespace plot_model_test
