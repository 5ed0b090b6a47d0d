// Where Keras keeps the files of its data sets.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "../../tensor/tensor.h"

namespace cornu::datasets {

/// A file of a data set and where it comes from.
struct KnownFile {
  std::string name;    ///< below the folder `datasets`
  std::string origin;  ///< the address that Keras downloads it from
  /// What to do with the downloaded file when it must be unpacked, for the error; empty: nothing.
  std::string unpack = "";
};

/// Where Keras downloads most of its data sets from; the file's name follows.
inline const std::string google_origin =
    "https://storage.googleapis.com/tensorflow/tf-keras-datasets/";

/// Keras's folder: $KERAS_HOME, or ~/.keras.
std::filesystem::path keras_home();

/// The path of a file in `<keras_home>/datasets`, or of `path` when that has a folder. Nothing is
/// downloaded: throws FileError that says where the file comes from and where to put it.
std::filesystem::path find_dataset_file(const KnownFile& file, const std::string& path = "");

/// One array of a .npz file as a tensor. Throws FileError when it is not there.
Tensor npz_array(const std::filesystem::path& file, const std::string& name);

/// The first int(n * (1 - share)) rows of data in the order of NumPy's RandomState(seed), and the
/// others. Throws ValueError unless 0 <= share < 1.
std::pair<std::vector<Tensor>, std::vector<Tensor>> shuffle_and_split(
    const std::vector<Tensor>& data, double share, int64_t seed);

}  // namespace cornu::datasets
