// What fit prints when it is done.
#pragma once
#include <string>
#include <vector>

#include "arguments.h"

namespace cornu {

/// The last lines of a run: how long it took and where the time went, the memory it needed, the
/// best epoch, and the files that callbacks wrote.
///
///   20 epochs in 41s (step 88%, data 4%, callbacks 1%, validation 7%), 312 MB of memory
///   best val_loss 0.1234 in epoch 17/20, at last 0.1301
///   files: model.keras, history.csv
///
/// The best epoch is that of the lowest val_loss or, without a validation, of the lowest loss.
/// `epochs` is the number that was asked for.
std::string run_summary(const History& history, int64_t epochs, size_t peak_bytes,
                        const std::vector<std::string>& files);

}  // namespace cornu
