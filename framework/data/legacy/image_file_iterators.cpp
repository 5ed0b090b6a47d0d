// Files of images in folders and tables, and their targets.
#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "../../../backend/error.h"
#include "../../../backend/log.h"
#include "../../ops/core/cast.h"
#include "image_iterators.h"

namespace cornu::preprocessing::image {
namespace {

namespace fs = std::filesystem;

// Keras's number for the names of saved images.
constexpr int64_t file_names = 10'000'000;

std::string lower(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

// Whether a file's name is that of an image. As in Keras, the endings need no point before them.
bool named_as_image(const std::string& name) {
  static const std::vector<std::string> endings = {"png", "jpg", "jpeg", "bmp",
                                                   "ppm", "tif", "tiff"};
  const std::string small = lower(name);
  return std::any_of(endings.begin(), endings.end(),
                     [&](const std::string& ending) { return small.ends_with(ending); });
}

// The files below a class's folder that may be images: those of each folder in order, folders by
// their paths.
std::vector<fs::path> image_files_below(const fs::path& folder, bool follow_links) {
  std::vector<std::pair<fs::path, fs::path>> found;
  const auto options =
      follow_links ? fs::directory_options::follow_directory_symlink : fs::directory_options::none;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, options, error), end; !error && at != end;
       at.increment(error))
    if (at->is_regular_file(error) && named_as_image(at->path().filename().string()))
      found.emplace_back(at->path().parent_path(), at->path().filename());
  if (error)
    throw FileError(fmt::format("'{}' cannot be listed: {}.", folder.string(), error.message()));
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first.native(), a.second.native()) <
           std::pair(b.first.native(), b.second.native());
  });
  std::vector<fs::path> files;
  for (const auto& [parent, name] : found) files.push_back(parent / name);
  return files;
}

std::vector<std::string> subfolders_of(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (at->is_directory(error)) names.push_back(at->path().filename().string());
  if (error)
    throw FileError(fmt::format("'{}' cannot be listed: {}.", folder.string(), error.message()));
  std::sort(names.begin(), names.end());
  return names;
}

// Ones at the labels of each image.
Tensor one_hot(const std::vector<std::vector<int32_t>>& labels, size_t classes) {
  std::vector<float> y(labels.size() * classes, 0);
  for (size_t i = 0; i < labels.size(); ++i)
    for (const int32_t label : labels[i]) y[i * classes + static_cast<size_t>(label)] = 1;
  return Tensor::from(y, {static_cast<int64_t>(labels.size()), static_cast<int64_t>(classes)});
}

// The batch of images with so many classes, of which image i has those of `labels(i)`.
template <class F>
Batch batch_of_classes(const Tensor& x, const std::string& mode, const std::vector<int64_t>& images,
                       size_t classes, const F& labels) {
  std::vector<std::vector<int32_t>> chosen;
  for (const int64_t i : images) chosen.push_back(labels(static_cast<size_t>(i)));
  if (mode == "categorical") return {x, ops::cast(one_hot(chosen, classes), x.dtype())};
  std::vector<float> y;
  for (const std::vector<int32_t>& of_image : chosen) y.push_back(static_cast<float>(of_image[0]));
  return {x, ops::cast(Tensor::from(y, {static_cast<int64_t>(y.size())}), x.dtype())};
}

}  // namespace

ImageFileIterator::ImageFileIterator(ImageDataGenerator generator, int64_t batch_size, bool shuffle,
                                     std::optional<int64_t> seed, SaveOptions save,
                                     utils::LoadImgOptions reading,
                                     std::optional<std::string> class_mode,
                                     const std::vector<std::string>& class_modes)
    : ImageIterator(std::move(generator), batch_size, shuffle, seed, std::move(save), file_names),
      class_mode_(std::move(class_mode)),
      reading_(std::move(reading)) {
  utils::color_channels(reading_.color_mode);  // throws for an unknown one
  if (!class_mode_ ||
      std::find(class_modes.begin(), class_modes.end(), *class_mode_) != class_modes.end())
    return;
  std::string expected;
  for (const std::string& mode : class_modes) expected += fmt::format("\"{}\", ", mode);
  throw ValueError(fmt::format("class_mode: expected {}or nothing, found \"{}\".{}", expected,
                               *class_mode_, did_you_mean(*class_mode_, class_modes)));
}

void ImageFileIterator::set_files() {
  const auto [height, width] = *reading_.target_size;
  const int64_t channels = utils::color_channels(reading_.color_mode);
  const bool first = generator_.options().data_format == "channels_first";
  set_images(static_cast<int64_t>(filepaths.size()),
             first ? Shape{channels, height, width} : Shape{height, width, channels});
}

Tensor ImageFileIterator::image(int64_t i) const {
  return utils::img_to_array(utils::load_img(filepaths[static_cast<size_t>(i)], reading_),
                             generator_.options().data_format);
}

// --- In folders --------------------------------------------------------------------------------

