// Reading an open file at any place.
#include "input_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "../../backend/error.h"

namespace cornu::io {
namespace {

std::string system_message(int code) { return std::generic_category().message(code); }

}  // namespace

InputFile::InputFile(const std::filesystem::path& path)
    : name_(path.string()),
      // O_NONBLOCK: opening a named pipe would otherwise wait for a writer.
      descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (descriptor_ < 0) refuse(system_message(errno));
  try {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) refuse(system_message(errno));
    if (!S_ISREG(status.st_mode)) refuse("it is not a regular file");
    size_ = static_cast<uint64_t>(status.st_size);
    device_ = static_cast<uint64_t>(status.st_dev);
    number_ = static_cast<uint64_t>(status.st_ino);
    changed_seconds_ = status.st_mtim.tv_sec;
    changed_nanoseconds_ = status.st_mtim.tv_nsec;
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

InputFile::~InputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void InputFile::read(uint64_t offset, std::span<std::byte> out) const {
  size_t done = 0;
  while (done < out.size()) {
    const ssize_t got = ::pread(descriptor_, out.data() + done, out.size() - done,
                                static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse(system_message(errno));
    if (got == 0) {
      expect_unchanged();
      refuse(fmt::format("it ends before byte {}", offset + out.size()));
    }
    done += static_cast<size_t>(got);
  }
}

void InputFile::expect_unchanged() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) refuse(system_message(errno));
  if (static_cast<uint64_t>(status.st_size) != size_)
    refuse(fmt::format("it has {} bytes, and had {} when it was opened; open it again",
                       status.st_size, size_));
  if (status.st_mtim.tv_sec != changed_seconds_ || status.st_mtim.tv_nsec != changed_nanoseconds_)
    refuse("it was written to after it was opened; open it again");
}

void InputFile::expect_same(int descriptor) const {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) refuse(system_message(errno));
  if (static_cast<uint64_t>(status.st_dev) != device_ ||
      static_cast<uint64_t>(status.st_ino) != number_)
    refuse("another file took its name while it was opened; open it again");
  expect_unchanged();
}

void InputFile::refuse(const std::string& why) const {
  throw FileError(fmt::format("Cannot read '{}': {}.", name_, why));
}

}  // namespace cornu::io
