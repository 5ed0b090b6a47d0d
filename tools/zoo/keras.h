// Real Keras opens what Cornu wrote.
#pragma once
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "report.h"

namespace cornu::zoo {

/// For each pair of a model's folder and the folder of files that Cornu made of it, what Keras
/// makes of them. Python runs once. Throws StateError when it cannot be run at all.
std::vector<std::vector<Check>> open_with_keras(
    const std::string& python,
    const std::vector<std::pair<std::filesystem::path, std::filesystem::path>>& models,
    const std::filesystem::path& scratch);

}  // namespace cornu::zoo
