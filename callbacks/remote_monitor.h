// RemoteMonitor: sends the figures of each epoch to a server.
#pragma once
#include <map>
#include <string>

#include "../framework/base/callback.h"
#include "../framework/config/configurable.h"

namespace cornu::callbacks {

/// Options of RemoteMonitor, as in Keras.
struct RemoteMonitorConfig {
  std::string root = "http://localhost:9000";       ///< URL of the server; https works too
  std::string path = "/publish/epoch/end/";         ///< where events go, behind `root`
  std::string field = "data";                       ///< of the form that holds the JSON text
  std::map<std::string, std::string> headers = {};  ///< further HTTP headers by name
  /// Sends the JSON text as such, with the type application/json, instead of in a form.
  bool send_as_json = false;
};

/// As keras.callbacks.RemoteMonitor: an HTTP POST of {"epoch": 3, "loss": 0.5, ...} at the end of
/// each epoch. A server that cannot be reached within ten seconds is one warning, and training goes
/// on. Uses the library libcurl, which is looked for when training begins.
class RemoteMonitorCallback : public Callback {
 public:
  using Config = RemoteMonitorConfig;                                 ///< the options
  explicit RemoteMonitorCallback(Config c) : config(std::move(c)) {}  ///< connects to nothing yet

  /// Throws UnsupportedError when libcurl is not installed.
  void on_train_begin(Logs&) override;
  void on_epoch_end(int64_t epoch, Logs& logs) override;
  bool wants_batch_logs() const override { return false; }
  bool looks_on() const override { return true; }

  const Config config;  ///< as given
};

using RemoteMonitor =
    Ref<RemoteMonitorCallback>;  ///< a shared RemoteMonitorCallback, made from its options

}  // namespace cornu::callbacks
