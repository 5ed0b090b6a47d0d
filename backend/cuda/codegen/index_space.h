// The iteration space of a generated kernel: axes merged over all operands, and the text that turns
// flat indices into offsets.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "../../backend.h"

namespace cornu::backend::cuda {

/// n / divisor == (high 32 bits of n * multiplier + n) >> shift, for n < 2^31.
struct Divider {
  uint32_t multiplier, shift;
};
/// For a divisor from 1 to 2^31.
Divider divider_of(uint32_t divisor);

/// Neighboring axes of the iteration space that every operand has, or lacks, alike.
struct SpaceAxis {
  int64_t size = 1;
  bool reduced = false;
  std::vector<int64_t> strides;  ///< of each input, in elements; 0 where it is broadcast
};

/// The axes, outermost first; none has size 1. Inputs that `program` does not read have strides 0
/// and keep no axes apart.
struct IndexSpace {
  IndexSpace(const Shape& shape, const Program& program, std::span<const Operand> inputs,
             std::span<const int> reduced_axes = {});

  std::vector<SpaceAxis> axes;
  int64_t numel = 1;
  /// Whether input `i` is one element for all indices.
  bool scalar(size_t i) const;
  /// Whether input `i` has an element of its own for each index.
  bool dense(size_t i) const;
};

/// Indices need 64 bits.
inline bool is_wide(int64_t numel) { return numel >= int64_t{1} << 31; }

/// The arguments of a kernel while its text is written.
class ArgumentList {
 public:
  /// The expression of the pointer to an operand's elements.
  std::string pointer(int operand, const std::string& type);
  /// The expression of a number that may change without the text.
  std::string word(uint64_t value, const std::string& type);
  std::string number(double value);
  /// struct Arguments { ... };
  std::string declaration() const;

  const std::vector<int>& pointers() const { return pointers_; }
  const std::vector<uint64_t>& words() const { return words_; }

 private:
  std::vector<int> pointers_;
  std::vector<uint64_t> words_;
};

/// Lines that define the coordinates c<axis> on `axes` (numbers into space.axes, outermost first)
/// of the index named `flat`. Sizes are divided by `last_unit` on the innermost axis.
std::string coordinates(const IndexSpace& space, std::span<const int> axes, const std::string& flat,
                        int64_t last_unit, const std::string& indent, ArgumentList& arguments);

/// The sum of coordinates c<axis> times strides of input `i`, or "". Coordinates on the innermost
/// axis of the space count `last_unit` elements.
std::string offset(const IndexSpace& space, size_t i, std::span<const int> axes, int64_t last_unit,
                   ArgumentList& arguments);

/// Blocks of `threads` that cover `items`, at most `most`.
uint32_t blocks_for(int64_t items, int64_t threads, int64_t most);

}  // namespace cornu::backend::cuda
