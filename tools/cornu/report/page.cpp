// The sections of a report.
#include "page.h"

#include <cornu/framework/model/plot/plot_model.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "evaluation_charts.h"
#include "facts.h"
#include "findings.h"
#include "page_style.h"

namespace cornu::cli {
namespace {

using plot::escape;
using Runs = std::vector<ReportRun>;

constexpr size_t shown_layers = 12;

std::string element(const char* tag, const char* style, const std::string& inside) {
  return fmt::format("<{} class=\"{}\">{}</{}>", tag, style, inside, tag);
}

std::string heading(const char* text) { return fmt::format("<h2>{}</h2>", text); }

std::string chart(const plot::Svg& svg) { return element("div", "card chart", svg.element()); }

// A table of texts that are escaped; the first row and column are its heads.
std::string table(const std::vector<std::vector<std::string>>& rows, const char* style) {
  std::string html;
  for (size_t r = 0; r < rows.size(); ++r) {
    html += r == 0 ? "<thead><tr>" : "<tr>";
    for (size_t c = 0; c < rows[r].size(); ++c)
      html += fmt::format("<{0}>{1}</{0}>", r == 0 || c == 0 ? "th" : "td", escape(rows[r][c]));
    html += r == 0 ? "</tr></thead><tbody>" : "</tr>";
  }
  return element("div", "card table", element("table", style, html + "</tbody>"));
}

// --- the sections

std::string head(const Runs& runs, const PageOptions& options) {
  std::string html = fmt::format("<h1>Training report</h1><p class=\"soft\">{}, {}</p>",
                                 escape(options.when), escape(options.made));
  std::string list;
  for (size_t r = 0; r < runs.size(); ++r) {
    plot::Svg swatch(22, 10, "color of the run");
    swatch.line(1, 5, 21, 5, plot::series(static_cast<int>(r)) + " stroke thick");
    list += fmt::format("<li>{}{}</li>", runs.size() > 1 ? swatch.element() : "",
                        escape(runs[r].folder.name));
  }
  return html + element("ul", "runs", list);
}

std::string warnings(const Runs& runs) {
  std::string items;
  const auto add = [&](const ReportRun& run, const std::string& text) {
    items += runs.size() > 1
                 ? fmt::format("<li><b>{}</b>: {}</li>", escape(run.folder.name), escape(text))
                 : fmt::format("<li>{}</li>", escape(text));
  };
  for (const ReportRun& run : runs) {
    for (const std::string& text : findings_of(run.folder.figures)) add(run, text);
    for (const std::string& text : warnings_among(run.folder.facts)) add(run, text);
    for (const std::string& text : run.folder.notes) add(run, text);
  }
  if (runs.size() > plot::series_colors)
    items += fmt::format("<li>Only the first {} runs have a color of their own.</li>",
                         plot::series_colors);
  if (items.empty()) return "";
  return element("div", "warnings", "<b>Worth a look</b><ul>" + items + "</ul>");
}

// "0.0312 (7)": the best value, and its epoch where that is not the last.
std::string best_text(const std::string& name, const plot::Figure& figure) {
  const int64_t best = best_place(name, figure);
  if (best < 0) return "no number";
  const auto at = static_cast<size_t>(best);
  const std::string value = plot::short_number(figure.values[at]);
  return at + 1 == figure.values.size() ? value
                                        : fmt::format("{} ({:g})", value, figure.epochs[at]);
}

double epochs_of(const ReportRun& run) {
  double epochs = 0;
  for (const auto& [name, figure] : run.folder.figures)
    if (!figure.epochs.empty()) epochs = std::max(epochs, figure.epochs.back());
  return epochs;
}

// A row for each run, a column for each figure.
std::string overview(const Runs& runs) {
  std::set<std::string> names;
  for (const ReportRun& run : runs)
    for (const auto& [name, figure] : run.folder.figures) names.insert(name);
  names.erase("learning_rate");  // its curve says it
  std::vector<std::string> order(names.begin(), names.end());
  std::stable_partition(order.begin(), order.end(), [](const std::string& name) {
    return name.find("loss") != std::string::npos;
  });
  std::vector<std::vector<std::string>> rows = {{"run"}};
  rows[0].insert(rows[0].end(), order.begin(), order.end());
  for (const char* column : {"epochs", "time", "parameters"}) rows[0].push_back(column);
  for (const ReportRun& run : runs) {
    std::vector<std::string> row = {run.folder.name};
    for (const std::string& name : order) {
      const auto found = run.folder.figures.find(name);
      row.push_back(found == run.folder.figures.end() ? "" : best_text(name, found->second));
    }
    row.push_back(fmt::format("{:g}", epochs_of(run)));
    row.push_back(seconds_among(run.folder.facts));
    row.push_back(run.model ? grouped(run.model->count_params()) : "");
    rows.push_back(std::move(row));
  }
  return heading("Best figures") + table(rows, "") +
         (order.empty()
              ? ""
              : "<p class=\"soft\">In brackets the epoch, counted from 1, where it is not "
                "the last.</p>");
}

std::string curves(const Runs& runs) {
  std::vector<plot::TrainingRun> trainings;
  for (const ReportRun& run : runs) trainings.push_back({run.folder.name, run.folder.figures});
  std::string html;
  for (const plot::LineChart& line_chart : plot::history_charts(trainings)) {
    plot::Svg svg(plot::panel_width, plot::panel_height, "Curves of " + line_chart.title);
    plot::draw(svg, line_chart, 0, 0);
    html += chart(svg);
  }
  if (html.empty()) return "";
  return heading("Curves") + element("div", "grid", html) +
         "<p class=\"soft\">Validation is dashed.</p>";
}

// The pairs of classes that are taken for each other most often.
std::string mistakes(const Confusion& confusion) {
  std::vector<std::pair<int64_t, std::pair<int64_t, int64_t>>> pairs;
  for (int64_t truth = 0; truth < confusion.classes; ++truth)
    for (int64_t predicted = 0; predicted < confusion.classes; ++predicted)
      if (truth != predicted && confusion.count(truth, predicted) > 0)
        pairs.push_back({-confusion.count(truth, predicted), {truth, predicted}});
  std::sort(pairs.begin(), pairs.end());
  std::string text;
  for (size_t i = 0; i < std::min<size_t>(pairs.size(), 5); ++i)
    text += fmt::format("{}{} for {} ({})", text.empty() ? "" : ", ", pairs[i].second.first,
                        pairs[i].second.second, -pairs[i].first);
  return text.empty() ? "" : "<p class=\"soft\">Most often wrong: " + text + ".</p>";
}

std::string evaluation_card(const std::string& run, const Evaluation& evaluation) {
  const std::string title =
      evaluation.output.empty() ? run : fmt::format("{}: {}", run, evaluation.output);
  if (evaluation.errors) return chart(draw_errors(*evaluation.errors, title));
  const Confusion& confusion = *evaluation.confusion;
  const std::string picture =
      confusion.classes <= most_drawn_classes
          ? draw_confusion(confusion, title).element()
          : fmt::format(
                "<h3>{}</h3><p>{:.2f}% of {} samples are right, of {} classes; {} "
                "predictions are NaN.</p>",
                escape(title), 100 * confusion.accuracy(), confusion.samples(), confusion.classes,
                confusion.unpredicted);
  return element("div", "card chart", picture + mistakes(confusion));
}

std::string evaluations(const Runs& runs, const PageOptions& options) {
  std::string html;
  for (const ReportRun& run : runs)
    for (const Evaluation& evaluation : run.evaluations)
      html += evaluation_card(run.folder.name, evaluation);
  if (html.empty()) return "";
  return heading("Predictions") + "<p class=\"soft\">On " + escape(options.data) + ".</p>" +
         element("div", "grid", html);
}

std::string bytes_text(double bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(units); ++unit) bytes /= 1024;
  return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : 1, units[unit]);
}

