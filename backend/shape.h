// Shape: the sizes of a tensor's axes, kept inline so that copying one never allocates.
#pragma once
#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cornu {

/// Sizes of a tensor's axes, outermost first. An axis whose size is not known before data arrives
/// (usually the batch) is `Shape::unknown`; in initializer lists write `std::nullopt` for it.
class Shape {
 public:
  static constexpr int64_t unknown = -1;  ///< size of an axis that is not known yet
  static constexpr int max_rank = 10;     ///< most axes that a shape can have

  /// One size in an initializer list: a number or std::nullopt.
  struct Size {
    int64_t value;                                      ///< the size, or Shape::unknown
    constexpr Size(int64_t v) : value(v) {}             ///< a known size
    constexpr Size(std::nullopt_t) : value(unknown) {}  ///< an unknown size
    /// What converts to a number, such as a required option of a layer.
    template <class T>
    requires(std::is_class_v<T>&& std::convertible_to<T, int64_t>) constexpr Size(const T& size)
        : value(static_cast<int64_t>(size)) {}
  };

  constexpr Shape() = default;
  /// One axis of this size.
  template <std::integral T>
  requires(!std::same_as<T, bool>) Shape(T size) : Shape({Size(static_cast<int64_t>(size))}) {}
  /// Sizes in braces. Throws ShapeError when there are more than `max_rank`.
  Shape(std::initializer_list<Size> sizes);
  /// Throws ShapeError when there are more than `max_rank` sizes.
  explicit Shape(std::span<const int64_t> sizes);
  /// The same from a vector.
  Shape(const std::vector<int64_t>& sizes) : Shape(std::span<const int64_t>(sizes)) {}

  int rank() const { return rank_; }  ///< number of axes
  /// Size of `axis`, which may be negative (-1 is the last); it must be in [-rank, rank).
  int64_t operator[](int axis) const { return sizes_[place(axis)]; }
  int64_t& operator[](int axis) { return sizes_[place(axis)]; }  ///< the same
  /// The same. Throws ShapeError when out of range.
  int64_t at(int axis) const;
  const int64_t* begin() const { return sizes_.data(); }        ///< sizes, outermost first
  const int64_t* end() const { return sizes_.data() + rank_; }  ///< behind the last size
  int64_t back() const { return sizes_[place(-1)]; }  ///< last size; the rank must not be 0
  bool empty() const { return rank_ == 0; }           ///< whether it is a scalar's

  /// Adds an innermost axis. Throws ShapeError beyond `max_rank`.
  void push_back(int64_t size);
  /// Inserts before `axis`, which is in [0, rank].
  void insert(int axis, int64_t size);
  /// Removes an axis in [0, rank).
  void erase(int axis);
  /// The axes [from, to).
  Shape slice(int from, int to) const;
  Shape slice(int from) const { return slice(from, rank_); }  ///< the axes from `from` on

  /// Number of elements. All sizes must be known.
  int64_t numel() const {
    int64_t n = 1;
    for (int64_t size : std::span(begin(), end())) n *= size;
    return n;
  }
  /// Whether every size is known.
  bool known() const;
  /// "(None, 8, 8, 1)".
  std::string str() const;
  std::vector<int64_t> vec() const { return {begin(), end()}; }  ///< the sizes

  friend bool operator==(const Shape& a, const Shape& b) {
    if (a.rank_ != b.rank_) return false;
    for (auto x = a.begin(), y = b.begin(); x != a.end(); ++x, ++y)
      if (*x != *y) return false;
    return true;
  }

 private:
  size_t place(int axis) const { return static_cast<size_t>(axis < 0 ? axis + rank_ : axis); }

  std::array<int64_t, max_rank> sizes_{};
  int rank_ = 0;
};

/// Writes the shape's str().
std::ostream& operator<<(std::ostream& out, const Shape& shape);

/// a followed by b.
Shape concat(const Shape& a, const Shape& b);

/// The shape that a and b broadcast to by NumPy's rule. Throws ShapeError naming both.
Shape broadcast(const Shape& a, const Shape& b);

/// `axis` as a number in [0, rank). Throws ShapeError naming `what` when out of range.
int normalize_axis(int64_t axis, int rank, const char* what = "axis");

}  // namespace cornu
