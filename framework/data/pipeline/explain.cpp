// The table of what the stages of a pipeline did, and what would make it faster.
#include "explain.h"

#include <fmt/core.h>

#include <cmath>
#include <thread>

#include "stage.h"

namespace cornu::data::detail {
namespace {

double seconds(int64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-9; }

std::string duration(double value) {
  if (value >= 1) return fmt::format("{:.3g} s", value);
  if (value >= 1e-3) return fmt::format("{:.3g} ms", 1e3 * value);
  return fmt::format("{:.3g} us", 1e6 * value);
}

// Seconds of work for each element that left the pipeline, beside threads that do it.
double load(const StageRecord& record) {
  const double threads = static_cast<double>(std::max<int64_t>(record.stage->workers(), 1));
  return seconds(record.busy.load()) / threads;
}

// The stage whose threads had most to do.
const StageRecord* busiest(const Runtime& runtime) {
  const StageRecord* found = nullptr;
  for (const StageRecord& record : runtime.records())
    if (record.busy > 0 && (!found || load(record) > load(*found))) found = &record;
  return found;
}

// Whether threads of a later stage make this one's elements ahead.
bool works_ahead(const Runtime& runtime, const StageRecord& stage) {
  bool behind = false;
  for (const StageRecord& record : runtime.records()) {
    if (behind && record.stage->workers() > 0) return true;
    behind |= &record == &stage;
  }
  return false;
}

std::string remedy(const Runtime& runtime, const StageRecord& stage, double between) {
  const std::string name = stage.stage->name();
  if (!stage.stage->takes_workers())
    return fmt::format(
        "stage '{}' is the bottleneck{}", name,
        works_ahead(runtime, stage) ? "" : "; a prefetch behind it would work ahead");
  const int64_t workers = stage.stage->workers();
  // So many threads do the work of an element in the time that the caller takes for one.
  const double wanted = between > 0 ? std::ceil(seconds(stage.busy) / between) : 1e9;
  const int64_t cores = std::max<int64_t>(std::thread::hardware_concurrency(), 1);
  const int64_t more = static_cast<int64_t>(std::min(wanted, 1e6)) - workers;
  if (more < 1) return fmt::format("stage '{}' is the bottleneck", name);
  if (workers >= cores)
    return fmt::format("stage '{}' is the bottleneck, and its {} workers use all {} cores", name,
                       workers, cores);
  const int64_t sensible = std::min(more, cores - workers);
  return fmt::format("stage '{}' is the bottleneck, {} more worker{} would help{}", name, sensible,
                     sensible == 1 ? "" : "s",
                     sensible < more ? fmt::format(" (this machine has {} cores)", cores) : "");
}

}  // namespace

std::string bottleneck(const Runtime& runtime) {
  const StageRecord* const stage = busiest(runtime);
  return stage ? remedy(runtime, *stage, seconds(runtime.elsewhere)) : "";
}

std::string explain(const Runtime& runtime) {
  std::string table =
      fmt::format("{:<20} {:>7} {:>10} {:>8} {:>11} {:>9} {:>13} {:>10}\n", "stage", "workers",
                  "elements", "skipped", "per element", "busy", "queue", "waited for");
  for (const StageRecord& record : runtime.records()) {
    const int64_t items = record.items, room = record.room;
    const std::string each =
        items > 0 && record.busy > 0
            ? duration(seconds(record.busy) / static_cast<double>(items + record.skipped))
            : "";
    const std::string queue =
        room > 0 ? fmt::format("{:.1f} of {}",
                               static_cast<double>(record.filled) /
                                   static_cast<double>(std::max<int64_t>(items, 1)),
                               room)
                 : "";
    table +=
        fmt::format("{:<20} {:>7} {:>10} {:>8} {:>11} {:>9} {:>13} {:>10}\n", record.stage->name(),
                    record.stage->workers(), items > 0 ? std::to_string(items) : "",
                    record.skipped > 0 ? std::to_string(record.skipped) : "", each,
                    record.busy > 0 ? duration(seconds(record.busy)) : "", queue,
                    record.waited > 0 ? duration(seconds(record.waited)) : "");
  }
  const double waited = seconds(runtime.waited), elsewhere = seconds(runtime.elsewhere);
  if (runtime.delivered == 0) return table + "No element has left the pipeline yet.\n";
  const double fraction = waited / std::max(waited + elsewhere, 1e-12);
  table += fmt::format("{} elements; {:.0f} % of the time went into waiting for them",
                       runtime.delivered.load(), 100 * fraction);
  const std::string what = fraction >= 0.05 ? bottleneck(runtime) : "";
  return table + (what.empty() ? "" : ": " + what) + ".\n";
}

}  // namespace cornu::data::detail
