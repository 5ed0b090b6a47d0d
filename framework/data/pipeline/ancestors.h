// Ancestors: which elements of a pipeline's sources an element was made of, for errors.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
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

/// An element of a stage of the walk's own pipeline: of a source, or of an indexed stage, which
/// knows of its own ancestors when somebody asks. So walks keep numbers alone.
struct OfStage {
  const Stage* stage;  ///< whose element
  Where where;         ///< which of its elements
};
/// An element of a source that may be gone when somebody asks, as those of interleave's pipelines.
struct OfSource {
  std::shared_ptr<const SourceElement> source;  ///< its name, and a file; not the numbers
  Where where;                                  ///< which of its elements
};
struct Several;
/// Some of several ancestors, which many elements share.
struct PartOf {
  std::shared_ptr<const Several> all;
  /// Which of the rows that `all` was made to, if that many first ancestors are known; else all.
  int64_t begin = 0, end = 0;
};

/// What another element was made of. Small, as each element in a window or a queue has some.
using Ancestor = std::variant<OfStage, OfSource, PartOf>;
using Ancestors = std::vector<Ancestor>;

/// What PartOf refers to.
struct Several {
  Ancestors ancestors;  ///< in order
  int64_t rows = -1;    ///< of the batch that they became, in whose order they are; -1: none
};

/// What each of several elements was made of, one behind the other in the same memory.
class AncestorsOfEach {
 public:
  void clear();                                  ///< none
  size_t size() const { return ends_.size(); }   ///< elements
  const Ancestors& all() const { return all_; }  ///< of all elements
  /// Of the i-th element.
  std::span<const Ancestor> operator[](size_t i) const;
  /// Adds those of the last element that a cursor gave.
  template <class C>
  void add(const C& cursor) {
    cursor.ancestors(all_);
    ends_.push_back(all_.size());
  }

 private:
  Ancestors all_;
  std::vector<size_t> ends_;  // of each element's in all of them
};

/// Adds those in sources that the pipeline of a pass begins in, in order. Empties `ancestors`,
/// whose memory serves on the way.
void add_first(const Pass& pass, Ancestors& ancestors, Ancestors& first);
/// Those in sources that the pipeline of a pass begins in, in order.
Ancestors first_ancestors(const Pass& pass, std::span<const Ancestor> ancestors);
/// The same by the names of the sources. Gives none rather than throwing, since it serves errors.
std::vector<SourceElement> source_elements(const Pass& pass,
                                           std::span<const Ancestor> ancestors) noexcept;

/// The sources of a pipeline that ends before whoever asks for its elements' ancestors: names them
/// while it is there. Each name is made once.
class EndingSources {
 public:
  /// Adds what some elements of the pipeline of `pass` were made of, by the names of its sources.
  /// Empties `ancestors`. Adds nothing where they cannot be known.
  void add(const Pass& pass, Ancestors& ancestors, Ancestors& out) noexcept;

 private:
  Ancestors first_;
  std::vector<std::pair<const Stage*, std::shared_ptr<const SourceElement>>> names_;
  std::shared_ptr<const SourceElement> last_;  // with a file: those of one file follow each other
};

/// "elements 4 to 7 of 'from'", with their epoch where it is another one than `epoch`.
std::string describe(const std::vector<SourceElement>& elements, int64_t epoch);
/// The file of a single element; empty where it is not known.
std::string file_of(const std::vector<SourceElement>& elements);

}  // namespace cornu::data::detail
