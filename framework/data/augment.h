// Augmentation: random changes of samples that keep images, points, boxes and masks in step.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "place.h"
#include "sample.h"

namespace cornu::data {

/// Other samples of the same source, for changes that mix several: MixUp, CutMix, Mosaic.
struct Others {
  int64_t size = 0;  ///< how many there are
  std::function<Sample(int64_t)> at =
      {};  ///< sample 0 to size - 1, before augmentation; called from workers
};

/// What holds for all changes of one augmentation.
struct AugmentOptions {
  /// What the points are. When an image is mirrored, points whose names differ in "left" and
  /// "right" alone change places, so that row 0 is still the left eye. Empty: none do.
  std::vector<std::string> point_names = {};
  /// The same by numbers: row i is taken from row mirrored_points[i]. Instead of names.
  std::vector<int64_t> mirrored_points = {};
  /// The names of points that were attached to samples (`Sample::more`, Follow::points), by the
  /// name of the tensor. Without an entry the names of `point_names`, or the rows of
  /// `mirrored_points`, are theirs where they are as many.
  std::map<std::string, std::vector<std::string>> attached_point_names = {};
  Others others = {};  ///< for changes that mix samples
};

/// What a change of one sample draws from: random numbers that follow from the sample's place and
/// the number of the change, and other samples.
class Draws : public Random {
 public:
  /// Of that stream; the options must outlive it.
  Draws(Random random, const AugmentOptions& options) : Random(random), options_(&options) {}
  /// Another sample, drawn at random. Throws StateError when there is no source of them.
  Sample other();
  /// Which row each point is taken from in a mirrored image; empty: its own.
  const std::vector<int64_t>& mirrored_points() const { return options_->mirrored_points; }
  /// The same for `count` attached points of that name. Throws ShapeError when the options name
  /// another number of them.
  std::vector<int64_t> mirrored_points(const std::string& attached, int64_t count) const;

 private:
  const AugmentOptions* options_;
};

/// A random change of a sample. The image layers are such changes.
class Augmenter {
 public:
  virtual ~Augmenter() = default;
  /// Changes a sample. Its draws come from `draws` alone, and nothing of the object changes:
  /// workers call it at the same time.
  virtual void augment(Sample& sample, Draws& draws) const = 0;
};

/// Anything that changes samples: a layer's handle, a shared pointer, or a function
/// (Sample&, Draws&).
class AnyAugmenter {
 public:
  /// What the handle holds.
  template <class Handle>
  requires requires(const Handle& h) { std::shared_ptr<const Augmenter>(h.shared()); }
  AnyAugmenter(const Handle& handle) : change_(handle.shared()) {}
  /// What the pointer points to.
  template <std::derived_from<Augmenter> T>
  AnyAugmenter(std::shared_ptr<T> change) : change_(std::move(change)) {}
  /// A function of the user's.
  template <class F>
  requires std::invocable<const F&, Sample&, Draws&> AnyAugmenter(F function)
      : change_(of_function(std::move(function))) {}
  const Augmenter& operator*() const { return *change_; }        ///< the change itself
  const Augmenter* operator->() const { return change_.get(); }  ///< the same

 private:
  static std::shared_ptr<const Augmenter> of_function(
      std::function<void(Sample&, Draws&)> function);

  std::shared_ptr<const Augmenter> change_;
};

/// Changes one after the other, as a function of a sample and its place.
class Augment {
 public:
  /// Throws ValueError when point names or numbers make no sense.
  Augment(std::vector<AnyAugmenter> changes, AugmentOptions options);
  /// The sample changed; the one that is given stays. The same place gives the same bits, whatever
  /// the layers' own seeds. Throws, whatever is drawn, ShapeError for an image that is not (h, w,
  /// c), uint8 or float32, and for what belongs to it in a shape other than Sample says: pictures
  /// of another size, points and boxes of other columns; ValueError for an unknown box_format.
  /// Errors name the sample's source.
  Sample operator()(Sample sample, const Place& place) const;

 private:
  std::vector<AnyAugmenter> changes_;
  std::shared_ptr<const AugmentOptions> options_;
};

/// `augment({layers::RandomFlip(...), layers::RandomRotation(...)})`: for single samples and as a
/// stage of a pipeline, `.map(augment, {.workers = 4})`.
Augment augment(std::vector<AnyAugmenter> changes, AugmentOptions options = {});

}  // namespace cornu::data
