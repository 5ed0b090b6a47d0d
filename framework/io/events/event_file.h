// EventFile: the records of a file that TensorBoard reads.
#pragma once
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace cornu {

namespace events {
class Event;  // of events.proto
}

/// This machine's name; "localhost" where it has none.
std::string host_name();

/// A file events.out.tfevents.<seconds>.<host>.<process>.<number>, of which TensorBoard shows what
/// is flushed. Records are framed as in TensorFlow's TFRecord: the length, its masked CRC32C, the
/// message, and the message's.
///
/// Every failure throws FileError with the file's name and the cause.
class EventFile {
 public:
  /// Goes on in a file, behind its first `bytes` bytes; what comes after them is cut off. With none
  /// it is a new file, and folders that are missing are made. Throws when there are fewer.
  explicit EventFile(std::filesystem::path path, int64_t bytes = 0);

  /// A name for a new file, which no other process or writer has.
  static std::string new_name();

  /// Gives the event the time of now, and writes it.
  void write(events::Event& event);
  /// Hands what was written to the system: it outlives the process from then on.
  void flush();
  int64_t bytes() const { return bytes_; }                     ///< written so far
  const std::filesystem::path& path() const { return path_; }  ///< of the file

 private:
  void begin();
  void go_on();
  void append(const void* data, size_t size);
  [[noreturn]] void fail() const;

  std::filesystem::path path_;
  std::ofstream file_;
  int64_t bytes_ = 0;
};

}  // namespace cornu
