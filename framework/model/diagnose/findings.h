// Findings: what the checks of a diagnosis have found so far.
#pragma once
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "finding.h"

namespace cornu::diagnose {

/// Collects findings, each id once for a place.
class Findings {
 public:
  /// Throws ValueError with a did-you-mean for an id that there is not.
  explicit Findings(const std::vector<std::string>& silence);
  /// Adds one, unless there is one of this id at this place.
  void add(std::string id, std::string layer, std::string evidence, std::string fix);
  /// Whether one of these ids was found, silenced or not.
  bool any(std::initializer_list<const char*> ids) const;
  bool any() const { return !all_.empty(); }  ///< whether anything was found
  /// Those that are not silenced.
  std::vector<Finding> reported() const;

 private:
  std::set<std::string> silence_;
  std::vector<Finding> all_;
};

}  // namespace cornu::diagnose
