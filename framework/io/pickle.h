// Python's pickle files, as far as data sets are kept in them: numbers, texts, lists, dictionaries
// and NumPy arrays. Nothing in them is ever called.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cornu::io {

struct PickleNode;

/// A value in a pickle file.
struct PickleValue {
  /// What it is; `array` and `dtype` are NumPy's.
  enum class Kind { none, boolean, integer, number, text, list, dict, global, dtype, array };
  Kind kind = Kind::none;            ///< says which member holds it
  int64_t integer = 0;               ///< of boolean and integer
  double number = 0;                 ///< of number
  const PickleNode* node = nullptr;  ///< of all others

  bool is(Kind k) const { return kind == k; }  ///< whether it is of that kind
};

/// What a value holds that is more than a number.
struct PickleNode {
  std::string text = {};                 ///< of texts and bytes; of a dtype: its code, as "|u1"
  std::vector<PickleValue> values = {};  ///< of lists and tuples
  std::vector<std::pair<PickleValue, PickleValue>> entries = {};  ///< of dictionaries
  std::vector<int64_t> shape = {};                                ///< of an array
  std::string dtype = {};                                         ///< of an array, as "|u1" or "|O"
  std::string_view bytes = {};  ///< of texts, bytes, and the elements of an array in C order
  const PickleNode* objects = nullptr;  ///< the list of an array of objects
  bool fortran = false;                 ///< whether an array is in Fortran order instead
};

/// A file's value and all that it refers to. The bytes that it was read from must stay.
class Pickle {
 public:
  /// Reads protocols 2 to 5. Arrays are made by NumPy's own functions alone; any other one that
  /// the file wants to call is an error. Throws FileError, which names `source`.
  Pickle(std::span<const std::byte> bytes, const std::string& source);
  Pickle(const Pickle&) = delete;
  Pickle& operator=(const Pickle&) = delete;

  const PickleValue& root() const { return root_; }  ///< the value
  /// The value of a key of a dictionary. Throws FileError when it is none or has no such key.
  const PickleValue& at(const PickleValue& dict, std::string_view key) const;
  /// Whole numbers of a list or of an array of objects. Throws FileError for others.
  std::vector<int64_t> integers(const PickleValue& list) const;
  /// Throws FileError unless the value is of that kind; `what` says what it should be.
  const PickleNode& expect(const PickleValue& value, PickleValue::Kind kind,
                           const std::string& what) const;

 private:
  friend class PickleMachine;
  std::string source_;
  std::deque<PickleNode> nodes_;
  PickleValue root_;
};

}  // namespace cornu::io
