// Model: a layer that can be trained, evaluated, saved and summarized.
#pragma once
#include <mutex>

#include "../base/layer.h"
#include "arguments.h"
#include "diagnose/finding.h"
#include "file_options.h"
#include "layer_filter.h"
#include "model_use.h"
#include "names.h"
#include "step_logs.h"
#include "summary_options.h"

namespace cornu {

class CompiledLoss;
class Function;
class CompiledMetrics;
class RunningMean;
struct StepReplay;
struct QuantizationLayerStructure;

namespace detail {
struct ModelState;
[[noreturn]] void wrong_model(const std::string& path, const Model& found);
}  // namespace detail

/// Base of Sequential, Functional and of users' models. A subclass overrides `call`, and may
/// override train_step, test_step, predict_step, compute_loss, compute_metrics or compile.
///
/// predict may be called from any number of threads at a time, with the same bits as from one. fit,
/// evaluate and the other calls that change the model are for one thread at a time: while one is at
/// work, another thread's call throws StateError.
class Model : public Layer {
 public:
  Model();
  Model(const Nest&, const Nest&) = delete;  // a model of a graph is Functional(inputs, outputs)
  ~Model() override;

  /// Sets what training needs. Throws ValueError for unknown names, before anything changes. A
  /// subclass that takes more, such as a second optimizer, has a compile of its own that calls this
  /// one, and get_compile_config and compile_from_config for its files.
  virtual void compile(CompileOptions options = {});  // compile({.optimizer = "adam"})
  bool compiled() const { return compiled_; }         ///< whether compile was called

  /// Trains on tensors (or vectors of numbers, lists and dictionaries of tensors), whose first axis
  /// is samples.
  History fit(const Nest& x, const Nest& y, FitOptions options);  // fit(x, y, {.batch_size = 32})
  /// The same with default options.
  template <class Y>
  requires std::convertible_to<const Y&, Nest> History fit(const Nest& x, const Y& y) {
    return fit(x, Nest(y), FitOptions());
  }
  /// The same for a list of targets in braces.
  History fit(const Nest& x, std::initializer_list<Nest> y) {
    return fit(x, Nest(y), FitOptions());
  }
  /// The same for targets by output name in braces. (A template, so that `{}` is an empty list.)
  template <class Entry = std::pair<std::string, Nest>>
  requires std::same_as<Entry, std::pair<std::string, Nest>> History
  fit(const Nest& x, std::initializer_list<Entry> y) {
    return fit(x, Nest(y), FitOptions());
  }
  /// The same without targets: layers add the losses, or train_step has its own.
  History fit(const Nest& x, FitOptions options = {});
  /// Trains on the batches of a dataset, whose size is an epoch unless steps_per_epoch says
  /// otherwise.
  History fit(AnyDataset dataset, FitOptions options = {});

  /// Takes one step of an earlier run of fit again, from the journal that it kept, and tells all of
  /// it; see framework/model/step_replay.h. The model, the data and the options are those of that
  /// call of fit, `step` counts the steps of the whole run from 0. Callbacks that change the
  /// training take part; those that write files do not. Afterwards the model has the weights and
  /// all other state from before the step. Throws ValueError for a step that the run did not take,
  /// FileError, and StateError where model or data are others than in that run.
  StepReplay replay(int64_t step, const Nest& x, const Nest& y, FitOptions options);
  /// The same for the batches of a dataset.
  StepReplay replay(int64_t step, AnyDataset dataset, FitOptions options);

