// Reports as lines of JSON.
#include "report.h"

#include <cornu/backend/error.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace cornu::zoo {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Check& check) {
  Json json{{"kind", check.kind}, {"what", check.what}, {"passed", check.passed()}};
  if (!check.reason.empty()) json["reason"] = check.reason;
  if (std::isfinite(check.error)) json["error"] = check.error;
  return json;
}

std::string line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

void ReportWriter::check(const std::string& kind, const std::string& what,
                         const std::function<Difference()>& run) {
  file_ << line({{"kind", kind}, {"what", what}, {"begins", true}}) << std::endl;
  Difference difference;
  try {
    difference = run();
  } catch (const std::exception& e) {
    difference.reason = e.what();
    if (difference.reason.empty()) difference.reason = "an exception without a text";
  }
  file_ << line(to_json({kind, what, difference.reason, difference.error})) << std::endl;
}

std::vector<Check> read_report(const std::filesystem::path& path) {
  std::vector<Check> checks;
  std::ifstream file(path);
  std::string text;
  while (std::getline(file, text)) {
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) continue;
    Check check{json.value("kind", ""), json.value("what", ""), json.value("reason", ""),
                json.value("error", 0.0), !json.contains("begins")};
    if (!checks.empty() && !checks.back().finished)
      checks.back() = std::move(check);
    else
      checks.push_back(std::move(check));
  }
  return checks;
}

void write_json(const std::filesystem::path& path,
                const std::vector<std::pair<std::string, std::vector<Check>>>& models) {
  Json json = Json::array();
  for (const auto& [name, checks] : models) {
    Json list = Json::array();
    for (const Check& check : checks) list.push_back(to_json(check));
    json.push_back({{"model", name}, {"checks", std::move(list)}});
  }
  std::ofstream file(path);
  file << json.dump(1, ' ', false, Json::error_handler_t::replace) << '\n';
  if (!file) throw FileError("'" + path.string() + "' cannot be written.");
}

}  // namespace cornu::zoo
