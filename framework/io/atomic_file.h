// AtomicFile: a file that appears under its name complete or not at all; and folders for what is
// under construction.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace cornu::io {

// What is under construction has a name of its own, ".cornu-<machine>-<random>.tmp", beside its
// target, and is locked while its program runs. When a program was killed, its remains lose their
// lock, and the next one of the same machine that writes into the folder removes them.

/// A folder for what is under construction, beside `target`. The destructor removes what is at its
/// path then. Throws FileError with the target's name.
class ScratchFolder {
 public:
  /// Creates the folder, locks it, and removes remains of programs that were killed.
  explicit ScratchFolder(const std::filesystem::path& target);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }  ///< where to write

  /// Puts the folder in place of the target, which is a folder or not there. A kill at any moment
  /// leaves the old folder or the new one there, if the file system can exchange names (as those of
  /// Linux can).
  void commit();

 private:
  std::filesystem::path target_;
  std::filesystem::path path_;
  int lock_ = -1;
};

/// Writes to a temporary file beside the target and renames it over the target in commit(), so that
/// a crash, a full disk or an exception leaves the old file as it was. A symbolic link as target
/// stays a link: the file that it points to is replaced. The new file keeps the old one's
/// permissions.
///
/// Every failure throws FileError with the target's name and the cause.
class AtomicFile {
 public:
  /// Creates the temporary file. Throws when the folder is missing or not writable, or when the
  /// target exists and is no regular file.
  explicit AtomicFile(const std::filesystem::path& target);
  /// Removes the temporary file unless commit() succeeded.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Appends after the last byte that append() or write_at() wrote.
  void append(std::span<const std::byte> bytes);
  /// Writes at `offset`.
  void write_at(uint64_t offset, std::span<const std::byte> bytes);

  /// The file to write to, for libraries that open files by name. They must not replace it.
  const std::filesystem::path& temporary() const { return temporary_; }
  const std::filesystem::path& target() const { return target_; }  ///< what commit() replaces

  /// Flushes to the disk, renames over the target and flushes the folder. Call it once, last.
  void commit();

 private:
  std::filesystem::path target_;
  std::filesystem::path temporary_;
  int descriptor_ = -1;
  uint64_t end_ = 0;
};

/// Writes one whole file atomically.
void write_file(const std::filesystem::path& target, std::span<const std::byte> bytes);

/// Reads one whole regular file. Throws FileError when it is missing or larger than `limit` bytes.
std::vector<std::byte> read_file(const std::filesystem::path& path, uint64_t limit);

/// Makes a folder and those above it, unless they are there; an empty path is the current folder.
/// Throws FileError that begins with `who` and says why it cannot be made.
void make_folder(const std::filesystem::path& folder, std::string_view who);

/// Cuts a file that only grows back to its first `bytes`. Throws FileError when it has fewer, as
/// then what a backup counts on is lost.
void shorten_file(const std::filesystem::path& path, int64_t bytes);

}  // namespace cornu::io
