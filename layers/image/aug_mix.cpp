// Random chains of layers, mixed.
#include "aug_mix.h"

#include <string>

#include "../../backend/image_filter.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/numpy/arithmetic.h"
#include "../../framework/ops/numpy/creation.h"
#include "../../framework/ops/numpy/reduction.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/random/distributions.h"
#include "../../framework/ops/random/seed.h"
#include "colors.h"
#include "sample_changes.h"

namespace cornu::layers {

AugMixLayer::AugMixLayer(AugMixConfig c)
    : ImageLayerOf(std::move(c)), seeds_(add_seed_generator(config.seed)) {
  config.factor = settled_factor(config.factor, 0, 1);
  check_range(config.value_range);
  check_positive("num_chains", config.num_chains);
  check_positive("chain_depth", config.chain_depth);
  std::vector<std::string> names = {"random_shear",         "random_translation", "random_rotation",
                                    "random_posterization", "solarization",       "auto_contrast",
                                    "equalization"};
  if (config.all_ops)
    names.insert(names.end(), {"random_brightness", "random_color_degeneration", "random_contrast",
                               "random_sharpness"});
  augmentations_ = make_augmentations(
      names, {config.value_range, config.factor, config.interpolation, config.seed,
              config.data_format, config.bounding_box_format, dtype_policy()});
  for (const Augmentation& a : augmentations_) track(a.name, a.layer);
}

Transformation AugMixLayer::get_random_transformation(const Nest& data, bool training,
                                                      SeedGenerator* seed) {
  if (!training) return {};
  SeedGenerator& seeds = seed ? *seed : seeds_;
  const Tensor gamma = random::gamma({config.num_chains}, config.alpha, seeds);
  Transformation drawn{.values = {{"chain_mixing_weights", gamma / ops::sum(gamma, -1, true)}},
                       .input_shape = images_of(data).shape()};
  drawn.values.emplace_back("weight_sample", random::beta({}, config.alpha, config.alpha, seeds));
  for (int64_t chain = 0; chain < config.num_chains; ++chain) {
    Transformation steps;
    for (int64_t i = 0; i < config.chain_depth; ++i) {
      // One choice beyond the layers is to change nothing.
      const auto chosen =
          static_cast<size_t>(random::host_choice(static_cast<int64_t>(augmentations_.size()) + 1));
      if (chosen == augmentations_.size()) continue;
      const Augmentation& a = augmentations_[chosen];
      steps.parts.emplace_back(std::to_string(chosen),
                               a.images->get_random_transformation(data, true, &seeds));
    }
    drawn.parts.emplace_back(std::to_string(chain), std::move(steps));
  }
  return drawn;
}

Tensor AugMixLayer::mixed(const Tensor& x, const Transformation& drawn, Change change) {
  const Tensor weights = ops::cast(drawn["chain_mixing_weights"], compute_dtype());
  const Tensor share = ops::cast(drawn["weight_sample"], compute_dtype());
  Tensor sum = ops::zeros_like(x);
  for (size_t chain = 0; chain < drawn.parts.size(); ++chain) {
    Tensor y = x;
    for (const auto& [index, step] : drawn.parts[chain].second.parts)
      y = (augmentations_[std::stoul(index)].images->*change)(y, step, true);
    sum = sum + y * weights[static_cast<int64_t>(chain)];
  }
  return share * x + (1 - share) * sum;
}

Tensor AugMixLayer::transform_images(const Tensor& images, const Transformation& drawn,
                                     bool training) {
  const Tensor x = ops::cast(images, compute_dtype());
  if (!training) return x;
  return ops::clip(mixed(x, drawn, &ImagePreprocessing::transform_images), config.value_range[0],
                   config.value_range[1]);
}

Tensor AugMixLayer::transform_segmentation_masks(const Tensor& masks, const Transformation& drawn,
                                                 bool training) {
  return training ? mixed(masks, drawn, &ImagePreprocessing::transform_segmentation_masks) : masks;
}

namespace {

// How many of the layers move pixels; they come first.
constexpr size_t geometric = 3;

}  // namespace

void AugMixLayer::augment(data::Sample& sample, data::Draws& draws) const {
  std::vector<double> weights;
  double total = 0;
  for (int64_t i = 0; i < config.num_chains; ++i)
    total += weights.emplace_back(draws.gamma(config.alpha));
  const double share = draws.beta(config.alpha, config.alpha);
  // What lies at places cannot follow a mean of versions that lie at several.
  const size_t first = data::has_places(sample) ? geometric : 0,
               count = augmentations_.size() - first;
  // The sum so far, in floats; chains change nothing but the image.
  const Picture original = data::picture_of(sample.image, "image");
  const Tensor sum = Tensor::empty(sample.image.shape(), DType::float32, backend::cpu_backend());
  Picture so_far = data::picture_of(sum, "image");
  blend(original, static_cast<float>(share), original, 0, so_far);
  for (double weight : weights) {
    data::Sample chain{.image = sample.image};
    for (int64_t i = 0; i < config.chain_depth; ++i) {
      // One choice beyond the layers is to change nothing.
      const auto chosen = static_cast<size_t>(draws.below(static_cast<int64_t>(count) + 1));
      if (chosen < count) augmentations_[first + chosen].images->augment(chain, draws);
    }
    blend(so_far, 1, data::picture_of(chain.image, "image"),
          static_cast<float>((1 - share) * weight / total), so_far);
  }
  data::recolor(sample, [&](const Picture&, const Picture& to) {
    blend(so_far, 1, so_far, 0, to);
    cut_to_range(to, config.value_range);
  });
}

void register_aug_mix(Catalog& c) { c.add<AugMixLayer>("keras.layers.AugMix"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::AugMixLayer, cornu::layers::AugMixConfig>;
