// The layers of random augmentation, made with one strength.
#include "augmentations.h"

#include <algorithm>

#include "auto_contrast.h"
#include "equalization.h"
#include "random_brightness.h"
#include "random_color_degeneration.h"
#include "random_contrast.h"
#include "random_posterization.h"
#include "random_rotation.h"
#include "random_sharpness.h"
#include "random_shear.h"
#include "random_translation.h"
#include "solarization.h"

namespace cornu::layers {
namespace {

// What Keras hands to every layer.
template <class C>
C with_common(C config, const AugmentationOptions& o) {
  if constexpr (requires { config.value_range; }) config.value_range = o.value_range;
  if constexpr (requires { config.interpolation; }) config.interpolation = o.interpolation;
  if constexpr (requires { config.seed; }) config.seed = o.seed;
  config.data_format = o.data_format;
  config.bounding_box_format = o.bounding_box_format;
  config.dtype = o.dtype;
  return config;
}

template <class L>
Augmentation made(const std::string& name, typename L::Config config,
                  const AugmentationOptions& options) {
  const auto layer = std::make_shared<L>(with_common(std::move(config), options));
  return {name, layer, layer.get()};
}

Augmentation make_one(const std::string& name, const AugmentationOptions& o) {
  if (name == "random_shear")
    return made<RandomShearLayer>(name, {.x_factor = o.factor, .y_factor = o.factor}, o);
  if (name == "random_translation")
    return made<RandomTranslationLayer>(name, {.height_factor = o.factor, .width_factor = o.factor},
                                        o);
  if (name == "random_rotation") return made<RandomRotationLayer>(name, {.factor = o.factor}, o);
  if (name == "random_brightness")
    return made<RandomBrightnessLayer>(name, {.factor = o.factor}, o);
  if (name == "random_color_degeneration")
    return made<RandomColorDegenerationLayer>(name, {.factor = o.factor}, o);
  if (name == "random_contrast") return made<RandomContrastLayer>(name, {.factor = o.factor}, o);
  if (name == "random_sharpness") return made<RandomSharpnessLayer>(name, {.factor = o.factor}, o);
  if (name == "random_posterization") {
    const auto bits = static_cast<int64_t>(8 * o.factor.values()[1]);
    return made<RandomPosterizationLayer>(
        name, {.factor = std::vector<int64_t>{std::max<int64_t>(1, bits)}}, o);
  }
  if (name == "solarization")
    return made<SolarizationLayer>(name,
                                   {.addition_factor = o.factor, .threshold_factor = o.factor}, o);
  if (name == "auto_contrast") return made<AutoContrastLayer>(name, {}, o);
  if (name == "equalization") return made<EqualizationLayer>(name, {}, o);
  throw ValueError("there is no augmentation '" + name + "'.");
}

}  // namespace

std::vector<Augmentation> make_augmentations(const std::vector<std::string>& names,
                                             const AugmentationOptions& options) {
  std::vector<Augmentation> made;
  for (const std::string& name : names) made.push_back(make_one(name, options));
  return made;
}

}  // namespace cornu::layers
