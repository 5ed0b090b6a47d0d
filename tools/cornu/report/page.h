// The page of a report: one HTML file that needs no other.
#pragma once
#include <cornu/framework/model/model.h>

#include <optional>
#include <string>
#include <vector>

#include "cost.h"
#include "evaluation.h"
#include "run_files.h"

namespace cornu::cli {

/// All that a report says of one run. What is not known is empty.
struct ReportRun {
  RunFiles folder;
  std::shared_ptr<Model> model = nullptr;
  std::vector<Evaluation> evaluations = {};  ///< of the outputs
  std::optional<Cost> cost = {};
};

/// What the page says beside the runs.
struct PageOptions {
  std::string data;  ///< the files that the models were evaluated on, or ""
  std::string when;  ///< the time of the report
  std::string made;  ///< the program and the machine
};

/// The page, in HTML. Texts of files stand in it as they are, and are no markup.
std::string report_page(const std::vector<ReportRun>& runs, const PageOptions& options);

}  // namespace cornu::cli