std::string time_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} µs", 1e6 * seconds);
  return seconds < 1 ? fmt::format("{:.3g} ms", 1e3 * seconds) : fmt::format("{:.3g} s", seconds);
}

std::string cost_card(const Cost& cost) {
  std::string rows;
  for (size_t i = 0; i < std::min(cost.layers.size(), shown_layers); ++i) {
    const LayerTime& layer = cost.layers[i];
    const double percent = 100 * layer.seconds / std::max(cost.seconds, 1e-12);
    // The mark keeps what stands at a path's ends there though it is cut at its begin.
    rows += fmt::format(
        "<span class=\"path\" title=\"{0}\">&lrm;{0}</span><span class=\"number\">{1}</span>"
        "<span class=\"number soft\">{2:.0f}%</span><i><b style=\"width:{2:.1f}%\"></b></i>",
        escape(layer.layer), time_text(layer.seconds), percent);
  }
  std::string more;
  if (cost.layers.size() > shown_layers)
    more =
        fmt::format("<p class=\"soft\">And {} faster ones.</p>", cost.layers.size() - shown_layers);
  return fmt::format(
             "<h3>Slowest layers</h3><p class=\"soft\">A prediction of {} samples takes {}. "
             "Memory: {} for the weights, {} for the batch.</p>",
             cost.batch_size, time_text(cost.seconds), bytes_text(cost.weight_bytes),
             bytes_text(cost.batch_bytes)) +
         element("div", "layers", rows) + more;
}

