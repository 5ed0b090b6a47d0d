// The workloads: networks, data, optimizers and losses, and how each is measured.
#pragma once
#include <cornu/cornu.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "report.h"

namespace cornu::bench {

/// What the command line says.
struct Settings {
  Effort effort;
  std::string models = "";  ///< folder with the .keras files of the load_* workloads
  std::string policy = "float32";
};

/// One line of the table: a name and its modes, each measured in a process of its own so that
/// the time of the first step and the peak of memory are that mode's.
struct Workload {
  std::string name;
  std::vector<std::string> modes;
  bool for_gpus;  ///< left out of "all" on a CPU, where it takes minutes
  void (*run)(const Workload& workload, const std::string& mode, const Settings& settings);
};

const std::vector<Workload>& workloads();

/// A network with what it is trained on.
struct Task {
  std::shared_ptr<Model> model;
  std::shared_ptr<Optimizer> optimizer;
  std::shared_ptr<Loss> loss;
  Tensor x, y;        ///< of an epoch of fit
  int64_t batch = 0;  ///< samples of a step
  double amount = 0;  ///< of `unit` in a step
  std::string unit = "samples/s";
  bool remat = false;  ///< of fit
};

/// The task of a workload's name; `steps` batches of data. Throws ValueError for an unknown name.
Task make_task(const std::string& name, int64_t steps);
/// The same network alone.
std::shared_ptr<Model> make_network(const std::string& name);

/// A training step or a prediction.
using StepFunction = std::function<Tensor(const Tensor& x, const Tensor& y)>;
/// A step that differentiates with a GradientTape, operation by operation.
StepFunction training_step(const Task& task);
/// The step as function() runs it: recorded once, then replayed.
StepFunction as_function(StepFunction step);
std::function<Tensor(const Tensor&)> as_function(std::shared_ptr<Model> model);

/// Prints what one training step of a workload moves and computes, by kinds of kernels, or step by
/// step before that. Makes a device that computes nothing the default device.
void print_traffic(const std::string& workload, bool steps);

// The ways to measure.
void measure_training(const Workload& workload, const std::string& mode, const Settings& settings);
void measure_kernels(const Workload& workload, const std::string& mode, const Settings& settings);
void measure_generation(const Workload& workload, const std::string& mode,
                        const Settings& settings);
void measure_calls(const Workload& workload, const std::string& mode, const Settings& settings);
void measure_loading(const Workload& workload, const std::string& mode, const Settings& settings);
void measure_loaded(const Workload& workload, const std::string& mode, const Settings& settings);
void measure_callers(const Workload& workload, const std::string& mode, const Settings& settings);
void measure_callbacks(const Workload& workload, const std::string& mode, const Settings& settings);
void measure_loader(const Workload& workload, const std::string& mode, const Settings& settings);
void measure_images(const Workload& workload, const std::string& mode, const Settings& settings);
void measure_memory(const Workload& workload, const std::string& mode, const Settings& settings);
void measure_augmentation(const Workload& workload, const std::string& mode,
                          const Settings& settings);

}  // namespace cornu::bench
