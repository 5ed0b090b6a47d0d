// DataError: what went wrong in a stage of a pipeline, and at which element.
#pragma once
#include <cstdint>
#include <exception>
#include <string>

#include "../../../backend/error.h"

namespace cornu::data {

/// An error in a stage of a pipeline. Its text has the stage's name, the element, the file that the
/// element came from if it is known, and what the function of the stage said.
class DataError : public Error {
 public:
  /// `cause` is what the function threw, if it did.
  DataError(const std::string& text, std::string stage, int64_t epoch, int64_t index,
            std::exception_ptr cause = {})
      : Error(text), stage_(std::move(stage)), epoch_(epoch), index_(index), cause_(cause) {}

  const std::string& stage() const { return stage_; }         ///< its name
  int64_t epoch() const { return epoch_; }                    ///< from 0
  int64_t index() const { return index_; }                    ///< of the element at that stage
  const std::exception_ptr& cause() const { return cause_; }  ///< null without one

 private:
  std::string stage_;
  int64_t epoch_, index_;
  std::exception_ptr cause_;
};

/// What a stage does about an element whose function throws.
enum class OnError {
  raise,  ///< ends the run with a DataError
  skip    ///< leaves the element out, counts it, and warns at the first one
};

}  // namespace cornu::data
