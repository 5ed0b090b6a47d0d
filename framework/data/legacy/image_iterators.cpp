// Orders, batches and targets.
#include "image_iterators.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "../../../backend/error.h"
#include "../../ops/core/cast.h"
#include "../../ops/numpy/indexing.h"
#include "../images/load_img.h"

namespace cornu::preprocessing::image {
namespace {

// Keras's numbers for the names of saved images.
constexpr int64_t array_names = 10'000, file_names = 10'000'000;

// The images of a subset: the first ones are for validation.
std::pair<int64_t, int64_t> subset_of(const std::optional<std::string>& subset, double split,
                                      int64_t count) {
  if (!subset) return {0, count};
  const auto middle = static_cast<int64_t>(static_cast<double>(count) * split);
  if (*subset == "validation") return {0, middle};
  if (*subset == "training") return {middle, count};
  throw ValueError(fmt::format("subset: expected \"training\" or \"validation\", found \"{}\".{}",
                               *subset, did_you_mean(*subset, {"training", "validation"})));
}

Tensor rows_of(const Tensor& x, std::pair<int64_t, int64_t> range) {
  return x ? ops::get_item(x, Value::List{Slice{range.first, range.second}}) : x;
}

Tensor picked(const Tensor& x, const std::vector<int64_t>& rows) {
  return ops::take(x, Tensor(std::vector<int32_t>(rows.begin(), rows.end())), 0);
}

std::vector<double> distinct(const Tensor& x) {
  std::vector<double> values = ops::cast(x, DType::float64).to_vector<double>();
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

}  // namespace

ImageIterator::ImageIterator(ImageDataGenerator generator, int64_t batch_size, bool shuffle,
                             std::optional<int64_t> seed, SaveOptions save, int64_t names)
    : generator_(std::move(generator)),
      batch_size_(batch_size),
      shuffle_(shuffle),
      seed_(seed ? *seed : static_cast<int64_t>(std::random_device()() % 1'000'000)),
      save_(std::move(save)),
      names_(names) {
  if (batch_size < 1)
    throw ValueError(fmt::format("batch_size: expected 1 or more, found {}.", batch_size));
}

ImageIterator::ImageIterator(const ImageIterator& other)
    : Dataset(other),
      generator_(other.generator_),
      batch_size_(other.batch_size_),
      shuffle_(other.shuffle_),
      seed_(other.seed_),
      save_(other.save_),
      names_(other.names_),
      count_(other.count_),
      image_(other.image_) {}

void ImageIterator::set_images(int64_t count, const Shape& image) {
  count_ = count;
  image_ = image;
}

int64_t ImageIterator::size() const { return count_ / batch_size_ + (count_ % batch_size_ != 0); }

// Keras seeds NumPy anew for each batch.
data::MersenneTwister ImageIterator::random_of(int64_t batches) const {
  return data::MersenneTwister::numpy(seed_ + batches);
}

std::vector<int64_t> ImageIterator::shuffled(data::MersenneTwister& random) const {
  if (shuffle_) return data::numpy_shuffle(count_, random);
  std::vector<int64_t> order(static_cast<size_t>(count_));
  std::iota(order.begin(), order.end(), int64_t{0});
  return order;
}

// The numbers that a batch takes.
void ImageIterator::skip_draws(int64_t images, data::MersenneTwister& random) const {
  for (int64_t i = 0; i < images; ++i) generator_.get_random_transform(image_, random);
  if (!save_.to_dir.empty())
    for (int64_t i = 0; i < images; ++i) data::numpy_below(names_, random);
}

// The first order is drawn before the first batch, the others behind the last one of an epoch.
std::vector<int64_t> ImageIterator::order(int64_t epoch) const {
  if (epoch == 0) {
    data::MersenneTwister random = random_of(0);
    return shuffled(random);
  }
  const int64_t last = epoch * size() - 1;
  data::MersenneTwister random = random_of(last);
  if (last == 0) shuffled(random);
  skip_draws(count_ - (size() - 1) * batch_size_, random);
  return shuffled(random);
}

std::vector<int64_t> ImageIterator::part(const std::vector<int64_t>& order, int64_t index) const {
  return {order.begin() + index * batch_size_,
          order.begin() + std::min((index + 1) * batch_size_, count_)};
}

Batch ImageIterator::batch(int64_t index) {
  if (index < 0 || index >= size())
    throw ValueError(fmt::format("batch {} is not among 0 to {}.", index, size() - 1));
  std::vector<int64_t> images;
  int64_t epoch = 0;
  {
    const std::lock_guard lock(mutex_);
    if (!order_) order_ = order(epoch_);
    images = part(*order_, index);
    epoch = epoch_;
  }
  data::MersenneTwister random = random_of(epoch * size() + index);
  if (epoch == 0 && index == 0) shuffled(random);
  return made(images, random);
}

void ImageIterator::on_epoch_begin(int64_t epoch) {
  const std::lock_guard lock(mutex_);
  if (epoch != epoch_) order_.reset();
  epoch_ = epoch;
}

Batch ImageIterator::next() {
  std::vector<int64_t> images;
  std::optional<data::MersenneTwister> random;
  {
    const std::lock_guard lock(mutex_);
    random = random_of(given_++);
    if (at_ == 0) next_order_ = shuffled(*random);
    images = part(next_order_, at_);
    at_ = at_ + 1 < size() ? at_ + 1 : 0;
  }
  return made(images, *random);
}

void ImageIterator::reset() {
  const std::lock_guard lock(mutex_);
  at_ = 0;
}

Value::Dict ImageIterator::get_state() const { return {{"seed", seed_}}; }

void ImageIterator::set_state(const Value::Dict& state) {
  for (const auto& [name, value] : state)
    if (name == "seed") {
      const std::lock_guard lock(mutex_);
      seed_ = value.get<int64_t>();
      order_.reset();
      return;
    }
  throw ValueError("the state of an image iterator has no 'seed'.");
}

Batch ImageIterator::made(const std::vector<int64_t>& images, data::MersenneTwister& random) const {
  Shape shape = image_;
  shape.insert(0, static_cast<int64_t>(images.size()));
  const Tensor x = Tensor::empty(shape, DType::float32, backend::cpu_backend());
  auto* to = static_cast<std::byte*>(x.data());
  for (const int64_t i : images) {
    const TransformParameters parameters = generator_.get_random_transform(image_, random);
    const Tensor changed = ops::cast(
        generator_.standardize(generator_.apply_transform(image(i), parameters)), DType::float32);
    if (changed.shape() != image_)
      throw ShapeError(fmt::format("an image of shape {} became one of shape {}.", image_.str(),
                                   changed.shape().str()));
    std::memcpy(to, changed.to(Device::cpu()).data(), changed.bytes());
    to += changed.bytes();
  }
  if (!save_.to_dir.empty())
    for (size_t i = 0; i < images.size(); ++i)
      utils::save_img(save_.to_dir / fmt::format("{}_{}_{}.{}", save_.prefix, images[i],
                                                 data::numpy_below(names_, random), save_.format),
                      x[static_cast<int64_t>(i)],
                      {.data_format = generator_.options().data_format});
  return batch_of(ops::cast(x, generator_.options().dtype), images);
}

NumpyArrayIterator::NumpyArrayIterator(const Nest& x, const Nest& y, ImageDataGenerator generator,
                                       const FlowOptions& options)
    : ImageIterator(std::move(generator), options.batch_size, options.shuffle, options.seed,
                    options.save, array_names) {
  x_ = x.is_tensor() ? x.tensor() : x[0].tensor();
  if (!x.is_tensor())
    for (const Tensor& t : x[1].flatten()) more_.push_back(t);
  if (!y.empty()) y_ = y.tensor();
  sample_weight_ = options.sample_weight;
  if (x_.rank() != 4)
    throw ShapeError(
        fmt::format("flow: expected images with 4 axes, found shape {}.", x_.shape().str()));
  const int64_t count = x_.shape()[0];
  const auto check = [&](const Tensor& t, const char* what) {
    if (t && (t.rank() == 0 || t.shape()[0] != count))
      throw ShapeError(
          fmt::format("flow: {} of shape {} for {} images.", what, t.shape().str(), count));
  };
  for (const Tensor& t : more_) check(t, "further inputs");
  check(y_, "targets");
  check(sample_weight_, "a sample_weight");
  const double split = generator_.options().validation_split;
  const auto range = subset_of(options.subset, split, count);
  if (options.subset && y_ && !options.ignore_class_split) {
    const int64_t middle = subset_of("validation", split, count).second;
    if (distinct(rows_of(y_, {0, middle})) != distinct(rows_of(y_, {middle, count})))
      throw ValueError(
          "flow: the subsets for training and validation have other classes. Shuffle images that "
          "are sorted by class, or set ignore_class_split.");
  }
  x_ = rows_of(ops::cast(x_, DType::float32), range);
  for (Tensor& t : more_) t = rows_of(t, range);
  y_ = rows_of(y_, range);
  sample_weight_ = rows_of(sample_weight_, range);
  set_images(range.second - range.first, x_.shape().slice(1, 4));
}

Tensor NumpyArrayIterator::image(int64_t i) const { return x_[i]; }

Batch NumpyArrayIterator::batch_of(const Tensor& x, const std::vector<int64_t>& images) const {
  Batch batch{x};
  if (!more_.empty()) {
    std::vector<Tensor> all = {x};
    for (const Tensor& t : more_) all.push_back(picked(t, images));
    batch.x = Nest(all);
  }
  if (y_) batch.y = picked(y_, images);
  if (y_ && sample_weight_) batch.sample_weight = picked(sample_weight_, images);
  return batch;
}

namespace {

namespace fs = std::filesystem;

// The files below a class's folder that may be images: those of each folder in order, folders by
// their paths.
std::vector<fs::path> image_files_below(const fs::path& folder, bool follow_links) {
  static const std::vector<std::string> endings = {".png", ".jpg", ".jpeg", ".bmp",
                                                   ".ppm", ".tif", ".tiff"};
  std::vector<std::pair<fs::path, fs::path>> found;
  const auto options =
      follow_links ? fs::directory_options::follow_directory_symlink : fs::directory_options::none;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, options, error), end; !error && at != end;
       at.increment(error)) {
    if (!at->is_regular_file(error)) continue;
    std::string name = at->path().filename().string();
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (std::any_of(endings.begin(), endings.end(),
                    [&](const std::string& e) { return name.ends_with(e); }))
      found.emplace_back(at->path().parent_path(), at->path().filename());
  }
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

}  // namespace

DirectoryIterator::DirectoryIterator(const std::filesystem::path& directory,
                                     ImageDataGenerator generator,
                                     const FlowFromDirectoryOptions& options)
    : ImageIterator(std::move(generator), options.batch_size, options.shuffle, options.seed,
                    options.save, file_names),
      options_(options) {
  const std::vector<std::string> modes = {"categorical", "binary", "sparse", "input"};
  if (options.class_mode &&
      std::find(modes.begin(), modes.end(), *options.class_mode) == modes.end())
    throw ValueError(fmt::format(
        "class_mode: expected \"categorical\", \"binary\", \"sparse\", \"input\" or nothing, found "
        "\"{}\".{}",
        *options.class_mode, did_you_mean(*options.class_mode, modes)));
  const int64_t channels = utils::color_channels(options.color_mode);
  const std::vector<std::string> names =
      options.classes.empty() ? subfolders_of(directory) : options.classes;
  for (const std::string& name : names) {
    const auto label = static_cast<int64_t>(class_indices.size());
    class_indices.emplace(name, label);
    const std::vector<fs::path> files = image_files_below(directory / name, options.follow_links);
    const auto [begin, end] = subset_of(options.subset, generator_.options().validation_split,
                                        static_cast<int64_t>(files.size()));
    for (int64_t i = begin; i < end; ++i) {
      const fs::path& file = files[static_cast<size_t>(i)];
      filenames.push_back(file.lexically_relative(directory).string());
      filepaths.push_back(file.string());
      classes.push_back(static_cast<int32_t>(label));
    }
  }
  const auto [height, width] = options.target_size;
  const bool first = generator_.options().data_format == "channels_first";
  set_images(static_cast<int64_t>(filenames.size()),
             first ? Shape{channels, height, width} : Shape{height, width, channels});
}

Tensor DirectoryIterator::image(int64_t i) const {
  return utils::img_to_array(utils::load_img(filepaths[static_cast<size_t>(i)],
                                             {.color_mode = options_.color_mode,
                                              .target_size = options_.target_size,
                                              .interpolation = options_.interpolation,
                                              .keep_aspect_ratio = options_.keep_aspect_ratio}),
                             generator_.options().data_format);
}

Batch DirectoryIterator::batch_of(const Tensor& x, const std::vector<int64_t>& images) const {
  if (!options_.class_mode) return {x};
  if (*options_.class_mode == "input") return {x, x};
  const bool one_hot = *options_.class_mode == "categorical";
  const size_t width = one_hot ? class_indices.size() : 1;
  std::vector<float> y(images.size() * width, 0);
  for (size_t i = 0; i < images.size(); ++i) {
    const int32_t label = classes[static_cast<size_t>(images[i])];
    if (one_hot)
      y[i * width + static_cast<size_t>(label)] = 1;
    else
      y[i] = static_cast<float>(label);
  }
  const auto n = static_cast<int64_t>(images.size());
  const Tensor targets =
      Tensor::from(y, one_hot ? Shape{n, static_cast<int64_t>(width)} : Shape{n});
  return {x, ops::cast(targets, x.dtype())};
}

}  // namespace cornu::preprocessing::image
