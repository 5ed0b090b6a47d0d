// InputFile: a file that is read at any place, and must stay as it was when it was opened.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace cornu::io {

/// An open file, for any number of threads at a time. It is read by system calls rather than
/// mapped: of a mapped file that is cut short the program gets a signal, of this one an error, and
/// what was read does not stay in the program's memory. A file that is replaced under its name goes
/// on being read as it was.
class InputFile {
 public:
  /// Opens a regular file. Throws FileError.
  explicit InputFile(const std::filesystem::path& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& name() const { return name_; }  ///< as errors show it
  uint64_t size() const { return size_; }            ///< in bytes, when it was opened

  /// Fills `out` from `offset` on. Throws FileError where the file ends before that.
  void read(uint64_t offset, std::span<std::byte> out) const;
  /// Throws FileError when the file has been written to or cut since it was opened.
  void expect_unchanged() const;
  /// The same, and when what somebody else opened by the same name is another file.
  void expect_same(int descriptor) const;

 private:
  [[noreturn]] void refuse(const std::string& why) const;

  std::string name_;
  int descriptor_ = -1;
  uint64_t size_ = 0;
  uint64_t device_ = 0, number_ = 0;                       // which file it is
  int64_t changed_seconds_ = 0, changed_nanoseconds_ = 0;  // when it was last written to
};

}  // namespace cornu::io
