// Shape: construction, printing, broadcasting.
#include "shape.h"

#include <algorithm>
#include <ostream>

#include "error.h"

namespace cornu {
namespace {

[[noreturn]] void throw_rank(size_t rank) {
  throw ShapeError("Shape: a tensor has at most " + std::to_string(Shape::max_rank) +
                   " axes, found " + std::to_string(rank) + ".");
}

}  // namespace

Shape::Shape(std::initializer_list<Size> sizes) {
  if (sizes.size() > static_cast<size_t>(max_rank)) throw_rank(sizes.size());
  for (const Size& size : sizes) sizes_[rank_++] = size.value;
}

Shape::Shape(std::span<const int64_t> sizes) {
  if (sizes.size() > static_cast<size_t>(max_rank)) throw_rank(sizes.size());
  std::copy(sizes.begin(), sizes.end(), sizes_.begin());
  rank_ = static_cast<int>(sizes.size());
}

int64_t Shape::at(int axis) const {
  const int index = axis < 0 ? axis + rank_ : axis;
  if (index < 0 || index >= rank_)
    throw ShapeError("Shape: axis " + std::to_string(axis) + " is out of range for shape " + str() +
                     " of rank " + std::to_string(rank_) + ".");
  return sizes_[index];
}

void Shape::push_back(int64_t size) { insert(rank_, size); }

void Shape::insert(int axis, int64_t size) {
  if (rank_ == max_rank) throw_rank(static_cast<size_t>(max_rank) + 1);
  if (axis < 0 || axis > rank_)
    throw ShapeError("Shape: cannot insert an axis before " + std::to_string(axis) + " in shape " +
                     str() + ".");
  std::copy_backward(sizes_.begin() + axis, sizes_.begin() + rank_, sizes_.begin() + rank_ + 1);
  sizes_[axis] = size;
  ++rank_;
}

void Shape::erase(int axis) {
  if (axis < 0 || axis >= rank_)
    throw ShapeError("Shape: cannot erase axis " + std::to_string(axis) + " of shape " + str() +
                     ".");
  std::copy(sizes_.begin() + axis + 1, sizes_.begin() + rank_, sizes_.begin() + axis);
  sizes_[--rank_] = 0;
}

Shape Shape::slice(int from, int to) const {
  if (from < 0 || to > rank_ || from > to)
    throw ShapeError("Shape: the axes [" + std::to_string(from) + ", " + std::to_string(to) +
                     ") are not within shape " + str() + ".");
  return Shape(std::span<const int64_t>(sizes_.data() + from, static_cast<size_t>(to - from)));
}

bool Shape::known() const {
  return std::none_of(begin(), end(), [](int64_t size) { return size == unknown; });
}

std::string Shape::str() const {
  std::string text = "(";
  for (int i = 0; i < rank_; ++i) {
    if (i > 0) text += ", ";
    text += sizes_[i] == unknown ? "None" : std::to_string(sizes_[i]);
  }
  // One axis keeps its comma, as a Python tuple does.
  return text + (rank_ == 1 ? ",)" : ")");
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << shape.str(); }

Shape concat(const Shape& a, const Shape& b) {
  Shape result = a;
  for (int64_t size : b) result.push_back(size);
  return result;
}

Shape broadcast(const Shape& a, const Shape& b) {
  const Shape& longer = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  Shape result = longer;
  const int offset = longer.rank() - shorter.rank();
  for (int i = 0; i < shorter.rank(); ++i) {
    int64_t& size = result[offset + i];
    const int64_t other = shorter[i];
    if (other == size || other == 1) continue;
    // An unknown size can only be stretched or matched by a known one, which then is the result.
    if (size == 1 || size == Shape::unknown) {
      size = other;
    } else if (other != Shape::unknown) {
      throw ShapeError("The shapes " + a.str() + " and " + b.str() +
                       " cannot be broadcast together. From the last axis backward, sizes must "
                       "be equal or 1.");
    }
  }
  return result;
}

int normalize_axis(int64_t axis, int rank, const char* what) {
  if (axis < -rank || axis >= rank)
    throw ShapeError(std::string(what) + " " + std::to_string(axis) +
                     " is out of range for a tensor of rank " + std::to_string(rank) +
                     ". Expected a value in [" + std::to_string(-rank) + ", " +
                     std::to_string(rank - 1) + "].");
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

}  // namespace cornu
