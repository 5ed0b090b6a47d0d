// Sources in files: NumPy's arrays, HDF5 and tables.
#pragma once
#include <filesystem>

#include "pipeline.h"

namespace cornu::data {

/// Which arrays of a file are what. Those with the default names may be missing, except x.
struct ArrayNames {
  std::string x = "x";                          ///< inputs
  std::string y = "y";                          ///< targets
  std::string sample_weight = "sample_weight";  ///< weights in the loss
};

/// Which columns of a table are what.
struct CsvColumns {
  std::string label = "";                  ///< the column of the targets; empty: there is none
  std::vector<std::string> features = {};  ///< columns of numbers; empty: all others
};

/// Samples of .npy files, whose first axis they are: inputs, and perhaps targets and weights. Files
/// in C order and this machine's byte order are mapped, so that only the rows in use are in memory.
/// Throws FileError, and ShapeError when the numbers of samples differ.
Pipeline<Batch> from_npy(const std::filesystem::path& x, const std::filesystem::path& y = {},
                         const std::filesystem::path& sample_weight = {});
/// The same of arrays in an .npz file; those that are not compressed are mapped. Throws FileError
/// with a did-you-mean for a name that is not there.
Pipeline<Batch> from_npz(const std::filesystem::path& path, const ArrayNames& names = {});
/// The same of datasets of an HDF5 file, which are read as a whole.
Pipeline<Batch> from_h5(const std::filesystem::path& path, const ArrayNames& names = {});
/// Rows of a table: x (features) float32, y a number, float32, or a string. Missing values are NaN.
/// Throws FileError, and ValueError with a did-you-mean for a column that is not there.
Pipeline<Batch> from_csv(const std::filesystem::path& path, const CsvColumns& columns = {});

}  // namespace cornu::data
