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

// Keras's number for the names of saved images.
constexpr int64_t array_names = 10'000;

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

std::pair<int64_t, int64_t> ImageIterator::subset_of(const std::optional<std::string>& subset,
                                                     int64_t count) const {
  if (!subset) return {0, count};
  const auto middle =
      static_cast<int64_t>(static_cast<double>(count) * generator_.options().validation_split);
  if (*subset == "validation") return {0, middle};
  if (*subset == "training") return {middle, count};
  throw ValueError(fmt::format("subset: expected \"training\" or \"validation\", found \"{}\".{}",
                               *subset, did_you_mean(*subset, {"training", "validation"})));
}

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
  const auto range = subset_of(options.subset, count);
  if (options.subset && y_ && !options.ignore_class_split) {
    const int64_t middle = subset_of("validation", count).second;
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

}  // namespace cornu::preprocessing::image
