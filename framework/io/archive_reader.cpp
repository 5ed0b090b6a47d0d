// ArchiveReader over libzip.
#include "archive.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <system_error>

#include "../../backend/error.h"

namespace cornu::io {
namespace {

constexpr uint64_t free_inflation = uint64_t{64} << 20;  ///< no ratio is checked up to this size
constexpr uint64_t inflation_limit = 200;
// libzip reads the whole directory; a bound keeps a made-up one from filling the memory.
constexpr zip_int64_t most_members = 100'000;
constexpr uint64_t map_threshold = uint64_t{1} << 20;  ///< smaller members are copied

/// The archive's file as a libzip source. Reading it ourselves tells where libzip finds a member.
struct File {
  int descriptor = -1;
  uint64_t start = 0;  ///< where the archive begins; other bytes may be in front of it
  uint64_t size = 0;   ///< from there on
  uint64_t position = 0;
  int error = 0;                    ///< errno of the last failure
  uint64_t last_read = UINT64_MAX;  ///< offset of the first read since this was set to the maximum

  ~File() {
    if (descriptor >= 0) ::close(descriptor);
  }

  static zip_int64_t call(void* self, void* data, zip_uint64_t length, zip_source_cmd_t command) {
    return static_cast<File*>(self)->answer(data, length, command);
  }

  zip_int64_t answer(void* data, zip_uint64_t length, zip_source_cmd_t command) {
    switch (command) {
      case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE,
                                              ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE,
                                              ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, -1);
      case ZIP_SOURCE_OPEN:
        position = 0;
        return 0;
      case ZIP_SOURCE_READ: {
        if (last_read == UINT64_MAX) last_read = position;
        ssize_t got;
        do {
          got = ::pread(descriptor, data, std::min<uint64_t>(length, 1u << 30),
                        static_cast<off_t>(start + position));
        } while (got < 0 && errno == EINTR);
        if (got < 0) {
          error = errno;
          return -1;
        }
        position += static_cast<uint64_t>(got);
        return got;
      }
      case ZIP_SOURCE_SEEK: {
        zip_error_t ignored;
        zip_error_init(&ignored);
        const zip_int64_t moved =
            zip_source_seek_compute_offset(position, size, data, length, &ignored);
        zip_error_fini(&ignored);
        if (moved < 0) {
          error = EINVAL;
          return -1;
        }
        position = static_cast<uint64_t>(moved);
        return 0;
      }
      case ZIP_SOURCE_TELL:
        return static_cast<zip_int64_t>(position);
      case ZIP_SOURCE_STAT: {
        auto* status = static_cast<zip_stat_t*>(data);
        zip_stat_init(status);
        status->size = size;
        status->valid |= ZIP_STAT_SIZE;
        return sizeof *status;
      }
      case ZIP_SOURCE_ERROR: {
        zip_error_t report;
        zip_error_init(&report);
        zip_error_set(&report, ZIP_ER_READ, error);
        return zip_error_to_data(&report, data, length);
      }
      default:
        return 0;
    }
  }
};

/// How many bytes are in front of the archive, as in one that unpacks itself. Its last record says
/// how long the list of members is, which is just in front of it, and where that begins, counted
/// from the archive's start. 0 where nothing fits.
uint64_t bytes_in_front(const File& file) {
  constexpr uint64_t record = 22, longest_comment = 0xffff, locator64 = 20, record64 = 56;
  const auto read = [&](uint64_t at, uint64_t count) {
    std::string bytes(count, '\0');
    const ssize_t got = ::pread(file.descriptor, bytes.data(), count, static_cast<off_t>(at));
    bytes.resize(got < 0 ? 0 : static_cast<size_t>(got));
    return bytes;
  };
  const auto number = [](const std::string& bytes, size_t at, size_t count) {
    uint64_t n = 0;
    for (size_t i = count; i-- > 0;) n = n << 8 | static_cast<uint8_t>(bytes.at(at + i));
    return n;
  };
  if (file.size < record) return 0;
  const uint64_t from = file.size - std::min(file.size, record + longest_comment);
  const std::string tail = read(from, file.size - from);
  if (tail.size() < record) return 0;
  const size_t place = tail.rfind(std::string_view("PK\5\6"), tail.size() - record);
  if (place == tail.npos) return 0;
  uint64_t end = from + place, size = number(tail, place + 12, 4),
           offset = number(tail, place + 16, 4);
  if (end >= locator64 + record64) {
    const std::string large = read(end - locator64 - record64, record64 + locator64);
    if (large.size() == record64 + locator64 && large.starts_with("PK\6\6") &&
        large.compare(record64, 4, "PK\6\7") == 0) {
      end -= locator64 + record64;
      size = number(large, 40, 8);
      offset = number(large, 48, 8);
    }
  }
  if (size > end || offset > end - size) return 0;
  return read(end - size, 4) == "PK\1\2" ? end - size - offset : 0;
}

/// Whether a member's name would lead elsewhere for a program that unpacks the archive. Nothing is
/// unpacked here, but no honest program writes such a name.
bool leaves_archive(std::string_view name) {
  if (name.starts_with('/') || name.find('\\') != name.npos || (name.size() > 1 && name[1] == ':'))
    return true;
  while (!name.empty()) {
    const size_t slash = name.find('/');
    if (name.substr(0, slash) == "..") return true;
    name.remove_prefix(slash == name.npos ? name.size() : slash + 1);
  }
  return false;
}

/// Closes an open member on every way out.
struct OpenMember {
  zip_file_t* file;
  ~OpenMember() {
    if (file != nullptr) zip_fclose(file);
  }
};

}  // namespace

