// What compositions are written with: values on a device, and kernels by name.
#pragma once
#include <initializer_list>
#include <list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "compositions.h"

namespace cornu::backend {

/// An array on the device: an operand of the composed kernel, a scratch array, or a part of one.
struct Value {
  Shape shape;                   ///< dense and row-major
  DType dtype = DType::float32;  ///< of the elements
  void* data = nullptr;          ///< on the device

  Value() = default;
  /// An array at an address.
  Value(const Shape& s, DType d, void* p) : shape(s), dtype(d), data(p) {}
  /// An operand of the composed kernel.
  explicit Value(const Operand& operand)
      : shape(*operand.shape), dtype(operand.dtype), data(operand.data) {}

  Value as(const Shape& other) const {
    return {other, dtype, data};
  }  ///< the same memory under another shape
  /// Element i of the outermost axis. Its address is aligned only if its size is.
  Value at(int64_t i) const {
    const Shape rest = shape.slice(1);
    const int64_t bytes = rest.numel() * static_cast<int64_t>(size_of(dtype));
    return {rest, dtype, static_cast<char*>(data) + i * bytes};
  }
  /// Elements [begin, end) of the outermost axis.
  Value range(int64_t begin, int64_t end) const {
    Value part = at(begin);
    part.shape.insert(0, end - begin);
    return part;
  }
};

/// Numbers in the host's memory that never change; `data` is aligned to 64.
struct Constant {
  Shape shape;                   ///< dense and row-major
  DType dtype = DType::float32;  ///< of the elements
  std::shared_ptr<void> data;    ///< in host memory
};

/// Runs kernels, and owns scratch memory until it is destroyed.
class Composer {
 public:
  /// For one run of a kernel on `backend`; `compute` is the type of scratch arrays.
  Composer(Backend& backend, DType compute, KeptConstants* kept = nullptr)
      : compute(compute), backend_(backend), kept_(kept) {}
  Composer(const Composer&) = delete;
  Composer& operator=(const Composer&) = delete;
  ~Composer();

  const DType compute;  ///< float32 or float64, the type of scratch arrays

  bool on_host() const { return backend_.on_host(); }  ///< whether the device is the host
  /// A scratch array of the compute type, with undefined values.
  Value make(const Shape& shape);
  /// The same of another type.
  Value make(const Shape& shape, DType dtype);
  /// Runs a kernel on values.
  void run(const Kernel& kernel, std::initializer_list<Value> inputs,
           std::initializer_list<Value> outputs);
  /// The same for lists that are built.
  void run(const Kernel& kernel, const std::vector<Value>& inputs,
           const std::vector<Value>& outputs);

  /// The same numbers on the device: themselves where that is the host, else a copy, which is kept
  /// for later runs if there is somebody to keep it.
  Value constant(const Constant& constant);
  /// What `find` gives, a shared pointer to something that has constants; in later runs the same.
  template <class F>
  auto owner(F&& find) {
    using Pointer = decltype(find());
    if (kept_ == nullptr) return find();
    if (!kept_->owner) kept_->owner = find();
    return std::static_pointer_cast<typename Pointer::element_type>(kept_->owner);
  }
  /// The operand in the compute type: itself or a copy.
  Value load(const Operand& operand);
  /// Copies `from`, permuted and cut to the output's size, to the output's start, in its type.
  void give(const Value& from, std::span<const Copy::Part> parts, const Operand& output);
  /// The same for a value of the output's shape.
  void give(const Value& from, const Operand& output);
  /// A new array of this shape: the parts of `from`, and zeros.
  Value arranged(const Value& from, std::span<const Copy::Part> parts, const Shape& shape);
  void zero(const Value& value);  ///< fills it with zeros
  /// A new array with a program's result.
  Value fused(const ProgramRef& program, std::initializer_list<Value> inputs, const Shape& shape);
  /// A new array with a matrix product; see Matmul.
  Value product(const Value& a, const Value& b, const Shape& shape, bool transpose_a,
                bool transpose_b);

 private:
  Backend& backend_;
  KeptConstants* kept_;
  std::list<std::pair<void*, size_t>> memory_;
};

/// The part that moves a box of `sizes` from a dense array of shape `from` to one of shape `to`.
/// `axes[i]` is the axis of `from` that becomes axis i of `to`; `from_at` and `to_at` are where the
/// box begins, each 0 where it is empty; `flipped` is an axis of `to` that is read backwards, or
/// -1.
Copy::Part part_of(const Shape& sizes, const Shape& from, const std::vector<int>& axes,
                   const Shape& to, const std::vector<int64_t>& from_at = {},
                   const std::vector<int64_t>& to_at = {}, int flipped = -1);

/// By matrix products and programs, one step of time after the other.
void compose(const Rnn& kernel, std::span<const Operand> inputs, std::span<const Operand> outputs,
             Composer& composer);
/// By two products and a softmax.
void compose(const Attention& kernel, std::span<const Operand> inputs,
             std::span<const Operand> outputs, Composer& composer);
/// A product with a bias's gradient, by one without it and a sum.
void compose(const Matmul& kernel, std::span<const Operand> inputs,
             std::span<const Operand> outputs, Composer& composer);
/// By matrix products with roots of unity; see fft_plan.h.
void compose(const Fft& kernel, std::span<const Operand> inputs, std::span<const Operand> outputs,
             Composer& composer);

}  // namespace cornu::backend
