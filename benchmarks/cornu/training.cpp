// Training and prediction: fit, steps of one's own run eagerly or by function(), and predict.
#include <algorithm>

#include "workloads.h"

namespace cornu::bench {
namespace {

// Tells the report when the first batch is trained.
class FirstStep : public Callback {
 public:
  explicit FirstStep(Report& report) : report_(report) {}
  void on_train_batch_end(int64_t, Logs&) override { report_.first_step(); }
  bool wants_batch_logs() const override { return false; }

 private:
  Report& report_;
};

// Steps of an epoch of fit; their number is the peers'. A GPU is done with a few in no time.
int64_t epoch_steps(const std::string& name) {
  if (name == "seed_b1") return 10000;
  if (name == "seed_b32") return 10000 / 32;
  if (name == "resnet50_b128") return 20;
  if (name == "lstm" || name == "gru") return 50;
  if (name == "gpt_768" || !default_device().is_cpu()) return 50;
  if (name == "gpt") return 8;
  if (name == "resnet50") return 3;
  return 100;
}

// What one step costs, counted while it runs eagerly.
Cost cost_of(const std::function<void()>& step) {
  Cost cost;
  graph_context().cost = &cost;
  step();
  graph_context().cost = nullptr;
  return cost;
}

// A tensor without values: what a prediction costs is counted without making one, which would take
// more memory than what is measured.
Tensor stand_in(const Tensor& x) { return Tensor::abstract(x.shape(), x.dtype()); }

void measure_fit(const Task& task, int64_t steps, Report& report, const Effort& effort) {
  Model& model = *task.model;
  model.compile({.optimizer = task.optimizer, .loss = task.loss, .remat = task.remat});
  const auto fit = [&](int64_t samples, Callbacks callbacks) {
    model.fit(take_rows(task.x, 0, samples), take_rows(task.y, 0, samples),
              {.batch_size = task.batch, .verbose = Verbose::silent, .callbacks = callbacks});
  };
  const int64_t warm = std::min(steps, std::max<int64_t>(2, std::min<int64_t>(20, steps / 4)));
  fit(warm * task.batch, {std::make_shared<FirstStep>(report)});
  std::vector<double> times = repeat([&] { fit(steps * task.batch, {}); }, effort);
  for (double& seconds : times) seconds /= static_cast<double>(steps);
  report.rate("train", times, task.amount, task.unit);
}

void measure_steps(const Task& task, int64_t steps, bool compiled, Report& report,
                   const Effort& effort) {
  const StepFunction eager = training_step(task);
  const StepFunction step = compiled ? as_function(eager) : eager;
  std::vector<std::pair<Tensor, Tensor>> batches;
  for (int64_t i = 0; i < steps; ++i)
    batches.emplace_back(take_rows(task.x, i * task.batch, (i + 1) * task.batch).tensor(),
                         take_rows(task.y, i * task.batch, (i + 1) * task.batch).tensor());
  step(batches[0].first, batches[0].second).item();
  report.first_step();
  const Cost cost = cost_of([&] { eager(batches[0].first, batches[0].second); });
  report.set_work(cost.flops, cost.bytes);
  size_t next = 0;
  const std::vector<double> times = calibrated(
      [&] {
        step(batches[next].first, batches[next].second);
        next = (next + 1) % batches.size();
      },
      effort);
  report.rate("train", times, task.amount, task.unit);
  report.set_work(0, 0);
}

void measure_predict(const std::string& name, const Task& task, int64_t steps, Report& report,
                     const Effort& effort) {
  Model& model = *task.model;
  const Tensor one = take_rows(task.x, 0, 1), batch = take_rows(task.x, 0, task.batch);
  if (name == "resnet50" || name == "mnist_cnn") {
    report.set_batch(1);
    model.predict_on_batch(one);
    report.first_step();
    const Cost cost = cost_of([&] { model(stand_in(one)); });
    report.set_work(cost.flops, cost.bytes);
    const auto predict_one = [&] {
      model.predict_on_batch(one);
      wait_for_device();
    };
    report.latency("predict_b1", calibrated(predict_one, effort), "ms");
    report.set_batch(task.batch);
  }
  const Cost cost = cost_of([&] { model(stand_in(batch)); });
  report.set_work(cost.flops, cost.bytes);
  if (name == "resnet50" || name == "gpt") {
    model.predict_on_batch(batch);
    report.first_step();
    report.rate(name == "gpt" ? "predict" : "predict_b16",
                calibrated([&] { model.predict_on_batch(batch); }, effort), task.amount, task.unit);
  } else {
    const auto predict = [&] {
      model.predict(task.x, {.batch_size = task.batch, .verbose = Verbose::silent});
    };
    predict();
    report.first_step();
    std::vector<double> times = repeat(predict, effort);
    for (double& seconds : times) seconds /= static_cast<double>(steps);
    report.rate("predict", times, task.amount, task.unit);
  }
}

}  // namespace

StepFunction training_step(const Task& task) {
  const std::vector<Variable> variables = task.model->trainable_variables();
  return [model = task.model, optimizer = task.optimizer, loss_of = task.loss, variables](
             const Tensor& x, const Tensor& y) {
    GradientTape tape;
    const Tensor loss = (*loss_of)(y, (*model)(x, {.training = true}));
    optimizer->apply(tape.gradient(loss, variables), variables);
    return loss;
  };
}

void measure_training(const Workload& workload, const std::string& mode, const Settings& settings) {
  const std::string& name = workload.name;
  const bool fit = mode == "fit";
  // The data of fit and predict is an epoch, that of a loop of one's own a few batches.
  const int64_t epoch = epoch_steps(name);
  const int64_t steps = fit || mode == "predict" ? epoch : std::min<int64_t>(epoch, 20);
  const Task task = make_task(name, steps);
  Report report(name.starts_with("seed") ? "seed_table" : name,
                settings.policy == "float32" ? mode : mode + " " + settings.policy, task.batch);
  if (fit)
    measure_fit(task, steps, report, settings.effort);
  else if (mode == "predict")
    measure_predict(name, task, steps, report, settings.effort);
  else
    measure_steps(task, steps, mode == "function", report, settings.effort);
  report.finish();
}

}  // namespace cornu::bench
