// Folders of images or texts as arrays.
#pragma once
#include <cornu/framework/model/model.h>

#include <string>

#include "arrays.h"

namespace cornu::cli {

/// The names of folders inside that hold a part of the data each: "train", "val" (or "valid",
/// "validation"), "test". Empty where there is no "train": then the folder is all of it.
std::vector<std::string> parts_in(const std::string& folder);

/// Whether there are folders inside, which are the classes.
bool has_classes(const std::string& folder);

/// The files of a folder, by their paths; or shuffled, always in the same way, for a training that
/// cuts off the last ones to validate on.
enum class FileOrder : uint8_t { sorted, shuffled };

/// What a folder holds.
struct FolderArrays {
  Arrays arrays;                   ///< "x", and "y" where there are classes
  std::vector<std::string> files;  ///< the path of each sample's file, beginning with the folder's
};

/// Arrays "x" and "y" of a folder whose subfolders are the classes, in alphabetical order, or "x"
/// of one without any: images as float32 from 0 to 255 in the size of the model's input (resized
/// without regard to their shape), or the texts of .txt files where the model takes strings.
/// `label_mode` is "int", "categorical" or "binary". Throws ValueError for a model with several
/// inputs, or one of other things, and FileError that names what cannot be read.
FolderArrays folder_arrays(const std::string& folder, const std::string& label_mode,
                           FileOrder order, const Model& model);

}  // namespace cornu::cli
