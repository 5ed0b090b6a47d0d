// Folders of images or texts as arrays.
#pragma once
#include <cornu/framework/model/model.h>

#include <string>

#include "arrays.h"

namespace cornu::cli {

/// The names of folders inside that hold a part of the data each: "train", "val" (or "valid",
/// "validation"), "test". Empty where there is no "train": then the folder is all of it.
std::vector<std::string> parts_in(const std::string& folder);

/// Arrays "x" and "y" of a folder whose subfolders are the classes, in alphabetical order: images
/// as float32 from 0 to 255 in the size of the model's input (resized without regard to their
/// shape), or the texts of .txt files where the model takes strings. `label_mode` is "int",
/// "categorical" or "binary". The order is shuffled, and always the same. Throws ValueError for a
/// model with several inputs, or one of other things, and FileError that names what cannot be read.
Arrays folder_arrays(const std::string& folder, const std::string& label_mode, const Model& model);

}  // namespace cornu::cli
