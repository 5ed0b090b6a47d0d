// Findings: what in a training deserves a look.
#pragma once
#include <string>
#include <vector>

#include "run_files.h"

namespace cornu::cli {

/// Sentences about figures that are not finite, do not fall, or say that the model overfits.
std::vector<std::string> findings_of(const std::map<std::string, plot::Figure>& figures);

/// The place of the best value of a figure: the least for losses and errors, the largest for the
/// likes of accuracy. Values that are not finite do not count; -1 where none is.
int64_t best_place(const std::string& name, const plot::Figure& figure);

}  // namespace cornu::cli
