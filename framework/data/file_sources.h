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

/// How rows are read of a file that is not mapped.
struct FileOptions {
  /// Bytes of what was read that stay in memory, for each array or table; those in use come on top.
  int64_t cache_bytes = int64_t{512} << 20;
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
/// The same of datasets of an HDF5 file, whose rows are read as they are asked for, by any number
/// of threads. Datasets that the cache holds are read once. Of larger ones, rows are read where
/// they stand, as fast in any order, unless they are in chunks: then all chunks that a row is part
/// of are unpacked whole. Those unpacked last are kept, so that in order, or shuffled in windows
/// (Pipeline::shuffle), each is unpacked about once, and by a shuffle of all rows once for a row.
/// Reading a file that was changed since then is a FileError.
Pipeline<Batch> from_h5(const std::filesystem::path& path, const ArrayNames& names = {},
                        const FileOptions& options = {});
/// Rows of a table: x (features) float32, y a number, float32, or a string. Missing values are NaN.
/// The file is read through, which finds what is wrong with it. Tables whose values the cache holds
/// are kept; of larger ones, rows are read as they are asked for, in any order, by any number of
/// threads, and a byte for each row stays in memory. Reading a file that was changed since then is
/// a FileError. Throws FileError that names the line (io::parse_csv), and ValueError with a
/// did-you-mean for a column that is not there.
Pipeline<Batch> from_csv(const std::filesystem::path& path, const CsvColumns& columns = {},
                         const FileOptions& options = {});

}  // namespace cornu::data
