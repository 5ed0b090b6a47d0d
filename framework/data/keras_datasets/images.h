// keras.datasets of images: mnist, fashion_mnist, cifar10 and cifar100.
#pragma once
#include <string>

#include "../datasets.h"

// Each reads the file that Keras leaves in its cache (see find_dataset_file in cache.h) and throws
// FileError where that is missing or damaged.

namespace cornu::datasets::mnist {
/// Handwritten digits: x (60000, 28, 28) uint8 and y (60000) uint8; 10,000 for testing. `path` is
/// the file's name in Keras's cache, or a path with a folder.
Split load_data(const std::string& path = "mnist.npz");
}  // namespace cornu::datasets::mnist

namespace cornu::datasets::fashion_mnist {
/// Articles of clothing in the shapes of mnist. `folder` has the four .gz files; empty: the folder
/// fashion-mnist of Keras's cache.
Split load_data(const std::string& folder = "");
}  // namespace cornu::datasets::fashion_mnist

namespace cornu::datasets::cifar10 {
/// Photographs of 10 classes: x (50000, 32, 32, 3) uint8 and y (50000, 1) uint8; 10,000 for
/// testing. `folder` has data_batch_1 to 5 and test_batch; empty: that of Keras's cache.
Split load_data(const std::string& folder = "");
}  // namespace cornu::datasets::cifar10

namespace cornu::datasets::cifar100 {
/// Photographs of 100 classes in the shapes of cifar10. `label_mode`: "fine" (100 classes) or
/// "coarse" (20). `folder` has the files train and test; empty: that of Keras's cache. Throws
/// ValueError for another mode.
Split load_data(const std::string& label_mode = "fine", const std::string& folder = "");
}  // namespace cornu::datasets::cifar100
