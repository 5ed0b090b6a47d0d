// The program cornu-conformance: makes the calls that were recorded in Keras, and compares.
#include <cornu/backend/backend.h>
#include <cornu/framework/config/json.h>
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <thread>

#include "../perhaps_on_gpu.h"
#include "case.h"
#include "workers.h"

namespace {

namespace fs = std::filesystem;
using namespace cornu;
using namespace cornu::conformance;

constexpr int some_failed = 1;
constexpr int usage_error = 2;

// The areas in the order in which they are shown; others come behind.
const std::vector<std::string> known_areas = {
    "layers",       "ops",          "activations", "losses",     "metrics",
    "initializers", "regularizers", "constraints", "optimizers", "schedules"};

struct Entry {
  size_t file;  ///< number of its file
  std::string name;
  std::string reason = "";  ///< why it fails
};

struct CaseFiles {
  std::vector<fs::path> paths;
  std::string area(size_t file) const { return paths[file].stem().string(); }
};

struct Settings {
  std::vector<std::string> folders;
  std::string json, match, area;
  bool summary = false, list = false, passing = false, eager = false, compiled = false;
  int jobs = 0;
};

CaseFiles find_files(const Settings& settings) {
  CaseFiles files;
  for (const std::string& folder : settings.folders) {
    if (fs::is_regular_file(folder)) files.paths.push_back(folder);
    if (!fs::is_directory(folder)) continue;
    for (const auto& file : fs::directory_iterator(folder))
      if (file.path().extension() == ".h5") files.paths.push_back(file.path());
  }
  if (!settings.area.empty())
    std::erase_if(files.paths, [&](const fs::path& p) { return p.stem() != settings.area; });
  auto rank = [](const fs::path& p) {
    return std::find(known_areas.begin(), known_areas.end(), p.stem()) - known_areas.begin();
  };
  std::sort(files.paths.begin(), files.paths.end(), [&](const fs::path& a, const fs::path& b) {
    return std::pair(rank(a), a) < std::pair(rank(b), b);
  });
  return files;
}

std::vector<Entry> find_cases(const CaseFiles& files, const std::string& match) {
  std::vector<Entry> cases;
  for (size_t i = 0; i < files.paths.size(); ++i)
    for (const std::string& name : CaseFile(files.paths[i]).names())
      if ((files.area(i) + "/" + name).find(match) != std::string::npos) cases.push_back({i, name});
  return cases;
}

// Each process opens a file when it first needs it.
const CaseFile& opened(const CaseFiles& files, size_t file) {
  static std::map<size_t, std::unique_ptr<CaseFile>> open;
  auto& entry = open[file];
  if (!entry) entry = std::make_unique<CaseFile>(files.paths[file]);
  return *entry;
}

std::string run_case(const CaseFiles& files, const Entry& entry, const Settings& settings) {
  static const bool prepared = [] {
    backend::set_threads(1);  // the processes share the cores
    return true;
  }();
  (void)prepared;
  const bool both = settings.eager == settings.compiled;
  for (const Mode mode : {Mode::eager, Mode::compiled}) {
    if (!both && settings.eager != (mode == Mode::eager)) continue;
    const char* where = mode == Mode::compiled ? "compiled: " : "";
    try {
      const std::string reason = check_case(opened(files, entry.file), entry.name, mode);
      if (!reason.empty()) return where + reason;
    } catch (const std::exception& e) {
      return where + std::string(*e.what() ? e.what() : "an error without a text");
    } catch (...) {
      return where + std::string("something was thrown that is no std::exception");
    }
  }
  return "";
}

struct Count {
  size_t passed = 0, total = 0;
  void add(bool pass) {
    passed += pass ? 1 : 0;
    ++total;
  }
  bool operator<(const Count& other) const { return passed * other.total < other.passed * total; }
};

void print_report(const CaseFiles& files, const std::vector<Entry>& cases,
                  const Settings& settings) {
  std::map<size_t, Count> areas;
  std::map<std::pair<size_t, std::string>, Count> subjects;
  for (const Entry& e : cases) {
    areas[e.file].add(e.reason.empty());
    subjects[{e.file, e.name.substr(0, e.name.find('/'))}].add(e.reason.empty());
  }
  if (settings.passing) {
    for (const auto& [subject, count] : subjects)
      if (count.passed == count.total)
        fmt::print("{}/{}\n", files.area(subject.first), subject.second);
    return;
  }
  for (const auto& [file, count] : areas)
    fmt::print("{} {}/{}\n", files.area(file), count.passed, count.total);
  if (settings.summary) {
    for (const auto& [subject, count] : subjects)
      fmt::print("{}/{} {}/{}\n", files.area(subject.first), subject.second, count.passed,
                 count.total);
  }
  std::vector<const Entry*> failed;
  for (const Entry& e : cases)
    if (!e.reason.empty()) failed.push_back(&e);
  std::stable_sort(failed.begin(), failed.end(),
                   [&](const Entry* a, const Entry* b) { return areas[a->file] < areas[b->file]; });
  if (!settings.summary)
    for (const Entry* e : failed)
      fmt::print("FAILED {}/{}: {}\n", files.area(e->file), e->name, e->reason);
  fmt::print("{} passed, {} failed\n", cases.size() - failed.size(), failed.size());
}

void write_json(const std::string& path, const CaseFiles& files, const std::vector<Entry>& cases) {
  Value::Dict areas;
  for (size_t i = 0; i < files.paths.size(); ++i) {
    Count count;
    Value::Dict failed;
    for (const Entry& e : cases) {
      if (e.file != i) continue;
      count.add(e.reason.empty());
      if (!e.reason.empty()) failed.emplace_back(e.name, e.reason);
    }
    areas.emplace_back(files.area(i), Value::Dict{{"passed", static_cast<int64_t>(count.passed)},
                                                  {"total", static_cast<int64_t>(count.total)},
                                                  {"failed", std::move(failed)}});
  }
  std::ofstream file(path);
  file << cornu::to_json(areas) << "\n";
  if (!file) throw FileError("'" + path + "' cannot be written.");
}

int run(const Settings& settings) {
  const CaseFiles files = find_files(settings);
  if (files.paths.empty()) throw FileError("there are no .h5 files of cases in the named folders.");
  std::vector<Entry> cases = find_cases(files, settings.match);
  if (settings.list) {
    for (const Entry& e : cases) fmt::print("{}/{}\n", files.area(e.file), e.name);
    return 0;
  }
  WorkerLimits limits;
  limits.workers = settings.jobs > 0
                       ? settings.jobs
                       : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  if (tools::perhaps_on_gpu()) {  // a process opens libraries of gigabytes, and compiles kernels
    limits.seconds = 120;
    limits.bytes = size_t{16} << 30;
    limits.jobs_per_process = 512;
  }
  run_jobs(
      cases.size(), [&](size_t i) { return run_case(files, cases[i], settings); },
      [&](size_t i, const std::string& reason) { cases[i].reason = reason; }, limits);
  print_report(files, cases, settings);
  if (!settings.json.empty()) write_json(settings.json, files, cases);
  const bool all =
      std::all_of(cases.begin(), cases.end(), [](const Entry& e) { return e.reason.empty(); });
  return all ? 0 : some_failed;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app("Runs calls that were recorded in Keras, eagerly and compiled, and compares.",
               "cornu-conformance");
  app.add_option("DIR", settings.folders, "Folders of recorded cases (.h5), or such files")
      ->required();
  app.add_option("--json", settings.json, "Write the results to this file as JSON");
  app.add_option("--match,--filter", settings.match,
                 "Only cases whose area/class/id contains this");
  app.add_option("--area", settings.area, "Only this area, such as layers");
  app.add_option("--jobs", settings.jobs, "How many processes run side by side");
  app.add_flag("--list", settings.list, "Print the names of the cases and run none");
  app.add_flag("--summary", settings.summary, "Print passed/total of each class and op instead");
  app.add_flag("--passing", settings.passing, "Print only the classes and ops that pass in full");
  app.add_flag("--eager", settings.eager, "Run the cases eagerly only");
  app.add_flag("--compiled", settings.compiled, "Run the cases compiled only");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : usage_error;
  }
  try {
    return run(settings);
  } catch (const std::exception& e) {
    fmt::print(stderr, "cornu-conformance: {}\n", e.what());
    return usage_error;
  }
}
