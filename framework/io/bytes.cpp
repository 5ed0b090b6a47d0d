// Mapping files into memory, and giving that back.
#include "bytes.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cornu::io {

Bytes Bytes::map(int descriptor, uint64_t offset, uint64_t size) {
  if (size == 0) return {};
  const uint64_t skipped = offset % static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  const size_t length = size + skipped;
  void* const address = ::mmap(nullptr, length, PROT_READ, MAP_PRIVATE, descriptor,
                               static_cast<off_t>(offset - skipped));
  if (address == MAP_FAILED) return {};
  Bytes result(std::shared_ptr<const void>(
                   address, [length](const void* at) { ::munmap(const_cast<void*>(at), length); }),
               {static_cast<const std::byte*>(address) + skipped, size});
  result.mapped_ = true;
  return result;
}

Bytes Bytes::map(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  struct stat status = {};
  const bool known = ::fstat(file, &status) == 0 && status.st_size > 0;
  Bytes result = known ? map(file, 0, static_cast<uint64_t>(status.st_size)) : Bytes();
  ::close(file);
  return result;
}

void Bytes::forget(size_t offset, size_t count) const {
  if (!mapped_ || offset > size() || count > size() - offset) return;
  const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto start = (reinterpret_cast<uintptr_t>(data()) + offset + page - 1) / page * page;
  const auto end = (reinterpret_cast<uintptr_t>(data()) + offset + count) / page * page;
  if (start < end) ::madvise(reinterpret_cast<void*>(start), end - start, MADV_DONTNEED);
}

}  // namespace cornu::io
