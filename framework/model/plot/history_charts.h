// The charts of one or several trainings.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "../arguments.h"
#include "chart.h"

namespace cornu::plot {

/// A figure of a training, such as "val_loss".
struct Figure {
  std::vector<double> epochs;  ///< counted from 1, rising
  std::vector<double> values;  ///< as many
};

/// A training by name.
struct TrainingRun {
  std::string name;                       ///< for legends
  std::map<std::string, Figure> figures;  ///< by their names in the logs
};

/// The figures of what fit returned. Those of which there are fewer than epochs, as with
/// validation_freq, stand at every second epoch, every third and so on.
std::map<std::string, Figure> figures_of(const History& history);

/// A chart for the loss and one for each metric. Validation is dashed and stands with what it
/// validates. Of one run the two have a color each, of several each run has one.
std::vector<LineChart> history_charts(const std::vector<TrainingRun>& runs);

}  // namespace cornu::plot
