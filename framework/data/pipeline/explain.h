// What a pipeline's stages did, in words.
#pragma once
#include <string>

#include "pass.h"

namespace cornu::data::detail {

/// See Pipeline::explain.
std::string explain(const Runtime& runtime);
/// "stage 'decode' is the bottleneck, 3 more workers would help": what would have to be faster for
/// the caller not to wait. Empty when no stage worked.
std::string bottleneck(const Runtime& runtime);

}  // namespace cornu::data::detail
