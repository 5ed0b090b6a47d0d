// RunFiles: what a training left in a folder, as far as it is there.
#pragma once
#include <cornu/framework/dispatch/value.h>
#include <cornu/framework/model/plot/history_charts.h>

#include <string>
#include <vector>

namespace cornu::cli {

/// A training's files; docs/reports.md says which.
struct RunFiles {
  std::string name;                                  ///< of the folder, or of the file
  std::map<std::string, plot::Figure> figures = {};  ///< of the history; perhaps none
  Value::Dict facts = {};                            ///< of run.json; perhaps none
  std::string model_file = "";                       ///< a .keras file, or ""
  std::vector<std::string> notes = {};  ///< what is there and could not be used, and why
};

/// Reads a folder, or one file of a run (.csv, .json, .keras). Throws FileError where there is
/// nothing of a run.
RunFiles read_run(const std::string& path);

/// The columns of a table as CSVLogger writes it. Cells that are empty or "NA" give no value, and
/// arrays their means. Throws FileError that names the line.
std::map<std::string, plot::Figure> parse_history_csv(const std::string& text,
                                                      const std::string& source);

}  // namespace cornu::cli
