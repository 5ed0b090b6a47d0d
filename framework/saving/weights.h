// The tree of weights in a Keras file: where each layer's variables stand.
#pragma once
#include <string>
#include <vector>

#include "../model/model.h"
#include "h5_file.h"

namespace cornu::saving {

/// A layer and its group in the tree, "layers/dense_1". A layer that can be reached in several ways has several
/// entries; files hold it at the first.
struct WeightEntry {
  std::string path;
  Layer* layer;
};

/// The walk that Keras makes: layers of Sequential and Functional models by class and number, members of other layers
/// in alphabetical order.
std::vector<WeightEntry> weight_entries(Layer& root);

/// Writes all weights, and the optimizer's state if the model has any.
void write_weights(H5Writer& file, Model& model);

/// Reads them. Nothing changes unless every layer's weights are there in the right shapes; an optimizer's state that
/// does not fit is left out with a warning. Throws FileError that lists what is missing or differs.
void read_weights(const H5Reader& file, Model& model);

}  // namespace cornu::saving
