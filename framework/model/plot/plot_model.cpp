// A model as DOT text; and which file holds what.
#include "plot_model.h"

#include <fmt/core.h>

#include <filesystem>

#include "../../io/atomic_file.h"
#include "model_graph.h"

namespace cornu {
namespace {

using plot::escape;
using plot::GraphBox;
using plot::ModelGraph;

std::string cell(const std::string& attributes, const std::string& text) {
  return fmt::format("<td {}>{}</td>", attributes, text);
}

std::string column(const char* title, const std::string& value) {
  return cell("bgcolor=\"white\"", fmt::format("<font point-size=\"14\">{}: <b>{}</b></font>",
                                               title, value.empty() ? "?" : escape(value)));
}

std::string columns(const GraphBox& box, const PlotOptions& options) {
  std::string cells;
  if (options.show_shapes && !box.is_input) cells += column("Input shape", box.input_shape);
  if (options.show_shapes) cells += column("Output shape", box.output_shape);
  if (options.show_dtype) cells += column("Output dtype", box.output_dtype);
  if (options.show_trainable && box.has_weights)
    cells += cell(fmt::format("bgcolor=\"{}\"", box.trainable ? "forestgreen" : "firebrick"),
                  fmt::format("<font point-size=\"14\" color=\"white\"><b>{}</b></font>",
                              box.trainable ? "Trainable" : "Non-trainable"));
  return cells;
}

// A label as Keras makes it: a table in Graphviz's kind of HTML.
std::string label(const GraphBox& box, const PlotOptions& options) {
  const int span =
      std::max(1, 2 * options.show_shapes + options.show_dtype + options.show_trainable);
  const std::string title =
      options.show_layer_names.value_or(true)
          ? fmt::format("<b>{}</b> ({})", escape(box.name), escape(box.class_name))
          : fmt::format("<b>{}</b>", escape(box.class_name));
  std::string table = fmt::format(
      "<table border=\"0\" cellborder=\"1\" bgcolor=\"black\" cellpadding=\"10\">"
      "<tr><td colspan=\"{}\" bgcolor=\"black\"><font point-size=\"16\" color=\"white\">{}</font>"
      "</td></tr>",
      span, title);
  if (options.show_layer_activations && !box.activation.empty())
    table += fmt::format(
        "<tr><td bgcolor=\"white\" colspan=\"{}\"><font point-size=\"14\">Activation: <b>{}</b>"
        "</font></td></tr>",
        span, escape(box.activation));
  const std::string cells = columns(box, options);
  if (!cells.empty()) table += "<tr>" + cells + "</tr>";
  return table + "</table>";
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) result += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return result + "\"";
}

// The boxes directly in a cluster, or in none (-1), then the clusters in it.
std::string inside(const ModelGraph& graph, int cluster, const PlotOptions& options) {
  std::string text;
  for (size_t b = 0; b < graph.boxes.size(); ++b)
    if (graph.boxes[b].cluster == cluster)
      text += fmt::format("n{} [border=0, fontname=Helvetica, label=<{}>, margin=0];\n", b,
                          label(graph.boxes[b], options));
  for (size_t c = 0; c < graph.clusters.size(); ++c)
    if (graph.clusters[c].parent == cluster)
      text +=
          fmt::format("subgraph cluster_{} {{\nstyle=dashed;\nlabel={};\nlabeljust=l;\n{}}}\n", c,
                      quoted(graph.clusters[c].name), inside(graph, static_cast<int>(c), options));
  return text;
}

}  // namespace

std::string model_to_dot(Model& model, const PlotOptions& options) {
  plot::direction_of(options.rankdir);  // throws where there is none
  const ModelGraph graph = plot::model_graph(model, options.expand_nested);
  std::string text = fmt::format(
      "digraph {} {{\nrankdir={};\nconcentrate=true;\ndpi={};\nsplines={};\nnode [shape=record];\n",
      quoted(model.name()), options.rankdir, options.dpi, quoted(options.splines));
  text += inside(graph, -1, options);
  for (const auto& [from, to] : graph.edges)
    text += fmt::format("n{} -> n{} [penwidth=2];\n", from, to);
  return text + "}\n";
}

void plot::write_model(Model& model, const std::string& to_file, const PlotOptions& options) {
  const std::string ending = std::filesystem::path(to_file).extension().string();
  std::string text;
  if (ending == ".svg")
    text = plot::model_drawing(model, options).file();
  else if (ending == ".dot")
    text = model_to_dot(model, options);
  else
    throw ValueError(
        fmt::format("plot_model: '{}' ends in neither '.svg' nor '.dot'. Cornu draws SVG, which "
                    "browsers show{}.",
                    to_file, ending == ".png" ? " and print as PNG" : ""));
  io::write_file(to_file, std::as_bytes(std::span(text)));
}

}  // namespace cornu
