// Models from any of Keras's forms, for commands that look at them.
#pragma once
#include <cornu/framework/model/model.h>
#include <cornu/framework/saving/keras_file.h>

#include <memory>
#include <string>
#include <vector>

namespace cornu::cli {

/// The model of a file, with the weights of `file` if it holds weights alone and `model_file` the
/// model. Throws FileError. A model's JSON gives one with fresh weights.
std::shared_ptr<Model> open_model(const std::string& file, const std::string& model_file = "",
                                  bool compile = false);

/// Whether a file of this kind holds weights without their model.
bool holds_weights_alone(saving::FileKind kind);
/// Throws UsageError where `file` holds weights alone and `model_file`, of --model, is empty.
void require_model(const std::string& file, const std::string& model_file);

/// What a model's JSON without --weights is opened with.
enum class FreshWeights : uint8_t { refused, drawn };
/// The model that a command runs: that of `model_file`, with the weights of `weights_file`, of
/// --weights, unless that is empty. `compile` is that of load_model. Throws UsageError for a file
/// of weights in the model's place, and for a model's JSON without weights where fresh ones are
/// refused; FileError.
std::shared_ptr<Model> open_to_run(const std::string& model_file, const std::string& weights_file,
                                   FreshWeights fresh, bool compile);

/// A file's content.
std::string read_text(const std::string& path);

/// Inputs without a pattern that are the same on every machine: floats in [-1, 1), integers 0 or 1.
/// Unknown axes beside the batch have size 8.
Nest probe_inputs(const Model& model, int64_t batch_size, uint64_t seed);

/// A layer and its variables, with its place: "functional/dense".
struct PlacedLayer {
  std::string path;
  std::string class_name;
  std::shared_ptr<Layer> layer;
};
/// All layers that the model holds, those inside others after them.
std::vector<PlacedLayer> layers_of(const Model& model);

/// Figures of an array.
struct Statistics {
  double least = 0, most = 0, mean = 0, deviation = 0;
  size_t not_finite = 0;
};
Statistics statistics_of(const Tensor& tensor);

}  // namespace cornu::cli
