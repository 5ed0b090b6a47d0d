// Reading the digits, making the Gaussian sums.
#include "datasets.h"

#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "../io/npy.h"
#include "../ops/numpy/reduction.h"
#include "../ops/random/draws.h"

namespace cornu::datasets {
namespace {

namespace fs = std::filesystem;

constexpr int64_t pixels = 64;
constexpr int64_t train_samples = 1437;
constexpr int64_t all_samples = 1797;
constexpr float brightest = 16;

// Where a data file may be: first the user's choice, then the sources, then an installation.
std::vector<fs::path> places(const std::string& name) {
  std::vector<fs::path> result;
  if (const char* folder = std::getenv("CORNU_DATA_DIR")) result.push_back(fs::path(folder) / name);
#ifdef CORNU_SOURCE_DATA_DIR
  result.push_back(fs::path(CORNU_SOURCE_DATA_DIR) / name);
#endif
#ifdef CORNU_INSTALL_DATA_DIR
  result.push_back(fs::path(CORNU_INSTALL_DATA_DIR) / name);
#endif
  // An installation that was moved: beside the program.
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) result.push_back(program.parent_path().parent_path() / "share" / "cornu" / name);
  return result;
}

fs::path locate(const std::string& name) {
  std::string looked;
  for (const fs::path& path : places(name)) {
    std::error_code error;
    if (fs::is_regular_file(path, error)) return path;
    looked += fmt::format("\n  {}", path.string());
  }
  throw FileError(fmt::format(
      "The data file '{}' was not found. Set the environment variable CORNU_DATA_DIR to its "
      "folder (examples/data in Cornu's sources). Looked at:{}",
      name, looked));
}

Data rows(const std::byte* bytes, int64_t begin, int64_t end) {
  const int64_t samples = end - begin;
  std::vector<float> x(static_cast<size_t>(samples * pixels));
  std::vector<int32_t> y(static_cast<size_t>(samples));
  for (int64_t i = 0; i < samples; ++i) {
    const std::byte* row = bytes + (begin + i) * (pixels + 1);
    for (int64_t k = 0; k < pixels; ++k)
      x[static_cast<size_t>(i * pixels + k)] =
          static_cast<float>(std::to_integer<int>(row[k])) / brightest;
    y[static_cast<size_t>(i)] = std::to_integer<int32_t>(row[pixels]);
  }
  return {Tensor::from(x, {samples, 8, 8, 1}), Tensor::from(y, {samples})};
}

}  // namespace

Split digits() {
  const fs::path path = locate("digits.npy");
  const io::NpyArray array = io::read_npy(path);
  const Shape expected{all_samples, pixels + 1};
  if (array.dtype != DType::uint8 || array.shape != expected)
    throw FileError(
        fmt::format("{}: expected uint8 {}, found {} {}. It is not the file that comes with Cornu.",
                    path.string(), expected.str(), dtype_name(array.dtype), array.shape.str()));
  return {rows(array.data.data(), 0, train_samples),
          rows(array.data.data(), train_samples, all_samples)};
}

Data gaussians(int64_t samples, int64_t seed) {
  if (samples < 1)
    throw ValueError(fmt::format("gaussians: samples must be at least 1, found {}.", samples));
  const Tensor x = random::normal({samples, 20}, 0, 1, seed);
  return {x, ops::sum(x, 1, true)};
}

}  // namespace cornu::datasets