  /// The loss and the metrics by name over the data, to be read: a name that they do not have is an
  /// error.
  Logs evaluate(const Nest& x, const Nest& y, EvaluateOptions options);
  /// The same with default options.
  template <class Y>
  requires std::convertible_to<const Y&, Nest> Logs evaluate(const Nest& x, const Y& y) {
    return evaluate(x, Nest(y), EvaluateOptions());
  }
  /// The same for a list of targets in braces.
  Logs evaluate(const Nest& x, std::initializer_list<Nest> y) {
    return evaluate(x, Nest(y), EvaluateOptions());
  }
  /// The same for targets by output name in braces. (A template, so that `{}` is an empty list.)
  template <class Entry = std::pair<std::string, Nest>>
  requires std::same_as<Entry, std::pair<std::string, Nest>> Logs
  evaluate(const Nest& x, std::initializer_list<Entry> y) {
    return evaluate(x, Nest(y), EvaluateOptions());
  }
  /// The same without targets.
  Logs evaluate(const Nest& x, EvaluateOptions options = {});
  /// The same for the batches of a dataset.
  Logs evaluate(AnyDataset dataset, EvaluateOptions options = {});

  /// The outputs for all samples, computed in batches.
  Prediction predict(const Nest& x, PredictOptions options = {});
  /// The same for the batches of a dataset.
  Prediction predict(AnyDataset dataset, PredictOptions options = {});

  /// One step on one batch, or without training: the loss and the metrics of this batch alone, to
  /// be read as those of evaluate.
  Logs train_on_batch(const Nest& x, const Nest& y, BatchOptions options);
  /// The same with default options.
  Logs train_on_batch(const Nest& x, const Nest& y) { return train_on_batch(x, y, BatchOptions()); }
  /// The same with weights by position, as in Keras.
  template <class W>
  requires std::convertible_to<const W&, Nest> Logs train_on_batch(
      const Nest& x, const Nest& y, const W& sample_weight, const ClassWeights& class_weight = {}) {
    return train_on_batch(
        x, y, BatchOptions{.sample_weight = sample_weight, .class_weight = class_weight});
  }
  /// The same without training.
  Logs test_on_batch(const Nest& x, const Nest& y, TestBatchOptions options);
  /// The same with default options.
  Logs test_on_batch(const Nest& x, const Nest& y) {
    return test_on_batch(x, y, TestBatchOptions());
  }
  /// The same with weights by position.
  template <class W>
  requires std::convertible_to<const W&, Nest> Logs test_on_batch(const Nest& x, const Nest& y,
                                                                  const W& sample_weight) {
    return test_on_batch(x, y, TestBatchOptions{.sample_weight = sample_weight});
  }
  /// The outputs for one batch; shows nothing and calls no callback.
  Prediction predict_on_batch(const Nest& x);

  // --- what a subclass may override
  // ------------------------------------------------------------------

  /// One training step. The default differentiates compute_loss, applies the optimizer, and lets
  /// the loss tracker and compute_metrics take in the batch. An empty result stands for
  /// get_metrics_result(), without the loss where no tracker of it took anything in. Figures that
  /// are returned are those of the epoch's last step, unless they are named as those of `metrics`:
  /// then these count, which have seen the whole epoch.
  virtual StepLogs train_step(const Batch& batch);
  /// One step of evaluate: the loss and the metrics, without a gradient.
  virtual StepLogs test_step(const Batch& batch);
  /// One step of predict: by default the call with training = false.
  virtual Nest predict_step(const Batch& batch);
  /// The loss of a batch: the compiled losses, then what layers added.
  virtual Tensor compute_loss(const Nest& x, const Nest& y, const Nest& y_pred,
                              const Nest& sample_weight = {});
  /// Lets the compiled metrics take in a batch, and gives get_metrics_result(), which is computed
  /// only when somebody looks at it: an override calls this one and adds figures of its own. The
  /// default train_step returns what this does, and an empty result stands for the same.
  virtual StepLogs compute_metrics(const Nest& x, const Nest& y, const Nest& y_pred,
                                   const Nest& sample_weight = {});