DirectoryIterator::DirectoryIterator(const std::filesystem::path& directory,
                                     ImageDataGenerator generator,
                                     const FlowFromDirectoryOptions& options)
    : ImageFileIterator(std::move(generator), options,
                        {"categorical", "binary", "sparse", "input"}) {
  const std::vector<std::string> names =
      options.classes.empty() ? subfolders_of(directory) : options.classes;
  for (const std::string& name : names) {
    const auto label = static_cast<int64_t>(class_indices.size());
    class_indices.emplace(name, label);
    const std::vector<fs::path> files = image_files_below(directory / name, options.follow_links);
    const auto [begin, end] = subset_of(options.subset, static_cast<int64_t>(files.size()));
    for (int64_t i = begin; i < end; ++i) {
      const fs::path& file = files[static_cast<size_t>(i)];
      filenames.push_back(file.lexically_relative(directory).string());
      filepaths.push_back(file.string());
      classes.push_back(static_cast<int32_t>(label));
    }
  }
  set_files();
}

Batch DirectoryIterator::batch_of(const Tensor& x, const std::vector<int64_t>& images) const {
  if (!class_mode_) return {x};
  if (*class_mode_ == "input") return {x, x};
  return batch_of_classes(x, *class_mode_, images, class_indices.size(),
                          [&](size_t i) { return std::vector{classes[i]}; });
}

// --- In tables ---------------------------------------------------------------------------------

namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw ValueError("flow_from_dataframe: " + why);
}

void expect_none_missing(const DataColumn& column, const std::string& name) {
  if (const int64_t line = column.missing_line())
    refuse(fmt::format("column '{}' has no value in line {}. Leave such rows out.", name, line));
}

const std::vector<std::string>& file_names_of(const DataFrame& dataframe, const std::string& name) {
  const DataColumn& column = dataframe.column(name);
  if (!column.texts())
    refuse(fmt::format("x_col '{}' must hold names of files, found {}.", name,
                       column.numbers() ? "numbers" : "lists"));
  expect_none_missing(column, name);
  return *column.texts();
}

// The rows whose files are images, with one warning of others.
std::vector<int64_t> rows_of_images(const std::vector<std::string>& names,
                                    const FlowFromDataframeOptions& options) {
  std::vector<int64_t> rows;
  std::string first;
  for (size_t i = 0; i < names.size(); ++i) {
    std::error_code error;
    if (named_as_image(names[i]) && fs::is_regular_file(options.directory / names[i], error))
      rows.push_back(static_cast<int64_t>(i));
    else if (i == rows.size())
      first = names[i];
  }
  if (const size_t invalid = names.size() - rows.size())
    warn_once(fmt::format(
        "flow_from_dataframe: {} of {} entries in x_col '{}' are left out, the first one '{}': "
        "there is no such file, or its name has the ending of no image.",
        invalid, names.size(), options.x_col, first));
  return rows;
}

}  // namespace

DataFrameIterator::DataFrameIterator(const DataFrame& dataframe, ImageDataGenerator generator,
                                     const FlowFromDataframeOptions& options)
    : ImageFileIterator(std::move(generator), options,
                        {"categorical", "binary", "sparse", "raw", "multi_output", "input"}) {
  const std::vector<std::string>& names = file_names_of(dataframe, options.x_col);
  const bool targets = class_mode_ == "raw" || class_mode_ == "multi_output";
  const bool has_classes = class_mode_ && !targets && class_mode_ != "input";
  if (class_mode_ == "multi_output" && !options.y_col.is_list())
    refuse("class_mode \"multi_output\" takes a list of columns as y_col, found '" +
           options.y_col.names()[0] + "' alone.");
  if (!has_classes && !options.classes.empty())
    warn_once(fmt::format("flow_from_dataframe: class_mode {} has no use for `classes`.",
                          class_mode_ ? "\"" + *class_mode_ + "\"" : "nothing"));
  std::vector<int64_t> rows(names.size());
  std::iota(rows.begin(), rows.end(), int64_t{0});
  if (options.validate_filenames) rows = rows_of_images(names, options);
  if (has_classes) classify(dataframe, options, rows);
  const auto [begin, end] = subset_of(options.subset, static_cast<int64_t>(rows.size()));
  rows = {rows.begin() + begin, rows.begin() + end};
  if (has_classes) classes = {classes.begin() + begin, classes.begin() + end};
  for (const int64_t row : rows) {
    filenames.push_back(names[static_cast<size_t>(row)]);
    filepaths.push_back((options.directory / filenames.back()).string());
  }
  if (class_mode_ == "raw")
    targets_.push_back(target_of(dataframe, options.y_col.names(), options.y_col.is_list(), rows));
  if (class_mode_ == "multi_output")
    for (const std::string& column : options.y_col.names())
      targets_.push_back(target_of(dataframe, {column}, false, rows));
  if (!options.weight_col.empty()) {
    if (!dataframe.column(options.weight_col).numbers())
      refuse(fmt::format("weight_col '{}' must hold numbers.", options.weight_col));
    weights_ = target_of(dataframe, {options.weight_col}, false, rows);
  }
  set_files();
}

