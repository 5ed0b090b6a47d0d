// Dense arrays of any dtype for tests of kernels: values as doubles, and one call to run a kernel.
#pragma once
#include <cornu/backend/backend.h>

#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

namespace cornu::backend::testing {

inline constexpr DType all_dtypes[] = {
    DType::boolean,  DType::uint8,   DType::uint16, DType::uint32, DType::uint64,
    DType::int8,     DType::int16,   DType::int32,  DType::int64,  DType::float16,
    DType::bfloat16, DType::float32, DType::float64};

/// Elements in a vector of exactly their size, so that AddressSanitizer sees one step beyond it.
class Array {
 public:
  Array(DType dtype, const Shape& shape)
      : dtype_(dtype), shape_(shape), bytes_(static_cast<size_t>(shape.numel()) * size_of(dtype)) {}
  Array(DType dtype, const Shape& shape, const std::vector<double>& values) : Array(dtype, shape) {
    for (size_t i = 0; i < values.size(); ++i) set(static_cast<int64_t>(i), values[i]);
  }

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int64_t numel() const { return shape_.numel(); }
  char* data() { return bytes_.data(); }
  /// Kernels see 8-bit floats as their bits.
  Operand operand() { return {&shape_, is_float8(dtype_) ? DType::uint8 : dtype_, bytes_.data()}; }

  double operator[](int64_t i) const {
    if (is_float8(dtype_))
      return float8_to_float(static_cast<uint8_t>(bytes_[static_cast<size_t>(i)]), dtype_);
    return dispatch(dtype_, [&]<class T>() -> double {
      T value;
      std::memcpy(&value, bytes_.data() + static_cast<size_t>(i) * sizeof(T), sizeof(T));
      if constexpr (std::is_same_v<T, Half>)
        return half_to_float(value.bits);
      else if constexpr (std::is_same_v<T, BFloat16>)
        return bfloat16_to_float(value.bits);
      else
        return static_cast<double>(value);
    });
  }
  void set(int64_t i, double number) {
    if (is_float8(dtype_)) {
      const uint8_t bits = float_to_float8(static_cast<float>(number), dtype_);
      bytes_[static_cast<size_t>(i)] = static_cast<char>(bits);
      return;
    }
    dispatch(dtype_, [&]<class T>() {
      T value;
      if constexpr (std::is_same_v<T, Half>)
        value.bits = float_to_half(static_cast<float>(number));
      else if constexpr (std::is_same_v<T, BFloat16>)
        value.bits = float_to_bfloat16(static_cast<float>(number));
      else if constexpr (std::is_same_v<T, bool>)
        value = number != 0;
      else if constexpr (std::is_integral_v<T>)  // negative numbers wrap around in unsigned types
        value = static_cast<T>(static_cast<int64_t>(number));
      else
        value = static_cast<T>(number);
      std::memcpy(bytes_.data() + static_cast<size_t>(i) * sizeof(T), &value, sizeof(T));
    });
  }
  std::vector<double> values() const {
    std::vector<double> all;
    for (int64_t i = 0; i < numel(); ++i) all.push_back((*this)[i]);
    return all;
  }

  friend bool operator==(const Array& a, const Array& b) {
    return a.dtype_ == b.dtype_ && a.shape_ == b.shape_ && a.bytes_ == b.bytes_;
  }

 private:
  DType dtype_;
  Shape shape_;
  std::vector<char> bytes_;
};

/// On the CPU, which multiplies 8-bit floats as float32.
inline void run(const Kernel& kernel, std::vector<Array*> inputs, std::vector<Array*> outputs) {
  if (const auto* matmul = std::get_if<Matmul>(&kernel); matmul && matmul->float8_a) {
    Array a(DType::float32, inputs[0]->shape(), inputs[0]->values()),
        b(DType::float32, inputs[1]->shape(), inputs[1]->values());
    inputs[0] = &a;
    inputs[1] = &b;
    Matmul wide = *matmul;
    wide.float8_a = wide.float8_b = std::nullopt;
    return run(wide, inputs, outputs);
  }
  std::vector<Operand> in, out;
  for (Array* array : inputs) in.push_back(array->operand());
  for (Array* array : outputs) out.push_back(array->operand());
  cpu_backend().run(kernel, in, out);
}

/// Whole numbers in [low, high].
inline int64_t random_int(std::mt19937& generator, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(generator);
}

/// Whole numbers in [low, high], which every dtype holds when they are small.
inline Array random_array(std::mt19937& generator, DType dtype, const Shape& shape, int64_t low = 0,
                          int64_t high = 100) {
  Array array(dtype, shape);
  for (int64_t i = 0; i < array.numel(); ++i)
    array.set(i, static_cast<double>(random_int(generator, low, high)));
  return array;
}

/// Sets the number of threads of CPU kernels until the end of a scope.
class ThreadsScope {
 public:
  explicit ThreadsScope(int count) : before_(threads()) { set_threads(count); }
  ThreadsScope(const ThreadsScope&) = delete;
  ThreadsScope& operator=(const ThreadsScope&) = delete;
  ~ThreadsScope() { set_threads(before_); }

 private:
  int before_;
};

}  // namespace cornu::backend::testing
