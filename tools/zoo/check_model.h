// All checks of one model of the zoo.
#pragma once
#include <filesystem>

namespace cornu::zoo {

/// Loads each form of the model, predicts, saves again, trains, and compares with io.h5. Writes the
/// report, and into `scratch` the files that Cornu made, for Keras to open.
void check_model(const std::filesystem::path& folder, const std::filesystem::path& report,
                 const std::filesystem::path& scratch);

}  // namespace cornu::zoo
