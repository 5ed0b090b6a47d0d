// Conditions of C++.
#include "condition.h"

#include "../../backend/error.h"

namespace cornu {

Condition::operator bool() const {
  if (!is_eager() && (!shape().known() || size() != 1))
    throw StateError("a condition of shape " + shape().str() +
                     " in a graph has no value yet. Choose by ops::where, or ops::cond; the "
                     "elementwise forms of !x, x && y and x || y are ~x, x & y and x | y.");
  if (is_eager() && size() != 1)
    throw ShapeError("a condition needs a single element, found the shape " + shape().str() +
                     ". Ask for ops::all(...) or ops::any(...) of it; the elementwise forms of "
                     "!x, x && y and x || y are ~x, x & y and x | y.");
  return item() != 0;
}

}  // namespace cornu
