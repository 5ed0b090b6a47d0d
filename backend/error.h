// The exception types that everything in Cornu throws. All derive from cornu::Error.
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace cornu {

/// Base of every exception that Cornu throws itself.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;

  /// The message, with everything that was put in front of it or behind.
  const char* what() const noexcept override {
    return text_.empty() ? std::runtime_error::what() : text_.c_str();
  }
  /// Puts `text` and ": " in front of what it says, so that whoever knows more need not throw
  /// another.
  void prepend(const std::string& text);
  /// Says this instead, for whoever knows better what a part of the message stands for.
  void replace(const std::string& text);
  /// Puts a sentence behind it, unless it is there.
  void append(const std::string& sentence);
  /// The same with the place where it happened ("Layer 'net/hidden' (dense)"). Only the first place
  /// counts, which is the innermost one.
  void set_place(const std::string& place);
  bool placed() const { return placed_; }  ///< whether it has a place

 private:
  std::string text_;  // empty while nothing is in front
  bool placed_ = false;
};

/// An argument has a value that makes no sense, or a name is unknown.
class ValueError : public Error {
 public:
  using Error::Error;
};

/// A tensor's rank, shape or dtype is not what the callee needs.
class ShapeError : public ValueError {
 public:
  using ValueError::ValueError;
};

/// An object is not in the state that a call needs (not built, not compiled, ...).
class StateError : public Error {
 public:
  using Error::Error;
};

/// Somebody asked for the values of a tensor that has none: a stand-in of a shape inference, or of
/// a recording that does not compute. Cornu throws it and takes it for a sign that a call cannot be
/// gone through without values; nobody else should throw it.
class NeedsValues : public StateError {
 public:
  using StateError::StateError;
};

/// A file cannot be read or written, or its content is not what it should be.
class FileError : public Error {
 public:
  using Error::Error;
};

/// A device has no memory left, or a limit set by the user is reached.
class MemoryError : public Error {
 public:
  using Error::Error;
};

/// Something that Keras has and Cornu does not. The text names it.
class UnsupportedError : public Error {
 public:
  using Error::Error;
};

/// The candidate nearest to `name` by edit distance, as " Did you mean 'x'?", or "" when none is
/// near.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace cornu
