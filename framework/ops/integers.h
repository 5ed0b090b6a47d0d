// Whole numbers that an op must know before it computes, since its result's shape follows from
// them.
#pragma once
#include <initializer_list>
#include <vector>

#include "op.h"
#include "optional_list.h"

namespace cornu {

/// One whole number, or a list of them. In a call that was read from a file or found by name, a
/// tensor with values will do too; it is read.
class Integers {
 public:
  /// A number.
  template <WholeNumber T>
  Integers(T number) : numbers_({static_cast<int64_t>(number)}), single_(true) {}
  /// An option that is a number, such as Required<int64_t>.
  template <detail::IntegerOption A>
  Integers(const A& option) : Integers(option.value) {}
  /// A list in braces, also of one number: `split(x, {2})` cuts behind 2, `split(x, 2)` in two.
  Integers(std::initializer_list<int64_t> numbers) : numbers_(numbers) {}
  /// A list, also of one number.
  Integers(std::vector<int64_t> numbers) : numbers_(std::move(numbers)) {}

  /// Whether this is a number and no list.
  bool single() const { return single_; }
  const std::vector<int64_t>& list() const { return numbers_; }  ///< all numbers

  /// The only number. Throws ValueError when there is a list of several.
  int64_t number() const;
  /// As a setting in files: a number or a list.
  operator Value() const;

 private:
  std::vector<int64_t> numbers_;
  bool single_ = false;
};

/// A list of whole numbers, which may be written as a number where it has one: `3` or `{1, 3}`.
class IntegerList : public std::vector<int64_t> {
 public:
  /// A list of one number.
  template <WholeNumber T>
  IntegerList(T number) : std::vector<int64_t>{static_cast<int64_t>(number)} {}
  /// The same of an option that is a number.
  template <detail::IntegerOption A>
  IntegerList(const A& option) : IntegerList(option.value) {}
  /// The numbers in braces.
  IntegerList(std::initializer_list<int64_t> numbers) : std::vector<int64_t>(numbers) {}
  /// The numbers.
  IntegerList(std::vector<int64_t> numbers) : std::vector<int64_t>(std::move(numbers)) {}
};

/// The same, or nothing.
class OptionalIntegers : public OptionalList<std::vector<int64_t>> {
 public:
  using OptionalList::OptionalList;  ///< from a list, a number, or nothing
};

namespace detail {
template <>
struct FromValue<Integers> {
  static Integers get(const Value& v);
};
template <>
struct FromValue<IntegerList> {
  static IntegerList get(const Value& v) { return from_value<std::vector<int64_t>>(v); }
};
template <>
struct FromValue<OptionalIntegers> {
  static OptionalIntegers get(const Value& v) {
    return from_value<std::optional<std::vector<int64_t>>>(v);
  }
};
}  // namespace detail

}  // namespace cornu
