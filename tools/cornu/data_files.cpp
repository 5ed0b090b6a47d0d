// Files of data: which arrays are inputs, targets and weights, and whether they fit the model.
#include "data_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "csv_arrays.h"

namespace cornu::cli {
namespace {

struct Ending {
  Part part;
  const char* text;
};
constexpr std::array endings = {Ending{Part::main, "_train"}, Ending{Part::validation, "_val"},
                                Ending{Part::validation, "_valid"},
                                Ending{Part::validation, "_validation"},
                                Ending{Part::test, "_test"}};

bool contains(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

// What the name's ending says; nothing for one without, or that is a name of the model itself.
const Ending* ending_of(const std::string& name, const Model& model) {
  if (contains(model.input_names(), name) || contains(model.output_names(), name)) return nullptr;
  for (const Ending& ending : endings)
    if (name.ends_with(ending.text)) return &ending;
  return nullptr;
}

// Rank and sizes of an input as the model will check them, but with the file's name.
void check_input(const Tensor& x, const Tensor& spec, const std::string& name,
                 const std::string& source) {
  const Shape &found = x.shape(), &expected = spec.shape();
  bool fits = found.rank() == expected.rank() || std::abs(found.rank() - expected.rank()) == 1;
  if (found.rank() == expected.rank())
    for (int axis = 1; axis < found.rank(); ++axis)
      fits &= expected[axis] == Shape::unknown || expected[axis] == found[axis];
  if (!fits)
    throw ShapeError(
        fmt::format("{}: the array for the input '{}' has the shape {}, the model expects {}.{}",
                    source, name, found.str(), expected.str(),
                    found.rank() == expected.rank() ? "" : " The first axis must be the samples."));
  if ((x.dtype() == DType::string) != (spec.dtype() == DType::string))
    throw ValueError(fmt::format("{}: the array for the input '{}' holds {}, the model expects {}.",
                                 source, name, dtype_name(x.dtype()), dtype_name(spec.dtype())));
}

void check_inputs(const Nest& x, const Model& model, const std::string& source) {
  const Nest spec = model.input_spec();
  if (spec.empty() || !x.same_structure(spec)) return;  // the model says more
  const std::vector<std::string> names = model.input_names();
  const std::vector<Tensor> given = x.flatten(), expected = spec.flatten();
  for (size_t i = 0; i < given.size(); ++i)
    check_input(given[i], expected[i], i < names.size() ? names[i] : std::to_string(i), source);
}

template <class T>
int64_t count_nan(const Tensor& tensor) {
  const std::span<const T> values = tensor.values<T>();
  return std::count_if(values.begin(), values.end(), [](T v) { return std::isnan(v); });
}

void warn_of_nan(const Arrays& arrays, const std::string& source) {
  for (const auto& [name, tensor] : arrays) {
    const int64_t count = tensor.dtype() == DType::float32   ? count_nan<float>(tensor)
                          : tensor.dtype() == DType::float64 ? count_nan<double>(tensor)
                                                             : 0;
    if (count > 0)
      std::fprintf(stderr,
                   "cornu: warning: %s: the array %s has %lld NaN among its %lld numbers, and so "
                   "may have the loss.\n",
                   source.c_str(), describe({{name, tensor}}).c_str(),
                   static_cast<long long>(count), static_cast<long long>(tensor.size()));
  }
}

// The targets: "y", or an array for each output; nothing when there are none.
Nest targets_among(const Model& model, const Arrays& arrays) {
  if (const Tensor* y = find(arrays, "y")) return *y;
  const std::vector<std::string> outputs = model.output_names();
  Nest::Dict targets;
  for (const std::string& name : outputs)
    if (const Tensor* tensor = find(arrays, name)) targets.emplace_back(name, *tensor);
  if (targets.empty()) return {};
  return targets.size() == 1 && outputs.size() == 1 ? targets[0].second : Nest::dict(targets);
}

Nest model_targets(const Model& model, const Arrays& arrays, const std::string& source) {
  const Nest targets = targets_among(model, arrays);
  const std::vector<std::string> outputs = model.output_names();
  if (targets.empty())
    throw ValueError(fmt::format(
        "{}: there are no targets: no array is named 'y'{}{}. The file holds: {}. Name it with "
        "--y; for .npy give a second file.",
        source, outputs.empty() ? "" : ", '", fmt::join(outputs, "', '"), describe(arrays)));
  return targets;
}

std::string quoted(const std::vector<std::string>& files) {
  return fmt::format("'{}'", fmt::join(files, "' and '"));
}

[[noreturn]] void wrong_files(const std::vector<std::string>& files) {
  throw UsageError(quoted(files) +
                   ": give one .npz, .h5 or .csv file, a folder of images or texts, or two .npy "
                   "files: inputs and targets.");
}

}  // namespace

DataFiles::DataFiles(const std::vector<std::string>& files, const DataOptions& options, bool quiet,
                     FileOrder order)
    : options_(options), source_(quoted(files)), quiet_(quiet), order_(order) {
  const auto all_end_in = [&](const char* ending) {
    return std::all_of(files.begin(), files.end(),
                       [&](const std::string& file) { return file.ends_with(ending); });
  };
  if (files.size() == 1 && std::filesystem::is_directory(files[0])) {
    folder_ = files[0];
  } else if (files.size() == 1 && files[0].ends_with(".csv")) {
    table_ = io::read_csv(files[0]);
  } else if (files.size() == 1 && (files[0].ends_with(".npz") || files[0].ends_with(".h5") ||
                                   files[0].ends_with(".npy"))) {
    arrays_ = read_arrays(files[0]);
  } else if (files.size() == 2 && all_end_in(".npy")) {
    arrays_ = {{"x", read_arrays(files[0])[0].second}, {"y", read_arrays(files[1])[0].second}};
  } else {
    wrong_files(files);
  }
}

// Where a part lies in the folder; "" where there is none.
std::string DataFiles::folder_of(Part part) const {
  const std::vector<std::string> parts = parts_in(folder_);
  if (parts.empty()) return part == Part::main ? folder_ : "";
  for (const std::string& name : parts)
    for (const Ending& ending : endings)
      if (ending.part == part && ending.text == "_" + name)
        return (std::filesystem::path(folder_) / name).string();
  return "";
}

bool DataFiles::has(Part part, const Model& model) const {
  if (!folder_.empty()) return !folder_of(part).empty();
  return table_ ? part == Part::main : !part_of(part, model).empty();
}

bool DataFiles::has_targets(Part part, const Model& model) const {
  if (!has(part, model)) return false;
  if (!folder_.empty()) return has_classes(folder_of(part));
  return table_ ? part == Part::main : !targets_among(model, part_of(part, model)).empty();
}

Part DataFiles::held_out(const Model& model) const {
  return has(Part::test, model) ? Part::test : Part::main;
}

// The arrays of a part, without the ending of their names.
Arrays DataFiles::part_of(Part part, const Model& model) const {
  Arrays plain, ended;
  for (const auto& [name, tensor] : arrays_) {
    const Ending* ending = ending_of(name, model);
    if (!ending) plain.emplace_back(name, tensor);
    if (ending && ending->part == part)
      ended.emplace_back(name.substr(0, name.size() - std::string(ending->text).size()), tensor);
  }
  return part == Part::main && !plain.empty() ? plain : ended;
}

// The arrays that --x and --y name, and weights.
Arrays DataFiles::named() const {
  Arrays arrays;
  for (const auto& [name, wanted] : {std::pair("x", options_.x), std::pair("y", options_.y),
                                     std::pair("sample_weight", std::string("sample_weight"))}) {
    const bool asked = !wanted.empty() && wanted != name;
    const Tensor* found = find(arrays_, wanted.empty() ? name : wanted);
    if (!found && asked) {
      std::vector<std::string> present;
      for (const auto& [key, tensor] : arrays_) present.push_back(key);
      throw UsageError(fmt::format("{}: there is no array '{}'.{} The file holds: {}.", source_,
                                   wanted, did_you_mean(wanted, present), describe(arrays_)));
    }
    if (found) arrays.emplace_back(name, *found);
  }
  return arrays;
}

Samples DataFiles::samples(Part part, const Model& model, bool with_targets) const {
  const bool by_name = part == Part::main && (!options_.x.empty() || !options_.y.empty());
  Samples result;
  Arrays arrays;
  if (!folder_.empty() && !by_name) {
    FolderArrays found = folder_arrays(folder_of(part), options_.label_mode, order_, model);
    arrays = std::move(found.arrays);
    for (const std::string& file : found.files)
      result.files.push_back(
          std::filesystem::path(file).lexically_relative(folder_).generic_string());
  } else {
    arrays = table_    ? arrays_of(*table_, options_, model, with_targets, quiet_, source_)
             : by_name ? named()
                       : part_of(part, model);
  }
  const std::vector<std::string> outputs = model.output_names();
  if (with_targets) {
    result.y = model_targets(model, arrays, source_);
    if (const Tensor* weight = find(arrays, "sample_weight")) result.sample_weight = *weight;
  }
  if (!table_) warn_of_nan(arrays, source_);
  // A lone array is the input, whatever its name.
  if (with_targets || arrays.size() > 1)
    std::erase_if(arrays, [&](const auto& entry) {
      return entry.first == "y" || entry.first == "sample_weight" || contains(outputs, entry.first);
    });
  if (arrays.empty()) throw ValueError(source_ + ": there are no inputs beside the targets.");
  try {
    result.x = model_inputs(model, arrays, "x");
    check_inputs(result.x, model, source_);
    result.count = count_samples(result.x, result.y, result.sample_weight);
  } catch (Error& e) {
    if (std::string(e.what()).find(source_) == std::string::npos) e.prepend(source_);
    throw;
  }
  if (result.count == 0) throw ValueError(source_ + ": there are no samples.");
  return result;
}

}  // namespace cornu::cli
