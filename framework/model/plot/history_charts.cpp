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

std::vector<LineChart> history_charts(const std::vector<TrainingRun>& runs) {
  std::vector<std::string> names;
  const auto note = [&](const std::string& key) {
    const std::string name = key.starts_with("val_") ? key.substr(4) : key;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const TrainingRun& run : runs)
    for (const auto& [key, values] : run.history.history) note(key);
  std::stable_partition(names.begin(), names.end(), [](const auto& name) { return name == "loss"; });
  std::vector<LineChart> charts;
  for (const std::string& name : names) {
    LineChart chart{name, "epoch", {}};
    for (size_t r = 0; r < runs.size(); ++r)
      for (const bool validation : {false, true}) {
        const auto& history = runs[r].history;
        const auto found = history.history.find(validation ? "val_" + name : name);
        if (found == history.history.end()) continue;
        Curve curve;
        const char* kind = validation ? "validation" : "training";
        curve.name = runs.size() == 1 ? kind : runs[r].name + (validation ? " validation" : "");
        // One run: a color for each of the two. Several: one for each run.
        curve.color = runs.size() == 1 ? validation : static_cast<int>(r);
        curve.dashed = validation;
        curve.y = found->second;
        for (size_t i = 0; i < curve.y.size(); ++i)
          curve.x.push_back(static_cast<double>(
              (i < history.epoch.size() ? history.epoch[i] : static_cast<int64_t>(i)) + 1));
        chart.curves.push_back(std::move(curve));
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
  const std::vector<plot::LineChart> charts = plot::history_charts({{"", *this}});
  if (charts.empty())
    throw ValueError("History::plot: there is no figure, since no epoch has ended.");
  const auto columns = static_cast<int64_t>(std::ceil(std::sqrt(static_cast<double>(charts.size()))));
  const auto count = static_cast<int64_t>(charts.size());
  plot::Svg svg(plot::panel_width * static_cast<double>(columns),
                plot::panel_height * static_cast<double>((count + columns - 1) / columns),
                "Curves of a training");
  for (int64_t i = 0; i < count; ++i)
    plot::draw(svg, charts[static_cast<size_t>(i)],
               plot::panel_width * static_cast<double>(i % columns),
               plot::panel_height * static_cast<double>(i / columns));
  const std::string text = svg.file();
  saving::write_file(path, std::as_bytes(std::span(text)));
}

}  // namespace cornu
