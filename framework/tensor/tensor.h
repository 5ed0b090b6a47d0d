// Tensor: an immutable n-dimensional array. Eager tensors hold values, symbolic ones (from Input)
// and abstract ones (inside a shape inference) only a shape and a dtype; all three are this one
// class.
#pragma once
#include <atomic>
#include <concepts>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../../backend/backend.h"
#include "../../backend/error.h"
#include "config.h"
#include "device.h"
#include "dtype_option.h"
#include "number_option.h"

namespace cornu {

/// What is known of a tensor before it has values.
struct TensorSpec {
  Shape shape;                   ///< Shape::unknown for axes of unknown size
  DType dtype = DType::float32;  ///< of the elements
  friend bool operator==(const TensorSpec&, const TensorSpec&) = default;
  /// "float32 (None, 8)".
  std::string str() const;
};

struct Node;
class Index;

/// The strings that the elements of a string tensor are chosen from, each one once.
using StringTable = std::shared_ptr<const std::vector<std::string>>;

/// A line of the user's program. (std::source_location, which clang 14 lacks.)
struct SourceLine {
  const char* file;  ///< as the compiler names it; null where it is not known
  int line;          ///< from 1
  /// The line of the call, as a default argument of the function that takes it.
  static constexpr SourceLine current(const char* file = __builtin_FILE(),
                                      int line = __builtin_LINE()) {
    return {file, line};
  }
};

/// Where a symbolic tensor comes from: output `index` of a node of a graph (see dispatch/node.h).
struct Origin {
  std::shared_ptr<Node> node;  ///< which call made the tensor
  int index = 0;               ///< among the outputs of the node
};

namespace detail {

uint64_t next_key();

/// Size in memory of the elements of a tensor whose sizes are all known. Throws ShapeError where a
/// size is negative or the bytes do not fit in an int64.
size_t bytes_of(const Shape& shape, DType dtype);

/// Values of a device's memory, in the host's.
struct HostCopy {
  uint64_t id;  ///< of the values
  std::unique_ptr<std::byte[]> bytes;
};

/// Memory of a tensor, shared by its reshapes.
struct Storage {
  backend::Backend* backend;
  void* data;
  size_t bytes;
  Storage* base = nullptr;  ///< whose memory this is, if not its own
  /// Identity of the values: unlike the address, no other storage ever has it.
  uint64_t id = next_key();
  std::unique_ptr<HostCopy> copy = {};  ///< of values on a device, made when the host looks at them
  std::atomic<int> references{1};
  StringTable strings = {};  ///< of a string tensor, whose data are int32 indices into it
  std::shared_ptr<const void> owner = {};  ///< of memory that is not the allocator's

  void retain() { references.fetch_add(1, std::memory_order_relaxed); }
  void release();
};

struct TensorImpl {
  Shape shape;
  DType dtype;
  bool weak = false;  // a C++ number: adapts its dtype to what it meets
  std::atomic<int> references{1};
  uint64_t key;  // identity for tapes: a variable's values all have the variable's key
  std::atomic<uint32_t> tapes{0};  // a bit for each open tape (by depth) that watches this tensor
  Storage* storage = nullptr;
  alignas(8) std::byte scalar[8];  // the value of a weak scalar, which has no storage
  std::unique_ptr<Origin> origin;
  TensorImpl* mask = nullptr;

  TensorImpl(const Shape& s, DType t);
  ~TensorImpl();
};

}  // namespace detail

/// A shared handle of an immutable, dense, row-major array; copying a handle copies no values.
/// Handles of one tensor may be used by several threads at a time.
class Tensor {
 public:
  /// No tensor at all; only for assigning to later and for optional arguments.
  Tensor() = default;
  Tensor(std::nullptr_t) {}  ///< no tensor
  /// A scalar that takes the dtype of what it is combined with, like a Python number.
  Tensor(double value);
  /// The same.
  Tensor(float value) : Tensor(static_cast<double>(value)) {}
  /// The same for integers and bool.
  template <std::integral T>
  Tensor(T value) : Tensor(Number{}, static_cast<int64_t>(value), std::same_as<T, bool>) {}
  /// The same for an option that is a number, such as Required<double>.
  template <detail::NumberOption A>
  Tensor(const A& option) : Tensor(option.value) {}
  /// A complex number, which is a tensor of its own type. (`std::complex<float>` and `<double>` are
  /// types of elements once complex.h is included.)
  template <class T>
  requires(is_complex(dtype_for<T>::value)) Tensor(const T& value)
      : Tensor(from_host(&value, Shape{})) {}
  /// A vector of the values.
  template <class T>
  requires(std::is_arithmetic_v<T> || is_complex(dtype_for<T>::value))
      Tensor(const std::vector<T>& values)
      : Tensor(from(values, Shape{static_cast<int64_t>(values.size())})) {}
  /// The same.
  template <class T>
  requires std::is_arithmetic_v<T> Tensor(std::span<T> values)
      : Tensor(from_host(values.data(), Shape{static_cast<int64_t>(values.size())})) {}
  /// A vector of strings.
  template <std::same_as<std::string> T>
  Tensor(const std::vector<T>& values)
      : Tensor(strings(values, Shape{static_cast<int64_t>(values.size())})) {}
  /// A single string, of shape (). Explicit, since many functions take a tensor or a name.
  explicit Tensor(const char* text) : Tensor(std::string(text)) {}
  /// The same.
  template <std::same_as<std::string> T>
  explicit Tensor(const T& text) : Tensor(strings({text}, Shape{})) {}

