// The lock of a folder of shards over flock.
#include "shards_lock.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <system_error>

#include "../../backend/error.h"

namespace cornu::io {
namespace fs = std::filesystem;

namespace {

std::string this_process() {
  std::array<char, 256> host{};
  (void)!::gethostname(host.data(), host.size() - 1);
  return fmt::format("process {} on {}", ::getpid(), host.data());
}

// What the holder wrote; nothing in the moment before it did.
std::string holder_in(int descriptor) {
  std::array<char, 512> text{};
  const ssize_t got = ::pread(descriptor, text.data(), text.size(), 0);
  return got > 0 ? std::string(text.data(), static_cast<size_t>(got)) : "another process";
}

// A holder removes the file when it ends: the one that was opened may be no file of the folder any
// more.
bool is_at(int descriptor, const fs::path& path) {
  struct stat here {
  }, there{};
  return ::fstat(descriptor, &here) == 0 && ::stat(path.c_str(), &there) == 0 &&
         here.st_ino == there.st_ino && here.st_dev == there.st_dev;
}

[[noreturn]] void throw_held(const fs::path& path, int descriptor) {
  const std::string holder = holder_in(descriptor);
  ::close(descriptor);
  throw FileError(
      fmt::format("'{}' is being written by {}, which holds '{}'. One writer at a time adds "
                  "records: wait until it has ended, or write to another folder.",
                  path.parent_path().string(), holder, path.string()));
}

}  // namespace

ShardLock::ShardLock(const fs::path& folder) : path_(folder / ".lock") {
  for (;;) {
    const int descriptor = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor < 0)
      throw FileError(fmt::format("Cannot write '{}': {}.", path_.string(),
                                  std::generic_category().message(errno)));
    // Where there are no locks, nobody is held back, and the file is not this writer's to remove.
    locked_ = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
    if (!locked_ && errno == EWOULDBLOCK) throw_held(path_, descriptor);
    if (is_at(descriptor, path_)) {
      descriptor_ = descriptor;
      break;
    }
    ::close(descriptor);
  }
  const std::string holder = this_process();
  (void)!::ftruncate(descriptor_, 0);
  (void)!::pwrite(descriptor_, holder.data(), holder.size(), 0);
}

ShardLock::~ShardLock() {
  // Before the lock goes, and only where the folder was not made anew: it is nobody else's file.
  if (locked_ && is_at(descriptor_, path_)) ::unlink(path_.c_str());
  ::close(descriptor_);
}

}  // namespace cornu::io
