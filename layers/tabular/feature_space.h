// FeatureSpace: columns of a table, of several kinds, as one vector.
#pragma once
#include <map>
#include <variant>

#include "../../framework/data/adapt.h"
#include "../../framework/data/dataset.h"
#include "../../framework/model/model.h"
#include "../core/wrapper.h"

namespace cornu::utils {

/// One feature of a FeatureSpace; see its functions, which make them.
struct Feature {
  std::string dtype;        ///< of the data: "float32", "int32", "string", ...
  AnyLayer preprocessor;    ///< takes the data, (batch, 1)
  std::string output_mode;  ///< "float" or "int": as the layer gives it; "one_hot": of its integers
};

/// A feature, or the name of the function of FeatureSpace that makes it with its defaults.
using FeatureOption = std::variant<std::string, Feature>;

/// Features by name, in the order in which they are given.
struct Features {
  std::vector<std::pair<std::string, FeatureOption>> list;  ///< each with its name
  Features() = default;
  /// `{{"age", "float_normalized"}, {"city", FeatureSpace::string_categorical()}}`
  Features(std::initializer_list<std::pair<std::string, FeatureOption>> features)
      : list(features) {}
};

/// Features that are hashed together into one.
struct Cross {
  std::vector<std::string> feature_names;  ///< two or more, of features that give integers or text
  int64_t crossing_dim = 0;                ///< number of bins; 0: that of the FeatureSpace
  std::string output_mode = "one_hot";     ///< or "int": the bin
  std::string name() const;                ///< the names of its features with "_X_" between
};

}  // namespace cornu::utils

namespace cornu::detail {

/// Features as Keras's files have them: a dictionary of names and objects.
template <>
struct OptionCodec<utils::Features> {
  static Value encode(const utils::Features& v);
  static utils::Features decode(const Value& v);
};

/// A cross likewise; a list of names is one too.
template <>
struct OptionCodec<utils::Cross> {
  static Value encode(const utils::Cross& v);
  static utils::Cross decode(const Value& v);
};

}  // namespace cornu::detail

namespace cornu::utils {

/// Options of FeatureSpace, as in Keras.
struct FeatureSpaceConfig {
  Features features = {};                ///< at least one
  std::string output_mode = "concat";    ///< one vector; or "dict": encoded features by name
  std::vector<Cross> crosses = {};       ///< features that are made of several
  int64_t crossing_dim = 32;             ///< bins of crosses that do not say how many
  int64_t hashing_dim = 32;              ///< bins of "integer_hashed" and "string_hashed"
  int64_t num_discretization_bins = 32;  ///< bins of "float_discretized"
  std::string name = "";                 ///< of the layer; empty: made from the class's name
};

/// Encodes a dictionary of columns, each (batch) or (batch, 1), or of single values: every feature
/// by its preprocessor, crosses of what those give, and classes as vectors of zeros and ones. With
/// "concat" the result is (batch, sum of the sizes), features by sorted name and then crosses by
/// theirs; with "dict" it is a dictionary of those names. Columns that are no feature are left out.
///
/// It is a model and a layer: it is saved and loaded by itself, or as part of a model of
/// get_inputs(). Throws ValueError for options that do not fit and for columns that are missing;
/// StateError when it is called before `adapt`, where some preprocessor learns from data.
class FeatureSpaceModel : public ModelOf<FeatureSpaceModel, FeatureSpaceConfig> {
 public:
  explicit FeatureSpaceModel(FeatureSpaceConfig config);  ///< checks the options

  /// Lets preprocessors learn from columns: means, boundaries and vocabularies that no option gave.
  void adapt(const Nest& data);
  /// The same from the inputs of a dataset; at most `steps` batches.
  void adapt(AnyDataset dataset, std::optional<int64_t> steps = {});
  /// The same from a pipeline whose elements are batches of columns alone, as those of
  /// `pipeline.map([](const Batch& b) { return b.x; })`.
  template <class T>
  requires std::convertible_to<T, Nest>
  void adapt(const data::Pipeline<T>& batches, std::optional<int64_t> steps = {}) {
    adapt(AnyDataset(batches.map([](const T& x) { return Batch{x}; })), steps);
  }