  Tensor(const Tensor& other) : impl_(other.impl_) {
    retain();
  }  ///< another handle of the same tensor
  Tensor(Tensor&& other) noexcept
      : impl_(std::exchange(other.impl_, nullptr)) {}  ///< leaves no tensor behind
  /// Makes this a handle of the other tensor. Not of a temporary: `x[0] = y` does not compile,
  /// since tensors do not change.
  Tensor& operator=(const Tensor& other) & {
    Tensor copy(other);
    std::swap(impl_, copy.impl_);
    return *this;
  }
  /// The same; what this held goes to `other`.
  Tensor& operator=(Tensor&& other) & noexcept {
    std::swap(impl_, other.impl_);
    return *this;
  }
  ~Tensor() { release(); }

  /// A tensor with undefined values on the default device, to be filled before anybody else sees
  /// it. Throws ShapeError for negative sizes.
  static Tensor empty(const Shape& shape, DType dtype);
  /// The same on the given device.
  static Tensor empty(const Shape& shape, DType dtype, backend::Backend& backend);
  /// A copy of `shape.numel()` values in row-major order.
  template <class T>
  static Tensor from_host(const T* values, const Shape& shape) {
    return copy_of(values, shape, dtype_for_v<std::remove_const_t<T>>);
  }
  /// The same from a vector. Throws ShapeError unless there are shape.numel() values.
  template <class T>
  static Tensor from(const std::vector<T>& values, const Shape& shape) {
    check_count(values.size(), shape);
    if constexpr (std::same_as<T, bool>)
      return of_bits(values, shape);  // which has no array of its values
    else if constexpr (std::same_as<T, std::string>)
      return strings(values, shape);
    else
      return from_host(values.data(), shape);
  }
  /// The same from values in braces.
  template <class T>
  static Tensor from(std::initializer_list<T> values, const Shape& shape) {
    check_count(values.size(), shape);
    if constexpr (std::same_as<T, std::string>)
      return strings({values.begin(), values.end()}, shape);
    else
      return from_host(values.begin(), shape);
  }
  /// A tensor on the CPU in memory of the program's own, which is not copied if it is aligned to 64
  /// bytes: `owner` is kept until nobody uses the tensor. The values must not change meanwhile.
  template <class T>
  static Tensor from_blob(const T* values, const Shape& shape, std::shared_ptr<const void> owner) {
    return from_blob(values, shape, dtype_for_v<T>, std::move(owner), backend::cpu_backend());
  }
  /// The same from untyped memory of a device.
  static Tensor from_blob(const void* values, const Shape& shape, DType dtype,
                          std::shared_ptr<const void> owner, backend::Backend& backend);
  /// A tensor of strings (bytes, as a rule UTF-8) in row-major order. It lives in host memory;
  /// operations that only move elements, comparisons with `equal` and layers made for strings take
  /// it.
  static Tensor strings(const std::vector<std::string>& values, const Shape& shape);
  /// The same. Throws ShapeError unless there are shape.numel() values.
  static Tensor from(const std::vector<std::string>& values, const Shape& shape) {
    return strings(values, shape);
  }
  /// The same from literals in braces.
  static Tensor from(std::initializer_list<const char*> values, const Shape& shape) {
    return strings({values.begin(), values.end()}, shape);
  }
  /// The same, element i being (*table)[indices[i]].
  static Tensor strings(StringTable table, const std::vector<int32_t>& indices, const Shape& shape);
  /// A tensor on the default device whose elements `write` puts into host memory.
  static Tensor written(const Shape& shape, DType dtype, const std::function<void(void*)>& write);
  /// The same from untyped memory.
  static Tensor copy_of(const void* values, const Shape& shape, DType dtype);
  /// What a recording that does not compute has in place of a result: it counts as eager, but has
  /// no memory.
  static Tensor meta(const Shape& shape, DType dtype, backend::Backend& backend);
  /// A tensor of a shape inference: no values.
  static Tensor abstract(const Shape& shape, DType dtype);
  /// A tensor of a graph under construction.
  static Tensor symbolic(const Shape& shape, DType dtype, Origin origin);

