// What surrounds the arithmetic: the overhead of a call, loading a file, callers beside each other,
// and memory that stays.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <thread>

#include <cornu/framework/ops/operators.h>
#include <cornu/framework/ops/random/draws.h>
#include "workloads.h"

namespace cornu::bench {

// The latency of one call on a small network, batch 1.
void measure_calls(const Workload& workload, const std::string& mode, const Settings& settings) {
  const std::shared_ptr<Model> model = make_network("seed_b1");
  const Tensor x = datasets::gaussians(1, 1).x;
  Report report(workload.name, mode, 1);
  const auto measure = [&](const char* metric, const std::function<void()>& f) {
    const auto done = [&] {
      f();
      wait_for_device();
    };
    report.latency(metric, calibrated(done, settings.effort), "us");
  };
  measure("model(x)", [&] { (*model)(x); });
  measure("predict_on_batch", [&] { model->predict_on_batch(x); });
  measure("predict", [&] { model->predict(x, {.verbose = Verbose::silent}); });
  const std::function<Tensor(const Tensor&)> compiled = as_function(model);
  measure("jitted", [&] { compiled(x); });
  report.finish();
}

// From the start of the process to the first result of a model from a file, batch 1.
void measure_loading(const Workload& workload, const std::string& mode, const Settings& settings) {
  const double begun = process_age();
  const std::string network = workload.name.substr(std::string("load_").size());
  const std::string file = (std::filesystem::path(settings.models) / (network + ".keras")).string();
  if (!std::filesystem::exists(file))
    throw FileError(workload.name + ": there is no '" + file +
                    "'. Let cornu-bench --save FOLDER write the files, and name the folder with "
                    "--models.");
  double start = now_seconds();
  const std::shared_ptr<Model> model = load_model(file);
  const double loaded = now_seconds() - start;
  std::vector<int64_t> sizes{1};
  const Shape expected = model->input_spec().flatten().at(0).shape();
  for (int axis = 1; axis < expected.rank(); ++axis) sizes.push_back(expected[axis]);
  const Tensor x = random::uniform(Shape(sizes), 0, 1, 1);
  start = now_seconds();
  model->predict(x, {.verbose = Verbose::silent});
  wait_for_device();
  const double first = now_seconds() - start;
  Report report(workload.name, mode, 1);
  report.value("start_to_first_result", process_age(), "s");
  report.value("import", begun, "s");
  report.value("load_model", loaded, "s");
  report.value("first_predict", first, "s");
  const auto predict = [&] {
    model->predict_on_batch(x);
    wait_for_device();
  };
  report.latency("steady_predict_on_batch_b1", calibrated(predict, settings.effort), "ms");
  report.finish();
}

// A model that was trained a little, beside the same one from its file: predictions and steps of
// training, in turns.
void measure_loaded(const Workload& workload, const std::string& mode, const Settings& settings) {
  const Task task = make_task("mnist_cnn", 4);
  task.model->compile({.optimizer = task.optimizer, .loss = task.loss});
  task.model->fit(task.x, task.y,
                  {.batch_size = task.batch, .epochs = 2, .verbose = Verbose::silent});
  const auto file = std::filesystem::temp_directory_path() /
                    ("cornu_bench_" + std::to_string(::getpid()) + ".keras");
  task.model->save(file.string());
  const std::shared_ptr<Model> loaded = load_model(file.string());
  std::filesystem::remove(file);

  Report report(workload.name, mode, task.batch);
  const Effort effort{settings.effort.reps, settings.effort.seconds / 4};
  const auto compare = [&](const char* metric, const std::function<void(Model&)>& f) {
    std::vector<double> fresh, again;
    for (int turn = 0; turn < 3; ++turn) {
      for (const double t : calibrated([&] { f(*task.model); }, effort)) fresh.push_back(t);
      for (const double t : calibrated([&] { f(*loaded); }, effort)) again.push_back(t);
    }
    report.value(metric,
                 *std::min_element(fresh.begin(), fresh.end()) /
                     *std::min_element(again.begin(), again.end()),
                 "times the fresh model's rate");
  };
  const Tensor sample = random::uniform({1, 28, 28, 1}, 0, 1, 1);
  compare("loaded_predict_b1",
          [&](Model& model) { model.predict(sample, {.verbose = Verbose::silent}); });
  compare("loaded_fit", [&](Model& model) {
    model.fit(task.x, task.y, {.batch_size = task.batch, .verbose = Verbose::silent});
  });
  report.finish();
}

// Predictions of single samples by one model, from one thread and from several at a time.
void measure_callers(const Workload& workload, const std::string& mode, const Settings& settings) {
  const std::shared_ptr<Model> model = make_network("mnist_cnn");
  const Tensor x = random::uniform({1, 28, 28, 1}, 0, 1, 1);
  for (int i = 0; i < 3; ++i) model->predict(x, {.verbose = Verbose::silent});
  Report report(workload.name, mode, 1);
  constexpr int calls = 2000;
  // In turns, so that the machine's slow phases meet all of them.
  const std::array callers{1, 2, 4};
  std::array<double, 3> rates{};
  for (int round = 0; round < 4 * settings.effort.reps; ++round) {
    const size_t i = static_cast<size_t>(round) % callers.size();
    const double start = now_seconds();
    std::vector<std::thread> threads;
    for (int k = 0; k < callers[i]; ++k)
      threads.emplace_back([&] {
        for (int k = 0; k < calls; ++k) model->predict(x, {.verbose = Verbose::silent});
      });
    for (std::thread& t : threads) t.join();
    rates[i] = std::max(rates[i], callers[i] * calls / (now_seconds() - start));
  }
  for (size_t i = 0; i < callers.size(); ++i) {
    const std::string metric = "predict_b1_from_" + std::to_string(callers[i]);
    report.value(metric, rates[i], "samples/s");
    if (i > 0) report.value(metric + "_to_1", rates[i] / rates[0], "times");
  }
  report.finish();
}

// By how much 1,000 calls on fresh arrays let the process grow.
void measure_memory(const Workload& workload, const std::string& mode, const Settings&) {
  const std::shared_ptr<Model> model = make_network("mnist_cnn");
  Report report(workload.name, mode, 8);
  int64_t seed = 0;
  const auto fresh = [&] { return random::uniform({8, 28, 28, 1}, 0, 1, seed++); };
  const auto grow = [&](const char* metric, const std::function<void()>& f) {
    for (int i = 0; i < 20; ++i) f();
    const double before = resident_mb();
    for (int i = 0; i < 1000; ++i) f();
    report.value(metric, resident_mb() - before, "MB");
  };
  grow("rss_growth_1000_predict", [&] { model->predict(fresh(), {.verbose = Verbose::silent}); });
  grow("rss_growth_1000_predict_on_batch", [&] { model->predict_on_batch(fresh()); });
  report.finish();
}

}  // namespace cornu::bench