  /// An Input (1) for each feature, by name.
  const Nest& get_inputs();
  /// What the space makes of get_inputs(), to build a model on:
  /// `Functional(space->get_inputs(), layers::Dense({.units = 1})(space->get_encoded_features()))`.
  Nest get_encoded_features();

  void build_many(const Nest&) override {}
  Nest call_many(const Nest& inputs, const Call& call) override;
  /// From what a file has; nothing is left to learn.
  static std::shared_ptr<FeatureSpaceModel> from_config(const Value::Dict& dict);
  void build_from_config(const Value::Dict& config) override;
  std::string base_name() const override { return "feature_space"; }

  std::map<std::string, std::shared_ptr<Layer>> preprocessors,  ///< of the features, by name
      crossers;                                                 ///< of the crosses, by theirs

 private:
  const Feature& feature(const std::string& name) const;
  void learn(const std::function<void(const std::string& name, Adaptable&)>& step);
  Tensor encode(const std::string& name, const Layer& layer, const std::string& mode,
                const Tensor& x) const;

  std::vector<std::string> to_adapt_;  // features whose preprocessors learn from data
  bool adapted_ = false;
  Nest inputs_;
};

/// A shared FeatureSpaceModel, made from its options, and the functions that make its features.
class FeatureSpace : public Ref<FeatureSpaceModel> {
 public:
  using Ref::Ref;

  /// Options of features whose data are numbers for themselves.
  struct Categorical {
    std::optional<int64_t> max_tokens = {};  ///< largest size of the vocabulary; none: no limit
    int64_t num_oov_indices = 1;             ///< numbers for what is not in the vocabulary
    std::string output_mode = "one_hot";     ///< or "int"
    std::string name = "";                   ///< of the preprocessor, without "_preprocessor"
  };
  /// Options of features that are hashed.
  struct Hashed {
    Required<int64_t> num_bins;           ///< number of bins
    std::string output_mode = "one_hot";  ///< or "int"
    std::string name = "";                ///< of the preprocessor, without "_preprocessor"
  };
  /// Options of features that are put into bins.
  struct Discretized {
    Required<int64_t> num_bins;  ///< number of bins, where no boundaries are given
    OptionalList<std::vector<double>> bin_boundaries = {};  ///< ascending; none: adapt finds them
    std::string output_mode = "one_hot";                    ///< or "int"
    std::string name = "";  ///< of the preprocessor, without "_preprocessor"
  };
  /// Options of features that are scaled.
  struct Rescaled {
    double scale = 1;       ///< x * scale + offset
    double offset = 0;      ///< see scale
    std::string name = "";  ///< of the preprocessor, without "_preprocessor"
  };

  /// Numbers as they are: Keras's `float`, which is a word of C++.
  static Feature plain_float(const std::string& name = "");
  static Feature float_normalized(const std::string& name = "");   ///< by a Normalization
  static Feature float_rescaled(const Rescaled& options);          ///< by a Rescaling
  static Feature float_discretized(const Discretized& options);    ///< by a Discretization
  static Feature integer_categorical(const Categorical& options);  ///< by an IntegerLookup
  static Feature string_categorical(const Categorical& options);   ///< by a StringLookup
  static Feature integer_hashed(const Hashed& options);            ///< by a Hashing
  static Feature string_hashed(const Hashed& options);             ///< by a Hashing
  /// @{
  /// The same with the options' defaults.
  static Feature float_rescaled() { return float_rescaled(Rescaled()); }
  static Feature integer_categorical() { return integer_categorical(Categorical()); }
  static Feature string_categorical() { return string_categorical(Categorical()); }
  /// @}
  /// A feature with a layer of one's own.
  static Feature feature(const std::string& dtype, const AnyLayer& preprocessor,
                         const std::string& output_mode);
  /// A cross, as an element of the option `crosses`.
  static Cross cross(const std::vector<std::string>& feature_names, int64_t crossing_dim,
                     const std::string& output_mode = "one_hot");
};

}  // namespace cornu::utils
