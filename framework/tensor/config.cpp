// The process's defaults, and where they begin.
#include "config.h"

#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "../../backend/error.h"
#include "../../backend/log.h"
#include "keras_json.h"

namespace cornu::config {
namespace {

constexpr int64_t none = 0;

// A number below 1 is no limit, as in Keras. Where Keras does not start, with text that is no
// number, a warning must do: settings are read when the first object asks for them.
int64_t from_environment(const char* name) {
  const char* const text = std::getenv(name);
  if (!text) return none;
  const char* const end = text + std::strlen(text);
  int64_t number = none;
  const auto [behind, fault] = std::from_chars(text, end, number);
  if (fault == std::errc() && behind == end) return std::max(number, none);
  warn_once(fmt::format("{} must be a whole number, found '{}'. It is passed over.", name, text));
  return none;
}

struct Settings {
  explicit Settings(const KerasJson& file)
      : dtype(file.floatx.value_or(DType::float32)),
        channels_first(file.channels_first.value_or(false)) {}
  std::atomic<DType> dtype;
  std::atomic<bool> channels_first;
  std::atomic<int64_t> epochs = from_environment("KERAS_MAX_EPOCHS");
  std::atomic<int64_t> steps = from_environment("KERAS_MAX_STEPS_PER_EPOCH");
  std::atomic<bool> interactive = true;
};

Settings& settings() {
  static Settings settings(read_keras_json(keras_home() + "/keras.json"));
  return settings;
}

std::optional<int64_t> read(const std::atomic<int64_t>& number) {
  const int64_t found = number;
  return found == none ? std::nullopt : std::optional(found);
}

void write(std::atomic<int64_t>& number, std::optional<int64_t> value, const char* name) {
  if (value && *value < 1)
    throw ValueError(fmt::format("{}: expected a number of at least 1, found {}.", name, *value));
  number = value.value_or(none);
}

}  // namespace

std::string keras_home() {
  const char* home = std::getenv("HOME");
  if (const char* folder = std::getenv("KERAS_HOME")) {
    // A shell has replaced it already; a file of settings for a service has not.
    const bool in_home = home && folder[0] == '~' && (folder[1] == '/' || folder[1] == '\0');
    return in_home ? std::string(home) + (folder + 1) : folder;
  }
  return std::string(home && ::access(home, W_OK) == 0 ? home : "/tmp") + "/.keras";
}

std::string floatx() { return std::string(dtype_name(default_dtype())); }

DType default_dtype() { return settings().dtype; }

void set_floatx(const std::string& floatx) {
  for (const DType dtype : {DType::float16, DType::bfloat16, DType::float32, DType::float64})
    if (floatx == dtype_name(dtype)) {
      settings().dtype = dtype;
      return;
    }
  throw ValueError(fmt::format(
      "set_floatx: '{}' is not one of 'float16', 'bfloat16', 'float32' and 'float64'.{}", floatx,
      did_you_mean(floatx, {"float16", "bfloat16", "float32", "float64"})));
}

std::string image_data_format() {
  return settings().channels_first ? "channels_first" : "channels_last";
}

void set_image_data_format(const std::string& data_format) {
  if (data_format != "channels_last" && data_format != "channels_first")
    throw ValueError(
        fmt::format("set_image_data_format: expected 'channels_last' or 'channels_first', found "
                    "'{}'.{}",
                    data_format, did_you_mean(data_format, {"channels_last", "channels_first"})));
  settings().channels_first = data_format == "channels_first";
}

double epsilon() { return 1e-7; }

void set_epsilon(double value) {
  if (value != epsilon())
    throw UnsupportedError(fmt::format(
        "set_epsilon: kernels are compiled for 1e-7, and {} cannot take its place.", value));
}

std::optional<int64_t> max_epochs() { return read(settings().epochs); }

void set_max_epochs(std::optional<int64_t> epochs) {
  write(settings().epochs, epochs, "set_max_epochs");
}

std::optional<int64_t> max_steps_per_epoch() { return read(settings().steps); }

void set_max_steps_per_epoch(std::optional<int64_t> steps) {
  write(settings().steps, steps, "set_max_steps_per_epoch");
}

bool is_interactive_logging_enabled() { return settings().interactive; }

void enable_interactive_logging() { settings().interactive = true; }

void disable_interactive_logging() { settings().interactive = false; }

}  // namespace cornu::config
