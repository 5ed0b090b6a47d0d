// InlineVector: a vector whose first N elements live inside it, for the short lists that every
// operation makes (operands, results, gradients), so that a small operation allocates nothing.
#pragma once
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace cornu {

/// A vector with room for N elements inside. Like std::vector, except that moving it moves the
/// elements while they are inside, which invalidates pointers to them.
template <class T, size_t N>
class InlineVector {
 public:
  /// @{
  /// As in std::vector.
  using value_type = T;
  /// @}

  InlineVector() = default;
  /// @{
  /// Elements given by number, value, list, span or iterators; heap memory is taken beyond N.
  explicit InlineVector(size_t count) { resize(count); }
  InlineVector(size_t count, const T& value) {
    reserve(count);
    for (size_t i = 0; i < count; ++i) push_back(value);
  }
  InlineVector(std::initializer_list<T> values) : InlineVector(values.begin(), values.end()) {}
  InlineVector(std::span<const T> values)
      : InlineVector(values.data(), values.data() + values.size()) {}
  template <class It>
  requires(!std::is_integral_v<It>) InlineVector(It first, It last) {
    for (; first != last; ++first) push_back(*first);
  }
  /// @}

  /// @{
  /// Copies and moves; a vector that was moved from is empty.
  InlineVector(const InlineVector& other) : InlineVector(other.begin(), other.end()) {}
  InlineVector(InlineVector&& other) noexcept { take(std::move(other)); }
  InlineVector& operator=(const InlineVector& other) {
    if (this != &other) {
      InlineVector copy(other);
      release();
      take(std::move(copy));
    }
    return *this;
  }
  InlineVector& operator=(InlineVector&& other) noexcept {
    if (this != &other) {
      release();
      take(std::move(other));
    }
    return *this;
  }
  /// @}
  ~InlineVector() { release(); }

  /// @{
  /// As in std::vector; nothing is checked.
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T& front() { return data_[0]; }
  const T& front() const { return data_[0]; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }

  void push_back(T value) {
    if (size_ == capacity_) reserve(2 * capacity_);
    new (data_ + size_++) T(std::move(value));
  }
  template <class... Args>
  T& emplace_back(Args&&... args) {
    push_back(T{std::forward<Args>(args)...});
    return back();
  }
  void pop_back() { data_[--size_].~T(); }
  void clear() {
    std::destroy_n(data_, size_);
    size_ = 0;
  }
  void resize(size_t count) {
    reserve(count);
    while (size_ < count) new (data_ + size_++) T();
    while (size_ > count) pop_back();
  }
  void reserve(size_t capacity) {
    if (capacity <= capacity_) return;
    T* grown = static_cast<T*>(::operator new(capacity * sizeof(T), std::align_val_t(alignof(T))));
    std::uninitialized_move_n(data_, size_, grown);
    std::destroy_n(data_, size_);
    free_heap();
    data_ = grown;
    capacity_ = capacity;
  }

  operator std::span<const T>() const { return {data_, size_}; }
  /// @}
  friend bool operator==(const InlineVector& a, const InlineVector& b) {
    if (a.size_ != b.size_) return false;
    for (size_t i = 0; i < a.size_; ++i)
      if (!(a.data_[i] == b.data_[i])) return false;
    return true;
  }

 private:
  T* inline_data() { return reinterpret_cast<T*>(inline_); }
  void free_heap() {
    if (data_ != inline_data()) ::operator delete(data_, std::align_val_t(alignof(T)));
  }
  void release() {
    std::destroy_n(data_, size_);
    free_heap();
    data_ = inline_data();
    size_ = 0;
    capacity_ = N;
  }
  // Only called while this vector is empty and inline.
  void take(InlineVector&& other) {
    if (other.data_ != other.inline_data()) {
      data_ = std::exchange(other.data_, other.inline_data());
      size_ = std::exchange(other.size_, 0);
      capacity_ = std::exchange(other.capacity_, N);
    } else {
      std::uninitialized_move_n(other.data_, other.size_, data_);
      size_ = other.size_;
      other.clear();
    }
  }

  alignas(T) std::byte inline_[N * sizeof(T)];
  T* data_ = reinterpret_cast<T*>(inline_);
  size_t size_ = 0;
  size_t capacity_ = N;
};

}  // namespace cornu
