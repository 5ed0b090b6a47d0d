// AtomicFile and ScratchFolder over POSIX files.
#include "atomic_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <random>
#include <string>
#include <system_error>

#include "../../backend/error.h"

namespace cornu::io {
namespace {

namespace fs = std::filesystem;

std::string cause(int error) { return std::generic_category().message(error); }

[[noreturn]] void fail(const fs::path& target, const std::string& why) {
  throw FileError("Cannot write '" + target.string() + "': " + why + ".");
}

/// How the names of this machine's temporary files begin. A lock may not be seen on other machines
/// that share the folder, so each looks after its own.
std::string own_prefix() {
  std::array<char, 256> host{};
  (void)!::gethostname(host.data(), host.size() - 1);
  uint32_t hash = 2166136261u;
  for (const char* c = host.data(); *c != 0; ++c)
    hash = (hash ^ static_cast<unsigned char>(*c)) * 16777619u;
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), ".cornu-%08x-", hash);
  return text.data();
}

std::string random_name() {
  static constexpr char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::random_device device;
  std::uniform_int_distribution<int> pick(0, static_cast<int>(sizeof letters) - 2);
  // Short and independent of the target's name, which may already be as long as names can be.
  std::string name = own_prefix();
  for (int i = 0; i < 12; ++i) name += letters[pick(device)];
  return name + ".tmp";
}

/// Removes what killed programs of this machine left in a folder.
void remove_remains(const fs::path& folder) {
  const std::string prefix = own_prefix();
  std::error_code ignored;
  for (fs::directory_iterator entry(folder, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(prefix) || !name.ends_with(".tmp")) continue;
    const int descriptor =
        ::open(entry->path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0) continue;
    std::error_code failed;
    // The owner holds the lock while it lives, and the kernel drops it when the owner dies.
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) fs::remove_all(entry->path(), failed);
    ::close(descriptor);
  }
}

/// Makes something new in a folder under a random name, by `make`, which returns a descriptor or -1
/// with errno, and locks it.
template <class Make>
int make_locked(const fs::path& target, const fs::path& folder, fs::path& path, Make make) {
  remove_remains(folder);
  for (int attempt = 0;; ++attempt) {
    path = folder / random_name();
    const int descriptor = make(path);
    if (descriptor < 0 && ((errno != EEXIST && errno != ENOENT) || attempt == 100))
      fail(target, cause(errno));
    if (descriptor < 0) continue;
    // Where there are no locks, nobody takes this for remains either.
    (void)!::flock(descriptor, LOCK_EX);
    // Between the two steps it looked like remains.
    struct stat here {
    }, there{};
    if (::fstat(descriptor, &here) == 0 && ::stat(path.c_str(), &there) == 0 &&
        here.st_ino == there.st_ino)
      return descriptor;
    ::close(descriptor);
  }
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

/// Flushes a folder's entries. Some file systems cannot: no error then, since the files are
/// complete.
void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  (void)!::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

ScratchFolder::ScratchFolder(const fs::path& target) : target_(target) {
  std::error_code error;
  const fs::path folder = folder_of(target);
  if (!fs::is_directory(folder, error))
    fail(target, "the folder '" + folder.string() + "' does not exist; create it first");
  lock_ = make_locked(target, folder, path_, [](const fs::path& path) {
    if (::mkdir(path.c_str(), 0777) != 0) return -1;
    return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  });
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  ::close(lock_);
}

void ScratchFolder::commit() {
  // Entries first: after a power failure the renamed folder must not be empty.
  sync_folder(path_);
  const auto rename = [&](const fs::path& from, const fs::path& to) {
    if (::rename(from.c_str(), to.c_str()) != 0) fail(target_, cause(errno));
  };
  std::error_code ignored;
  if (!fs::exists(target_, ignored)) {
    rename(path_, target_);
  } else if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) !=
             0) {
    // Any other error, such as missing rights, would come back from a plain rename too.
    if (errno != EINVAL && errno != ENOSYS) fail(target_, cause(errno));
    // A file system that cannot exchange: the old folder has another name for a moment.
    const fs::path old = folder_of(target_) / ("." + target_.filename().string() + ".old");
    fs::remove_all(old, ignored);
    rename(target_, old);
    if (::rename(path_.c_str(), target_.c_str()) != 0) {
      const int error = errno;
      fs::rename(old, target_, ignored);
      fail(target_, cause(error));
    }
    fs::remove_all(old, ignored);
  }
  sync_folder(folder_of(target_));
}

