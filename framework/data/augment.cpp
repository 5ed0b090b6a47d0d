// Changes in order, each with a stream of random numbers of its own.
#include "augment.h"

#include <fmt/core.h>

#include <algorithm>

#include "../ops/bounding_boxes.h"
#include "../tensor/device.h"
#include "pictures.h"
#include "sample_tensors.h"

namespace cornu::data {
namespace {

class FunctionAugmenter : public Augmenter {
 public:
  explicit FunctionAugmenter(std::function<void(Sample&, Draws&)> function)
      : function_(std::move(function)) {}
  void augment(Sample& sample, Draws& draws) const override { function_(sample, draws); }

 private:
  std::function<void(Sample&, Draws&)> function_;
};

// "left_eye" for "right_eye" and the reverse; the name itself when there is no side in it.
std::string other_side(const std::string& name) {
  for (const auto& [from, to] : {std::pair{"left", "right"},
                                 {"right", "left"},
                                 {"Left", "Right"},
                                 {"Right", "Left"},
                                 {"LEFT", "RIGHT"},
                                 {"RIGHT", "LEFT"}}) {
    const size_t at = name.find(from);
    if (at != std::string::npos) return std::string(name).replace(at, std::string(from).size(), to);
  }
  return name;
}

std::vector<int64_t> mirrored_by_name(const char* option, const std::vector<std::string>& names) {
  std::vector<int64_t> rows;
  for (const std::string& name : names) {
    const auto other = std::find(names.begin(), names.end(), other_side(name));
    if (other == names.end())
      throw ValueError(fmt::format(
          "{}: there is '{}' but no '{}', with which it would change places in mirrored images.",
          option, name, other_side(name)));
    rows.push_back(other - names.begin());
  }
  return rows;
}

void check_mirrored(const std::vector<int64_t>& rows) {
  const auto n = static_cast<int64_t>(rows.size());
  for (int64_t i = 0; i < n; ++i) {
    const int64_t other = rows[static_cast<size_t>(i)];
    if (other < 0 || other >= n || rows[static_cast<size_t>(other)] != i)
      throw ValueError(fmt::format(
          "mirrored_points: row {} is taken from row {}; expected rows below {} that change places "
          "in pairs, or stay.",
          i, other, n));
  }
}

// What was made on another device comes to the host, where the kernels are.
void move_to_host(Sample& sample) {
  const Device host = Device::cpu();
  for_each_tensor(sample, [&](const char*, Tensor& tensor) {
    if (tensor) tensor = tensor.to(host);
  });
  for (auto& [name, attached] : sample.more)
    if (attached.value) attached.value = attached.value.to(host);
}

// The names of attached points are as many as those, if they were given.
void check_names(const AugmentOptions& options, const std::string& attached, int64_t count) {
  const auto named = options.attached_point_names.find(attached);
  if (named != options.attached_point_names.end() &&
      static_cast<int64_t>(named->second.size()) != count)
    throw ShapeError(fmt::format("{}: {} points are named in the options, found {}.", attached,
                                 named->second.size(), count));
}

void check_attached_points(const Tensor& t, const std::string& name,
                           const AugmentOptions& options) {
  if (!t) return;
  if (t.rank() < 1 || t.shape().back() != 2 || t.dtype() != DType::float32)
    throw ShapeError(
        fmt::format("{}: expected points (..., 2), float32, found {}.", name, t.spec().str()));
  if (t.rank() > 1 && t.size() > 0) check_names(options, name, t.shape()[t.rank() - 2]);
}

// A picture of the image's size; where `volumes` may be, slices of it.
void check_picture(const Tensor& t, const std::string& name, const Shape& image,
                   bool volumes = false) {
  if (!t) return;
  const int first = volumes && t.rank() == 4 ? 1 : 0;
  if (first == 0 && t.rank() != 2 && t.rank() != 3)
    throw ShapeError(fmt::format("{}: expected shape (h, w) or (h, w, c){}, found {}.", name,
                                 volumes ? " or (slices, h, w, c)" : "", t.shape().str()));
  if (t.shape()[first] != image[0] || t.shape()[first + 1] != image[1])
    throw ShapeError(fmt::format("{}: expected the rows and columns of the image {}, found {}.",
                                 name, image.str(), t.shape().str()));
}

// One for each row of `of`.
void check_rows(const Tensor& t, const char* name, const Tensor& of) {
  if (t && of && (t.rank() != 1 || t.shape()[0] != of.shape()[0]))
    throw ShapeError(
        fmt::format("{}: expected shape ({}), found {}.", name, of.shape()[0], t.shape().str()));
}

void check_sample(const Sample& sample, const AugmentOptions& options) {
  const Picture picture = picture_of(sample.image, "image");
  const Shape& image = sample.image.shape();
  if (image.rank() != 3)
    throw ShapeError(
        fmt::format("image: expected shape (h, w, c), found {}. Give it an axis of channels: "
                    "ops::expand_dims(image, -1).",
                    image.str()));
  const auto check = [](const Tensor& t, const char* name, int64_t columns) {
    if (t && (t.rank() != 2 || t.shape()[1] != columns))
      throw ShapeError(
          fmt::format("{}: expected shape (n, {}), found {}.", name, columns, t.shape().str()));
    if (t && t.dtype() != DType::float32)
      throw ShapeError(fmt::format("{}: expected float32, found {}.", name, dtype_name(t.dtype())));
  };
  check(sample.points, "points", 2);
  check(sample.boxes, "boxes", 4);
  // From a format to itself nothing is computed, but both are looked up.
  if (sample.boxes)
    ops::convert_boxes(Value(Nest(sample.boxes)), sample.box_format, sample.box_format,
                       Tensor(picture.height), Tensor(picture.width));
  check_rows(sample.visible, "visible", sample.points);
  check_rows(sample.box_labels, "box_labels", sample.boxes);
  check_picture(sample.mask, "mask", image);
  check_picture(sample.depth, "depth", image);
  for (const auto& [name, attached] : sample.more) {
    if (attached.follow == Follow::linear || attached.follow == Follow::nearest)
      check_picture(attached.value, name, image, true);
    else if (attached.follow == Follow::points)
      check_attached_points(attached.value, name, options);
  }
  const size_t expected = options.mirrored_points.size();
  if (sample.points && expected > 0 && sample.points.shape()[0] != static_cast<int64_t>(expected))
    throw ShapeError(fmt::format("points: {} are named in the options, found shape {}.", expected,
                                 sample.points.shape().str()));
}

}  // namespace

Sample Draws::other() {
  const Others& others = options_->others;
  if (!others.at || others.size < 1)
    throw StateError(
        "A change that mixes samples has no others to mix with. Give augment a source of them: "
        "augment({...}, {.others = {.size = n, .at = [&](int64_t i) { return samples[i]; }}}).");
  Sample other = others.at(below(others.size));
  move_to_host(other);
  return other;
}

std::vector<int64_t> Draws::mirrored_points(const std::string& attached, int64_t count) const {
  const auto named = options_->attached_point_names.find(attached);
  if (named == options_->attached_point_names.end())
    return static_cast<int64_t>(mirrored_points().size()) == count ? mirrored_points()
                                                                   : std::vector<int64_t>();
  check_names(*options_, attached, count);
  return mirrored_by_name("attached_point_names", named->second);
}

std::shared_ptr<const Augmenter> AnyAugmenter::of_function(
    std::function<void(Sample&, Draws&)> function) {
  return std::make_shared<FunctionAugmenter>(std::move(function));
}

Augment::Augment(std::vector<AnyAugmenter> changes, AugmentOptions options)
    : changes_(std::move(changes)) {
  if (!options.point_names.empty()) {
    if (!options.mirrored_points.empty())
      throw ValueError("Give either point_names or mirrored_points, not both.");
    options.mirrored_points = mirrored_by_name("point_names", options.point_names);
  }
  // Whether they pair; nothing else would tell before an image is mirrored.
  for (const auto& [attached, names] : options.attached_point_names)
    mirrored_by_name("attached_point_names", names);
  check_mirrored(options.mirrored_points);
  options_ = std::make_shared<const AugmentOptions>(std::move(options));
}

Sample Augment::operator()(Sample sample, const Place& place) const {
  // Numbers that a change makes are on the host as well.
  const DeviceScope host(Device::cpu());
  try {
    move_to_host(sample);
    check_sample(sample, *options_);
    for (size_t i = 0; i < changes_.size(); ++i) {
      Draws draws(place.random(i), *options_);
      changes_[i]->augment(sample, draws);
    }
  } catch (Error& error) {
    if (sample.source.empty()) throw;
    error.prepend(sample.source);
    throw;
  }
  return sample;
}

Augment augment(std::vector<AnyAugmenter> changes, AugmentOptions options) {
  return Augment(std::move(changes), std::move(options));
}

}  // namespace cornu::data