  /// The figures of all `metrics` by name, over what they have taken in.
  StepLogs get_metrics_result();
  /// Back to the state before the first batch, of all `metrics`.
  void reset_metrics();
  /// Of a compiled model the loss's mean, "loss"; the metrics of compile as one, "compile_metrics";
  /// and the means of the outputs' losses. Then those of add_metric, of this model and its layers.
  /// What a step of one's own updates of them stands in the logs. A subclass may override it: those
  /// that it gives are reported and reset.
  std::vector<std::shared_ptr<Metric>> metrics() const override;
  /// The names of `metrics`.
  std::vector<std::string> metrics_names() const;

  /// What a stateless loss gives.
  struct StatelessLoss {
    Tensor loss;                                  ///< a scalar
    std::vector<Tensor> trainable_variables;      ///< as given
    std::vector<Tensor> non_trainable_variables;  ///< after the call
    std::vector<Tensor> metrics_variables;        ///< after the call
  };
  /// compute_loss as a function of values: of trainable_variables, non_trainable_variables and
  /// metrics_variables, in their order. The model does not change. Throws ValueError or ShapeError
  /// for values that do not fit.
  StatelessLoss stateless_compute_loss(const StateValues& trainable_variables,
                                       const StateValues& non_trainable_variables,
                                       const StateValues& metrics_variables, const Nest& x,
                                       const Nest& y, const Nest& y_pred,
                                       const Nest& sample_weight = {});

  /// All state as nested dictionaries of tensors: "trainable_variables",
  /// "non_trainable_variables", "optimizer_variables" and "metrics_variables", in each of which the
  /// parts of a variable's path are the keys. Throws StateError for two variables of one path.
  Value::Dict get_state_tree() const;
  /// Assigns what get_state_tree gave, or some of its four dictionaries. Throws ValueError for a
  /// key that the model does not have, ShapeError for a value that does not fit; the model is as
  /// before then.
  void set_state_tree(const Value::Dict& state_tree);

  /// Also runs `call` on stand-ins, so that layers which `call` reaches are built. A `call` that
  /// reads values cannot be run so; its layers are built by the first real call.
  void build_many(const Nest& inputs) override;

  /// Null before compile, so that `if (model.optimizer())` asks for it.
  const std::shared_ptr<Optimizer>& optimizer() const { return optimizer_; }
  const CompileOptions& compile_options() const { return compile_options_; }  ///< as given
  const LossOption& loss() const { return compile_options_.loss; }            ///< of compile
  bool run_eagerly() const { return compile_options_.run_eagerly; }  ///< see CompileOptions
  const std::string& jit_compile() const { return compile_options_.jit_compile; }  ///< likewise
  /// The same as compiling with this option. The model need not be compiled.
  void set_run_eagerly(bool run_eagerly);
  /// What fit returned last; empty before.
  const History& history() const { return history_; }
  /// Set by a callback to end fit after the current batch.
  bool stop_training = false;
  bool stop_evaluating = false;  ///< the same for evaluate
  bool stop_predicting = false;  ///< the same for predict

