// The programs of docs/augmentation.md.
#include <cornu/cornu.h>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace cornu;

int main() {
  const Tensor image = random::uniform({64, 64, 3}, 0, 1, 1);
  const Tensor eyes = Tensor::from(std::vector<float>{20, 30, 44, 30, 32, 45}, {3, 2});
  const Tensor hair = ops::zeros({64, 64}, DType::uint8);

  data::Sample face{.image = image,  // (h, w, 3), uint8 or float32
                    .points = eyes,  // (n, 2): x, y
                    .mask = hair};   // (h, w)
  auto augment = data::augment(
      {layers::RandomFlip({.mode = "horizontal"}), layers::RandomRotation({.factor = 0.05}),
       layers::RandomColorJitter({.brightness_factor = layers::Numbers(0.2)})},
      {.point_names = {"left_eye", "right_eye", "nose"}});
  data::Sample changed = augment(face, {.seed = 1, .epoch = 0, .index = 7});

  auto turn_and_shrink = [](data::Sample& sample, data::Draws& draws) {
    const double angle = draws.uniform(-0.3, 0.3), scale = draws.uniform(1.0, 1.2);
    const double c = std::cos(angle), s = std::sin(angle);
    const data::Homography turn = {c, -s, 0, s, c, 0, 0, 0, 1};
    const data::Homography shrink = {scale, 0, 0, 0, scale, 0, 0, 0, 1};
    data::apply(sample,
                data::warped(data::composed(turn, shrink), 64, 64, {.fill_mode = "reflect"}),
                draws);
  };
  changed = data::augment({turn_and_shrink})(changed, {.seed = 1});

  face.label = Tensor(std::vector<float>{1, 0});
  std::vector<data::Sample> faces = {face, face};
  auto mix = data::augment({layers::MixUp({.alpha = 0.2})},
                           {.others = {.size = 2, .at = [&](int64_t i) { return faces[i]; }}});
  data::Sample mixed = mix(faces[0], {.seed = 1});

  const auto points = changed.points.to_vector<float>();
  std::printf("left eye at %.1f, %.1f; label %s\n", static_cast<double>(points[0]),
              static_cast<double>(points[1]), mixed.label.str().c_str());
}
