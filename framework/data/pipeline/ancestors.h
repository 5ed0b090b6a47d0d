// Ancestors: which elements of a pipeline's sources an element was made of, for errors.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data_error.h"

namespace cornu::data::detail {

class Pass;
class Stage;

/// Which element of a stage: random draws for it follow from these two and the stage's seed.
struct Where {
  int64_t epoch = 0;
  int64_t index = 0;  ///< negative: no element, a gap in a walk
};

/// An element that another was made of: of a source, or of an indexed stage, which knows of its own
/// when somebody asks. So walks keep numbers alone.
struct Ancestor {
  const Stage* stage = nullptr;  ///< whose element; null where it is gone, which `element` outlives
  Where where = {};              ///< which of its elements
  /// Without a stage: what became of it.
  std::shared_ptr<const SourceElement> element = {};
  /// Without both: several, which many elements share.
  std::shared_ptr<const std::vector<Ancestor>> several = {};
};
using Ancestors = std::vector<Ancestor>;

/// Those in sources that the pipeline of a pass begins in, in order.
Ancestors first_ancestors(const Pass& pass, const Ancestors& ancestors);
/// The same by the names of the sources. Gives none rather than throwing, since it serves errors.
std::vector<SourceElement> source_elements(const Pass& pass, const Ancestors& ancestors) noexcept;
/// "elements 4 to 7 of 'from'", with their epoch where it is another one than `epoch`.
std::string describe(const std::vector<SourceElement>& elements, int64_t epoch);
/// The file of a single element; empty where it is not known.
std::string file_of(const std::vector<SourceElement>& elements);

}  // namespace cornu::data::detail
