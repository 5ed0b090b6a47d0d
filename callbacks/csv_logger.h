// CSVLogger: writes the figures of each epoch to a table.
#pragma once
#include <fstream>
#include <string>
#include <vector>

#include "../framework/base/callback.h"
#include "../framework/config/configurable.h"

namespace cornu::callbacks {

/// Options of CSVLogger, as in Keras.
struct CSVLoggerConfig {
  Required<std::string> filename;  ///< the file to write; missing folders are created
  std::string separator = ",";     ///< between the columns of a row
  /// Whether rows are added to an existing file; else it is replaced.
  bool append = false;
};

/// As keras.callbacks.CSVLogger: a column for the epoch (from 0) and one for each figure; NA where
/// there is none, and "[0.5, 0.25]", with quotes, for an array. Every row is on disk when its epoch
/// ends. A folder that is missing is made.
class CSVLoggerCallback : public Callback {
 public:
  using Config = CSVLoggerConfig;  ///< the options
  explicit CSVLoggerCallback(Config c)
      : config(std::move(c)) {}  ///< the file is opened by on_train_begin

  /// Throws FileError when its folder cannot be made or the file not opened.
  void on_train_begin(Logs&) override;
  void on_epoch_end(int64_t epoch, Logs& logs) override;
  void on_train_end(Logs&) override;
  bool wants_batch_logs() const override { return false; }
  /// The columns, and how far the file was written: later rows go when a run is resumed.
  Value::Dict get_state() const override;
  void set_state(const Value::Dict& state) override;

  /// The table.
  std::vector<std::string> files() const override { return {*config.filename}; }
  bool looks_on() const override { return true; }

  const Config config;  ///< as given

 private:
  void write_header(const Logs& logs);

  mutable std::ofstream file_;
  bool wants_header_ = true;
  std::vector<std::string> names_;  // of the columns after the epoch's
};

using CSVLogger = Ref<CSVLoggerCallback>;  ///< a shared CSVLoggerCallback, made from its options

}  // namespace cornu::callbacks
