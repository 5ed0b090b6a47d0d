// Whether an object is being made from its name or its config, as options are that a layer is given
// as text.
#pragma once

namespace cornu::detail {

/// While one lives, this thread makes an object of that kind, or one that is not.
class DescriptionScope {
 public:
  /// `described`: whether the object comes from a name or a config.
  explicit DescriptionScope(bool described);
  ~DescriptionScope();
  DescriptionScope(const DescriptionScope&) = delete;

 private:
  bool before_;
};

/// What the innermost DescriptionScope of this thread says; false without one.
bool making_from_description();

}  // namespace cornu::detail
