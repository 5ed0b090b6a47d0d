// The charts of trainings, and History::plot, which writes them.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "../../../backend/error.h"
#include "../../io/atomic_file.h"
#include "../arguments.h"
#include "history_charts.h"

namespace cornu {
namespace plot {

namespace {

// The metrics that the runs have, without "val_"; the loss first.
std::vector<std::string> metrics_of(const std::vector<TrainingRun>& runs) {
  std::vector<std::string> names;
  for (const TrainingRun& run : runs)
    for (const auto& [key, figure] : run.figures) {
      const std::string name = key.starts_with("val_") ? key.substr(4) : key;
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  std::stable_partition(names.begin(), names.end(),
                        [](const std::string& name) { return name == "loss"; });
  return names;
}

}  // namespace

std::map<std::string, Figure> figures_of(const History& history) {
  std::map<std::string, Figure> figures;
  for (const auto& [name, values] : history.history) {
    Figure& figure = figures[name];
    for (const int64_t epoch : history.epochs(name))
      figure.epochs.push_back(static_cast<double>(epoch) + 1);
    figure.values = values;
  }
  return figures;
}

std::vector<LineChart> history_charts(const std::vector<TrainingRun>& runs) {
  std::vector<LineChart> charts;
  const bool single = runs.size() == 1;
  for (const std::string& name : metrics_of(runs)) {
    LineChart chart{name, "epoch", {}};
    for (size_t r = 0; r < runs.size(); ++r)
      for (const bool validation : {false, true}) {
        const auto found = runs[r].figures.find(validation ? "val_" + name : name);
        if (found == runs[r].figures.end()) continue;
        const std::string kind = validation ? "validation" : "training";
        chart.curves.push_back({single ? kind : runs[r].name + (validation ? " validation" : ""),
                                found->second.epochs, found->second.values,
                                single ? validation : static_cast<int>(r), validation,
                                single || !validation || !runs[r].figures.count(name)});
      }
    charts.push_back(std::move(chart));
  }
  return charts;
}

}  // namespace plot

void History::plot(const std::string& path) const {
  if (std::filesystem::path(path).extension() != ".svg")
    throw ValueError(
        fmt::format("History::plot: '{}' does not end in '.svg', which is what it draws.", path));
  const std::vector<plot::LineChart> charts = plot::history_charts({{"", plot::figures_of(*this)}});
  if (charts.empty())
    throw ValueError("History::plot: there is no figure, since no epoch has ended.");
  const auto columns =
      static_cast<int64_t>(std::ceil(std::sqrt(static_cast<double>(charts.size()))));
  const auto count = static_cast<int64_t>(charts.size());
  plot::Svg svg(plot::panel_width * static_cast<double>(columns),
                plot::panel_height * static_cast<double>((count + columns - 1) / columns),
                "Curves of a training");
  for (int64_t i = 0; i < count; ++i)
    plot::draw(svg, charts[static_cast<size_t>(i)],
               plot::panel_width * static_cast<double>(i % columns),
               plot::panel_height * static_cast<double>(i / columns));
  const std::string text = svg.file();
  io::write_file(path, std::as_bytes(std::span(text)));
}

}  // namespace cornu
