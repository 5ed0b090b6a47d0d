// InputSpec: what a layer's inputs must be.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "../ops/optional_list.h"
#include "../tensor/nest.h"

namespace cornu {

/// What one input of a layer must be, for layers of one's own:
/// `set_input_spec({{.min_ndim = 2, .axes = {{-1, 784}}}})`. Axes of unknown size fit any size.
struct InputSpec {
  OptionalDType dtype = {};              ///< default: any
  OptionalList<Shape> shape = {};        ///< with Shape::unknown for axes of any size; default: any
  std::optional<int> ndim = {};          ///< number of axes; default: any
  std::optional<int> max_ndim = {};      ///< greatest number of axes
  std::optional<int> min_ndim = {};      ///< least number of axes
  std::map<int, int64_t> axes = {};      ///< sizes of single axes; negative ones count from the end
  bool allow_last_axis_squeeze = false;  ///< a last axis of size 1 may be missing or too many
  std::string name = "";                 ///< key of the input in a dictionary
  bool optional = false;                 ///< the input may be an empty tensor
};

/// Throws ShapeError or ValueError naming the input unless there is one for each spec, and each is
/// what its spec says. A dictionary is taken by the specs' names where all have one.
void check_input_spec(const std::vector<InputSpec>& specs, const Nest& inputs);

namespace layers {
using cornu::InputSpec;  ///< Keras has it here too
}
}  // namespace cornu
