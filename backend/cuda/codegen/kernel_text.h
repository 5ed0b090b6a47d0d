// Kernels written as one text with named arguments: how all kernels but the elementwise ones are
// generated.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "index_space.h"
#include "kernel_plan.h"
#include "program_text.h"

namespace cornu::backend::cuda {

/// An axis of boxes that several arrays walk through together.
struct BoxAxis {
  int64_t size = 1;
  std::vector<int64_t> strides;  ///< of each array, in elements
};

/// Lines that put together what the `lanes` threads of a row have in shared[256], by `together`;
/// the first of them has the result. @BARRIER@ is that of a warp where the lanes lie in one.
extern const char* const fold_lanes;
/// Lines that add up what the `lanes` rows of a block's threads, `width` side by side, have in
/// shared[pack][256]; the first row has the result.
extern const char* const fold_columns;

/// The same walk with as few axes as possible, of which none has size 1.
std::vector<BoxAxis> merged(std::span<const BoxAxis> axes);

/// Strides of a dense array along the axes of `shape`, to which it broadcasts.
std::vector<int64_t> broadcast_strides(const Shape& own, const Shape& shape);

/// Collects the names that a kernel's code uses; every name is a constant of the whole block. The
/// code may use the types Index (unsigned), Offset (signed) and Divisor, and what kernel_text.cpp
/// puts before it. Numbers that may change without the text are arguments.
class KernelText {
 public:
  /// Indices and offsets are smaller than `largest` in size.
  explicit KernelText(int64_t largest) : wide_(is_wide(largest)) {}

  void type(const std::string& name, const std::string& is);
  void type(const std::string& name, DType is) { type(name, type_text(is)); }
  /// A number that is part of the text.
  void constant(const std::string& name, int64_t value);
  /// "type* const name", `offset` bytes (a multiple of 16) into the operand.
  void pointer(const std::string& name, int operand, const std::string& type, size_t offset = 0);
  void index(const std::string& name, int64_t value);
  void offset(const std::string& name, int64_t value);
  /// An unsigned number of 64 bits.
  void bits(const std::string& name, uint64_t value);
  void number(const std::string& name, double value);
  /// divide(n, name) and rest(n, name) divide an index by it.
  void divisor(const std::string& name, int64_t value);

  /// Lines that define `Offset <names[k]>`, where array k stands for the index named `flat` of the
  /// box; one line for each name.
  std::string walk(std::span<const BoxAxis> axes, const std::string& flat,
                   const std::vector<std::string>& names);

  /// The stage of a kernel with these functions before it and this body.
  Stage stage(const std::string& kind, const std::string& functions, const std::string& body,
              int64_t grid_x, int64_t grid_y = 1) const;

 private:
  bool wide_;
  int walks_ = 0;
  ArgumentList arguments_;
  std::string types_, names_;
};

/// The type of sums of products of these operands: the float that holds them all, else unsigned
/// integers as wide as the result.
DType product_type(std::span<const Operand> operands, const Operand& output);

/// Blocks of a loop over `items` with a stride.
int64_t loop_blocks(int64_t items, int multiprocessors);

/// The head and the end of such a loop: the code between them sees the index `i`.
extern const char* const loop_begin;  ///< over `count`
extern const char* const loop_end;

/// Elements of the unsigned type of this size: "uint8" to "uint64", and 16 bytes.
std::string unit_text(size_t bytes);

}  // namespace cornu::backend::cuda
