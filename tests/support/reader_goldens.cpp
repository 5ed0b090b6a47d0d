// Reading tests/data/readers.json.
#include "reader_goldens.h"

#include <fstream>
#include <stdexcept>

#include "../paths.h"

namespace cornu::test {

const nlohmann::json& reader_goldens() {
  static const nlohmann::json goldens =
      nlohmann::json::parse(std::ifstream(source_path("tests/data/readers.json")));
  return goldens;
}

std::string from_hex(const std::string& digits) {
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return bytes;
}

std::string golden_image_file(const std::string& name) {
  for (const auto& image : reader_goldens()["images"])
    if (image["name"] == name) return from_hex(image["file"]);
  throw std::runtime_error("no image " + name);
}

}  // namespace cornu::test
