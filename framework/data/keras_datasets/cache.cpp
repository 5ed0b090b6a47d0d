// Finding the files of Keras's data sets.
#include "cache.h"

#include <fmt/core.h>

#include <cstdlib>

#include "../../../backend/error.h"
#include "../../io/npy.h"
#include "../../ops/numpy/indexing.h"
#include "../random_state.h"

namespace cornu::datasets {

namespace fs = std::filesystem;

fs::path keras_home() { return config::keras_home(); }

fs::path find_dataset_file(const KnownFile& file, const std::string& path) {
  const bool elsewhere = fs::path(path).has_parent_path();
  const fs::path expected =
      elsewhere ? fs::path(path) : keras_home() / "datasets" / (path.empty() ? file.name : path);
  std::error_code error;
  if (fs::exists(expected, error)) return expected;
  throw FileError(fmt::format(
      "'{}' is not there, and Cornu downloads nothing. Get {}{}, so that this file is there{}.",
      expected.string(), file.origin, file.unpack,
      elsewhere ? "" : ", or set KERAS_HOME to the folder that has 'datasets' in it"));
}

Tensor npz_array(const fs::path& file, const std::string& name) {
  io::ArchiveReader archive(file);
  const std::string member = name + ".npy";
  if (!archive.has(member))
    throw FileError(fmt::format("'{}' has no array '{}'.", file.string(), name));
  const io::Bytes bytes = archive.map(member);
  const io::NpyArray array = io::parse_npy(bytes.span(), file.string() + ": " + name);
  if (array.dtype == DType::string)
    throw FileError(fmt::format("'{}': '{}' has texts; expected numbers.", file.string(), name));
  return Tensor::copy_of(array.data.data(), array.shape, array.dtype);
}

std::pair<std::vector<Tensor>, std::vector<Tensor>> shuffle_and_split(
    const std::vector<Tensor>& data, double share, int64_t seed) {
  if (!(share >= 0 && share < 1))
    throw ValueError(
        fmt::format("option 'test_split': expected 0 <= test_split < 1, found {}.", share));
  const int64_t count = data.at(0).shape(0);
  const std::vector<int64_t> order = data::numpy_shuffle(count, seed);
  const auto cut = static_cast<int64_t>(static_cast<double>(count) * (1 - share));
  const auto part = [&](int64_t begin, int64_t end) {
    const Tensor rows = Tensor::from(
        std::vector<int64_t>(order.begin() + begin, order.begin() + end), {end - begin});
    std::vector<Tensor> result;
    for (const Tensor& x : data) result.push_back(ops::take(x, rows, 0));
    return result;
  };
  return {part(0, cut), part(cut, count)};
}

}  // namespace cornu::datasets
