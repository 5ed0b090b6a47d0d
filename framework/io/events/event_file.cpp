// Framing of records, and names of event files.
#include "event_file.h"

#include <events.pb.h>
#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "../../../backend/error.h"
#include "../atomic_file.h"
#include "../crc32c.h"

namespace cornu {
namespace {

namespace fs = std::filesystem;

double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// A checksum of data with checksums in it tells little, so TFRecord rotates it and adds a constant.
uint32_t masked_crc32c(const void* data, size_t size) {
  const uint32_t crc = io::crc32c({static_cast<const std::byte*>(data), size});
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

}  // namespace

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

// Several writers of one process may begin in one second.
std::string EventFile::new_name() {
  static std::atomic<int> count = 0;
  return fmt::format("events.out.tfevents.{:010}.{}.{}.{}", static_cast<int64_t>(now()),
                     host_name(), ::getpid(), count++);
}

EventFile::EventFile(fs::path path, int64_t bytes) : path_(std::move(path)), bytes_(bytes) {
  if (bytes == 0)
    begin();
  else
    go_on();
}

void EventFile::begin() {
  io::make_folder(path_.parent_path(), fmt::format("'{}'", path_.string()));
  errno = 0;
  file_.open(path_, std::ios::binary | std::ios::trunc);
  if (!file_) fail();
  events::Event version;
  version.set_file_version("brain.Event:2");
  version.mutable_source_metadata()->set_writer("cornu");
  write(version);
}

void EventFile::go_on() {
  io::shorten_file(path_, bytes_);
  errno = 0;
  file_.open(path_, std::ios::binary | std::ios::app);
  if (!file_) fail();
}

void EventFile::write(events::Event& event) {
  event.set_wall_time(now());
  std::string message;
  if (!event.SerializeToString(&message))
    throw ValueError(fmt::format(
        "An event for '{}' is longer than the 2 GiB that the format allows. Write less at once.",
        path_.string()));
  const uint64_t size = message.size();
  const uint32_t size_crc = masked_crc32c(&size, sizeof size);
  const uint32_t message_crc = masked_crc32c(message.data(), message.size());
  errno = 0;
  append(&size, sizeof size);
  append(&size_crc, sizeof size_crc);
  append(message.data(), message.size());
  append(&message_crc, sizeof message_crc);
}

void EventFile::append(const void* data, size_t size) {
  if (!file_.write(static_cast<const char*>(data), static_cast<std::streamsize>(size))) fail();
  bytes_ += static_cast<int64_t>(size);
}

void EventFile::flush() {
  errno = 0;
  if (!file_.flush()) fail();
}

void EventFile::fail() const {
  throw FileError(fmt::format("'{}' cannot be written: {}.", path_.string(),
                              errno ? std::strerror(errno) : "the stream failed"));
}

}  // namespace cornu
