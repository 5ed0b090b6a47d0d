// show: pictures of samples with what belongs to them, to look at what a model will see; pipelines
// have it as a member.
#pragma once
#include <string>
#include <vector>

#include "sample.h"
#include "show_options.h"

namespace cornu::data {

/// Draws samples as a grid, RGB (h, w, 3) uint8: the image, the mask over it in a color for each
/// class, boxes with their classes, points as crosses (hollow where they have left the image), and
/// below it the label. Images are uint8 from 0 to 255 or floats, from 0 to 1 unless some value is
/// above 1.5; gray, RGB or RGBA. Throws ValueError without samples, for other images, and for
/// options out of range.
Tensor draw(const std::vector<Sample>& samples, const ShowOptions& options = {});
/// The same as a file that ends in ".png". Throws FileError as well.
void show(const std::vector<Sample>& samples, const std::string& path,
          const ShowOptions& options = {});

}  // namespace cornu::data
