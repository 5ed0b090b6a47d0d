// Drawing of the progress bar.
#include "progress_bar.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <iostream>

namespace cornu {
namespace {

constexpr double redraw_interval = 0.05;  // seconds
constexpr int64_t check_stride = 16;      // steps between two looks at the clock
constexpr int bar_width = 20;
constexpr const char* bold = "1";
constexpr const char* green = "32";
constexpr const char* white = "37";

std::string rate(double seconds) {
  if (seconds >= 1 || seconds == 0) return fmt::format("{:.0f}s/step", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.0f}ms/step", seconds * 1e3);
  return fmt::format("{:.0f}us/step", seconds * 1e6);
}

std::string figures(const Logs& logs) {
  std::string text;
  for (const auto& [name, value] : logs)
    text += fmt::format(" - {}: {}", name, format_figure(value));
  return text;
}

// Columns that UTF-8 text takes: its characters, as all of them are one wide here.
int columns(const std::string& text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

// The first `width` characters.
std::string cut(const std::string& text, int width) {
  int seen = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool begins = (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    if (begins && seen++ == std::max(width, 0)) return text.substr(0, i);
  }
  return text;
}

std::string repeat(const char* text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

}  // namespace

std::string format_duration(double seconds) {
  const auto s = static_cast<int64_t>(std::max(seconds, 0.0));
  if (s > 3600) return fmt::format("{}:{:02}:{:02}", s / 3600, s % 3600 / 60, s % 60);
  if (s > 60) return fmt::format("{}:{:02}", s / 60, s % 60);
  return fmt::format("{}s", s);
}

std::string format_figure(double value) {
  if (std::isnan(value)) return "nan";
  return std::abs(value) > 1e-3 ? fmt::format("{:.4f}", value) : fmt::format("{:.4e}", value);
}

ProgressBar::Target ProgressBar::standard_output() {
  const char* term = std::getenv("TERM");
  Target target;
  target.stream = &std::cout;
  target.terminal = ::isatty(STDOUT_FILENO) == 1 && term && std::string(term) != "dumb";
  target.color = !std::getenv("NO_COLOR");
  target.width = [] {
    winsize size{};
    return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
  };
  target.clock = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
  return target;
}

ProgressBar::ProgressBar(Verbose verbose, int64_t epochs, Target target)
    : redraws_((verbose == Verbose::bar ||
                (verbose == Verbose::automatic && config::is_interactive_logging_enabled())) &&
               target.terminal),
      prints_(verbose != Verbose::silent),
      target_(std::move(target)),
      epochs_(epochs) {
  begin_pass(-1);
}

ProgressBar::~ProgressBar() {
  if (line_open_) *target_.stream << std::endl;
}

void ProgressBar::begin(int64_t epoch, int64_t steps) {
  begin_pass(steps);
  epoch_ = epoch;
  if (prints_ && epochs_ > 1)
    *target_.stream << fmt::format("Epoch {}/{}", epoch + 1, epochs_) << std::endl;
}

void ProgressBar::begin_pass(int64_t steps) {
  steps_ = steps;
  step_ = 0;
  after_first_ = -1;
  last_draw_ = 0;
  // Without anything to print there is nothing to measure either.
  next_check_ = prints_ ? 0 : INT64_MAX;
  if (prints_) start_ = target_.clock();
}

bool ProgressBar::check(int64_t step) {
  const double now = target_.clock();
  const bool first = after_first_ < 0;
  if (first) {
    first_ = step;
    after_first_ = now;
  }
  if (!redraws_) {
    next_check_ = INT64_MAX;
    return false;
  }
  // Slow steps are looked at one by one.
  const bool slow = first || seconds_per_step(step, now) * check_stride > redraw_interval / 2;
  next_check_ = step + (slow ? 1 : check_stride);
  return first || now - last_draw_ >= redraw_interval;
}

double ProgressBar::seconds_per_step(int64_t step, double now) const {
  if (step < 1) return 0;
  if (after_first_ >= 0 && step > first_)
    return (now - after_first_) / static_cast<double>(step - first_);
  return (now - start_) / static_cast<double>(step);
}

std::string ProgressBar::counter(int64_t step) const {
  if (steps_ < 1) return fmt::format("{:7}/Unknown", step);
  const std::string total = std::to_string(steps_);
  return fmt::format("{:>{}}/{}", step, total.size(), total);
}

std::string ProgressBar::paint(const char* code, const std::string& text) const {
  return target_.color && !text.empty() ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
}

std::string ProgressBar::bar(int64_t step, int width) const {
  const double fraction =
      std::clamp(static_cast<double>(step) / static_cast<double>(steps_), 0.0, 1.0);
  const int done = static_cast<int>(width * fraction);
  // Without colors the part that is left is thinner.
  return paint(green, repeat("━", done)) +
         paint(white, repeat(target_.color ? "━" : "─", width - done));
}

void ProgressBar::update(int64_t step, const Logs& logs, const std::string& note) {
  if (!redraws_) return;
  const double now = target_.clock();
  last_draw_ = now;
  const double each = seconds_per_step(step, now);
  const std::string count = counter(step);
  const std::string time =
      format_duration(steps_ > 0 ? each * static_cast<double>(steps_ - step) : now - start_);
  const std::string pace = " " + rate(each);
  const std::string text = figures(logs) + note;
  // The line may not reach the terminal's edge, or it would not be redrawn in place: first the bar
  // shrinks to half, then figures are cut off.
  int room = target_.width() - 1 - columns(count) - columns(time) - columns(pace) - 2;
  int width = 0;
  if (steps_ > 0) {
    width = std::clamp(room - 1 - columns(text), bar_width / 2, bar_width);
    room -= width;
  } else {
    room += 1;
  }
  std::string line = "\r" + paint(bold, count) + " ";
  if (steps_ > 0) line += bar(step, width) + " ";
  *target_.stream << line << paint(bold, time) << pace << cut(text, room) << "\x1b[K" << std::flush;
  line_open_ = true;
}

void ProgressBar::finish(const Logs& logs, const std::string& note) {
  if (!prints_) return;
  const double now = target_.clock();
  const int64_t step = step_ > 0 ? step_ : std::max<int64_t>(steps_, 0);
  if (steps_ < 1) steps_ = step;
  const std::string time = fmt::format("{:.0f}s", now - start_);
  const std::string pace = rate(seconds_per_step(step, now));
  std::ostream& out = *target_.stream;
  if (redraws_) {
    out << "\r" << paint(bold, counter(step)) << " ";
    if (steps_ > 0) out << bar(step, bar_width) << " ";
    out << paint(bold, time) << " " << pace;
  } else {
    out << counter(step) << " - " << time << " - " << pace;
  }
  out << figures(logs) << note << (redraws_ ? "\x1b[K" : "") << std::endl;
  line_open_ = false;
}

void ProgressBar::print(const std::string& lines) {
  if (prints_) *target_.stream << lines << std::flush;
}

}  // namespace cornu
