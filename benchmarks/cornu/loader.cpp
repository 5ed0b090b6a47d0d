// Pipelines: rows of tensors in memory as shuffled batches, small functions on workers, memory.
#include <cstdio>

#include "workloads.h"

namespace cornu::bench {
namespace {

constexpr int64_t row_count = 60'000, features = 784, batch = 128;

// Samples of MNIST's size.
data::Pipeline<Batch> shuffled() {
  const Tensor x = random::uniform({row_count, features}, 0, 1, Seed(1));
  const Tensor y = ops::cast(random::uniform({row_count}, 0, 10, Seed(2)), DType::int64);
  return data::from(x, y).shuffle().batch(batch);
}

// Takes whole epochs; the first batch apart.
void measure_epochs(const data::Pipeline<Batch>& pipeline, Report& report, const Effort& effort) {
  report.set_batch(batch);
  std::vector<double> first;
  int64_t epoch = 0;
  const auto pass = [&] {
    const double begin = now_seconds();
    int64_t count = 0;
    for (const Batch& one : pipeline.epoch(epoch++)) {
      if (count == 0) first.push_back(now_seconds() - begin);
      count += one.x.tensor().shape()[0];
    }
    if (count != row_count) throw StateError("loader: samples are missing.");
  };
  pass();
  report.rate("rows", repeat(pass, effort), static_cast<double>(row_count), "rows/s");
  report.latency("first batch of an epoch", first, "ms");
  std::fputs(pipeline.explain().c_str(), stderr);
}

// Training whose steps take longer than their data: how long fit waits for batches nevertheless.
void measure_fit(Report& report) {
  Sequential model({Input({features}), layers::Dense({.units = 512, .activation = "relu"}),
                    layers::Dense({.units = 512, .activation = "relu"}),
                    layers::Dense({.units = 10, .activation = "softmax"})});
  model.compile({.optimizer = "adam", .loss = "sparse_categorical_crossentropy"});
  const auto pipeline = shuffled().prefetch(8, {.workers = 2});
  const auto fit = [&] {
    return model.fit(pipeline, {.epochs = 2, .verbose = Verbose::silent}).time;
  };
  fit();
  const RunTime time = fit();
  report.value("rows", 2 * row_count / time.total, "rows/s");
  report.value("waiting for data", 100 * time.data / time.total, "% of fit");
  report.value("training steps", 100 * time.step / time.total, "% of fit");
  std::fputs(pipeline.explain().c_str(), stderr);
}

// What a stage with workers costs beside a function that does nothing.
void measure_map(Report& report, const Effort& effort) {
  constexpr int64_t count = 200'000;
  for (const int64_t workers : {0, 1, 2}) {
    const auto pipeline = data::range(count).map([](int64_t i) { return i + 1; },
                                                 {.workers = workers, .buffer = 256});
    const auto pass = [&] {
      int64_t sum = 0;
      for (const int64_t i : pipeline) sum += i;
      if (sum != count * (count + 1) / 2) throw StateError("loader: elements are missing.");
    };
    report.rate("elements, workers " + std::to_string(workers), repeat(pass, effort),
                static_cast<double>(count), "elements/s");
  }
}

// Resident memory over a million samples through workers and queues.
void measure_flatness(Report& report) {
  const auto pipeline =
      data::range(1'000'000)
          .map([](int64_t i) { return Batch{ops::full({16}, double(i))}; }, {.workers = 2})
          .batch(100)
          .prefetch(4);
  double early = 0;
  int64_t count = 0;
  for (const Batch& one : pipeline) {
    static_cast<void>(one);
    if (++count == 1000) early = resident_mb();
  }
  report.value("resident memory after 100,000 samples", early, "MB");
  report.value("resident memory after 1,000,000 samples", resident_mb(), "MB");
}

}  // namespace

void measure_loader(const Workload& workload, const std::string& mode, const Settings& settings) {
  Report report(workload.name, mode, batch);
  if (mode == "rows") measure_epochs(shuffled(), report, settings.effort);
  if (mode == "prefetch")
    measure_epochs(shuffled().prefetch(4, {.workers = 2}), report, settings.effort);
  if (mode == "fit") measure_fit(report);
  if (mode == "map") measure_map(report, settings.effort);
  if (mode == "memory") measure_flatness(report);
  report.finish();
}

}  // namespace cornu::bench
