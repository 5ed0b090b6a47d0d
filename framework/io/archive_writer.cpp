// ArchiveWriter over libzip, which writes straight into an AtomicFile.
#include <zip.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <fstream>

#include "../../backend/error.h"
#include "archive.h"
#include "atomic_file.h"

namespace cornu::io {
namespace {

// libzip sees the archive and each member as a "source": a callback that answers commands. No
// exception may pass through libzip, so the callbacks keep the first one for finish() to rethrow.

struct Failure {
  std::exception_ptr first;

  zip_int64_t keep() {
    if (!first) first = std::current_exception();
    return -1;
  }
};

zip_int64_t report_error(void* data, zip_uint64_t length) {
  zip_error_t error;
  zip_error_init_with_code(&error, ZIP_ER_WRITE);
  return zip_error_to_data(&error, data, length);
}

/// The archive as a source that starts empty and is written from front to back with some patching.
struct Target {
  AtomicFile file;
  Failure* failure;
  uint64_t position = 0;

  static zip_int64_t call(void* self, void* data, zip_uint64_t length, zip_source_cmd_t command) {
    Target& target = *static_cast<Target*>(self);
    try {
      return target.answer(data, length, command);
    } catch (...) {
      return target.failure->keep();
    }
  }

  zip_int64_t answer(void* data, zip_uint64_t length, zip_source_cmd_t command) {
    switch (command) {
      case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(
            ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR,
            ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, ZIP_SOURCE_BEGIN_WRITE,
            ZIP_SOURCE_COMMIT_WRITE, ZIP_SOURCE_ROLLBACK_WRITE, ZIP_SOURCE_WRITE,
            ZIP_SOURCE_SEEK_WRITE, ZIP_SOURCE_TELL_WRITE, ZIP_SOURCE_REMOVE, -1);
      case ZIP_SOURCE_STAT: {
        auto* status = static_cast<zip_stat_t*>(data);
        zip_stat_init(status);
        status->size = 0;
        status->valid |= ZIP_STAT_SIZE;
        return sizeof *status;
      }
      case ZIP_SOURCE_WRITE:
        file.write_at(position, {static_cast<const std::byte*>(data), length});
        position += length;
        end = std::max(end, position);
        return static_cast<zip_int64_t>(length);
      case ZIP_SOURCE_SEEK_WRITE: {
        zip_error_t error;
        zip_error_init(&error);
        const zip_int64_t moved =
            zip_source_seek_compute_offset(position, end, data, length, &error);
        zip_error_fini(&error);
        if (moved < 0) return -1;
        position = static_cast<uint64_t>(moved);
        return 0;
      }
      case ZIP_SOURCE_TELL_WRITE:
        return static_cast<zip_int64_t>(position);
      case ZIP_SOURCE_ERROR:
        return report_error(data, length);
      default:  // Opening, closing, committing and freeing need nothing; reading finds no byte.
        return 0;
    }
  }

  uint64_t end = 0;
};

/// One member as a source that is read once from front to back.
struct MemberSource {
  uint64_t size;
  ArchiveWriter::Producer producer;
  Failure* failure;
  uint64_t position = 0;

  static zip_int64_t call(void* self, void* data, zip_uint64_t length, zip_source_cmd_t command) {
    auto* member = static_cast<MemberSource*>(self);
    switch (command) {
      case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE,
                                              ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE,
                                              -1);
      case ZIP_SOURCE_OPEN:
        member->position = 0;
        return 0;
      case ZIP_SOURCE_READ: {
        const uint64_t count = std::min<uint64_t>(length, member->size - member->position);
        try {
          if (count > 0) member->producer(member->position, {static_cast<std::byte*>(data), count});
        } catch (...) {
          return member->failure->keep();
        }
        member->position += count;
        return static_cast<zip_int64_t>(count);
      }
      case ZIP_SOURCE_STAT: {
        auto* status = static_cast<zip_stat_t*>(data);
        zip_stat_init(status);
        status->size = member->size;
        status->valid |= ZIP_STAT_SIZE;
        return sizeof *status;
      }
      case ZIP_SOURCE_ERROR:
        return report_error(data, length);
      case ZIP_SOURCE_FREE:
        delete member;  // Made by add_stream() and owned by libzip from then on.
        return 0;
      default:
        return 0;
    }
  }
};

}  // namespace