  /// whether there is a tensor; its values are not looked at
  explicit operator bool() const { return impl_ != nullptr; }
  // The following throw StateError where there is no tensor.
  const Shape& shape() const { return made()->shape; }  ///< of all axes
  /// Size of one axis; negative axes count from the end.
  int64_t shape(int axis) const { return made()->shape.at(axis); }
  int rank() const { return made()->shape.rank(); }                   ///< number of axes
  int ndim() const { return rank(); }                                 ///< the same
  DType dtype() const { return made()->dtype; }                       ///< of the elements
  TensorSpec spec() const { return {made()->shape, made()->dtype}; }  ///< shape and dtype
  int64_t size() const { return made()->shape.numel(); }              ///< number of elements
  /// Size of the elements in memory.
  size_t bytes() const { return static_cast<size_t>(size()) * size_of(dtype()); }

  /// Whether this tensor has values (it is neither symbolic nor abstract).
  bool is_eager() const { return made()->storage || made()->weak; }
  /// Whether it stands for a result of a recording that does not compute; see meta.
  bool is_meta() const {
    return made()->storage && !made()->storage->data && made()->storage->bytes > 0;
  }
  bool is_symbolic() const {
    return made()->origin != nullptr;
  }  ///< whether it is part of a graph; see symbolic
  bool is_weak() const {
    return made()->weak;
  }  ///< whether it is a C++ number, which adapts its dtype
  const Origin& origin() const { return *made()->origin; }  ///< of a symbolic tensor only

  /// Where its values are; for a number of the program's, where it would be made a tensor.
  Device device() const;
  /// The same values on `device`: this tensor if it is there. Gradients go back the same way.
  Tensor to(const Device& device) const;

  /// The only element, as a double. Throws ShapeError unless there is exactly one, StateError when
  /// the tensor has no values.
  double item(SourceLine at = SourceLine::current()) const;
  /// The only element as a number, as Python's float(x) and int(x): `float(ops::sum(x))`,
  /// `int64_t(x)`. A whole number is exact, of a float it is the part before the point. Throws as
  /// `item`. (A bool is whether there is a tensor; the value of a comparison is Condition's.)
  template <class T>
  requires(std::is_arithmetic_v<T> && !std::same_as<T, bool>) explicit operator T() const {
    if constexpr (std::integral<T>)
      return static_cast<T>(whole_item(SourceLine{}));
    else
      return static_cast<T>(item(SourceLine{}));
  }
  /// All elements, row-major, converted to T.
  template <class T>
  std::vector<T> to_vector(SourceLine at = SourceLine::current()) const;
  /// All elements of a string tensor, row-major. Throws ValueError for other dtypes.
  std::vector<std::string> to_strings(SourceLine at = SourceLine::current()) const;
  /// What the int32 values under data() of an eager string tensor are indices of.
  const StringTable& string_table() const;
  /// Gives its table to a string tensor that was made by `empty`.
  void set_string_table(StringTable table) const;
  /// The elements in host memory. T must be the dtype's storage type.
  template <class T>
  std::span<const T> values(SourceLine at = SourceLine::current()) const {
    check_type(dtype_for_v<T>);
    return {static_cast<const T*>(host_data(at)), static_cast<size_t>(size())};
  }
  /// The elements as bytes in host memory. This and the three above are noticed by a function that
  /// is being recorded: it cannot be replayed, since the program may go on in another way when the
  /// values differ.
  const void* host_data(SourceLine at = SourceLine::current()) const;
  /// Memory on the device, unnoticed. Writing is only for whoever has just made this tensor with
  /// `empty`.
  void* data() const;
  /// The same as a pointer to T, which is not checked.
  template <class T>
  T* mutable_data() const {
    return static_cast<T*>(data());
  }
  /// The tensor as kernels get it; its shape must outlive the operand.
  backend::Operand operand() const { return {&made()->shape, impl_->dtype, data(), impl_->weak}; }
  /// host_data, unnoticed.
  const void* read() const;

  /// The same values under another shape of equal size: shares memory, records nothing.
  Tensor with_shape(const Shape& shape) const;
  /// The same values as a new tensor that no tape knows.
  Tensor detached() const;
  /// The same values in the same memory, as if they were others: a recording takes them for another
  /// tensor's.
  Tensor fresh_alias() const;
  /// The same values in memory of their own, on the same device.
  Tensor duplicate() const;
  /// A tensor in the memory of another, which it keeps alive.
  static Tensor part_of(const Tensor& owner, void* data, const Shape& shape, DType dtype);

  /// Which elements along the leading axes are real rather than padding (a bool tensor), or empty.
  Tensor mask() const;
  /// The same tensor with this mask, or without one.
  Tensor with_mask(const Tensor& mask) const;
  /// Makes this handle one of the tensor with this mask. Other handles keep theirs.
  void set_mask(const Tensor& mask);

