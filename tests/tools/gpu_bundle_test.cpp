// The script that runs tests and benchmarks on a GPU, with programs that fail, hang and crash.
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>

#include "../paths.h"
#include "program.h"

namespace gpu_bundle_test {

using namespace cornu::test;

namespace {

// A bundle of shell scripts in the places of programs.
struct Bundle {
  explicit Bundle(const std::string& devices = "echo cuda:0") {
    add("cornu", "case \"$*\" in *--help*) ;; *--check*) echo 'conv float32 cuDNN' ;; *) " +
                     devices + " ;; esac");
    add("test_backend", listing("gpu_test") + "echo backend $*");
    add("test_framework", listing("good_test") + "echo framework $*");
    add("test_layers",
        listing("wrong_test") + "case \"$*\" in *wrong*) echo 'it said \"no\"'; exit 3 ;; esac");
    add("cornu-conformance", "kill -SEGV $$");
    add("cornu-zoo", "echo zoo");
    add("python", "exit 1");  // this machine's may have PyTorch, which takes long on a GPU
    add("cornu-bench", "echo '{\"workload\": \"'$1'\", \"peer\": \"cornu\", \"mode\": \"fit\"}'");
    std::filesystem::create_directories(folder / "payload/sources/tests/conformance");
    std::filesystem::copy_file(source_path("tools/gpu_bundle/run.sh"), folder / "run.sh");
  }
  static std::string listing(const std::string& tag) {
    return "if [ \"$1\" = --list-tags ]; then echo '  1  [#" + tag + "]'; exit; fi; ";
  }
  void add(const std::string& name, const std::string& script) const {
    std::filesystem::create_directories(folder / "payload/bin");
    const std::string path = folder / ("payload/bin/" + name);
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  Outcome run(const std::string& arguments) const {
    return run_shell("cd '" + (folder / "") + "' && bash ./run.sh --python payload/bin/python " +
                     arguments);
  }
  nlohmann::json results() const {
    return nlohmann::json::parse(std::ifstream(folder / "results/results.json"));
  }
  // "passed", "failed", "skipped", or "" for what was not run.
  std::string status(const std::string& name) const {
    const nlohmann::json all = results();
    for (const auto& step : all["steps"])
      if (step["name"] == name) return step["status"];
    return "";
  }

  Folder folder;
};

}  // namespace

TEST_CASE("A bundle for GPUs goes on behind what fails, and keeps all results") {
  const Bundle bundle;
  // Without the sanitizer, which some machines have and which takes no scripts.
  const Outcome outcome =
      bundle.run("--only tests --only conformance --only zoo --only ratios --only benchmarks");
  CHECK(outcome.status == 1);
  CHECK(bundle.status("devices") == "passed");
  CHECK(bundle.status("paths") == "passed");
  CHECK(bundle.status("kernels") == "passed");
  CHECK(bundle.status("test_framework-good_test") == "passed");
  CHECK(bundle.status("test_layers-wrong_test") == "failed");
  CHECK(bundle.status("two-processes") == "passed");
  CHECK(bundle.status("two-processes-beside") == "passed");
  CHECK(bundle.status("conformance-conformance") == "failed");
  CHECK(bundle.status("zoo") == "passed");
  CHECK(has(outcome, "conv float32 cuDNN"));
  CHECK(has(outcome, "2 failed"));
  // Benchmarks run behind failed tests too.
  const nlohmann::json all = bundle.results();
  CHECK(all["benchmarks"].size() > 10);
  for (const auto& step : all["steps"]) {
    if (step["name"] == "test_layers-wrong_test") CHECK(step["said"] == "it said \"no\"");
    if (step["name"] == "conformance-conformance") CHECK(step["said"] == "ended by signal 11");
  }
}

TEST_CASE("A bundle for GPUs says where programs do not start, or there is no device") {
  {
    const Bundle bundle;
    bundle.add("test_layers", "exit 127");
    CHECK(bundle.run("--only tests").status == 1);
    CHECK(bundle.status("test_layers") == "failed");
    CHECK(bundle.status("test_framework-good_test") == "passed");
  }
  const Bundle bundle("echo 'There is no device cuda:0.'; exit 1");
  const Outcome outcome = bundle.run("");
  CHECK(outcome.status == 1);
  CHECK(bundle.status("devices") == "failed");
  CHECK(bundle.status("kernels").empty());
  CHECK(has(outcome, "There is no device cuda:0."));
}

TEST_CASE("A bundle for GPUs keeps to its seconds") {
  const Bundle bundle;
  bundle.add("test_framework", Bundle::listing("slow_test") + "exec sleep 60");
  const auto begin = std::chrono::steady_clock::now();
  CHECK(bundle.run("--only tests --only zoo --only ratios --seconds 5").status == 1);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(50));
  CHECK(bundle.status("zoo") == "passed");
  CHECK(bundle.status("test_framework-slow_test") == "failed");
  CHECK(bundle.status("cornu lstm") == "skipped");
}

}  // namespace gpu_bundle_test
