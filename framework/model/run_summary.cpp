// Text of a run's last lines.
#include "run_summary.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "progress_bar.h"

namespace cornu {
namespace {

constexpr size_t named_files = 6;

int percent(double part, double whole) { return static_cast<int>(std::lround(100 * part / whole)); }

// Times that are measured leave out what lies between them, so the parts are of their own sum.
std::string parts(const RunTime& time) {
  const double sum = time.step + time.data + time.callbacks + time.validation;
  if (sum <= 0) return "";
  std::vector<std::string> texts;
  const auto add = [&](const char* name, double part) {
    if (percent(part, sum) > 0) texts.push_back(fmt::format("{} {}%", name, percent(part, sum)));
  };
  add("step", time.step);
  add("data", time.data);
  add("callbacks", time.callbacks);
  add("validation", time.validation);
  return texts.empty() ? "" : fmt::format(" ({})", fmt::join(texts, ", "));
}

std::string in_megabytes(size_t bytes) {
  const double megabytes = static_cast<double>(bytes) / 1e6;
  return megabytes >= 1000 ? fmt::format("{:.1f} GB", megabytes / 1000)
                           : fmt::format("{:.{}f} MB", megabytes, megabytes < 10 ? 1 : 0);
}

std::string time_of(double seconds) {
  return seconds < 10 ? fmt::format("{:.1f}s", seconds) : format_duration(seconds);
}

std::string best(const History& history, int64_t epochs) {
  const bool validated = history.history.count("val_loss");
  const auto found = history.history.find(validated ? "val_loss" : "loss");
  if (found == history.history.end() || found->second.size() < 2) return "";
  const std::vector<double>& values = found->second;
  // NaN is never the best.
  const auto least = std::min_element(values.begin(), values.end(), [](double a, double b) {
    return a < b || (std::isnan(b) && !std::isnan(a));
  });
  if (std::isnan(*least)) return fmt::format("no epoch has a {} that is a number\n", found->first);
  const int64_t epoch = history.epochs(found->first)[static_cast<size_t>(least - values.begin())];
  return fmt::format("best {} {} in epoch {}/{}, at last {}\n", found->first, format_figure(*least),
                     epoch + 1, epochs, format_figure(values.back()));
}

std::string files_line(const std::vector<std::string>& files) {
  if (files.empty()) return "";
  const size_t shown = std::min(files.size(), named_files);
  std::string line = fmt::format(
      "files: {}", fmt::join(files.begin(), files.begin() + static_cast<ptrdiff_t>(shown), ", "));
  if (shown < files.size()) line += fmt::format(" and {} more", files.size() - shown);
  return line + "\n";
}

}  // namespace

std::string slow_parts(const RunTime& time) {
  const double sum = time.step + time.data + time.callbacks + time.validation;
  std::string text;
  if (sum <= 0) return text;
  if (time.data >= sum / 10) text += fmt::format(" - data {}%", percent(time.data, sum));
  if (time.callbacks >= sum / 10)
    text += fmt::format(" - callbacks {}%", percent(time.callbacks, sum));
  return text;
}

std::string run_summary(const History& history, int64_t epochs, size_t peak_bytes,
                        const std::vector<std::string>& files) {
  const size_t done = history.epoch.size();
  return fmt::format("{}{} epoch{} in {}{}, {} of memory\n",
                     history.interrupted ? "interrupted: " : "", done, done == 1 ? "" : "s",
                     time_of(history.time.total), parts(history.time), in_megabytes(peak_bytes)) +
         best(history, epochs) + files_line(files);
}

}  // namespace cornu