  /// The part at one index of the first axis: `x[0]`, `x[-1]`, `x[Slice(1, {})]`, `x[x > 0]`.
  /// Throws ShapeError for a place that is not there.
  Tensor operator[](const Index& index) const;
  /// The same for several axes, as NumPy's index: `x[{0, Slice(1, -1), ellipsis, newaxis}]`.
  Tensor operator[](std::initializer_list<Index> indices) const;
  class Iterator;
  /// The parts along the first axis, one after the other: `for (Tensor row : x)`. Throws ShapeError
  /// for a scalar and where the size of that axis is not known.
  Iterator begin() const;
  Iterator end() const;  ///< behind the last part

  /// dtype, shape and, when eager, some values.
  std::string str() const;

  /// The shared state, for the framework.
  detail::TensorImpl* impl() const { return impl_; }
  /// A handle that takes over one reference of `impl`.
  static Tensor adopt(detail::TensorImpl* impl) {
    Tensor t;
    t.impl_ = impl;
    return t;
  }
  /// Whether this is the only handle of the tensor and of its memory, or one of `handles`.
  bool unique(int64_t handles = 1) const;

 private:
  struct Number {};
  Tensor(Number, int64_t value, bool boolean);
  static Tensor of_bits(const std::vector<bool>& values, const Shape& shape);
  int64_t whole_item(SourceLine at) const;
  static void check_count(size_t count, const Shape& shape);
  void check_type(DType wanted) const;
  [[noreturn]] static void refuse_empty();
  const detail::TensorImpl* made() const {
    if (!impl_) [[unlikely]]
      refuse_empty();
    return impl_;
  }
  // Inline where code is compiled for size, too: eager calls spend a tenth of their time here.
  [[gnu::always_inline]] void retain() const {
    if (impl_) impl_->references.fetch_add(1, std::memory_order_relaxed);
  }
  [[gnu::always_inline]] void release() {
    if (impl_ && impl_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy(impl_);
  }
  static void destroy(detail::TensorImpl* impl);

  detail::TensorImpl* impl_ = nullptr;
};

/// Where a loop over the first axis of a tensor stands; it gives x[0], x[1] and so on.
class Tensor::Iterator {
 public:
  using iterator_category = std::input_iterator_tag;  ///< parts are made when they are asked for
  using difference_type = std::ptrdiff_t;             ///< in parts
  using value_type = Tensor;                          ///< of the shape behind the first axis
  using pointer = void;                               ///< there is none
  using reference = Tensor;                           ///< the part itself

  Iterator() = default;  ///< of no tensor
  /// At part `index`.
  Iterator(Tensor x, int64_t index) : x_(std::move(x)), index_(index) {}
  Tensor operator*() const;  ///< the part
  /// The next part.
  Iterator& operator++() {
    ++index_;
    return *this;
  }
  /// The same; gives where this stood.
  Iterator operator++(int) {
    Iterator before = *this;
    ++index_;
    return before;
  }
  /// Whether both stand at the same part; of one tensor.
  friend bool operator==(const Iterator& a, const Iterator& b) { return a.index_ == b.index_; }

 private:
  Tensor x_;
  int64_t index_ = 0;
};

/// Writes the values, nested by axes as NumPy prints them (beyond 1,000 the first and last three of
/// each axis), then dtype and shape; of a tensor without values its str().
std::ostream& operator<<(std::ostream& out, const Tensor& x);

/// The few operands and results of a step, without an allocation.
using Tensors = InlineVector<Tensor, 4>;

/// The same as to_strings.
template <>
inline std::vector<std::string> Tensor::to_vector<std::string>(SourceLine at) const {
  return to_strings(at);
}
extern template std::vector<float> Tensor::to_vector<float>(SourceLine) const;
extern template std::vector<double> Tensor::to_vector<double>(SourceLine) const;
extern template std::vector<int32_t> Tensor::to_vector<int32_t>(SourceLine) const;
extern template std::vector<int64_t> Tensor::to_vector<int64_t>(SourceLine) const;
extern template std::vector<uint8_t> Tensor::to_vector<uint8_t>(SourceLine) const;
extern template std::vector<bool> Tensor::to_vector<bool>(SourceLine) const;

/// Figures and control of a device's memory; of the default device's if none is named.
namespace memory {
/// Bytes in use, cached, at the peak, and the limit.
using Stats = backend::MemoryStats;
/// Current figures of the device's allocator.
Stats stats(const Device& device = default_device());
/// Gives cached blocks back to the system.
void release(const Device& device = default_device());
/// Makes allocations beyond `bytes` throw MemoryError; 0 removes the limit.
void set_limit(size_t bytes, const Device& device = default_device());
/// Makes the current use the new peak.
void reset_peak(const Device& device = default_device());
}  // namespace memory

}  // namespace cornu
