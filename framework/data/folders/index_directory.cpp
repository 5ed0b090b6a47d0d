// Listing, shuffling and splitting the files of folders.
#include "index_directory.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <iostream>
#include <random>
#include <set>

#include "../../../backend/error.h"
#include "../../tensor/config.h"
#include "../random_state.h"

namespace cornu::utils {
namespace {

namespace fs = std::filesystem;

bool inferred(const Labels& labels) {
  const auto* text = std::get_if<std::string>(&labels);
  if (text && *text != "inferred")
    throw ValueError(fmt::format(
        "option 'labels': expected \"inferred\", std::nullopt or a label for each file, found "
        "\"{}\".",
        *text));
  return text != nullptr;
}

bool unlabeled(const FolderOptions& options) {
  return std::holds_alternative<std::nullopt_t>(options.labels) || !options.label_mode;
}

void check_options(const FolderOptions& options) {
  const auto& mode = options.label_mode;
  if (mode && *mode != "int" && *mode != "categorical" && *mode != "binary")
    throw ValueError(fmt::format(
        "option 'label_mode': expected \"int\", \"categorical\", \"binary\" or nothing, "
        "found \"{}\".{}",
        *mode, did_you_mean(*mode, {"int", "categorical", "binary"})));
  if (!inferred(options.labels) && !options.class_names.empty())
    throw ValueError("option 'class_names' is for labels \"inferred\" only.");
  if (options.validation_split && !(*options.validation_split > 0 && *options.validation_split < 1))
    throw ValueError(
        fmt::format("option 'validation_split': expected a number between 0 and 1, "
                    "found {}.",
                    *options.validation_split));
  if (options.validation_split.has_value() != options.subset.has_value())
    throw ValueError("options 'validation_split' and 'subset' need each other.");
  if (options.subset == "both")
    throw ValueError(
        "option 'subset': one listing cannot be \"both\"; index_both_subsets gives two.");
  if (options.subset && *options.subset != "training" && *options.subset != "validation")
    throw ValueError(
        fmt::format("option 'subset': expected \"training\" or \"validation\", found \"{}\".{}",
                    *options.subset, did_you_mean(*options.subset, {"training", "validation"})));
  if (options.validation_split && options.shuffle && !options.seed)
    throw ValueError(
        "option 'seed' is needed with 'validation_split' and shuffling, so that the files for "
        "training and for validation are not the same.");
}

void print(const FolderOptions& options, const std::string& line) {
  if (options.verbose && config::is_interactive_logging_enabled()) std::cout << line << std::endl;
}

// The subfolders, in alphabetical order.
std::vector<std::string> subfolders(const fs::path& directory) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    std::string name = entry.path().filename().string();
    if (entry.is_directory() && !name.starts_with('.')) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> chosen_classes(const fs::path& directory, const FolderOptions& options) {
  std::vector<std::string> found = subfolders(directory);
  if (options.class_names.empty()) return found;
  for (const std::string& name : options.class_names)
    if (std::find(found.begin(), found.end(), name) == found.end())
      throw ValueError(
          fmt::format("option 'class_names': '{}' has no folder '{}'; there are: {}.{}",
                      directory.string(), name, fmt::join(found, ", "), did_you_mean(name, found)));
  return options.class_names;
}

bool ends_in_format(std::string name, const std::vector<std::string>& formats) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::any_of(formats.begin(), formats.end(),
                     [&](const std::string& format) { return name.ends_with(format); });
}

// The files below a folder as paths from it: folders in the order of their paths, then names.
std::vector<std::string> files_below(const fs::path& folder,
                                     const std::vector<std::string>& formats, bool follow_links) {
  // By folder, since "a/b" stands before "a-" among files, but behind it among folders.
  std::vector<std::pair<std::string, std::string>> found;
  std::set<fs::path> open;  // what links lead to, so that a circle of them ends
  const auto options =
      follow_links ? fs::directory_options::follow_directory_symlink : fs::directory_options::none;
  fs::recursive_directory_iterator at(folder, options), end;
  for (; at != end; ++at) {
    const fs::directory_entry& entry = *at;
    if (entry.is_directory()) {
      if (entry.is_symlink() && follow_links && !open.insert(fs::canonical(entry.path())).second)
        at.disable_recursion_pending();
      continue;
    }
    std::string name = entry.path().filename().string();
    if (!ends_in_format(name, formats)) continue;
    found.emplace_back(entry.path().parent_path().string(), std::move(name));
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> paths;
  for (const auto& [parent, name] : found) paths.push_back((fs::path(parent) / name).string());
  return paths;
}

// The part for training or for validation.
template <class T>
void keep_subset(std::vector<T>& values, int64_t validation, bool for_training) {
  const auto split = values.end() - validation;
  if (for_training)
    values.erase(split, values.end());
  else
    values.erase(values.begin(), split);
}

std::vector<std::string> names_of(const std::vector<int32_t>& labels) {
  const std::set<int32_t> distinct(labels.begin(), labels.end());
  std::vector<std::string> names;
  for (const int32_t label : distinct) names.push_back(std::to_string(label));
  return names;
}

void take_given_labels(const Labels& labels, const fs::path& directory, FileList& list) {
  list.labels = std::get<std::vector<int32_t>>(labels);
  if (list.labels.size() != list.file_paths.size())
    throw ValueError(fmt::format("option 'labels' has {} labels; '{}' has {} files.",
                                 list.labels.size(), directory.string(), list.file_paths.size()));
  list.class_names = names_of(list.labels);
}

// All files, shuffled if they are to be.
FileList list_all(const fs::path& directory, const std::vector<std::string>& formats,
                  const FolderOptions& options) {
  check_options(options);
  std::error_code error;
  if (!fs::is_directory(directory, error))
    throw FileError(fmt::format("'{}' is no folder.", directory.string()));
  FileList list;
  try {
    if (inferred(options.labels) && !unlabeled(options)) {
      list.class_names = chosen_classes(directory, options);
      for (size_t label = 0; label < list.class_names.size(); ++label)
        for (std::string& path :
             files_below(directory / list.class_names[label], formats, options.follow_links)) {
          list.file_paths.push_back(std::move(path));
          list.labels.push_back(static_cast<int32_t>(label));
        }
    } else {
      list.file_paths = files_below(directory, formats, options.follow_links);
      if (!unlabeled(options)) take_given_labels(options.labels, directory, list);
    }
  } catch (const fs::filesystem_error& e) {
    throw FileError(fmt::format("'{}' cannot be listed: {}.", directory.string(), e.what()));
  }
  if (options.label_mode == "binary" && !unlabeled(options) && list.class_names.size() != 2)
    throw ValueError(fmt::format("label_mode \"binary\" needs two classes; there are {}: {}.",
                                 list.class_names.size(), fmt::join(list.class_names, ", ")));
  const auto count = static_cast<int64_t>(list.file_paths.size());
  print(options, unlabeled(options) ? fmt::format("Found {} files.", count)
                                    : fmt::format("Found {} files belonging to {} classes.", count,
                                                  list.class_names.size()));
  if (options.shuffle) {
    const int64_t seed = options.seed ? *options.seed : std::random_device()() % 1'000'000;
    const std::vector<int64_t> order = data::numpy_shuffle(count, seed);
    list.file_paths = data::reordered(list.file_paths, order);
    if (!list.labels.empty()) list.labels = data::reordered(list.labels, order);
  }
  if (list.file_paths.empty())
    throw ValueError(fmt::format("'{}' has no files that end in {}.", directory.string(),
                                 fmt::join(formats, ", ")));
  return list;
}

FileList subset_of(FileList list, const FolderOptions& options, bool training) {
  const auto count = static_cast<int64_t>(list.file_paths.size());
  const auto validation =
      static_cast<int64_t>(*options.validation_split * static_cast<double>(count));
  if (validation == 0)
    throw ValueError(
        fmt::format("option 'validation_split': {} of {} files is none; there must be one at "
                    "least.",
                    *options.validation_split, count));
  print(options, fmt::format("Using {} files for {}.", training ? count - validation : validation,
                             training ? "training" : "validation"));
  keep_subset(list.file_paths, validation, training);
  if (!list.labels.empty()) keep_subset(list.labels, validation, training);
  return list;
}

}  // namespace

const std::vector<std::string>& image_file_endings() {
  static const std::vector<std::string> endings = {".bmp", ".gif", ".jpeg", ".jpg", ".png"};
  return endings;
}

FileList index_directory(const fs::path& directory, const std::vector<std::string>& formats,
                         const FolderOptions& options) {
  FileList list = list_all(directory, formats, options);
  if (!options.subset) return list;
  return subset_of(std::move(list), options, *options.subset == "training");
}

std::pair<FileList, FileList> index_both_subsets(const fs::path& directory,
                                                 const std::vector<std::string>& formats,
                                                 FolderOptions options) {
  options.subset = "training";
  const FileList list = list_all(directory, formats, options);
  return {subset_of(list, options, true), subset_of(list, options, false)};
}

Tensor encode_labels(const std::vector<int32_t>& labels, size_t classes,
                     const std::optional<std::string>& label_mode) {
  const auto count = static_cast<int64_t>(labels.size());
  if (!label_mode || labels.empty()) return nullptr;
  if (*label_mode == "int") return Tensor::from(labels, {count});
  if (*label_mode == "binary")
    return Tensor::from(std::vector<float>(labels.begin(), labels.end()), {count, 1});
  std::vector<float> encoded(labels.size() * classes);
  // As one_hot does, a label that is no class has no 1.
  for (size_t i = 0; i < labels.size(); ++i)
    if (labels[i] >= 0 && static_cast<size_t>(labels[i]) < classes)
      encoded[i * classes + static_cast<size_t>(labels[i])] = 1;
  return Tensor::from(encoded, {count, static_cast<int64_t>(classes)});
}

}  // namespace cornu::utils
