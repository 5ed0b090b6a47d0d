// ShardLock: one writer at a time in a folder of shards.
#pragma once
#include <filesystem>

namespace cornu::io {

/// An advisory lock on a folder, by the file ".lock" in it, which says who holds the lock. The
/// kernel drops it when its program ends, however that comes about, so the file of a program that
/// was killed is in nobody's way. Between machines it holds where the file system shares locks;
/// where there are none it holds nobody back.
class ShardLock {
 public:
  /// Takes the lock. Throws FileError that says whom to wait for when another writer has it, and
  /// when the file cannot be made.
  explicit ShardLock(const std::filesystem::path& folder);
  /// Removes the file, and gives the lock back.
  ~ShardLock();
  ShardLock(const ShardLock&) = delete;
  ShardLock& operator=(const ShardLock&) = delete;

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  bool locked_ = false;  // not where the file system has no locks
};

}  // namespace cornu::io
