// CSVLogger's table.
#include "csv_logger.h"

#include <fmt/core.h>

#include <filesystem>

#include "../framework/io/atomic_file.h"
#include "../framework/io/csv.h"
#include "callback_state.h"

namespace cornu::callbacks {
namespace {

constexpr const char* line_end = "\r\n";  // RFC 4180

}  // namespace

void CSVLoggerCallback::on_train_begin(Logs&) {
  namespace fs = std::filesystem;
  const fs::path path(*config.filename);
  io::make_folder(path.parent_path(), fmt::format("CSVLogger: '{}'", path.string()));
  std::error_code error;
  const auto size = fs::file_size(path, error);
  wants_header_ = !config.append || error || size == 0;
  names_.clear();
  const bool keeps = config.append || params().resumed;
  file_ = std::ofstream(
      path, std::ios::binary | (keeps ? std::ios::app | std::ios::ate : std::ios::trunc));
  if (!file_)
    throw FileError(fmt::format("CSVLogger: the file '{}' cannot be written.", path.string()));
}

Value::Dict CSVLoggerCallback::get_state() const {
  return {{"bytes", static_cast<int64_t>(file_.tellp())},
          {"names", names_},
          {"wants_header", wants_header_}};
}

void CSVLoggerCallback::set_state(const Value::Dict& state) {
  const int64_t bytes = state_entry<int64_t>(state, "bytes");
  names_ = state_entry<std::vector<std::string>>(state, "names");
  wants_header_ = state_entry<bool>(state, "wants_header");
  io::shorten_file(*config.filename, bytes);
  file_ = std::ofstream(*config.filename, std::ios::binary | std::ios::app | std::ios::ate);
}

void CSVLoggerCallback::write_header(const Logs& logs) {
  bool validated = false;
  for (const auto& [name, value] : logs) {
    names_.push_back(name);
    validated |= name.starts_with("val_");
  }
  // Validation may begin in a later epoch.
  if (!validated)
    for (const auto& [name, value] : logs) names_.push_back("val_" + name);
  if (!wants_header_) return;
  file_ << "epoch";
  for (const std::string& name : names_)
    file_ << config.separator << io::csv_cell(name, config.separator);
  file_ << line_end;
}

void CSVLoggerCallback::on_epoch_end(int64_t epoch, Logs& logs) {
  if (names_.empty()) write_header(logs);
  file_ << epoch;
  for (const std::string& name : names_) {
    const auto found = logs.find(name);
    file_ << config.separator;
    if (found == logs.end())
      file_ << "NA";
    else if (logs.is_array(name))
      // In quotes of its own, as Keras writes it.
      file_ << io::csv_cell('"' + logs.text(name) + '"', config.separator);
    else
      file_ << logs.text(name);
  }
  file_ << line_end << std::flush;
  if (!file_)
    throw FileError(
        fmt::format("CSVLogger: writing to '{}' failed. Is the disk full?", *config.filename));
}

void CSVLoggerCallback::on_train_end(Logs&) { file_.close(); }

}  // namespace cornu::callbacks