  /// The layers directly inside: of a Functional in the order of Keras's files, of a Sequential
  /// without the Input.
  virtual LayerList layers() const { return sublayers(); }
  /// The layer of this name, or at this place of layers(), from the end where it is negative.
  /// Throws ValueError.
  Handle<Layer> get_layer(const std::string& name) const {
    return find_layer(layers(), name, this->name());
  }
  /// The same by position.
  template <std::integral I>
  Handle<Layer> get_layer(I index) const {
    return find_layer(layers(), static_cast<int64_t>(index), name());
  }
  /// The same as what it is: `get_layer<layers::Dense>("a")`, or `get_layer<Sequential>(0)`. Throws
  /// ValueError when it is a layer of another class.
  template <class T, class Key>
  auto get_layer(const Key& key) const {
    const std::shared_ptr<Layer> layer = get_layer(key);
    if constexpr (requires { typename T::Object; }) {
      auto found = std::dynamic_pointer_cast<typename T::Object>(layer);
      if (!found) detail::wrong_layer(*layer, typeid(typename T::Object), name());
      return T(std::move(found));
    } else {
      auto found = std::dynamic_pointer_cast<T>(layer);
      if (!found) detail::wrong_layer(*layer, typeid(T), name());
      return Handle<T>(std::move(found));
    }
  }
  /// The symbolic tensors at which the model begins, from which further models can be made:
  /// `Functional(base->inputs(), base->get_layer("conv")->output())`. Throws StateError for a
  /// subclassed model, which has no graph, and one that is not built.
  virtual Nest inputs() const;
  /// The symbolic tensors that the model gives. Throws likewise.
  virtual Nest outputs() const;
  Nest input() const override { return inputs(); }    ///< as inputs
  Nest output() const override { return outputs(); }  ///< as outputs
  /// The shape of the only input, axes of any size being Shape::unknown. Throws as `inputs`, and
  /// ValueError where there are several.
  Shape input_shape() const { return inputs().shape(); }
  /// The same of the only output.
  Shape output_shape() const { return outputs().shape(); }

  /// Names of the outputs, for losses and metrics by name; empty when they have none.
  virtual std::vector<std::string> output_names() const { return {}; }
  /// Names of the inputs, for dictionaries of data; empty when they have none.
  virtual std::vector<std::string> input_names() const { return {}; }
  /// Whether CompileOptions::remat is understood.
  virtual bool has_sections() const { return false; }
  /// The expected inputs' specs where the model knows them before data arrives.
  virtual Nest input_spec() const { return {}; }

  /// Quantizes all layers that can be; see Layer::quantize. With `filters` only those in whose
  /// names one of these regular expressions is found, or that a function takes. Layers with weights
  /// that cannot be quantized keep them, with one warning. Compile again afterwards: the weights
  /// are other variables.
  ///
  /// GPTQConfig and AWQConfig have calibration data, which go through the layers before the blocks
  /// of their structure, and then from block to block, each of which is quantized by what comes to
  /// it. Dense and EinsumDense layers in the blocks are, and no others. Throws, before anything
  /// changes, ValueError for no data or no structure.
  void quantize(const Choice<QuantizationConfig>& config, const LayerFilter& filters = {});
  /// The same as Keras writes it: `quantize("gptq", GPTQConfig({...}))`. Throws ValueError when
  /// `mode` is not the config's.
  template <std::derived_from<QuantizationConfig> T>
  void quantize(const std::string& mode, const Ref<T>& config, const LayerFilter& filters = {}) {
    quantize_as(mode, config, filters);
  }
  /// Which way calibration data take through the model, if their config does not say. By default
  /// none is known; a model of blocks in a row overrides it.
  virtual std::optional<QuantizationLayerStructure> get_quantization_layer_structure(
      const std::string& mode) const;

  // --- files (framework/saving)
  // ----------------------------------------------------------------------

  /// Writes the model as Keras does: a ".keras" archive; see saving::save_model. The old file stays
  /// until the new one is whole.
  void save(const std::string& path, const saving::SaveOptions& options = {});
  /// Writes the weights and the optimizer's state as ".weights.h5"; see saving::save_weights.
  void save_weights(const std::string& path, const saving::SaveWeightsOptions& options = {});
  /// Reads what save_weights wrote, or Keras; see saving::load_weights. Throws FileError; the model
  /// is as before then.
  void load_weights(const std::string& path, const saving::LoadWeightsOptions& options = {});
  /// config.json's text.
  std::string to_json() const;

