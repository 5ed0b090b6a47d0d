// AtomicFile over POSIX files.
#include "atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>
#include <string>
#include <system_error>

#include "../../backend/error.h"

namespace cornu::saving {
namespace {

namespace fs = std::filesystem;

std::string cause(int error) { return std::generic_category().message(error); }

[[noreturn]] void fail(const fs::path& target, const std::string& why) {
  throw FileError("Cannot write '" + target.string() + "': " + why + ".");
}

std::string random_name() {
  static constexpr char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::random_device device;
  std::uniform_int_distribution<int> pick(0, static_cast<int>(sizeof letters) - 2);
  // Short and independent of the target's name, which may already be as long as names can be.
  std::string name = ".cornu-";
  for (int i = 0; i < 12; ++i) name += letters[pick(device)];
  return name + ".tmp";
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

}  // namespace

AtomicFile::AtomicFile(const fs::path& target) : target_(target) {
  if (!target.has_filename()) fail(target, "the name of the file is empty");
  std::error_code error;
  if (fs::is_symlink(target, error)) {
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
  for (int attempt = 0; descriptor_ < 0; ++attempt) {
    temporary_ = folder / random_name();
    descriptor_ = ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && (errno != EEXIST || attempt == 100)) fail(target, cause(errno));
  }
  // Best effort: a file system without permissions is no reason not to save.
  if (exists) (void)!::fchmod(descriptor_, existing.st_mode & 07777);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(temporary_.c_str());
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

size_t AtomicFile::read_at(uint64_t offset, std::span<std::byte> out) const {
  size_t done = 0;
  while (done < out.size()) {
    const ssize_t got = ::pread(descriptor_, out.data() + done, out.size() - done,
                                static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(target_, cause(errno));
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

void AtomicFile::commit() {
  if (::fsync(descriptor_) != 0) fail(target_, cause(errno));
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(target_, cause(errno));
  ::close(descriptor_);
  descriptor_ = -1;
  // The rename itself must reach the disk too. Some file systems cannot sync folders: no error
  // then, since the file is complete.
  const int folder = ::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  (void)!::fsync(folder);
  ::close(folder);
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

}  // namespace cornu::saving