AtomicFile::AtomicFile(const fs::path& target) : target_(target) {
  if (!target.has_filename()) fail(target, "the name of the file is empty");
  std::error_code error;
  if (fs::is_symlink(target, error)) {
    // rename() would replace the link itself.
    const fs::path pointed = fs::weakly_canonical(target, error);
    if (error) fail(target, cause(error.value()));
    target_ = pointed;
  }
  // The permissions of a new file are what the process's umask leaves of 0666.
  struct stat existing {};
  const bool exists = ::stat(target_.c_str(), &existing) == 0;
  if (exists && S_ISDIR(existing.st_mode)) fail(target, "it is a folder");
  if (exists && !S_ISREG(existing.st_mode)) fail(target, "it is not a regular file");
  const fs::path folder = folder_of(target_);
  if (!fs::is_directory(folder, error))
    fail(target, "the folder '" + folder.string() + "' does not exist; create it first");
  descriptor_ = make_locked(target, folder, temporary_, [](const fs::path& path) {
    return ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  });
  // Best effort: a file system without permissions is no reason not to save.
  if (exists) (void)!::fchmod(descriptor_, existing.st_mode & 07777);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  ::unlink(temporary_.c_str());
  ::close(descriptor_);
}

void AtomicFile::append(std::span<const std::byte> bytes) { write_at(end_, bytes); }

void AtomicFile::write_at(uint64_t offset, std::span<const std::byte> bytes) {
  // Linux transfers at most 2 GiB at once, other systems refuse more.
  constexpr size_t most = size_t{1} << 30;
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(descriptor_, bytes.data(), std::min(bytes.size(), most),
                                     static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail(target_, cause(written < 0 ? errno : ENOSPC));
    bytes = bytes.subspan(static_cast<size_t>(written));
    offset += static_cast<uint64_t>(written);
    end_ = std::max(end_, offset);
  }
}

void AtomicFile::commit() {
  // Before the rename: some file systems write names before contents, and a crash in between would
  // leave an empty file under the target's name.
  if (::fsync(descriptor_) != 0) fail(target_, cause(errno));
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(target_, cause(errno));
  ::close(descriptor_);
  descriptor_ = -1;
  sync_folder(folder_of(target_));  // the rename itself must reach the disk too
}

void write_file(const fs::path& target, std::span<const std::byte> bytes) {
  AtomicFile file(target);
  file.append(bytes);
  file.commit();
}

std::vector<std::byte> read_file(const fs::path& path, uint64_t limit) {
  const auto refuse = [&](const std::string& why) {
    throw FileError("Cannot read '" + path.string() + "': " + why + ".");
  };
  // O_NONBLOCK: opening a named pipe would otherwise wait for a writer.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) refuse(cause(errno));
  struct Closer {
    int descriptor;
    ~Closer() { ::close(descriptor); }
  } closer{descriptor};
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) refuse(cause(errno));
  if (!S_ISREG(status.st_mode)) refuse("it is not a regular file");
  const uint64_t size = static_cast<uint64_t>(status.st_size);
  if (size > limit)
    refuse("it has " + std::to_string(size) + " bytes, more than the " + std::to_string(limit) +
           " bytes allowed for it");
  std::vector<std::byte> bytes(size);
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::read(descriptor, bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse(cause(errno));
    if (got == 0) refuse("it became shorter while it was read");
    done += static_cast<size_t>(got);
  }
  return bytes;
}

void make_folder(const fs::path& folder, std::string_view who) {
  if (folder.empty()) return;
  std::error_code error;
  fs::create_directories(folder, error);
  std::error_code ignored;
  if (fs::is_directory(folder, ignored)) return;
  throw FileError(fmt::format("{}: the folder '{}' cannot be made: {}.", who, folder.string(),
                              error ? error.message() : "a file has this name"));
}

void shorten_file(const fs::path& path, int64_t bytes) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  if (error || bytes < 0 || size < static_cast<uint64_t>(bytes))
    throw FileError(fmt::format(
        "'{}' has lost what it had when the backup was made, so the run cannot go on in it.",
        path.string()));
  fs::resize_file(path, static_cast<uint64_t>(bytes), error);
  if (error)
    throw FileError(fmt::format("'{}' cannot be shortened: {}.", path.string(), error.message()));
}

}  // namespace cornu::io
