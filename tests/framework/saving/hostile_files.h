// What the tests of hostile files share: the undamaged originals, and what reading a file ends
// with.
#pragma once
#include <cornu/backend/error.h>
#include <cornu/framework/io/archive.h>
#include <cornu/framework/model/model.h>
#include <paths.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "../../support/temporary.h"
#include "support/memory_peak.h"

namespace cornu::test {

inline std::filesystem::path hostile_folder() { return source_path("tests/data/hostile"); }

/// A member of base.keras, a small model that loads.
inline std::string base_member(const std::string& name) {
  return io::ArchiveReader(hostile_folder() / "base.keras").map(name).text();
}

/// Writes a .keras archive of the two members that a model needs.
inline void write_keras(const std::filesystem::path& path, const std::string& config,
                        const std::string& weights,
                        io::Compression compression = io::Compression::stored) {
  io::ArchiveWriter writer(path);
  writer.add("config.json", io::Bytes::of(config), compression);
  writer.add("model.weights.h5", io::Bytes::of(weights), compression);
  writer.finish();
}

/// What a load says when it refuses the file; "" when it loads. It takes less than ten seconds, and
/// what it throws is a FileError that names the file.
template <class Load>
std::string refusal(const std::filesystem::path& path, Load load) {
  const auto start = std::chrono::steady_clock::now();
  std::string error;
  try {
    load(path.string());
  } catch (const FileError& e) {
    error = e.what();
    INFO(error);
    CHECK(error.find(path.filename().string()) != error.npos);
  }
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
  return error;
}

inline std::string refusal_of_model(const std::filesystem::path& path) {
  return refusal(path, [](const std::string& p) { load_model(p); });
}

inline std::string refusal_of_weights(const std::filesystem::path& path) {
  static const auto model = load_model((hostile_folder() / "base.keras").string());
  return refusal(path, [&](const std::string& p) { model->load_weights(p); });
}

}  // namespace cornu::test
