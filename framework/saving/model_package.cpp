// Archives and folders behind one interface.
#include "model_package.h"

#include <fmt/core.h>

#include <system_error>
#include <vector>

#include "../../backend/error.h"
#include "../io/atomic_file.h"

namespace cornu::saving {
namespace {

namespace fs = std::filesystem;

/// Files of weights over this size are written to the disk first, so that they are not in memory
/// twice.
constexpr uint64_t in_memory = uint64_t{64} << 20;

}  // namespace

PackageReader::PackageReader(const fs::path& path) : name_(path.string()) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored))
    folder_ = path;
  else
    archive_ = std::make_unique<io::ArchiveReader>(path);
}

fs::path PackageReader::member_path(const std::string& member) const {
  fs::path path = folder_;
  for (const fs::path& step : fs::path(member)) {
    path /= step;
    std::error_code ignored;
    if (step == ".." || step == "." || fs::is_symlink(fs::symlink_status(path, ignored)))
      throw FileError(fmt::format(
          "'{}': '{}' is refused: it is a link, or leads out of the folder.", name_, member));
  }
  return path;
}

bool PackageReader::has(const std::string& member) const {
  if (archive_) return archive_->has(member);
  std::error_code ignored;
  return fs::is_regular_file(member_path(member), ignored);
}

std::string PackageReader::text(const std::string& member, uint64_t limit) const {
  const std::vector<std::byte> bytes =
      archive_ ? archive_->read(member, limit) : io::read_file(member_path(member), limit);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

uint64_t PackageReader::stored_size(const std::string& member) const {
  if (!archive_) {
    std::error_code ignored;
    const uintmax_t size = fs::file_size(member_path(member), ignored);
    return ignored ? 0 : size;
  }
  for (const io::ArchiveMember& m : archive_->members())
    if (m.name == member) return m.stored;
  return 0;
}

io::H5Reader PackageReader::open_h5(const std::string& member, uint64_t limit) const {
  if (!archive_) return io::H5Reader(member_path(member));
  bool inflated = false;
  for (const io::ArchiveMember& m : archive_->members())
    if (m.name == member) inflated = m.size != m.stored;
  return io::H5Reader(archive_->map(member, inflated ? limit : io::ArchiveReader::no_limit), name_);
}

namespace {

class ArchivePackage : public PackageWriter {
 public:
  explicit ArchivePackage(const fs::path& target) : target_(target), archive_(target) {}
  void add_text(const std::string& member, std::string text) override {
    archive_.add_text(member, std::move(text));
  }
  std::optional<fs::path> file_for(const std::string& member, uint64_t expected) override {
    if (expected <= in_memory) return std::nullopt;
    if (!scratch_) scratch_ = std::make_unique<io::ScratchFolder>(target_);
    const fs::path path = scratch_->path() / member;
    files_.emplace_back(member, path);
    return path;
  }
  void add_bytes(const std::string& member, io::Bytes bytes) override {
    archive_.add(member, std::move(bytes));
  }
  void finish() override {
    for (const auto& [member, path] : files_) archive_.add_file(member, path);
    archive_.finish();
  }

 private:
  fs::path target_;
  io::ArchiveWriter archive_;
  std::unique_ptr<io::ScratchFolder> scratch_;  // of large members
  std::vector<std::pair<std::string, fs::path>> files_;
};

class FolderPackage : public PackageWriter {
 public:
  explicit FolderPackage(const fs::path& target) : target_(target) {
    if (!target_.has_filename()) target_ = target_.parent_path();  // "model/"
    std::error_code ignored;
    if (fs::exists(fs::symlink_status(target_, ignored)) &&
        (!fs::is_directory(fs::symlink_status(target_, ignored)) ||
         (!fs::is_empty(target_, ignored) && !fs::exists(target_ / "config.json", ignored))))
      throw FileError(
          fmt::format("'{}' is there already and is no folder with a model; it is not replaced.",
                      target_.string()));
    scratch_ = std::make_unique<io::ScratchFolder>(target_);
  }
  void add_text(const std::string& member, std::string text) override {
    add_bytes(member, io::Bytes::of(std::move(text)));
  }
  std::optional<fs::path> file_for(const std::string& member, uint64_t) override {
    return place(member);
  }
  void add_bytes(const std::string& member, io::Bytes bytes) override {
    io::write_file(place(member), bytes.span());
  }
  void finish() override { scratch_->commit(); }

 private:
  fs::path place(const std::string& member) {
    const fs::path path = scratch_->path() / member;
    io::make_folder(path.parent_path(), fmt::format("'{}' of '{}'", member, target_.string()));
    return path;
  }

  fs::path target_;
  std::unique_ptr<io::ScratchFolder> scratch_;
};

}  // namespace

std::unique_ptr<PackageWriter> PackageWriter::archive(const fs::path& target) {
  return std::make_unique<ArchivePackage>(target);
}

std::unique_ptr<PackageWriter> PackageWriter::folder(const fs::path& target) {
  return std::make_unique<FolderPackage>(target);
}

}  // namespace cornu::saving
