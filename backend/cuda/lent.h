// Memory of a device for the launches of one run.
#pragma once
#include "../backend.h"

namespace cornu::backend::cuda {

/// A block that goes back at the end of its scope. What is launched later may get the same.
class Lent {
 public:
  Lent(Allocator& allocator, size_t bytes)
      : allocator_(allocator), bytes_(bytes), data_(allocator.allocate(bytes)) {}
  Lent(const Lent&) = delete;
  ~Lent() { allocator_.deallocate(data_, bytes_); }
  void* data() const { return data_; }

 private:
  Allocator& allocator_;
  size_t bytes_;
  void* data_;
};

}  // namespace cornu::backend::cuda