// Finds the classes, and leaves out rows that have none of them.
void DataFrameIterator::classify(const DataFrame& dataframe,
                                 const FlowFromDataframeOptions& options,
                                 std::vector<int64_t>& rows) {
  const std::string& mode = *class_mode_;
  const std::string& name = options.y_col.names().at(0);
  if (options.y_col.is_list())
    refuse(fmt::format("class_mode \"{}\" takes one column as y_col, found a list.", mode));
  const DataColumn& column = dataframe.column(name);
  if (column.numbers() || (column.lists() && mode != "categorical"))
    refuse(fmt::format("class_mode \"{}\" takes names of classes, found {} in y_col '{}'.{}", mode,
                       column.numbers() ? "numbers" : "lists", name,
                       column.numbers() ? " Class_mode \"raw\" takes numbers." : ""));
  expect_none_missing(column, name);
  const auto names_in = [&](int64_t row) {
    const auto i = static_cast<size_t>(row);
    return column.texts() ? std::vector{(*column.texts())[i]} : (*column.lists())[i];
  };
  std::vector<std::string> known;
  for (const std::string& one : options.classes)
    if (std::find(known.begin(), known.end(), one) == known.end()) known.push_back(one);
  if (mode == "binary") {
    // Of all rows, as in Keras: also of those that are left out.
    const auto& texts = *column.texts();
    const size_t found =
        known.empty() ? std::set<std::string>(texts.begin(), texts.end()).size() : known.size();
    if (found != 2)
      refuse(fmt::format("class_mode \"binary\" takes 2 classes, found {} in {}.", found,
                         known.empty() ? "y_col '" + name + "'" : "`classes`"));
  }
  if (known.empty()) {
    std::set<std::string> found;
    for (const int64_t row : rows)
      for (std::string& one : names_in(row)) found.insert(std::move(one));
    known.assign(found.begin(), found.end());
  }
  for (const std::string& one : known)
    class_indices.emplace(one, static_cast<int64_t>(class_indices.size()));
  std::vector<int64_t> left;
  for (const int64_t row : rows) {
    std::vector<int32_t> labels;
    for (const std::string& one : names_in(row))
      if (const auto label = class_indices.find(one); label != class_indices.end())
        labels.push_back(static_cast<int32_t>(label->second));
    if (labels.empty() && !options.classes.empty()) continue;
    left.push_back(row);
    classes.push_back(std::move(labels));
  }
  rows = std::move(left);
}

DataFrameIterator::Target DataFrameIterator::target_of(const DataFrame& dataframe,
                                                       const std::vector<std::string>& columns,
                                                       bool list,
                                                       const std::vector<int64_t>& rows) {
  if (columns.empty()) refuse("y_col is an empty list.");
  Target target;
  if (list) target.row = {static_cast<int64_t>(columns.size())};
  const bool texts = dataframe.column(columns[0]).texts() != nullptr;
  for (const std::string& name : columns) {
    const DataColumn& column = dataframe.column(name);
    if (column.lists()) refuse(fmt::format("column '{}' holds lists, which are no targets.", name));
    if ((column.texts() != nullptr) != texts)
      refuse(fmt::format("columns '{}' and '{}' hold texts and numbers, and are one target.",
                         columns[0], name));
    if (texts) expect_none_missing(column, name);
  }
  for (const int64_t row : rows)
    for (const std::string& name : columns) {
      const DataColumn& column = dataframe.column(name);
      const auto i = static_cast<size_t>(row);
      if (texts)
        target.texts.push_back((*column.texts())[i]);
      else
        target.numbers.push_back(static_cast<float>((*column.numbers())[i]));
    }
  return target;
}

Tensor DataFrameIterator::Target::of(const std::vector<int64_t>& rows) const {
  const auto pick = [&](const auto& from) {
    std::remove_cvref_t<decltype(from)> chosen;
    const int64_t width = row.numel();
    for (const int64_t i : rows)
      chosen.insert(chosen.end(), from.begin() + i * width, from.begin() + (i + 1) * width);
    return chosen;
  };
  Shape shape = row;
  shape.insert(0, static_cast<int64_t>(rows.size()));
  return texts.empty() ? Tensor::from(pick(numbers), shape) : Tensor::strings(pick(texts), shape);
}

Batch DataFrameIterator::batch_of(const Tensor& x, const std::vector<int64_t>& images) const {
  if (!class_mode_) return {x};
  Batch batch{x};
  if (class_mode_ == "input") {
    batch.y = x;
  } else if (class_mode_ == "raw") {
    batch.y = targets_[0].of(images);
  } else if (class_mode_ == "multi_output") {
    std::vector<Tensor> outputs;
    for (const Target& target : targets_) outputs.push_back(target.of(images));
    batch.y = Nest(outputs);
  } else {
    batch = batch_of_classes(
        x, *class_mode_, images,
        class_indices.size(), [&](size_t i) -> const auto& { return classes[i]; });
  }
  if (weights_) batch.sample_weight = weights_->of(images);
  return batch;
}

}  // namespace cornu::preprocessing::image
