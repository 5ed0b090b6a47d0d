// The charts of one or several trainings.
#pragma once
#include <string>
#include <vector>

#include "../arguments.h"
#include "chart.h"

namespace cornu::plot {

/// A training by name.
struct TrainingRun {
  std::string name;  ///< for legends
  History history;   ///< its figures
};

/// A chart for the loss and one for each metric. Validation is dashed and stands with what it
/// validates. Of one run the two have a color each, of several each run has one. Epochs are counted
/// from 1.
std::vector<LineChart> history_charts(const std::vector<TrainingRun>& runs);

}  // namespace cornu::plot
