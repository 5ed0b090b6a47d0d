// RemoteMonitor against a server of the test's own.
#include <arpa/inet.h>
#include <cornu/backend/log.h>
#include <cornu/callbacks/remote_monitor.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <thread>

#include "support.h"
#include "support/skip.h"

namespace remote_monitor_test {

using namespace cornu;
using callbacks::RemoteMonitor;

namespace {

// Takes one request and answers it.
class Server {
 public:
  Server() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::listen(socket_, 1) == 0);
    socklen_t size = sizeof address;
    ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~Server() {
    ::shutdown(socket_, SHUT_RDWR);
    if (thread_.joinable()) thread_.join();
    ::close(socket_);
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  std::string request() {
    thread_.join();
    return request_;
  }

 private:
  void serve() {
    const int connection = ::accept(socket_, nullptr, nullptr);
    if (connection < 0) return;
    char buffer[4096];
    size_t expected = std::string::npos;
    while (request_.size() < expected) {
      const ssize_t count = ::recv(connection, buffer, sizeof buffer, 0);
      if (count <= 0) break;
      request_.append(buffer, static_cast<size_t>(count));
      const size_t end = request_.find("\r\n\r\n"), length = request_.find("Content-Length: ");
      if (end != std::string::npos && length != std::string::npos)
        expected = end + 4 + std::stoul(request_.substr(length + 16));
    }
    const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    [[maybe_unused]] const auto sent = ::send(connection, answer.data(), answer.size(), 0);
    ::close(connection);
  }

  int socket_;
  int port_ = 0;
  std::string request_;
  std::thread thread_;
};

bool has_curl() {
  const bool found = dlopen("libcurl.so.4", RTLD_NOW) != nullptr;
  if (!found) test::skip("libcurl.so.4 is not installed");
  return found;
}

std::string sent(callbacks::RemoteMonitorConfig config, int64_t epoch, Logs logs) {
  Server server;
  config.root = server.url();
  const RemoteMonitor monitor(config);
  Logs none;
  monitor->on_train_begin(none);
  monitor->on_epoch_end(epoch, logs);
  return server.request();
}

}  // namespace

TEST_CASE("the figures of an epoch arrive in a form, percent-encoded") {
  if (!has_curl()) return;
  const std::string text = sent({}, 3, {{"loss", 0.5}});
  CHECK_THAT(text, Catch::StartsWith("POST /publish/epoch/end/ HTTP/1.1\r\n"));
  CHECK_THAT(text, Catch::Contains("application/x-www-form-urlencoded"));
  CHECK_THAT(text, Catch::EndsWith("data=%7B%22epoch%22%3A%203%2C%20%22loss%22%3A%200.5%7D"));
}

TEST_CASE("or as JSON, with further headers, arrays as lists") {
  if (!has_curl()) return;
  Logs logs = {{"loss", 0.25}};
  logs.set("f1", Tensor::from({0.5f, 1.0f}, {2}));
  const std::string text =
      sent({.path = "/here", .headers = {{"X-Run", "seven"}}, .send_as_json = true}, 0, logs);
  CHECK_THAT(text, Catch::StartsWith("POST /here HTTP/1.1\r\n"));
  CHECK_THAT(text, Catch::Contains("Content-Type: application/json\r\n"));
  CHECK_THAT(text, Catch::Contains("X-Run: seven\r\n"));
  CHECK_THAT(text, Catch::EndsWith("{\"epoch\": 0, \"f1\": [0.5, 1.0], \"loss\": 0.25}"));
}

TEST_CASE("a server that is not there does not end the training") {
  if (!has_curl()) return;
  show_warnings(false);
  const RemoteMonitor monitor({.root = "http://127.0.0.1:1"});
  Logs logs = {{"loss", 1.0}};
  monitor->on_train_begin(logs);
  CHECK_NOTHROW(monitor->on_epoch_end(0, logs));
  show_warnings(true);
}

}  // namespace remote_monitor_test
