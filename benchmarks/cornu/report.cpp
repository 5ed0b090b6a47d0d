// Clocks, memory and JSON lines.
#include "report.h"

#include <cornu/framework/tensor/device.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <limits>

namespace cornu::bench {
namespace {

double clock_seconds(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double start_of_process() {
  if (const char* start = std::getenv("CORNU_BENCH_START")) return std::strtod(start, nullptr);
  std::ifstream file("/proc/self/stat");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  // The program's name, in parentheses, may hold spaces; the start is 20 fields after it.
  size_t at = text.rfind(')') + 2;
  for (int field = 0; field < 19; ++field) at = text.find(' ', at) + 1;
  return std::strtod(text.c_str() + at, nullptr) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double median(std::vector<double> sorted) { return sorted[sorted.size() / 2]; }

}  // namespace

double now_seconds() { return clock_seconds(CLOCK_MONOTONIC); }

double process_age() { return clock_seconds(CLOCK_BOOTTIME) - start_of_process(); }

double resident_mb() {
  std::ifstream file("/proc/self/statm");
  double total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e6;
}

double peak_resident_mb() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
}

void wait_for_device() { default_device().synchronize(); }

std::vector<double> repeat(const std::function<void()>& f, const Effort& effort, int64_t inner) {
  std::vector<double> times;
  const double begin = now_seconds();
  while (times.size() < 3 ||
         (static_cast<int>(times.size()) < effort.reps && now_seconds() - begin < effort.seconds)) {
    const double start = now_seconds();
    for (int64_t i = 0; i < inner; ++i) f();
    wait_for_device();
    times.push_back((now_seconds() - start) / static_cast<double>(inner));
  }
  return times;
}

std::vector<double> calibrated(const std::function<void()>& f, const Effort& effort) {
  constexpr double repetition = 0.5;
  f();
  wait_for_device();
  int64_t calls = 1;
  double taken = 0;
  while (true) {
    const double start = now_seconds();
    for (int64_t i = 0; i < calls; ++i) f();
    wait_for_device();
    taken = now_seconds() - start;
    if (taken > repetition / 10) break;
    calls *= 4;
  }
  const double inner = repetition / taken * static_cast<double>(calls);
  return repeat(f, effort, std::max<int64_t>(1, static_cast<int64_t>(inner)));
}

Report::Report(std::string workload, std::string mode, int64_t batch)
    : workload_(std::move(workload)), mode_(std::move(mode)), batch_(batch) {}

void Report::rate(const std::string& metric, std::vector<double> times, double amount,
                  const std::string& unit) {
  const double best = *std::min_element(times.begin(), times.end());
  line(metric, amount / best, unit, std::move(times));
}

void Report::latency(const std::string& metric, std::vector<double> times,
                     const std::string& unit) {
  const double scale = unit == "us" ? 1e6 : unit == "ms" ? 1e3 : 1;
  const double best = *std::min_element(times.begin(), times.end());
  line(metric, best * scale, unit, std::move(times));
}

void Report::value(const std::string& metric, double value, const std::string& unit) {
  line(metric, value, unit, {});
}

void Report::set_work(double flops, double bytes) {
  flops_ = flops;
  bytes_ = bytes;
}

void Report::first_step() {
  if (first_ >= 0) return;
  wait_for_device();
  first_ = process_age();
}

void Report::finish() {
  if (first_ >= 0) value("time_to_first_step", first_, "s");
  value("peak_rss", peak_resident_mb(), "MB");
}

void Report::line(const std::string& metric, double value, const std::string& unit,
                  std::vector<double> times) {
  std::sort(times.begin(), times.end());
  std::printf(
      "{\"workload\": \"%s\", \"peer\": \"cornu\", \"mode\": \"%s\", \"metric\": \"%s\", "
      "\"value\": %.6g, \"unit\": \"%s\", ",
      workload_.c_str(), mode_.c_str(), metric.c_str(), value, unit.c_str());
  if (times.empty())
    std::printf("\"min\": null, \"median\": null, \"reps\": 1, ");
  else
    std::printf("\"min\": %.9g, \"median\": %.9g, \"reps\": %zu, ", times[0], median(times),
                times.size());
  if (flops_ > 0 && !times.empty())
    std::printf("\"gflop\": %.6g, \"gflop_per_s\": %.4g, \"mb_moved\": %.6g, ", flops_ * 1e-9,
                flops_ * 1e-9 / times[0], bytes_ * 1e-6);
  std::printf("\"batch\": %lld, \"version\": \"cornu %s\"}\n", static_cast<long long>(batch_),
              CORNU_BENCH_VERSION);
  std::fflush(stdout);
}

}  // namespace cornu::bench