struct ArchiveReader::Impl {
  std::string path;
  File file;
  zip_t* archive = nullptr;
  std::vector<ArchiveMember> members;
  std::map<std::string, size_t, std::less<>> index;

  ~Impl() {
    if (archive != nullptr) zip_discard(archive);
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw FileError("'" + path + "' " + why + ".");
  }

  [[noreturn]] void fail_member(std::string_view name, const std::string& why) const {
    fail("cannot be read: member '" + std::string(name) + "' " + why);
  }

  std::string try_open();
  void open();
  void list();
  OpenMember start(std::string_view name, uint64_t limit, zip_stat_t& status);
  /// Reads the next bytes; less than asked for only at the member's end, where libzip has compared
  /// the CRC-32 by the time that 0 comes back.
  size_t next(zip_file_t* member, std::string_view name, std::span<std::byte> out) const;
  /// Fails unless the member ends here.
  void expect_end(zip_file_t* member, std::string_view name) const;
};

// Opens the archive, or says why not.
std::string ArchiveReader::Impl::try_open() {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_function_create(&File::call, &file, &error);
  if (source != nullptr) archive = zip_open_from_source(source, ZIP_RDONLY, &error);
  if (archive != nullptr) return {};
  const std::string why = zip_error_strerror(&error);
  zip_error_fini(&error);
  if (source != nullptr) zip_source_free(source);
  return why;
}

void ArchiveReader::Impl::open() {
  file.descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file.descriptor < 0)
    throw FileError("Cannot open '" + path + "': " + std::generic_category().message(errno) + ".");
  struct stat status {};
  if (::fstat(file.descriptor, &status) != 0 || !S_ISREG(status.st_mode))
    fail("is not a regular file; expected a zip archive");
  file.size = static_cast<uint64_t>(status.st_size);
  if (file.size == 0) fail("is empty; expected a zip archive");

  std::string why = try_open();
  if (archive != nullptr) return;
  if (const uint64_t front = bytes_in_front(file); front > 0) {
    file.start = front;
    file.size -= front;
    why = try_open();
    if (archive != nullptr) return;
  }
  char magic[4] = {};
  const bool zip_start =
      ::pread(file.descriptor, magic, 4, 0) == 4 && std::memcmp(magic, "PK\3\4", 4) == 0;
  if (zip_start) fail("is a truncated or damaged zip archive (" + why + ")");
  fail("is not a zip archive (" + why + ")");
}

void ArchiveReader::Impl::list() {
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  if (count > most_members)
    fail("has " + std::to_string(count) + " members; at most " + std::to_string(most_members) +
         " are accepted");
  for (zip_int64_t i = 0; i < count; ++i) {
    zip_stat_t status;
    if (zip_stat_index(archive, static_cast<zip_uint64_t>(i), ZIP_FL_ENC_RAW, &status) < 0 ||
        status.name == nullptr)
      fail("is a damaged zip archive: member " + std::to_string(i) + " has no valid entry (" +
           zip_strerror(archive) + ")");
    constexpr zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE;
    if ((status.valid & needed) != needed)
      fail("is a damaged zip archive: member '" + std::string(status.name) + "' has no size");
    if (leaves_archive(status.name))
      fail("is refused: the name of member '" + std::string(status.name) +
           "' points out of the archive");
    // Readers differ in which of two equal names they take, which hides contents from checks.
    if (!index.emplace(status.name, members.size()).second)
      fail("is refused: it has two members with the name '" + std::string(status.name) + "'");
    members.push_back({status.name, status.size, status.comp_size});
  }
}

