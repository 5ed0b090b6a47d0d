// keras.datasets of images: mnist, fashion_mnist, cifar10 and cifar100.
#pragma once
#include <concepts>
#include <string>

#include "../datasets.h"

// Each reads the file that Keras leaves in its cache (see find_dataset_file in cache.h) and throws
// FileError where that is missing or damaged.

namespace cornu::datasets {

/// Options of mnist::load_data.
struct MnistOptions {
  std::string path = "mnist.npz";  ///< the file's name in Keras's cache, or a path with a folder
};

/// Options of fashion_mnist::load_data and cifar10::load_data, which have none in Keras.
struct ImageFolder {
  std::string folder = "";  ///< where the files are; empty: the data set's folder in Keras's cache
};

/// Options of cifar100::load_data.
struct Cifar100Options {
  std::string label_mode = "fine";  ///< 100 classes, or "coarse": 20
  std::string folder = "";          ///< where the files are; empty: that in Keras's cache
};

}  // namespace cornu::datasets

namespace cornu::datasets::mnist {
/// Handwritten digits: x (60000, 28, 28) uint8 and y (60000) uint8; 10,000 for testing.
Split load_data(const MnistOptions& options = {});
/// The same by a path. A template, so that braces are options.
template <std::convertible_to<std::string> Name>
Split load_data(const Name& path) {
  return load_data({.path = std::string(path)});
}
}  // namespace cornu::datasets::mnist

namespace cornu::datasets::fashion_mnist {
/// Articles of clothing in the shapes of mnist, from four .gz files in a folder, fashion-mnist in
/// Keras's cache.
Split load_data(const ImageFolder& options = {});
/// The same by a folder. A template, so that braces are options.
template <std::convertible_to<std::string> Name>
Split load_data(const Name& folder) {
  return load_data({.folder = std::string(folder)});
}
}  // namespace cornu::datasets::fashion_mnist

namespace cornu::datasets::cifar10 {
/// Photographs of 10 classes: x (50000, 32, 32, 3) uint8 and y (50000, 1) uint8; 10,000 for
/// testing; from a folder with data_batch_1 to 5 and test_batch.
Split load_data(const ImageFolder& options = {});
/// The same by a folder. A template, so that braces are options.
template <std::convertible_to<std::string> Name>
Split load_data(const Name& folder) {
  return load_data({.folder = std::string(folder)});
}
}  // namespace cornu::datasets::cifar10

namespace cornu::datasets::cifar100 {
/// Photographs of 100 classes in the shapes of cifar10, from a folder with the files train and
/// test. Throws ValueError for another label_mode.
Split load_data(const Cifar100Options& options = {});
/// The same by a label_mode. A template, so that braces are options.
template <std::convertible_to<std::string> Name>
Split load_data(const Name& label_mode, const std::string& folder = "") {
  return load_data({std::string(label_mode), folder});
}
}  // namespace cornu::datasets::cifar100