  /// Options of profile.
  struct ProfileOptions {
    bool train = true;       ///< a training step rather than one of predict
    int repetitions = 10;    ///< runs, of which the one that was disturbed least counts
    std::string trace = "";  ///< file to write for about:tracing; none by default
  };
  /// Where a step's time goes: each layer's time, forward and backward, its arithmetic and traffic
  /// and what fraction of the machine's peak they are, the memory that the step needs, and the
  /// batch that would fit. One training step on (x, y), or with `train` false (or without y) one of
  /// predict. Weights and metrics stay as they are. With `trace`, also writes a file for Chrome's
  /// about:tracing or Perfetto. Throws StateError when the step stays eager (explain says why).
  std::string profile(const Nest& x, const Nest& y, const ProfileOptions& options);
  /// The same with default options.
  std::string profile(const Nest& x, const Nest& y = {}) { return profile(x, y, ProfileOptions{}); }

  /// What looks wrong about training on this data: faults of the data, the targets, the
  /// architecture and the options of compile and fit, each with its evidence and what to do. Part
  /// of the data is looked at, and some trial steps are taken on a state that is put back: weights,
  /// optimizer, seeds and metrics stay as they are (a model that is not built becomes built). Works
  /// without compile too, for what can be told then; y may be empty. Throws ValueError for an
  /// unknown id to silence, ShapeError for numbers of samples that differ.
  std::vector<Finding> diagnose(const Nest& x, const Nest& y, const DiagnoseOptions& options);
  /// The same with default options.
  std::vector<Finding> diagnose(const Nest& x, const Nest& y = {}) {
    return diagnose(x, y, DiagnoseOptions{});
  }
  /// The same for the data of a dataset, whose speed is measured as well.
  std::vector<Finding> diagnose(AnyDataset dataset,
                                const DiagnoseOptions& options = DiagnoseOptions());

  /// What became of the compiled steps of fit, evaluate and predict: how often they were recorded
  /// and why, what runs eagerly, and the size of the plans.
  std::string explain() const;

  /// Prints a table of the layers with the shapes of their outputs and the numbers of their
  /// parameters, as Keras does. Throws ValueError for options that do not fit.
  void summary(const SummaryOptions& options);
  /// The same with default options.
  void summary() { summary(SummaryOptions()); }
  /// What `summary` prints.
  std::string summary_text(const SummaryOptions& options);
  /// The same with default options.
  std::string summary_text() { return summary_text(SummaryOptions()); }

  /// compile_config of a file; empty when not compiled.
  virtual Value::Dict get_compile_config() const;
  /// Compiles as a file's compile_config says.
  virtual void compile_from_config(const Value::Dict& config);

 protected:
  /// Says that layers came or went since the last step.
  void forget_layers();
  /// For shared_layer: warns where this is of a class derived from `plain`, of which others get one
  /// with the same layers.
  void warn_of_plain_copy(const std::type_info& plain) const;
  /// Makes inputs fit what the model expects (names, dtypes), or throws ShapeError.
  virtual Nest standardize(const Nest& x) const { return x; }

 private:
  friend class Trainer;
  friend struct detail::ModelState;
  // What every step asks of the layers, looked up once for a run of steps.
  struct StepCache {
    std::vector<const Layer*> layers;
    std::vector<std::shared_ptr<Layer>> owners;  // of those: a nested stack may drop one
    std::vector<Variable> trainable;
    std::vector<Variable> regularized;
    std::vector<std::shared_ptr<Metric>> metrics;
  };
  void require_compiled(const char* what) const;
  void quantize_as(const std::string& mode, const Choice<QuantizationConfig>& config,
                   const LayerFilter& filters);
  std::shared_ptr<const StepCache> step_cache() const;
  void forget_step_cache() const;
  // The figures of a step that returned these.
  StepLogs figures_of(const StepLogs& returned);
  Nest forward(const Nest& x, bool training);
  // The steps as fit, evaluate and predict take them: by a plan, unless compile said run_eagerly.
  StepLogs run_train_step(Batch batch);
  // What a run of fit changes, in an order that the next process has too.
  std::vector<Variable> run_variables(const Batch& batch);
  StepLogs run_test_step(Batch batch);
  Nest run_predict_step(const Nest& x);
  void make_functions();

