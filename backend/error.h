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

/// The candidate nearest to `name` by edit distance, as " Did you mean 'x'?", or "" when none is near.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace cornu
