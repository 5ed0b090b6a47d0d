// Giving memory of mapped files back.
#include "bytes.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace cornu::saving {

void Bytes::forget(size_t offset, size_t count) const {
  if (!mapped_ || offset > size() || count > size() - offset) return;
  const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto start = (reinterpret_cast<uintptr_t>(data()) + offset + page - 1) / page * page;
  const auto end = (reinterpret_cast<uintptr_t>(data()) + offset + count) / page * page;
  if (start < end) ::madvise(reinterpret_cast<void*>(start), end - start, MADV_DONTNEED);
}

}  // namespace cornu::saving
