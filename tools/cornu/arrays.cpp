// Reading, writing and naming arrays.
#include "arrays.h"

#include <cornu/framework/io/h5_file.h>
#include <cornu/framework/io/npy_tensor.h>

#include <algorithm>
#include <cstring>

namespace cornu::cli {
namespace {

[[noreturn]] void wrong_ending(const std::string& path) {
  throw FileError("'" + path + "' must end in .npy, .npz or .h5.");
}

}  // namespace

Arrays read_arrays(const std::string& path) {
  Arrays arrays;
  if (path.ends_with(".npy")) {
    arrays.emplace_back("", io::tensor_of(io::read_npy(path)));
  } else if (path.ends_with(".npz")) {
    for (const io::NpyArray& array : io::read_npz(path))
      arrays.emplace_back(array.name, io::tensor_of(array));
  } else if (path.ends_with(".h5")) {
    const io::H5Reader file{std::filesystem::path(path)};
    for (const std::string& name : file.children("")) {
      if (!file.is_dataset(name)) continue;
      if (const std::optional<Shape> shape = file.string_shape(name)) {
        arrays.emplace_back(name, Tensor::strings(file.read_strings(name), *shape));
        continue;
      }
      const io::H5Info info = file.info(name);
      arrays.emplace_back(name, Tensor::written(info.shape, info.dtype, [&](void* to) {
                            file.read(name, to, info.dtype, info.shape);
                          }));
    }
  } else {
    wrong_ending(path);
  }
  if (arrays.empty()) throw FileError("'" + path + "' holds no array.");
  return arrays;
}

void write_arrays(const std::string& path, const Arrays& arrays) {
  if (path.ends_with(".npy")) {
    if (arrays.size() != 1)
      throw ValueError("The model has " + std::to_string(arrays.size()) + " outputs (" +
                       describe(arrays) + "), but '" + path +
                       "' can hold one only. Give a name that ends in .npz or .h5.");
    io::write_npy(path, io::array_of("", arrays[0].second));
  } else if (path.ends_with(".npz")) {
    std::vector<io::NpyArray> list;
    for (const auto& [name, tensor] : arrays) list.push_back(io::array_of(name, tensor));
    io::write_npz(path, list);
  } else if (path.ends_with(".h5")) {
    io::H5Writer file{std::filesystem::path(path)};
    for (const auto& [name, tensor] : arrays) {
      if (tensor.dtype() == DType::string)
        file.write_strings(name, tensor.to_strings(), tensor.shape());
      else
        file.write(name, tensor.dtype(), tensor.shape(), tensor.host_data());
    }
    file.finish();
  } else {
    wrong_ending(path);
  }
}

const Tensor* find(const Arrays& arrays, const std::string& name) {
  for (const auto& [key, tensor] : arrays)
    if (key == name) return &tensor;
  return nullptr;
}

std::string describe(const Arrays& arrays) {
  std::string text;
  for (const auto& [name, tensor] : arrays)
    text += (text.empty() ? "" : ", ") + (name.empty() ? "" : name + " ") + tensor.spec().str();
  return text;
}

Nest model_inputs(const Model& model, const Arrays& arrays, const std::string& single) {
  const std::vector<std::string> names = model.input_names();
  const Nest spec = model.input_spec();
  const size_t inputs = spec.empty() ? names.size() : spec.flatten().size();
  if (inputs <= 1) {
    if (arrays.size() == 1) return arrays[0].second;
    if (const Tensor* x = find(arrays, single)) return *x;
    if (!names.empty() && find(arrays, names[0])) return *find(arrays, names[0]);
    // A model whose inputs are known to its code only.
    if (names.empty()) return Nest::dict(Nest::Dict(arrays.begin(), arrays.end()));
  }
  // Keys of a dictionary, in the order of `names`.
  std::vector<std::string> keys;
  if (spec.is_dict())
    for (const auto& [key, nest] : spec.entries()) keys.push_back(key);
  std::sort(keys.begin(), keys.end());
  std::vector<std::string> present;
  for (const auto& [name, tensor] : arrays) present.push_back(name);
  std::vector<Tensor> list;
  for (size_t i = 0; i < names.size(); ++i) {
    const Tensor* tensor = find(arrays, names[i]);
    if (!tensor && keys.size() == names.size()) tensor = find(arrays, keys[i]);
    if (!tensor)
      throw ValueError("There is no array for the model's input '" + names[i] +
                       "'. The file holds: " + describe(arrays) + "." +
                       did_you_mean(names[i], present));
    list.push_back(*tensor);
  }
  return spec.pack(list);
}

Arrays model_outputs(const Model& model, const Nest& y) {
  Arrays arrays;
  if (y.is_tensor()) {
    const std::vector<std::string> names = model.output_names();
    arrays.emplace_back(names.size() == 1 ? names[0] : "output", y.tensor());
    return arrays;
  }
  std::vector<std::string> names = model.output_names();
  if (y.is_dict()) {
    names.clear();
    for (const auto& [key, nest] : y.entries()) names.push_back(key);
    std::sort(names.begin(), names.end());  // the order of flatten
  }
  const std::vector<Tensor> tensors = y.flatten();
  for (size_t i = 0; i < tensors.size(); ++i)
    arrays.emplace_back(names.size() == tensors.size() ? names[i] : "output_" + std::to_string(i),
                        tensors[i]);
  return arrays;
}

}  // namespace cornu::cli
