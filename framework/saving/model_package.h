// The members of a ".keras" model, in an archive or in a folder.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "../io/archive.h"
#include "../io/h5_file.h"

namespace cornu::saving {

/// Reads members by name. Nothing outside the archive or the folder is read, links are refused.
/// Throws FileError.
class PackageReader {
 public:
  /// Opens an archive or a folder.
  explicit PackageReader(const std::filesystem::path& path);

  const std::string& name() const { return name_; }  ///< for errors
  bool has(const std::string& member) const;         ///< whether the member is there
  /// A member as text. Throws when it has more than `limit` bytes.
  std::string text(const std::string& member, uint64_t limit) const;
  /// Bytes that a member takes in the archive, perhaps compressed.
  uint64_t stored_size(const std::string& member) const;
  /// A member that is an HDF5 file. Throws when it must be inflated to more than `limit` bytes.
  io::H5Reader open_h5(const std::string& member, uint64_t limit) const;

 private:
  std::filesystem::path member_path(const std::string& member) const;

  std::string name_;
  std::filesystem::path folder_;                // of a folder
  std::unique_ptr<io::ArchiveReader> archive_;  // of an archive
};

/// Writes members; they appear under the target's name together, in finish().
class PackageWriter {
 public:
  virtual ~PackageWriter() = default;
  /// A member that is text, such as config.json.
  virtual void add_text(const std::string& member, std::string text) = 0;
  /// Where an HDF5 file of about `expected` bytes is to be written: null for one in memory, which
  /// add_bytes takes.
  virtual std::optional<std::filesystem::path> file_for(const std::string& member,
                                                        uint64_t expected) = 0;
  /// A member whose bytes are in memory.
  virtual void add_bytes(const std::string& member, io::Bytes bytes) = 0;
  /// Puts everything in place; without it the target stays as it was.
  virtual void finish() = 0;

  /// Writes a zip archive.
  static std::unique_ptr<PackageWriter> archive(const std::filesystem::path& target);
  /// Writes a folder with a file for each member.
  static std::unique_ptr<PackageWriter> folder(const std::filesystem::path& target);
};

}  // namespace cornu::saving
