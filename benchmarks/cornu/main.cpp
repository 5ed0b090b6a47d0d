// cornu-bench: measures the workloads that other frameworks are measured on, one line of JSON for
// each figure. Usage: cornu-bench WORKLOAD|all [--mode MODE] [--threads N] [--reps N]
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "workloads.h"

namespace cornu::bench {

const std::vector<Workload>& workloads() {
  const std::vector<std::string> train{"fit", "function", "eager"};
  const std::vector<std::string> both{"fit", "function", "eager", "predict"};
  static const std::vector<Workload> table{
      {"seed_b1", train, false, measure_training},
      {"seed_b32", train, false, measure_training},
      {"mlp", both, false, measure_training},
      {"mnist_cnn", both, false, measure_training},
      {"lstm", both, false, measure_training},
      {"gru", both, false, measure_training},
      {"gpt", both, false, measure_training},
      {"resnet50", both, false, measure_training},
      {"mobilenet_v2", both, false, measure_training},
      {"gpt_768", train, true, measure_training},
      {"resnet50_b128", train, true, measure_training},
      {"gpt2_base", {"generate", "generate_batch"}, true, measure_generation},
      {"kernels", {"float32", "bfloat16", "int8", "float8"}, true, measure_kernels},
      {"call_overhead", {"inference"}, false, measure_calls},
      {"load_resnet50", {"load_model+predict"}, false, measure_loading},
      {"load_mnist_cnn", {"load_model+predict"}, false, measure_loading},
      {"loaded_model", {"beside a fresh one"}, false, measure_loaded},
      {"callers", {"predict"}, false, measure_callers},
      {"callbacks",
       {"gaussians", "mnist_cnn", "journal_gaussians", "journal_mnist_cnn", "bar", "backups",
        "resume"},
       false,
       measure_callbacks},
      {"loader", {"rows", "prefetch", "fit", "map", "memory"}, false, measure_loader},
      {"images", {"decode crop", "packed 256", "packed 500"}, false, measure_images},
      {"memory_predict", {"predict x1000"}, false, measure_memory},
      {"augment", {"uint8", "float32", "layers on batches"}, false, measure_augmentation},
  };
  return table;
}

namespace {

// Runs this program again for one workload in one mode. Its time begins before the process does.
bool run_in_process_of_its_own(const std::string& workload, const std::string& mode,
                               std::vector<std::string> options) {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  char start[64];
  std::snprintf(start, sizeof start, "%lld.%09ld", static_cast<long long>(now.tv_sec), now.tv_nsec);
  ::setenv("CORNU_BENCH_START", start, 1);
  options.insert(options.begin(), {"cornu-bench", workload, "--mode", mode});
  std::vector<char*> arguments;
  for (std::string& option : options) arguments.push_back(option.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (::posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, arguments.data(), environ) != 0)
    return false;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return false;
  return status == 0;
}

// Where the time of one step goes.
void print_profile(const std::string& workload, const std::string& mode, const std::string& trace) {
  const Task task = make_task(workload, 1);
  task.model->compile({.optimizer = task.optimizer, .loss = task.loss});
  const bool train = mode != "predict";
  std::fputs(task.model->profile(task.x, train ? Nest(task.y) : Nest(), {train, 10, trace}).c_str(),
             stdout);
}

void save_models(const std::string& folder) {
  std::filesystem::create_directories(folder);
  for (const char* name : {"resnet50", "mnist_cnn"})
    make_network(name)->save((std::filesystem::path(folder) / (std::string(name) + ".keras")));
}

}  // namespace
}  // namespace cornu::bench

int main(int argc, char** argv) {
  using namespace cornu::bench;
  CLI::App app("Measures training and prediction; prints a line of JSON for each figure.",
               "cornu-bench");
  std::string chosen, mode, save;
  Settings settings;
  int threads = 2;
  std::string names = "all";
  for (const Workload& workload : workloads()) names += ", " + workload.name;
  app.add_option("WORKLOAD", chosen, "One of: " + names);
  app.add_option("--mode", mode, "fit, function, eager or predict; default: all of them");
  app.add_option("--threads", threads, "Threads that compute")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--reps", settings.effort.reps, "Repetitions of a measurement, at most")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--seconds", settings.effort.seconds, "After which no repetition starts")
      ->capture_default_str();
  app.add_option("--models", settings.models, "Folder with the .keras files of load_*");
  app.add_option("--save", save, "Only write those files into this folder");
  bool list = false, profile = false, traffic = false, steps = false;
  std::string trace, policy = "float32";
  app.add_flag(
      "--profile", profile,
      "Print where the time of one step goes instead (with --mode predict: of a prediction)");
  app.add_option("--trace", trace,
                 "With --profile: also write this file for Perfetto or about:tracing");
  app.add_flag(
      "--traffic", traffic,
      "Print instead what a training step moves and computes on a device other than the CPU; "
      "none is needed");
  app.add_flag("--steps", steps, "With --traffic: also of each step of its plan");
  app.add_option("--policy", policy,
                 "Of the layers' dtypes, such as mixed_bfloat16; named in the lines' mode")
      ->capture_default_str();
  app.add_flag("--list", list, "Only print the workloads and their modes");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }

  try {
    if (list) {
      for (const Workload& workload : workloads()) {
        std::printf("%s:", workload.name.c_str());
        for (const std::string& m : workload.modes)
          std::printf("%s %s", &m == &workload.modes[0] ? "" : ",", m.c_str());
        std::printf("\n");
      }
      return 0;
    }
    cornu::backend::set_threads(threads);
    cornu::random::set_seed(0);
    const cornu::PolicyScope scope(policy);
    settings.policy = policy;
    if (!save.empty()) {
      save_models(save);
      return 0;
    }
    if (traffic) {
      print_traffic(chosen, steps);
      return 0;
    }
    if (profile) {
      print_profile(chosen, mode, trace);
      return 0;
    }
    std::vector<std::pair<const Workload*, std::string>> jobs;
    const bool gpu = !cornu::default_device().is_cpu();
    for (const Workload& workload : workloads())
      for (const std::string& m : workload.modes)
        if ((chosen == workload.name || (chosen == "all" && (gpu || !workload.for_gpus))) &&
            (mode.empty() || mode == m))
          jobs.emplace_back(&workload, m);
    if (jobs.empty())
      throw cornu::ValueError("no workload '" + chosen + "'" +
                              (mode.empty() ? "" : " with the mode '" + mode + "'") +
                              ". There are: " + names + ".");
    if (jobs.size() == 1) {
      jobs[0].first->run(*jobs[0].first, jobs[0].second, settings);
      return 0;
    }
    const std::vector<std::string> options{"--threads", std::to_string(threads),
                                           "--reps",    std::to_string(settings.effort.reps),
                                           "--seconds", std::to_string(settings.effort.seconds),
                                           "--policy",  policy};
    bool all = true;
    for (const auto& [workload, m] : jobs) {
      std::vector<std::string> own = options;
      if (!settings.models.empty()) own.insert(own.end(), {"--models", settings.models});
      if (workload->name.starts_with("load_") && settings.models.empty()) {
        std::fprintf(stderr, "cornu-bench: %s is left out: no --models\n", workload->name.c_str());
        continue;
      }
      all &= run_in_process_of_its_own(workload->name, m, own);
    }
    return all ? 0 : 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "cornu-bench: %s\n", e.what());
    return 1;
  }
}
