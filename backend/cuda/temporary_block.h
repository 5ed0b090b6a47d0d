// Memory of a device for the launches of one run.
#pragma once
#include "../backend.h"

namespace cornu::backend::cuda {

/// A block that goes back at the end of its scope. What is launched later may get the same.
class TemporaryBlock {
 public:
  TemporaryBlock(Allocator& allocator, size_t bytes)
      : allocator_(allocator), bytes_(bytes), data_(allocator.allocate(bytes)) {}
  TemporaryBlock(const TemporaryBlock&) = delete;
  ~TemporaryBlock() { allocator_.deallocate(data_, bytes_); }
  void* data() const { return data_; }

 private:
  Allocator& allocator_;
  size_t bytes_;
  void* data_;
};

}  // namespace cornu::backend::cuda
