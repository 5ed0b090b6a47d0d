// What reading or writing a file changes about the objects that this thread makes meanwhile.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../tensor/tensor.h"

namespace cornu {

class Configurable;

/// While one lives, layers that this thread builds wait for a file to give them their weights: no
/// initial values are drawn, and all weights together may take `limit` bytes. So a config that asks
/// for more than its file can hold is refused before any memory is taken.
class LoadingScope {
 public:
  /// `limit` is in bytes.
  explicit LoadingScope(uint64_t limit);
  /// The same for a model that is made to see whether that can be done, and thrown away: a weight
  /// shares the memory of one of `lent` that has its shape and dtype.
  LoadingScope(uint64_t limit, const std::vector<Tensor>& lent);
  ~LoadingScope();
  LoadingScope(const LoadingScope&) = delete;
  LoadingScope& operator=(const LoadingScope&) = delete;

  /// Room for the value of a weight that waits for it.
  struct Claim {
    std::string path;  ///< of the weight
    Tensor room;       ///< undefined values
  };
  /// Of all weights that were made while it lived; without those of `lent`.
  const std::vector<Claim>& claims() const { return claims_; }

 private:
  friend struct LoadingState;
  uint64_t limit_;
  uint64_t used_ = 0;
  std::map<std::pair<std::string, DType>, Tensor> lent_;  // by shape and dtype
  std::vector<Claim> claims_;
  LoadingScope* outer_;
};

/// Objects that a file mentions several times, by the number that it gives them. Reading: the same
/// object comes back each time. Writing: every object is numbered.
class SharedObjectsScope {
 public:
  /// What happens to a file.
  enum class Mode : uint8_t { reading, writing };
  /// Begins with no numbers.
  explicit SharedObjectsScope(Mode mode);
  ~SharedObjectsScope();
  SharedObjectsScope(const SharedObjectsScope&) = delete;
  SharedObjectsScope& operator=(const SharedObjectsScope&) = delete;

  /// Whether any object has been numbered.
  bool active() const { return !numbers_.empty(); }

 private:
  friend struct LoadingState;
  Mode mode_;
  std::map<int64_t, std::shared_ptr<Configurable>> objects_;
  std::map<const Configurable*, int64_t> numbers_;
  SharedObjectsScope* outer_;
};

namespace detail {

/// Called for every weight before it is made, with its layer's path. Returns room for its value
/// when a file will give it, else nothing. Throws ShapeError for a shape that no memory can hold,
/// and MemoryError beyond the limit.
Tensor claim_weight(const std::string& layer, const std::string& name, const Shape& shape,
                    DType dtype);

/// The object that has this number in the file that is being read, or null.
std::shared_ptr<Configurable> shared_object(int64_t number);
/// Keeps an object under its number while the file is read.
void remember_object(int64_t number, const std::shared_ptr<Configurable>& object);
/// The number of an object in the file that is being written; 0 when none is.
int64_t number_object(const Configurable& object);

}  // namespace detail
}  // namespace cornu