OpenMember ArchiveReader::Impl::start(std::string_view name, uint64_t limit, zip_stat_t& status) {
  const auto found = index.find(name);
  if (found == index.end()) fail("has no member '" + std::string(name) + "'");
  if (zip_stat_index(archive, found->second, 0, &status) < 0)
    fail_member(name, std::string("has no valid entry (") + zip_strerror(archive) + ")");
  const auto bytes = [](uint64_t count) { return std::to_string(count) + " bytes"; };
  if ((status.valid & ZIP_STAT_ENCRYPTION_METHOD) && status.encryption_method != ZIP_EM_NONE)
    fail_member(name, "is encrypted");
  if (status.comp_method != ZIP_CM_STORE && status.comp_method != ZIP_CM_DEFLATE)
    fail_member(name, "is compressed by method " + std::to_string(status.comp_method) +
                          "; only stored and deflated members are understood");
  // Checked before any memory is taken for the member.
  if (status.comp_size > file.size)
    fail_member(name, "claims " + bytes(status.comp_size) + " of a file of " + bytes(file.size));
  if (status.comp_method == ZIP_CM_STORE && status.size != status.comp_size)
    fail_member(name,
                "is stored, but claims " + bytes(status.size) + " in " + bytes(status.comp_size));
  if (status.size > limit)
    fail_member(
        name, "has " + bytes(status.size) + ", more than the " + bytes(limit) + " allowed for it");
  if (status.size > free_inflation && status.size / inflation_limit > status.comp_size)
    fail_member(name, "would grow from " + bytes(status.comp_size) + " to " + bytes(status.size) +
                          ", more than " + std::to_string(inflation_limit) + " times");
  OpenMember member{zip_fopen_index(archive, found->second, 0)};
  if (member.file == nullptr) fail_member(name, zip_strerror(archive));
  return member;
}

size_t ArchiveReader::Impl::next(zip_file_t* member, std::string_view name,
                                 std::span<std::byte> out) const {
  size_t done = 0;
  while (done < out.size()) {
    const zip_int64_t got = zip_fread(member, out.data() + done, out.size() - done);
    if (got < 0) {
      zip_error_t* error = zip_file_get_error(member);
      if (zip_error_code_zip(error) == ZIP_ER_CRC)
        fail_member(name, "is damaged: its CRC-32 does not match its content");
      fail_member(name, std::string("is damaged (") + zip_error_strerror(error) + ")");
    }
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

void ArchiveReader::Impl::expect_end(zip_file_t* member, std::string_view name) const {
  std::byte more[1];
  if (next(member, name, more) != 0) fail_member(name, "is longer than the archive says");
}

ArchiveReader::ArchiveReader(const std::filesystem::path& path) : impl_(std::make_unique<Impl>()) {
  impl_->path = path.string();
  impl_->open();
  impl_->list();
}

ArchiveReader::~ArchiveReader() = default;

const std::vector<ArchiveMember>& ArchiveReader::members() const { return impl_->members; }

bool ArchiveReader::has(std::string_view name) const {
  return impl_->index.find(name) != impl_->index.end();
}

std::vector<std::byte> ArchiveReader::read(std::string_view name, uint64_t limit) {
  zip_stat_t status;
  const OpenMember member = impl_->start(name, limit, status);
  std::vector<std::byte> bytes(status.size);
  if (impl_->next(member.file, name, bytes) != bytes.size())
    impl_->fail_member(name, "is shorter than the archive says");
  // Reading on to the end also makes libzip check the CRC-32.
  impl_->expect_end(member.file, name);
  return bytes;
}

Bytes ArchiveReader::map(std::string_view name, uint64_t limit) {
  zip_stat_t status;
  File& file = impl_->file;
  const OpenMember member = impl_->start(name, limit, status);
  if (status.comp_method != ZIP_CM_STORE || status.size < map_threshold)
    return Bytes::of(read(name, limit));

  // libzip does not say where a member's bytes lie, but its first read of them does. Everything is
  // read once through libzip, which checks the CRC-32, and compared with what is mapped there.
  std::vector<std::byte> block(size_t{1} << 18);
  file.last_read = UINT64_MAX;
  size_t got = impl_->next(member.file, name, block);
  const uint64_t start = file.last_read;
  if (start > file.size || status.size > file.size - start) return Bytes::of(read(name, limit));
  const Bytes bytes = Bytes::map(file.descriptor, file.start + start, status.size);
  if (bytes.size() == 0) return Bytes::of(read(name, limit));
  size_t done = 0;
  while (got > 0) {
    if (got > bytes.size() - done || std::memcmp(bytes.data() + done, block.data(), got) != 0)
      return Bytes::of(read(name, limit));
    // The pages have been compared; they are read again only where weights are used.
    bytes.forget(done, got);
    done += got;
    got = impl_->next(member.file, name, block);
  }
  if (done != bytes.size()) impl_->fail_member(name, "is shorter than the archive says");
  return bytes;
}

}  // namespace cornu::io
