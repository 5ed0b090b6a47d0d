// Arrays in .npy, .npz and .h5 files, and how they become a model's inputs.
#pragma once
#include <cornu/framework/model/model.h>

#include <string>
#include <utility>
#include <vector>

namespace cornu::cli {

/// Tensors by name; the only one of a .npy file has the name "".
using Arrays = std::vector<std::pair<std::string, Tensor>>;

/// Throws FileError, also for another ending.
Arrays read_arrays(const std::string& path);
/// Throws ValueError when a .npy is to hold several arrays.
void write_arrays(const std::string& path, const Arrays& arrays);

/// The array of this name, or null.
const Tensor* find(const Arrays& arrays, const std::string& name);
/// "x float32 (10, 4), y int32 (10)".
std::string describe(const Arrays& arrays);

/// The inputs of the model: the only array, or the arrays named as the inputs. `single` is a name
/// that the array of a model with one input may have as well. Throws ValueError that lists what is
/// there and what is missing.
Nest model_inputs(const Model& model, const Arrays& arrays, const std::string& single);

/// What the model predicted, by the outputs' names or keys.
Arrays model_outputs(const Model& model, const Nest& y);

}  // namespace cornu::cli
