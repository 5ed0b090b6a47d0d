// The files of a folder and their labels, in Keras's order and in Keras's subsets.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../../tensor/tensor.h"

namespace cornu::utils {

/// Where labels come from: "inferred" (a class for each subfolder), nothing (no labels), or a label
/// for each file in the order of their paths.
using Labels = std::variant<std::string, std::nullopt_t, std::vector<int32_t>>;

/// What image_, text_ and audio_dataset_from_directory have in common.
struct FolderOptions {
  Labels labels = "inferred";  ///< see Labels
  /// "int", "categorical" (one hot), "binary" (0 or 1, of two classes), or nothing (no labels)
  std::optional<std::string> label_mode = "int";
  /// The subfolders to take, in the order of their labels; empty: all, in alphabetical order.
  std::vector<std::string> class_names = {};
  bool shuffle = true;                          ///< else files are sorted by their paths
  std::optional<int64_t> seed = {};             ///< of the shuffle; none: another one each time
  std::optional<double> validation_split = {};  ///< fraction of the files to validate on, in (0, 1)
  std::optional<std::string> subset = {};       ///< "training" or "validation"
  bool follow_links = false;                    ///< into folders that are symbolic links
  /// Whether to print how many files were found and taken, as Keras does, where interactive logging
  /// is enabled.
  bool verbose = false;
};

/// Files with their labels.
struct FileList {
  std::vector<std::string> file_paths;   ///< the folder's path, then theirs in it
  std::vector<int32_t> labels;           ///< of the files; empty without labels
  std::vector<std::string> class_names;  ///< by label; empty without labels
};

/// Lists the files of `directory` whose names end in one of `formats` (in small letters, such as
/// ".png"), in all folders below it, but in no hidden class folder. They are shuffled by NumPy's
/// RandomState(seed), so that the same seed gives the order, and thus the subsets, that Keras has:
/// the last int(validation_split * n) files are for validation. Throws ValueError for options that
/// Keras refuses, and where no file is left; FileError when the folder is not there.
FileList index_directory(const std::filesystem::path& directory,
                         const std::vector<std::string>& formats,
                         const FolderOptions& options = {});

/// The files for training and those for validation, subsets "training" and "validation" of one
/// listing. Throws as index_directory, and ValueError without a validation_split.
std::pair<FileList, FileList> index_both_subsets(const std::filesystem::path& directory,
                                                 const std::vector<std::string>& formats,
                                                 FolderOptions options = {});

/// What the names of image files end in.
const std::vector<std::string>& image_file_endings();

/// The labels of some of the files of a list as Keras gives them to fit: int32 (n), float32 (n,
/// classes) or float32 (n, 1), by the mode. Without labels: none.
Tensor encode_labels(const std::vector<int32_t>& labels, size_t classes,
                     const std::optional<std::string>& label_mode);

}  // namespace cornu::utils