struct ArchiveWriter::Impl {
  Failure failure;
  Target target;
  zip_t* archive = nullptr;

  explicit Impl(const std::filesystem::path& path) : target{AtomicFile(path), &failure} {}
  ~Impl() {
    if (archive != nullptr) zip_discard(archive);
  }

  [[noreturn]] void fail(const std::string& what, const char* why) {
    if (failure.first) std::rethrow_exception(failure.first);
    throw FileError("Cannot write '" + target.file.target().string() + "': " + what + " (" + why +
                    ").");
  }
};

ArchiveWriter::ArchiveWriter(const std::filesystem::path& path)
    : impl_(std::make_unique<Impl>(path)) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_function_create(&Target::call, &impl_->target, &error);
  if (source != nullptr)
    impl_->archive = zip_open_from_source(source, ZIP_CREATE | ZIP_TRUNCATE, &error);
  if (impl_->archive == nullptr) {
    const std::string why = zip_error_strerror(&error);
    zip_error_fini(&error);
    if (source != nullptr) zip_source_free(source);
    impl_->fail("cannot start a zip archive", why.c_str());
  }
}

ArchiveWriter::~ArchiveWriter() = default;

void ArchiveWriter::add(const std::string& name, Bytes bytes, Compression compression) {
  const uint64_t size = bytes.size();
  add_stream(
      name, size,
      [bytes = std::move(bytes)](uint64_t offset, std::span<std::byte> out) {
        std::memcpy(out.data(), bytes.data() + offset, out.size());
      },
      compression);
}

void ArchiveWriter::add_text(const std::string& name, std::string text) {
  add(name, Bytes::of(std::move(text)));
}

void ArchiveWriter::add_stream(const std::string& name, uint64_t size, Producer producer,
                               Compression compression) {
  zip_t* archive = impl_->archive;
  if (archive == nullptr)
    throw StateError("ArchiveWriter: finish() was called; no member can be added after it.");
  auto member =
      std::make_unique<MemberSource>(MemberSource{size, std::move(producer), &impl_->failure});
  zip_source_t* source = zip_source_function(archive, &MemberSource::call, member.get());
  if (source == nullptr) impl_->fail("cannot add member '" + name + "'", zip_strerror(archive));
  // From here on libzip owns the source, and frees it with ZIP_SOURCE_FREE.
  (void)member.release();
  const zip_int64_t index = zip_file_add(archive, name.c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    impl_->fail("cannot add member '" + name + "'", zip_strerror(archive));
  }
  // A date in the format of DOS: year since 1980, month, day.
  constexpr zip_uint16_t first_of_january_1980 = (0 << 9) | (1 << 5) | 1;
  const auto at = static_cast<zip_uint64_t>(index);
  const zip_int32_t method = compression == Compression::stored ? ZIP_CM_STORE : ZIP_CM_DEFLATE;
  if (zip_set_file_compression(archive, at, method, 0) < 0 ||
      zip_file_set_dostime(archive, at, 0, first_of_january_1980, 0) < 0)
    impl_->fail("cannot set up member '" + name + "'", zip_strerror(archive));
}

void ArchiveWriter::add_file(const std::string& name, const std::filesystem::path& path) {
  auto stream = std::make_shared<std::ifstream>(path, std::ios::binary);
  std::error_code error;
  const uint64_t size = std::filesystem::file_size(path, error);
  if (!*stream || error)
    throw FileError("Cannot read '" + path.string() + "' to put it into '" +
                    impl_->target.file.target().string() + "'.");
  add_stream(name, size, [stream, path](uint64_t offset, std::span<std::byte> out) {
    stream->seekg(static_cast<std::streamoff>(offset));
    stream->read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(out.size()));
    if (!*stream) throw FileError("Cannot read '" + path.string() + "' to its end.");
  });
}

void ArchiveWriter::finish() {
  zip_t* archive = impl_->archive;
  if (archive == nullptr) throw StateError("ArchiveWriter: finish() was called twice.");
  if (zip_get_num_entries(archive, 0) == 0)
    throw StateError("ArchiveWriter: an archive needs at least one member; call add() first.");
  if (zip_close(archive) < 0) impl_->fail("cannot write the members", zip_strerror(archive));
  impl_->archive = nullptr;
  impl_->target.file.commit();
}

}  // namespace cornu::io
