// Copies of filters in the layout that a kernel wants, which stay with it.
#pragma once
#include <cstddef>
#include <memory>

namespace cornu::backend::cpu {

/// A kernel's copy. Kernels whose copies are equal share one: a network that is compiled for
/// several batch sizes does not hold its weights as often. From the CPU's allocator; thread-safe as
/// far as different objects are concerned.
class KeptFilters {
 public:
  /// A new place for `bytes`, to be written to before `share` is called.
  void* make(size_t bytes);
  /// Takes the place of an equal copy if there is one. What is there does not change any more.
  void share();
  /// Null before the first `make`.
  void* data() const;

 private:
  class Block;
  std::shared_ptr<Block> block_;
};

}  // namespace cornu::backend::cpu
