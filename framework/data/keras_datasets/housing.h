// keras.datasets of house prices: boston_housing and california_housing.
#pragma once
#include <concepts>
#include <string>

#include "../datasets.h"

// Both read the file that Keras leaves in its cache, or a path with a folder (see find_dataset_file
// in cache.h), shuffle it by NumPy's RandomState(seed), and cut the last share `test_split` off.
// They throw FileError where the file is missing or damaged, ValueError unless 0 <= test_split < 1.

namespace cornu::datasets {

/// Options of boston_housing::load_data.
struct BostonHousingOptions {
  std::string path = "boston_housing.npz";  ///< the file's name in Keras's cache, or a path
  double test_split = 0.2;                  ///< fraction of the districts for testing
  int64_t seed = 113;                       ///< of the shuffle
};

/// Options of california_housing::load_data.
struct CaliforniaHousingOptions {
  std::string version = "large";                ///< or "small": the first 600 districts
  std::string path = "california_housing.npz";  ///< the file's name in Keras's cache, or a path
  double test_split = 0.2;                      ///< fraction of the districts for testing
  int64_t seed = 113;                           ///< of the shuffle
};

}  // namespace cornu::datasets

namespace cornu::datasets::boston_housing {
/// 506 districts: x (n, 13) and y (n) float64, prices in 1,000 dollars. One of the columns of these
/// data supposes that segregation sets prices: see Keras's warning before using them.
Split load_data(const BostonHousingOptions& options = {});
/// The same by a path. A template, so that braces are options.
template <std::convertible_to<std::string> Name>
Split load_data(const Name& path, double test_split = 0.2, int64_t seed = 113) {
  return load_data({std::string(path), test_split, seed});
}
}  // namespace cornu::datasets::boston_housing

namespace cornu::datasets::california_housing {
/// 20,640 districts, or the first 600 with version "small": x (n, 8) and y (n) float32, prices in
/// dollars. Throws ValueError for another version.
Split load_data(const CaliforniaHousingOptions& options = {});
/// The same by a version. A template, so that braces are options.
template <std::convertible_to<std::string> Name>
Split load_data(const Name& version, const std::string& path = "california_housing.npz",
                double test_split = 0.2, int64_t seed = 113) {
  return load_data({std::string(version), path, test_split, seed});
}
}  // namespace cornu::datasets::california_housing
