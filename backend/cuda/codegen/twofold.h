// Sums in two floats, for devices whose doubles are slow.
#pragma once
#include <string>

#include "index_space.h"

namespace cornu::backend::cuda {

/// The type Twofold of kernels' texts, for their own namespace: the sum of two floats that do not
/// overlap, which holds some 48 bits in the range of a float. `added(total, x)` adds a float or
/// another one to an error of 3 * 2^-48 (Joldes, Muller and Popescu: Tight and rigorous error
/// bounds for basic building blocks of double-word arithmetic, 2017, algorithms 4 and 6); infinity
/// and NaN stay what they are, and so does a total beyond the range of a float.
extern const char* const twofold_text;

/// `added` for a total that is a double.
extern const char* const double_text;

/// The expression of the float nearest to `scale` times the Twofold `total`.
std::string scaled_twofold(const std::string& total, double scale, ArgumentList& arguments);

}  // namespace cornu::backend::cuda
