// What surrounds the arithmetic: the overhead of a call, loading a file, and memory that stays.
#include <filesystem>

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
