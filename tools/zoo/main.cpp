// cornu-zoo: loads, runs, saves and trains the models of a folder of Keras files, and compares with
// what Keras computed.
#include <cornu/backend/error.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <thread>

#include "../perhaps_on_gpu.h"
#include "check_model.h"
#include "child.h"
#include "folder.h"
#include "keras.h"
#include "report.h"

namespace {

namespace fs = std::filesystem;
using namespace cornu::zoo;

constexpr int failure = 1;
constexpr int usage_error = 2;

struct Options {
  std::vector<std::string> folders;
  std::string python;
  std::string filter;
  std::string json;
  int jobs = 0;
  int seconds = 300;
  // A GPU's driver takes address space without end.
  int megabytes = cornu::tools::perhaps_on_gpu() ? 0 : 8192;
};

struct Scratch {
  Scratch() {
    std::string pattern = (fs::temp_directory_path() / "cornu-zoo-XXXXXX").string();
    if (!::mkdtemp(pattern.data()))
      throw cornu::FileError("No temporary folder can be made at " + pattern + ".");
    path = pattern;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  fs::path path;
};

struct ModelResult {
  fs::path folder;
  std::string name;
  std::vector<Check> checks;
};

// The last lines of a child's output, for crashes.
std::string last_words(const fs::path& log) {
  std::ifstream file(log);
  std::string line, last;
  while (std::getline(file, line))
    if (!line.empty()) last = line;
  return last.size() > 300 ? last.substr(0, 300) + "..." : last;
}

void collect(ModelResult& model, const fs::path& scratch, const std::string& trouble) {
  model.checks = read_report(scratch / "report");
  for (Check& check : model.checks)
    if (!check.finished) check.reason = trouble.empty() ? "did not finish" : trouble;
  const bool explained = !model.checks.empty() && !model.checks.back().finished;
  if (!trouble.empty() && !explained) model.checks.push_back({"predict", "the check", trouble, 0});
  if (!trouble.empty()) {
    const std::string words = last_words(scratch / "log");
    if (!words.empty()) model.checks.back().reason += " (" + words + ")";
  }
  // Opening io.h5 counts only when it fails.
  std::erase_if(model.checks, [](const Check& c) { return c.what == "io.h5" && c.passed(); });
}

void run_checks(std::vector<ModelResult>& models, const Options& options, const fs::path& scratch) {
  const std::string self = fs::read_symlink("/proc/self/exe").string();
  const size_t jobs = options.jobs > 0 ? static_cast<size_t>(options.jobs)
                                       : std::max(1u, std::thread::hardware_concurrency());
  // Models are small: one thread each, several at a time.
  if (jobs > 1) ::setenv("OMP_NUM_THREADS", "1", 0);
  const Limits limits{std::chrono::seconds(options.seconds),
                      static_cast<uint64_t>(options.megabytes) << 20};
  Children children;
  for (size_t next = 0; next < models.size() || children.size() > 0;) {
    if (next < models.size() && children.size() < jobs) {
      const fs::path own = scratch / std::to_string(next);
      fs::create_directory(own);
      children.start({self, "--one", models[next].folder.string(), "--scratch", own.string()},
                     own / "log", limits, next);
      ++next;
      continue;
    }
    const Children::Ended ended = children.wait();
    collect(models[ended.tag], scratch / std::to_string(ended.tag), ended.trouble);
  }
}

// Prints the failures and the sums; returns how many checks failed.
int print(const std::vector<ModelResult>& models) {
  std::map<std::string, std::pair<int, int>> by_kind;  // models passed, models
  int passed = 0, failed = 0;
  for (const ModelResult& model : models) {
    std::map<std::string, bool> kinds_here;
    for (const Check& check : model.checks) {
      kinds_here.try_emplace(check.kind, true).first->second &= check.passed();
      ++(check.passed() ? passed : failed);
      if (!check.passed())
        std::printf("FAILED %s: %s: %s: %s\n", check.kind.c_str(), model.name.c_str(),
                    check.what.c_str(), check.reason.c_str());
    }
    for (const auto& [kind, ok] : kinds_here) {
      by_kind[kind].first += ok;
      by_kind[kind].second += 1;
    }
  }
  for (const char* kind : kinds)
    if (by_kind.count(kind) || std::string(kind) != "keras")
      std::printf("%s %d/%d\n", kind, by_kind[kind].first, by_kind[kind].second);
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed;
}

int run(const Options& options) {
  std::vector<ModelResult> models;
  for (const std::string& folder : options.folders) {
    const std::vector<fs::path> found = find_models(fs::absolute(folder).lexically_normal());
    if (found.empty())
      throw cornu::FileError("'" + folder + "' holds no model: no folder in it has an io.h5.");
    for (const fs::path& path : found)
      if (path.filename().string().find(options.filter) != std::string::npos)
        models.push_back({path, path.filename().string(), {}});
  }
  if (models.empty()) throw cornu::ValueError("No model's name contains '" + options.filter + "'.");
  const Scratch scratch;
  run_checks(models, options, scratch.path);
  if (!options.python.empty()) {
    std::vector<std::pair<fs::path, fs::path>> written;
    for (size_t i = 0; i < models.size(); ++i)
      written.emplace_back(models[i].folder, scratch.path / std::to_string(i));
    const auto checks = open_with_keras(options.python, written, scratch.path);
    for (size_t i = 0; i < models.size(); ++i)
      models[i].checks.insert(models[i].checks.end(), checks[i].begin(), checks[i].end());
  }
  if (!options.json.empty()) {
    std::vector<std::pair<std::string, std::vector<Check>>> all;
    for (const ModelResult& model : models) all.emplace_back(model.name, model.checks);
    write_json(options.json, all);
  }
  return print(models) == 0 ? 0 : failure;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Checks Cornu on folders of Keras files: each model is loaded, run, saved again and trained, "
      "and "
      "compared with what Keras computed.",
      "cornu-zoo");
  Options options;
  std::string one, scratch;
  app.add_option("DIR", options.folders, "Folders of models, or models' own folders");
  app.add_option("--python", options.python, "A Python with Keras 3, which opens what Cornu wrote");
  app.add_option("--filter", options.filter, "Only the models whose names contain this text");
  app.add_option("--json", options.json, "Write every check and its largest error to this file");
  app.add_option("--jobs", options.jobs,
                 "How many models at once (default: one for each processor)");
  app.add_option("--seconds", options.seconds, "Time for one model")->capture_default_str();
  app.add_option("--megabytes", options.megabytes, "Memory for one model; 0 for no limit")
      ->capture_default_str();
  app.add_option("--one", one)->group("");
  app.add_option("--scratch", scratch)->group("");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : usage_error;
  }
  try {
    if (!one.empty()) {
      check_model(one, fs::path(scratch) / "report", scratch);
      return 0;
    }
    if (options.folders.empty()) {
      std::fputs("cornu-zoo: name a folder of models; --help tells more\n", stderr);
      return usage_error;
    }
    return run(options);
  } catch (const std::exception& e) {
    std::fflush(stdout);
    std::fprintf(stderr, "cornu-zoo: %s\n", e.what());
    return failure;
  }
}
