// What save_freq may be.
#include "save_freq.h"

#include <fmt/core.h>

#include "../backend/error.h"

namespace cornu::callbacks {

SaveFreq::SaveFreq(const std::string& text) {
  if (text != "epoch")
    throw ValueError(
        fmt::format("save_freq is '{}', expected 'epoch' or a number of batches.", text));
}

SaveFreq::SaveFreq(int64_t batches, bool) : batches_(batches) {
  if (batches < 1)
    throw ValueError(fmt::format("save_freq must be at least 1 batch, found {}.", batches));
}

}  // namespace cornu::callbacks
