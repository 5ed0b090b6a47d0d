// Learns the sum of twenty numbers, one sample at a time, with fit, with a step that function()
// compiles, and with the same step eagerly: how much does a step cost beside its arithmetic? Usage:
// example_gaussians [--optimizer NAME]
// [--samples N] [--first-step]
#include <cornu/cornu.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

using namespace cornu;

namespace {

struct Flags {
  std::string optimizer = "sgd";
  int64_t samples = 10000;
  bool first_step = false;
};

Flags parse(int argc, char** argv) {
  Flags flags;
  for (int i = 1; i < argc; ++i) {
    const bool more = i + 1 < argc;
    if (!std::strcmp(argv[i], "--first-step")) {
      flags.first_step = true;
    } else if (!std::strcmp(argv[i], "--optimizer") && more) {
      flags.optimizer = argv[++i];
    } else if (!std::strcmp(argv[i], "--samples") && more && std::atoll(argv[i + 1]) > 0) {
      flags.samples = std::atoll(argv[++i]);
    } else {
      std::fprintf(stderr, "usage: %s [--optimizer NAME] [--samples N] [--first-step]\n", argv[0]);
      std::exit(2);
    }
  }
  return flags;
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Seconds since the system started this process, from /proc/self/stat: to a hundredth of a second.
double process_age() {
  std::ifstream file("/proc/self/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  // The program's name, in parentheses, may hold spaces; the start is 20 fields after it.
  size_t at = text.rfind(')') + 1;
  for (int field = 0; field < 20; ++field) at = text.find(' ', at) + (field < 19 ? 1 : 0);
  const double started =
      std::strtod(text.c_str() + at, nullptr) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec) - started;
}

// With the same weights each time.
std::shared_ptr<Sequential> make_model() {
  random::set_seed(1);
  return make<Sequential>(std::vector<AnyLayer>{
      Input({20}),
      layers::Dense({.units = 10, .activation = "relu"}),
      layers::Dense({.units = 1}),
  });
}

Tensor train_step(Sequential& model, Optimizer& optimizer, const std::vector<Variable>& variables,
                  const Tensor& x, const Tensor& y) {
  GradientTape tape;
  const Tensor loss = ops::mean(ops::square(model(x, {.training = true}) - y));
  optimizer.apply(tape.gradient(loss, variables), variables);
  return loss;
}

void report(const char* what, int64_t samples, double seconds, double loss) {
  std::printf("%-22s %9.0f samples/s, %.2f us per sample; mean squared error now %.4g\n", what,
              static_cast<double>(samples) / seconds, 1e6 * seconds / static_cast<double>(samples),
              loss);
}

double error_of(Sequential& model, const datasets::Data& data) {
  const Tensor y =
      model.predict(data.x, {.batch_size = data.x.shape()[0], .verbose = Verbose::silent}).tensor();
  return ops::mean(ops::square(y - data.y)).item();
}

}  // namespace

int main(int argc, char** argv) {
  const Flags flags = parse(argc, argv);
  if (flags.first_step) {
    const datasets::Data data = datasets::gaussians(1, 1);
    const auto model = make_model();
    const Choice<Optimizer> optimizer = flags.optimizer;
    const double loss =
        train_step(*model, *optimizer, model->trainable_variables(), data.x, data.y).item();
    std::printf("first trained step after %.0f ms (loss %.4g)\n", 1e3 * process_age(), loss);
    return 0;
  }

  const datasets::Data data = datasets::gaussians(flags.samples, 1);
  {
    const auto model = make_model();
    model->compile({.optimizer = flags.optimizer, .loss = "mse"});
    const double start = seconds_now();
    model->fit(data.x, data.y, {.batch_size = 1, .epochs = 1, .verbose = Verbose::silent});
    report("fit, batch 1:", flags.samples, seconds_now() - start, error_of(*model, data));
  }
  // The samples are picked before the clock runs.
  std::vector<std::pair<Tensor, Tensor>> samples;
  for (int64_t i = 0; i < flags.samples; ++i)
    samples.emplace_back(take_rows(data.x, i, i + 1), take_rows(data.y, i, i + 1));
  for (const bool compiled : {true, false}) {
    const auto model = make_model();
    const Choice<Optimizer> optimizer = flags.optimizer;
    const std::vector<Variable> variables = model->trainable_variables();
    const auto eager = [&](const Tensor& x, const Tensor& y) {
      return train_step(*model, *optimizer, variables, x, y);
    };
    const std::function<Tensor(const Tensor&, const Tensor&)> step =
        compiled ? std::function(function(eager)) : eager;
    const double start = seconds_now();
    for (const auto& [x, y] : samples) step(x, y);
    report(compiled ? "function, batch 1:" : "GradientTape, batch 1:", flags.samples,
           seconds_now() - start, error_of(*model, data));
  }
}
