// Tables of house prices.
#include "housing.h"

#include <fmt/core.h>

#include "../../../backend/error.h"
#include "../dataset.h"
#include "cache.h"

namespace cornu::datasets {
namespace {

Split load_table(const std::string& name, const std::string& path, int64_t rows, double test_split,
                 int64_t seed) {
  const std::filesystem::path file = find_dataset_file({name, google_origin + name}, path);
  std::vector<Tensor> data{npz_array(file, "x"), npz_array(file, "y")};
  if (data[0].rank() < 1 || data[1].rank() < 1 || data[0].shape(0) != data[1].shape(0))
    throw FileError(fmt::format("'{}' has x of shape {} and y of shape {}.", file.string(),
                                data[0].shape().str(), data[1].shape().str()));
  if (rows > 0 && rows < data[0].shape(0))
    for (Tensor& x : data) x = take_rows(x, 0, rows).tensor();
  auto [train, test] = shuffle_and_split(data, test_split, seed);
  return {{train[0], train[1]}, {test[0], test[1]}};
}

}  // namespace

Split boston_housing::load_data(const BostonHousingOptions& options) {
  return load_table("boston_housing.npz", options.path, 0, options.test_split, options.seed);
}

Split california_housing::load_data(const CaliforniaHousingOptions& options) {
  const std::string& version = options.version;
  if (version != "small" && version != "large")
    throw ValueError(
        fmt::format("california_housing: version must be 'small' or 'large', found "
                    "'{}'.{}",
                    version, did_you_mean(version, {"small", "large"})));
  return load_table("california_housing.npz", options.path, version == "small" ? 600 : 0,
                    options.test_split, options.seed);
}

}  // namespace cornu::datasets
