// HTTP by libcurl, which is loaded when it is wanted, so that no other program needs it.
#include "remote_monitor.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include "../backend/log.h"
#include "../framework/config/json.h"

namespace cornu::callbacks {
namespace {

// The part of libcurl's interface that is used here; its numbers are those of curl/curl.h.
class Curl {
 public:
  struct List;
  enum Option : int {
    timeout = 13,
    no_signal = 99,
    post_size = 60,
    url = 10002,
    copied_post = 10165,
    headers = 10023,
    write_function = 20011,
  };

  // Null where there is no libcurl.
  static const Curl* library() {
    static const Curl curl;
    return curl.perform ? &curl : nullptr;
  }

  void* (*init)() = nullptr;
  int (*set)(void*, int, ...) = nullptr;
  int (*perform)(void*) = nullptr;
  void (*cleanup)(void*) = nullptr;
  const char* (*error)(int) = nullptr;
  List* (*append)(List*, const char*) = nullptr;
  void (*free_all)(List*) = nullptr;

 private:
  Curl() {
    void* const handle = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!handle) return;
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
      return function != nullptr;
    };
    if (!(find(init, "curl_easy_init") && find(set, "curl_easy_setopt") &&
          find(cleanup, "curl_easy_cleanup") && find(error, "curl_easy_strerror") &&
          find(append, "curl_slist_append") && find(free_all, "curl_slist_free_all") &&
          find(perform, "curl_easy_perform")))
      perform = nullptr;
  }
};

std::string percent_encoded(const std::string& text) {
  std::string result;
  for (const unsigned char c : text) {
    if (std::isalnum(c) || c == '-' || c == '.' || c == '_' || c == '~')
      result += static_cast<char>(c);
    else
      result += fmt::format("%{:02X}", c);
  }
  return result;
}

// What went wrong, or "".
std::string post(const std::string& url, const std::string& body,
                 const std::vector<std::string>& headers) {
  const Curl& curl = *Curl::library();
  void* const handle = curl.init();
  if (!handle) return "libcurl could not be started";
  Curl::List* list = nullptr;
  for (const std::string& header : headers) list = curl.append(list, header.c_str());
  curl.set(handle, Curl::url, url.c_str());
  curl.set(handle, Curl::post_size, static_cast<long>(body.size()));
  curl.set(handle, Curl::copied_post, body.c_str());
  curl.set(handle, Curl::headers, list);
  curl.set(handle, Curl::timeout, 10L);
  // Its timeouts must not touch the program's signals.
  curl.set(handle, Curl::no_signal, 1L);
  // The answer is of no interest, and would be printed.
  size_t (*const ignore)(char*, size_t, size_t, void*) = [](char*, size_t size, size_t count,
                                                            void*) { return size * count; };
  curl.set(handle, Curl::write_function, ignore);
  const int status = curl.perform(handle);
  curl.cleanup(handle);
  curl.free_all(list);
  return status == 0 ? "" : curl.error(status);
}

}  // namespace

void RemoteMonitorCallback::on_train_begin(Logs&) {
  if (!Curl::library())
    throw UnsupportedError(
        "RemoteMonitor needs the library libcurl.so.4, which was not found. On Debian and Ubuntu: "
        "apt-get install libcurl4.");
}

void RemoteMonitorCallback::on_epoch_end(int64_t epoch, Logs& logs) {
  if (!Curl::library()) return;
  Value::Dict figures = {{"epoch", epoch}};
  for (const auto& [name, value] : logs)
    figures.emplace_back(
        name, logs.is_array(name) ? Value(logs.array(name).to_vector<double>()) : Value(value));
  const std::string json = cornu::to_json(figures);
  std::vector<std::string> headers;
  for (const auto& [name, value] : config.headers) headers.push_back(name + ": " + value);
  std::string body = json;
  if (config.send_as_json)
    headers.push_back("Content-Type: application/json");
  else
    body = percent_encoded(config.field) + "=" + percent_encoded(json);
  const std::string problem = post(config.root + config.path, body, headers);
  if (!problem.empty())
    warn_once(
        fmt::format("RemoteMonitor: the server at {} could not be reached ({}). Training "
                    "goes on without it.",
                    config.root, problem));
}

}  // namespace cornu::callbacks
