// NumPy's array files: .npy holds one array, .npz is a zip archive of them.
#pragma once
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "../../backend/dtype.h"
#include "../../backend/shape.h"
#include "archive.h"

namespace cornu::io {

/// One array in C order with this machine's byte order. `name` is its key in an .npz file.
struct NpyArray {
  /// The key in an .npz file; empty for an .npy file.
  std::string name;
  DType dtype = DType::float32;           ///< of the elements
  Shape shape;                            ///< () for a scalar
  std::vector<std::byte> data;            ///< shape.numel() elements
  std::vector<std::string> strings = {};  ///< instead of `data` when dtype is string
};

/// Reads the content of an .npy file (format versions 1 to 3), of either byte order, in C or
/// Fortran order. bfloat16 is the 2-byte void type that NumPy writes for it. Strings have a fixed
/// width in files (NumPy's kinds U, which becomes UTF-8, and S), which zeros fill up. `source`
/// names the file in error texts. Throws FileError for anything else: records, pickled objects, and
/// headers that declare more than there is. Format:
/// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
NpyArray parse_npy(std::span<const std::byte> bytes, const std::string& source);

/// The content of an .npy file, version 1.0. Strings become kind U, or S where one is no UTF-8.
std::vector<std::byte> format_npy(const NpyArray& array);

/// One array in place: bytes of a file that is mapped into memory, or of a copy.
struct NpyView {
  DType dtype = DType::float32;           ///< of the elements
  Shape shape;                            ///< () for a scalar
  Bytes values;                           ///< shape.numel() elements in C order
  std::vector<std::string> strings = {};  ///< instead of `values` when dtype is string
};

/// The array of an .npy file's bytes, without a copy where they are in C order and this machine's
/// byte order. Throws FileError as parse_npy.
NpyView view_npy(const Bytes& bytes, const std::string& source);

/// Reads an .npy file. Throws FileError.
NpyArray read_npy(const std::filesystem::path& path);
/// Writes an .npy file, which appears whole or not at all.
void write_npy(const std::filesystem::path& path, const NpyArray& array);

/// All arrays of an .npz file, in the order in which they lie there.
std::vector<NpyArray> read_npz(const std::filesystem::path& path);
/// As numpy.savez, or savez_compressed with Compression::deflate. Names may not repeat.
void write_npz(const std::filesystem::path& path, const std::vector<NpyArray>& arrays,
               Compression compression = Compression::stored);

}  // namespace cornu::io
