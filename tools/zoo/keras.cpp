// Calls keras_opens.py on all models at once.
#include "keras.h"

#include <cornu/backend/error.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "child.h"
#include "folder.h"

namespace cornu::zoo {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string tail(const fs::path& log) {
  std::ifstream file(log);
  std::string line, last;
  while (std::getline(file, line))
    if (!line.empty()) last = line;
  return last;
}

// What one model's files are, and where io.h5 says what they compute.
Json describe(const fs::path& folder, const fs::path& made) {
  const ModelFolder model(folder);
  Json files = Json::array();
  auto add = [&](const std::string& name, const std::string& weights, const char* outputs) {
    if (fs::exists(made / name) && (weights.empty() || fs::exists(made / weights)))
      files.push_back({{"file", (made / name).string()},
                       {"weights", weights.empty() ? "" : (made / weights).string()},
                       {"outputs", outputs}});
  };
  add("model.keras", "", "outputs");
  add("model.json", "model.weights.h5", "outputs");
  if (model.legacy_is_readable()) add("model.h5", "", "outputs");
  add("trained.keras", "", "train/outputs_after");
  return {{"folder", folder.string()},
          {"relative", model.predict_tolerance().relative},
          {"needs_tensorflow", model.needs_tensorflow()},
          {"files", std::move(files)}};
}

}  // namespace

std::vector<std::vector<Check>> open_with_keras(
    const std::string& python, const std::vector<std::pair<fs::path, fs::path>>& models,
    const fs::path& scratch) {
  Json manifest = Json::array();
  std::vector<std::vector<Check>> checks(models.size());
  for (size_t i = 0; i < models.size(); ++i) {
    Json entry = Json::object();
    try {
      entry = describe(models[i].first, models[i].second);
    } catch (const std::exception&) {
      // The checks of the model itself say why it cannot be read.
    }
    if (entry.empty() || entry["files"].empty())
      checks[i].push_back({"keras", "model.keras", "Cornu wrote no file that Keras could open", 0});
    manifest.push_back(std::move(entry));
  }
  std::ofstream(scratch / "manifest.json") << manifest.dump();

  const fs::path report = scratch / "keras.report", log = scratch / "keras.log";
  Children children;
  children.start({python, CORNU_ZOO_SCRIPT, (scratch / "manifest.json").string(), report.string()},
                 log, {std::chrono::seconds(120 + 20 * models.size()), 0}, 0);
  const std::string trouble = children.wait().trouble;

  std::ifstream lines(report);
  std::string line;
  bool any = false;
  while (std::getline(lines, line)) {
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object()) continue;
    any = true;
    checks.at(json.value("model", size_t{0}))
        .push_back(
            {"keras", json.value("what", ""), json.value("reason", ""), json.value("error", 0.0)});
  }
  if (!any && !trouble.empty())
    throw StateError("'" + python + "' could not open Cornu's files: it " + trouble + " (" +
                     tail(log) + ").");
  // A model that Python did not come to is a failure.
  for (size_t i = 0; i < models.size(); ++i)
    if (checks[i].empty())
      checks[i].push_back(
          {"keras", "model.keras", "Keras did not come to it: Python " + trouble, 0});
  return checks;
}

}  // namespace cornu::zoo
