// Zip archives as Keras uses them: writing stored members, reading members without trusting them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bytes.h"

namespace cornu::io {

/// How a member's bytes are stored.
enum class Compression : uint8_t { stored, deflate };

/// Writes a zip archive. Members lie in the order of the calls; all carry the time 1980-01-01, so
/// that equal content gives equal files. Members and archives over 4 GiB become zip64.
///
/// The member's bytes are taken when finish() runs. Errors throw FileError.
class ArchiveWriter {
 public:
  /// Fills `out` with the member's bytes from `offset` on. Called with rising offsets.
  using Producer = std::function<void(uint64_t offset, std::span<std::byte> out)>;

  /// Throws when the target's folder is not writable.
  explicit ArchiveWriter(const std::filesystem::path& target);
  ~ArchiveWriter();
  ArchiveWriter(const ArchiveWriter&) = delete;
  ArchiveWriter& operator=(const ArchiveWriter&) = delete;

  /// A member with these bytes. Throws for a name that is taken.
  void add(const std::string& name, Bytes bytes, Compression compression = Compression::stored);
  /// The same with the bytes of a text.
  void add_text(const std::string& name, std::string text);
  /// A member of `size` bytes that is never in memory as a whole.
  void add_stream(const std::string& name, uint64_t size, Producer producer,
                  Compression compression = Compression::stored);
  /// The content of another file.
  void add_file(const std::string& name, const std::filesystem::path& path);

  /// Writes the archive and puts it in place of the target. Without it, nothing happens.
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// What an archive says about one member. Not to be trusted.
struct ArchiveMember {
  std::string name;     ///< with "/" between folders
  uint64_t size = 0;    ///< after inflating
  uint64_t stored = 0;  ///< in the archive
};

/// Reads a zip archive whose origin is unknown. Members are looked up by exact name and read into
/// memory; nothing is extracted. Stored and deflated members are understood. Throws FileError, with
/// the archive's name and the cause, for a missing file, another format, a truncated archive, two
/// members of one name, names that point out of the archive, encryption, a wrong CRC-32, and sizes
/// that cannot be genuine.
class ArchiveReader {
 public:
  /// For read and map: any size.
  static constexpr uint64_t no_limit = UINT64_MAX;

  /// Opens the archive and reads its directory, but no member.
  explicit ArchiveReader(const std::filesystem::path& path);
  ~ArchiveReader();
  ArchiveReader(const ArchiveReader&) = delete;
  ArchiveReader& operator=(const ArchiveReader&) = delete;

  const std::vector<ArchiveMember>& members() const;  ///< in the order of the directory
  bool has(std::string_view name) const;              ///< by exact name
  /// The member's bytes. Throws when it is missing or has more than `limit` bytes; a member over
  /// 64 MiB may not expand to more than 200 times its stored size.
  std::vector<std::byte> read(std::string_view name, uint64_t limit = no_limit);
  /// As read(), but a large stored member comes as a mapping of the archive: no copy in memory. The
  /// result may outlive the reader.
  Bytes map(std::string_view name, uint64_t limit = no_limit);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cornu::io
