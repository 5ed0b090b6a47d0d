// The tree of weights in a Keras file: where each layer's variables stand.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../model/model.h"
#include "weight_files.h"

namespace cornu::saving {

/// A layer and its group in the tree, "layers/dense_1". A layer that can be reached in several ways
/// has several entries; files hold it at the first.
struct WeightEntry {
  std::string path;  ///< group in the tree
  Layer* layer;      ///< alive as long as the model
};

/// An optimizer or a metric that a member of a layer holds, and its group in the tree.
struct StateEntry {
  std::string path;      ///< group in the tree, "d_optimizer"
  Optimizer* optimizer;  ///< null for a metric
  Metric* metric;        ///< null for an optimizer
};

/// Those of the model and of its layers, each once.
std::vector<StateEntry> state_entries(Layer& root);

/// The walk that Keras makes: layers of Sequential and Functional models by class and number,
/// members of other layers in alphabetical order.
std::vector<WeightEntry> weight_entries(Layer& root);

/// "path/name", or the name alone at the root.
inline std::string join(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + "/" + name;
}

/// How weights are read.
struct ReadOptions {
  /// The model was made for this file, and is thrown away if it does not fit.
  bool fresh = false;
  /// Layers whose weights do not fit keep theirs, with one warning.
  bool skip_mismatch = false;
  /// Legacy files: layers are found by name, those without an equal are left out.
  bool by_name = false;
  /// The optimizer's state as well.
  bool optimizer = true;
  /// Nothing is read, but what does not fit throws as it would.
  bool only_check = false;
};

/// Gets an object's group in the tree, its name, what files keep of it, and its variables.
using KeptVisitor =
    std::function<void(const std::string& path, const std::string& name, const VariableStore& store,
                       const std::vector<Variable>& variables)>;
/// Calls `visit` for each object whose arrays are in files of weights.
void for_each_kept(Model& model, const KeptVisitor& visit);

/// Writes all weights, and the optimizer's state if the model has any.
void write_weights(WeightSink& file, Model& model);

/// Reads them. Nothing changes unless every layer's weights are there in the right shapes; an
/// optimizer's state that does not fit is left out with a warning. Throws FileError that lists what
/// is missing or differs.
void read_weights(const WeightTree& file, Model& model, const ReadOptions& options);

/// The files that the layers keep beside their weights, by member ("assets/lookup/vocabulary.txt")
/// with their contents.
std::vector<std::pair<std::string, std::string>> assets_of(Model& model);
/// Gives the layers theirs back: `read(member)` is a file's content, or nothing when there is none.
void read_assets(Model& model,
                 const std::function<std::optional<std::string>(const std::string& member)>& read);

/// The same in the legacy layout, whose layers stand in the group `root` ("" or "model_weights").
void write_legacy_weights(io::H5Writer& file, const std::string& root, Model& model);
/// The optimizer's state in the legacy layout, under "optimizer_weights".
void write_legacy_optimizer(io::H5Writer& file, Model& model);
/// Reads what write_legacy_weights, or Keras 2, wrote. Throws FileError that lists what does not
/// fit.
void read_legacy_weights(const io::H5Reader& file, const std::string& root, Model& model,
                         const ReadOptions& options);
/// Reads the optimizer's state; one that does not fit is left out with a warning.
void read_legacy_optimizer(const io::H5Reader& file, Model& model);

/// Whether an HDF5 file has the legacy layout, and where: "model_weights", or "" for the root.
/// Nothing when it has not.
std::optional<std::string> legacy_root(const io::H5Reader& file);

/// Bytes of all weights, and of the optimizer's state.
uint64_t weight_bytes(Model& model);

}  // namespace cornu::saving
