// What Keras, Pillow and NumPy gave for the readers: tests/data/readers.json.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace cornu::test {

/// The whole file, read once.
const nlohmann::json& reader_goldens();

/// The bytes that hexadecimal digits stand for.
std::string from_hex(const std::string& digits);

/// One of the image files, by its name.
std::string golden_image_file(const std::string& name);

}  // namespace cornu::test
