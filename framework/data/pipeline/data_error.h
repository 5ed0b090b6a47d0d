// DataError: what went wrong in a stage of a pipeline, and at which element.
#pragma once
#include <cstdint>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "../../../backend/error.h"

namespace cornu::data {

/// An element of a source that another element was made of.
struct SourceElement {
  std::string source =
      {};                 ///< the source's name in quotes, and its number among others of the name
  std::string file = {};  ///< where its element comes from, if the source has it
  int64_t epoch = 0;      ///< of the source, from 0: each pass of repeat is one
  int64_t index = 0;      ///< of the element in the source, from 0
};

/// An error in a stage of a pipeline. Its text has the stage's name, the element, the elements of
/// sources that it was made of where these have other numbers, the file that it came from if that
/// is known, and what the function of the stage said.
class DataError : public Error {
 public:
  /// `cause` is what the function threw, if it did; `made_of` see below.
  DataError(const std::string& text, std::string stage, int64_t epoch, int64_t index,
            std::exception_ptr cause = {}, std::vector<SourceElement> made_of = {})
      : Error(text),
        stage_(std::move(stage)),
        epoch_(epoch),
        index_(index),
        cause_(cause),
        made_of_(std::move(made_of)) {}

  const std::string& stage() const { return stage_; }         ///< its name
  int64_t epoch() const { return epoch_; }                    ///< from 0
  int64_t index() const { return index_; }                    ///< of the element at that stage
  const std::exception_ptr& cause() const { return cause_; }  ///< null without one
  /// The elements of sources that the element was made of: one behind shuffle, several in a batch.
  /// Empty where they are not known.
  const std::vector<SourceElement>& made_of() const { return made_of_; }

 private:
  std::string stage_;
  int64_t epoch_, index_;
  std::exception_ptr cause_;
  std::vector<SourceElement> made_of_;
};

/// What a stage does about an element whose function throws.
enum class OnError {
  raise,  ///< ends the run with a DataError
  skip    ///< leaves the element out, counts it, and warns at the first one
};

}  // namespace cornu::data