  bool compiled_ = false;
  CompileOptions compile_options_;
  std::shared_ptr<Optimizer> optimizer_;
  std::unique_ptr<CompiledLoss> loss_;
  std::shared_ptr<CompiledMetrics> metrics_;
  std::shared_ptr<RunningMean> loss_mean_;
  History history_;
  mutable std::mutex cache_mutex_;
  mutable std::shared_ptr<const StepCache> cache_;
  detail::ModelUse use_;
  std::unique_ptr<Function> train_function_, test_function_, predict_function_;
};

/// Base of a model with options: `class Net : public ModelOf<Net, NetConfig>`. One whose
/// constructor makes a graph or a stack names Functional or Sequential behind them:
///
///   class Net : public ModelOf<Net, NetConfig, Functional> {
///    public:
///     explicit Net(NetConfig c) : Net(c, Input({8})) {}
///
///    private:
///     Net(NetConfig c, const Tensor& x) : ModelOf(c, x, layers::Dense({.units = c.units})(x)) {}
///   };
///
/// In files it is its options, not its layers.
template <class Self, class C, class Base = Model>
class ModelOf : public Base {
 public:
  using Config = C;  ///< the options
  /// Takes the options over, and what every layer has from them.
  explicit ModelOf(C c) : config(std::move(c)) { this->set_base_from(config); }
  /// The same of a model that is made of arguments: the inputs and outputs of a Functional, the
  /// layers of a Sequential.
  template <class... A>
  requires(sizeof...(A) > 0 && std::constructible_from<Base, A...>) explicit ModelOf(C c,
                                                                                     A&&... made)
      : Base(std::forward<A>(made)...), config(std::move(c)) {
    this->set_base_from(config);
  }
  Value::Dict get_config() const override {
    return detail::merge_config(this->base_config(), to_dict(config));
  }
  /// A model from its config. Throws ValueError for missing, unknown or wrong options.
  static Handle<Self> from_config(const Value::Dict& dict) {
    detail::BaseOptions base = detail::split_base_options(
        dict, requires(C c) { c.name; }, requires(C c) { c.trainable; }, requires(C c) { c.dtype; },
        requires(C c) { c.activity_regularizer; });
    auto model = std::make_shared<Self>(from_dict<C>(base.rest));
    model->ModelOf::set_base(base.name, model->trainable() && base.trainable, base.policy);
    if (base.activity_regularizer) model->set_activity_regularizer(*base.activity_regularizer);
    return model;
  }
  C config;  ///< as given
};

/// Throws UnsupportedError for a layer with quantized layers inside of which its config says
/// nothing: its file could not be read.
void require_saved_quantization(const Layer& layer);
/// Options of load_model.
struct LoadOptions {
  bool compile = true;    ///< also the optimizer, losses and metrics
  bool safe_mode = true;  ///< ignored: no code in a file is ever run
};
/// Reads a ".keras" file written by Cornu or by Keras 3. With `compile` also the optimizer's state,
/// so that training goes on. Throws FileError that names the layer, key or weight that does not
/// fit.
Handle<Model> load_model(const std::string& path, LoadOptions options = {});
/// The same.
template <std::same_as<bool> B>
Handle<Model> load_model(const std::string& path, B compile) {
  return load_model(path, LoadOptions{.compile = compile});
}
/// The same for a file that holds a T: `load_model<Sequential>(path)`. Throws ValueError when it
/// holds another kind of model.
template <std::derived_from<Model> T>
Handle<T> load_model(const std::string& path, LoadOptions options = {}) {
  const std::shared_ptr<Model> model = load_model(path, options);
  auto wanted = std::dynamic_pointer_cast<T>(model);
  if (!wanted) detail::wrong_model(path, *model);
  return wanted;
}
/// A model from to_json's text; its weights are fresh.
Handle<Model> model_from_json(const std::string& json);

}  // namespace cornu