// Runs whose pictures are equal share one.
std::string models(const Runs& runs) {
  struct Picture {
    std::string drawing, names;
    const ReportRun* run;
  };
  std::vector<Picture> pictures;
  for (const ReportRun& run : runs) {
    if (!run.model || !run.model->built()) continue;
    const std::string drawing = plot::model_drawing(*run.model, {.show_shapes = true,
                                                                 .show_layer_names = true,
                                                                 .show_layer_activations = true})
                                    .element();
    const auto same = std::find_if(pictures.begin(), pictures.end(),
                                   [&](const Picture& p) { return p.drawing == drawing; });
    if (same == pictures.end())
      pictures.push_back({drawing, escape(run.folder.name), &run});
    else
      same->names += ", " + escape(run.folder.name);
  }
  std::string html;
  for (const Picture& p : pictures) {
    std::string pair = element(
        "div", "card", "<h3>" + p.names + "</h3>" + element("div", "scroll picture", p.drawing));
    if (p.run->cost) pair += element("div", "card", cost_card(*p.run->cost));
    html += element("div", "pair", pair);
  }
  return html.empty() ? "" : heading("Model") + html;
}

std::string facts(const Runs& runs) {
  std::vector<std::string> keys;
  std::vector<std::map<std::string, std::string>> columns;
  for (const ReportRun& run : runs) {
    columns.emplace_back();
    for (const auto& [key, text] : flat_facts(run.folder.facts)) {
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
      columns.back()[key] = text;
    }
  }
  if (keys.empty()) return "";
  std::vector<std::vector<std::string>> rows = {{""}};
  for (const ReportRun& run : runs) rows[0].push_back(run.folder.name);
  for (const std::string& key : keys) {
    rows.push_back({key});
    for (const auto& column : columns) {
      const auto found = column.find(key);
      rows.back().push_back(found == column.end() ? "" : found->second);
    }
  }
  return heading("Settings, machine and versions") + table(rows, "facts");
}

}  // namespace

std::string report_page(const Runs& runs, const PageOptions& options) {
  std::string title = "Training report";
  for (const ReportRun& run : runs) title += (&run == &runs[0] ? ": " : ", ") + run.folder.name;
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>" +
         escape(title) + "</title><style>" + page_style + plot::style_sheet() +
         "</style></head>\n<body><main>" + head(runs, options) + warnings(runs) + overview(runs) +
         curves(runs) + evaluations(runs, options) + models(runs) + facts(runs) +
         "</main></body></html>\n";
}

}  // namespace cornu::cli
